/* Vectors and matrices as arrays; every script of the page adds its part to `elsewhere`. */
"use strict";

const elsewhere = {};

elsewhere.algebra = (() => {
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const applied = (matrix, x) => matrix.map((line) => dot(line, x));
  /* xᵀ A; for a matrix without rows, zeros. */
  const times = (x, matrix, width) => Array.from({ length: width }, (_, j) =>
    x.reduce((sum, value, i) => sum + value * matrix[i][j], 0));

  /* A⁻¹ b by elimination, the largest pivot first. */
  function solved(matrix, right) {
    const rows = matrix.map((line, i) => [...line, right[i]]), n = rows.length;
    for (let k = 0; k < n; k++) {
      let best = k;
      for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
      [rows[k], rows[best]] = [rows[best], rows[k]];
      for (let i = k + 1; i < n; i++) {
        const factor = rows[i][k] / rows[k][k];
        for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
      }
    }
    const x = new Array(n).fill(0);
    for (let k = n - 1; k >= 0; k--) {
      let rest = rows[k][n];
      for (let j = k + 1; j < n; j++) rest -= rows[k][j] * x[j];
      x[k] = rest / rows[k][k];
    }
    return x;
  }

  return { dot, applied, times, solved };
})();
