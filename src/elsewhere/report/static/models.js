/* Rows in link space from one domain to another, by the numbers of report/portable/models.py. */
"use strict";

elsewhere.models = (() => {
  const { dot, applied, times } = elsewhere.algebra;

  /* ---- maps by moments: x = c + s (A u + δ), and what pairs of rows say it lacks ---- */
  const rank = (model) => (model.codes.length ? model.codes[0].length : 0);

  function turned(model, u, turns) {
    const coded = times(u, model.codes, rank(model)), after = times(coded, turns, coded.length);
    const change = after.map((value, r) => value - coded[r]);
    return u.map((value, j) => value + dot(model.codes[j], change));
  }

  function known(model, u) {
    if (model.carried === 1) return u;
    const told = times(u, model.codes, rank(model)).map((value, r) => value * model.reliability[r]);
    return u.map((v, j) => model.carried * v + (1 - model.carried) * dot(model.codes[j], told));
  }

  function corrected(one, u) {
    const along = times(applied(one.inputs, u), one.weights, u.length);
    return u.map((v, c) => one.offset[c] + one.slope[c] * v + along[c]);
  }

  function byMap(model, y, i, j) {
    const own = y.map((v, c) => (v - model.centre[c]) / model.stretch[i][c] - model.offsets[i][c]);
    const u = turned(model, own, model.back[i]);
    const there = turned(model, known(model, u), model.forth[j]);
    const moved = model.alike ? y
      : there.map((v, c) => model.centre[c] + model.stretch[j][c] * (v + model.offsets[j][c]));
    const found = model.corrections.find((one) => one.source === i && one.target === j);
    if (!found) return moved;
    return corrected(found, u).map((v, c) => moved[c] + model.stretch[j][c] * v);
  }

  /* ---- layers: affine, leaky, or mechanisms that add up curves of their causes ---- */
  const leaky = (slope, x) => x.map((v) => (v < 0 ? slope * v : v));

  function causes(layer, z, j) {
    const bends = (v) => [v, ...layer.knots.map((knot) => Math.tanh(layer.steepness * (v - knot)))];
    let sum = 0;
    for (let i = 0; i < j; i++) sum += dot(layer.weights[j][i], bends(z[i]));
    return sum;
  }

  function forth(layer, x) {
    if ("slope" in layer) return leaky(layer.slope, x);
    if (!("knots" in layer)) return applied(layer.matrix, x).map((v, c) => v + layer.offset[c]);
    const z = [];
    x.forEach((v, j) => z.push(causes(layer, z, j) + layer.scale[j] * v + layer.bias[j]));
    return z;
  }

  function back(layer, x) {
    if ("slope" in layer) return leaky(1 / layer.slope, x);
    if (!("knots" in layer)) return applied(layer.inverse, x.map((v, c) => v - layer.offset[c]));
    return x.map((v, j) => (v - causes(layer, x, j) - layer.bias[j]) / layer.scale[j]);
  }

  function byLayers(model, y, i, j) {
    const noise = back(model.scms[i], model.mixing.reduceRight((x, layer) => back(layer, x), y));
    return model.mixing.reduce((x, layer) => forth(layer, x), forth(model.scms[j], noise));
  }

  /* The mean over all models. */
  function moved(models, y, i, j) {
    const answers = models.map((m) => (m.kind === "affine" ? byMap : byLayers)(m, y, i, j));
    return y.map((_, c) => answers.reduce((sum, a) => sum + a[c], 0) / answers.length);
  }

  return { moved };
})();
