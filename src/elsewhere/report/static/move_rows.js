/* Rows of a table moved to another domain, by the numbers of a fitted model.
   The arithmetic is that of report/portable_model.py and of estimators/links.py. */
"use strict";

const elsewhere = (() => {
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const times = (row, matrix) => matrix[0].map((_, j) => row.reduce((s, v, i) => s + v * matrix[i][j], 0));
  const applied = (matrix, row) => matrix.map((line) => dot(line, row));

  /* Half-way cases go to the even neighbour, as NumPy rounds. */
  function rint(x) {
    const floor = Math.floor(x), rest = x - floor;
    if (rest !== 0.5) return Math.round(x);
    return floor % 2 === 0 ? floor : floor + 1;
  }

  const softplus = (t) => Math.max(t, 0) + Math.log1p(Math.exp(-Math.abs(t)));
  const expit = (t) => (t >= 0 ? 1 / (1 + Math.exp(-t)) : Math.exp(t) / (1 + Math.exp(t)));
  const bound = (value, otherwise) => (value === null ? otherwise : value);

  function allowed(link, x) {
    const low = bound(link.low, -Infinity), high = bound(link.high, Infinity);
    return link.pad > 0 ? x >= low && x <= high : x > low && x < high;
  }

  function linked(link, value) {
    const low = value < bound(link.too_low, -Infinity), high = value > bound(link.too_high, Infinity);
    const x = low ? link.lowest : high ? link.highest : value;
    let h = x;
    if (link.shape !== "identity") {
      const above = x - link.low + link.pad;
      if (link.shape === "log") h = Math.log(above);
      else if (link.shape === "logit") h = Math.log(above) - Math.log(link.high - x + link.pad);
      else h = above + link.bend * Math.log(-Math.expm1(-above / link.bend));
    }
    return (h - link.centre) / link.unit;
  }

  function unlinked(link, y) {
    const h = y * link.unit + link.centre, start = link.low - link.pad;
    let x = h;
    if (link.shape === "log") x = start + Math.exp(h);
    else if (link.shape === "logit") x = start + (link.high - link.low + 2 * link.pad) * expit(h);
    else if (link.shape === "softplus") x = start + link.bend * softplus(h / link.bend);
    if (link.whole) x = rint(x);
    return Math.min(Math.max(x, link.least), link.most);
  }

  function turned(model, u, turns) {
    if (!model.codes.length || !model.codes[0].length) return u;
    const coded = times(u, model.codes), after = times(coded, turns);
    const change = after.map((value, r) => value - coded[r]);
    return u.map((value, j) => value + dot(model.codes[j], change));
  }

  function known(model, u) {
    if (model.carried === 1) return u;
    const coded = model.codes[0].length ? times(u, model.codes) : [];
    const told = coded.map((value, r) => value * model.reliability[r]);
    return u.map((v, j) => model.carried * v + (1 - model.carried) * dot(model.codes[j], told));
  }

  function byMap(model, y, i, j) {
    const own = y.map((v, c) => (v - model.centre[c]) / model.stretch[i][c] - model.offsets[i][c]);
    const u = turned(model, known(model, turned(model, own, model.back[i])), model.forth[j]);
    return u.map((v, c) => model.centre[c] + model.stretch[j][c] * (v + model.offsets[j][c]));
  }

  const forth = (layer, x) => ("slope" in layer
    ? x.map((v) => (v < 0 ? layer.slope * v : v))
    : applied(layer.matrix, x).map((v, c) => v + layer.offset[c]));
  const back = (layer, x) => ("slope" in layer
    ? x.map((v) => (v < 0 ? v / layer.slope : v))
    : applied(layer.inverse, x.map((v, c) => v - layer.offset[c])));

  function byLayers(model, y, i, j) {
    const z = back(model.scms[i], model.mixing.reduceRight((x, layer) => back(layer, x), y));
    return model.mixing.reduce((x, layer) => forth(layer, x), forth(model.scms[j], z));
  }

  /* The answer to one row of numbers, one for each column of the model. */
  function moveRow(carried, row, i, j) {
    if (i === j) return row;
    const y = row.map((x, c) => linked(carried.columns[c], x));
    const answers = carried.models.map((m) => (m.kind === "affine" ? byMap : byLayers)(m, y, i, j));
    return carried.columns.map((link, c) =>
      unlinked(link, answers.reduce((sum, a) => sum + a[c], 0) / answers.length));
  }

  /* Rows of text out of CSV: quotes keep separators and line ends, "" is a quote. */
  function parseCsv(text) {
    const line = text.slice(0, text.search(/[\r\n]|$/));
    const count = (mark) => line.split(mark).length;
    const comma = [",", ";", "\t"].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
    const rows = [];
    let row = [], cell = "", quoted = false;
    for (let i = text.charCodeAt(0) === 0xfeff ? 1 : 0; i < text.length; i++) {
      const c = text[i];
      if (quoted) {
        if (c !== '"') cell += c;
        else if (text[i + 1] === '"') { cell += '"'; i++; }
        else quoted = false;
      } else if (c === '"') quoted = true;
      else if (c === comma) { row.push(cell); cell = ""; }
      else if (c === "\n" || c === "\r") {
        if (c === "\r" && text[i + 1] === "\n") i++;
        row.push(cell); rows.push(row); row = []; cell = "";
      } else cell += c;
    }
    if (cell !== "" || row.length) { row.push(cell); rows.push(row); }
    return { rows: rows.filter((r) => r.length > 1 || r[0] !== ""), comma };
  }

  const quoted = (cell, comma) =>
    (cell.includes(comma) || /["\r\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell);
  const toCsv = (rows, comma) => rows.map((r) => r.map((c) => quoted(c, comma)).join(comma)).join("\n") + "\n";

  function places(carried, head) {
    const found = carried.columns.map((column) => head.indexOf(column.name));
    const lacking = carried.columns.filter((_, c) => found[c] < 0).map((column) => column.name);
    if (lacking.length) throw new Error(`The file lacks the column(s) ${lacking.join(", ")}.`);
    return found;
  }

  function number(link, cell, row) {
    const text = cell.trim(), x = Number(text);
    if (text === "")
      throw new Error(`Row ${row}, column ${link.name} is empty. This page moves complete rows; for rows with gaps, use the app or elsewhere counterfactual.`);
    if (!Number.isFinite(x))
      throw new Error(`Row ${row}, column ${link.name}: ${text} is not a number.`);
    if (!allowed(link, x))
      throw new Error(`Row ${row}, column ${link.name}: ${x} is outside the range that was fitted.`);
    return x;
  }

  function domain(carried, label, row) {
    const place = carried.domains.indexOf(label);
    if (place < 0) throw new Error(`Row ${row}: the model does not know the domain ${label}.`);
    return place;
  }

  /* A CSV text moved to the domain `target`; `source` is used where no column says the domain. */
  function moveCsv(carried, text, source, target) {
    const { rows, comma } = parseCsv(text);
    if (rows.length < 2) throw new Error("The file holds no rows below its column names.");
    const [head, ...body] = rows, where = places(carried, head);
    const own = carried.domain_column === null ? -1 : head.indexOf(carried.domain_column);
    const to = carried.domains.indexOf(target);
    const moved = body.map((cells, r) => {
      if (cells.length !== head.length)
        throw new Error(`Row ${r + 1} has ${cells.length} cells, and the first line ${head.length}.`);
      const from = domain(carried, own < 0 ? source : cells[own], r + 1);
      const x = where.map((place, c) => number(carried.columns[c], cells[place], r + 1));
      const answer = moveRow(carried, x, from, to), line = cells.slice();
      if (from !== to) where.forEach((place, c) => { line[place] = String(answer[c]); });
      if (own >= 0) line[own] = target;
      return line;
    });
    return { head, before: body, after: moved, where, csv: toCsv([head, ...moved], comma) };
  }

  return { moveRow, moveCsv, parseCsv };
})();
