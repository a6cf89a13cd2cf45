/* What covariates explain, taken out of a row and put in again elsewhere: covariates/model.py. */
"use strict";

elsewhere.covariates = (() => {
  const { times } = elsewhere.algebra;

  /* Value and slope at x of every natural cubic spline of the column. */
  function splines(column, x) {
    const last = column.knots.length - 2;
    const next = column.knots.findIndex((knot) => knot > x);
    const place = next < 0 ? last : Math.min(Math.max(next - 1, 0), last);
    const t = x - column.knots[place], [a, b, c, d] = column.pieces.map((power) => power[place]);
    return d.map((value, s) => [
      value + t * (c[s] + t * (b[s] + t * a[s])), c[s] + t * (2 * b[s] + 3 * t * a[s])]);
  }

  function basis(column, value) {
    if (column.levels) return column.levels.slice(1).map((_, place) => (place + 1 === value ? 1 : 0));
    const x = (value - column.centre) / column.unit;
    if (!column.knots.length) return [x];
    const inside = Math.min(Math.max(x, column.knots[0]), column.knots[column.knots.length - 1]);
    return [x, ...splines(column, inside).map(([at, slope]) => at + (x - inside) * slope)];
  }

  /* z of a row's covariates: products of one or two bases, centred and white. */
  function rowOf(kept, values) {
    const bases = kept.columns.map((column, c) => basis(column, values[c]));
    const raw = kept.terms.flatMap((term) => term.map((c) => bases[c]).reduce(
      (product, one) => product.flatMap((a) => one.map((b) => a * b))));
    return times(raw.map((value, c) => value - kept.centre[c]), kept.turn, kept.turn[0].length);
  }

  const explained = (kept, z, i) => times(z, kept.coefficients[i], kept.stretch[i].length);

  function widths(kept, z, width) {
    if (kept.spread === null) return new Array(width).fill(1);
    return times(z, kept.spread, width).map((s) => Math.exp(Math.min(Math.max(s, -kept.widest), kept.widest)));
  }

  /* c + e^{−zT} ((y − z B)/s − c) */
  function takenOut(kept, y, z, i) {
    const told = explained(kept, z, i), width = widths(kept, z, y.length), centre = kept.centres[i];
    return y.map((v, c) => centre[c] + ((v - told[c]) / kept.stretch[i][c] - centre[c]) / width[c]);
  }

  /* z B + s (c + e^{zT} (rest − c)) */
  function putIn(kept, rest, z, i) {
    const told = explained(kept, z, i), width = widths(kept, z, rest.length), centre = kept.centres[i];
    return rest.map((v, c) => told[c] + kept.stretch[i][c] * (centre[c] + (v - centre[c]) * width[c]));
  }

  /* What of the rest moves along: the row drawn to the mean of its domain. */
  const moving = (kept, rest, i) => rest.map((v, c) =>
    kept.rest_means[i][c] + kept.carried * (v - kept.rest_means[i][c]));

  return { rowOf, takenOut, putIn, moving };
})();
