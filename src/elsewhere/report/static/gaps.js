/* What is expected of entries that are missing, given the others of the row: gaps/conditional.py. */
"use strict";

elsewhere.gaps = (() => {
  const { dot, times, solved } = elsewhere.algebra;

  /* Σ_mo Σ_oo⁻¹ u_o */
  function byMatrix(matrix, u, seen) {
    const o = [...u.keys()].filter((c) => seen[c]);
    const weights = solved(o.map((a) => o.map((b) => matrix[a][b])), o.map((a) => u[a]));
    return u.map((_, c) => o.reduce((sum, a, k) => sum + matrix[c][a] * weights[k], 0));
  }

  /* S L E[codes | u_o], where Σ = S (L Lᵀ + diag(o)) S */
  function byFactors(loadings, own, scale, u, seen) {
    const rank = loadings[0].length, share = own.map((value, c) => (seen[c] ? 1 / value : 0));
    const precision = Array.from({ length: rank }, (_, a) => Array.from({ length: rank }, (_, b) =>
      loadings.reduce((sum, line, c) => sum + share[c] * line[a] * line[b], a === b ? 1 : 0)));
    const codes = solved(precision, times(u.map((v, c) => (v * share[c]) / scale[c]), loadings, rank));
    return loadings.map((line, c) => dot(line, codes) * scale[c]);
  }

  /* The row of domain i with the expectation in every gap. */
  function filled(gaps, y, i) {
    if (!y.some(Number.isNaN)) return y;
    const seen = y.map((v) => !Number.isNaN(v)), means = gaps.means[i];
    const u = y.map((v, c) => (seen[c] ? v - means[c] : 0));
    const told = gaps.matrices ? byMatrix(gaps.matrices[i], u, seen)
      : byFactors(gaps.loadings, gaps.own, gaps.scales[i], u, seen);
    return y.map((v, c) => (seen[c] ? v : means[c] + told[c]));
  }

  return { filled };
})();
