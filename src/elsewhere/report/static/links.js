/* Columns to the whole real line and back: the links of estimators/links.py. */
"use strict";

elsewhere.links = (() => {
  const LARGEST = 1e150;

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
    if (Math.abs(x) > LARGEST) return false;
    return link.pad > 0 || link.zeros ? x >= low && x <= high : x > low && x < high;
  }

  function counted(link, x) {
    if (x < bound(link.too_low, -Infinity)) return link.lowest;
    return x > bound(link.too_high, Infinity) ? link.highest : x;
  }

  function shaped(link, x) {
    if (link.shape === "identity") return x;
    if (link.shape === "levels") return link.scores[x];
    const above = x - link.low + link.pad;
    if (link.shape === "log") return Math.log(above);
    if (link.shape === "logit") return Math.log(above) - Math.log(link.high - x + link.pad);
    return above + link.bend * Math.log(-Math.expm1(-above / link.bend));
  }

  function unshaped(link, h) {
    const start = link.low - link.pad;
    if (link.shape === "identity") return h;
    if (link.shape === "levels") return link.cuts.filter((cut) => cut < h).length;
    if (link.shape === "log") return start + Math.exp(h);
    if (link.shape === "logit") return start + (link.high - link.low + 2 * link.pad) * expit(h);
    return start + link.bend * softplus(h / link.bend);
  }

  /* y; NaN where x is missing, and where it is a zero that is apart from all amounts. */
  function linked(link, x) {
    if (Number.isNaN(x) || (link.zeros && x === 0)) return NaN;
    return (shaped(link, counted(link, x)) - link.centre) / link.unit;
  }

  function unlinked(link, y) {
    const x = unshaped(link, y * link.unit + link.centre);
    if (!Number.isFinite(x)) throw new Error(`An answer in column ${link.name} is too large: the row lies too far from the rows fitted. Leave it out.`);
    return Math.min(Math.max(link.whole ? rint(x) : x, link.least), link.most);
  }

  return { allowed, linked, unlinked };
})();
