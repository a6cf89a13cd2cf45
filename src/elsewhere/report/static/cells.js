/* Cells of a CSV file as numbers, levels and domains, and answers as cells. */
"use strict";

elsewhere.cells = (() => {
  /* Where the file has these columns; raises where it lacks one. */
  function places(head, names) {
    const lacking = names.filter((name) => !head.includes(name));
    if (lacking.length) throw new Error(`The file lacks the column(s) ${lacking.join(", ")}.`);
    return names.map((name) => head.indexOf(name));
  }

  function level(levels, text) {
    const place = levels.indexOf(text);
    return place < 0 && text !== "" ? levels.findIndex((one) => one !== "" && Number(one) === Number(text)) : place;
  }

  /* The number in a cell, or that of its level; NaN where it says that a value is missing. */
  function number(carried, column, cell, row) {
    const text = cell.trim(), refuse = (why) => { throw new Error(`Row ${row}, column ${column.name}: ${text} ${why}.`); };
    if (carried.missing.includes(text)) return NaN;
    const x = column.levels ? level(column.levels, text) : Number(text);
    if (column.levels && x < 0) refuse("is not a level that was fitted");
    if (!Number.isFinite(x)) refuse("is not a number");
    return x;
  }

  /* A modelled column: also within the range that was fitted. */
  function amount(carried, column, cell, row) {
    const x = number(carried, column, cell, row);
    if (!Number.isNaN(x) && !elsewhere.links.allowed(column, x))
      throw new Error(`Row ${row}, column ${column.name}: ${x} is outside the range that was fitted.`);
    if (Number.isNaN(elsewhere.links.linked(column, x)) && carried.gaps === null)
      throw new Error(`Row ${row}, column ${column.name} is empty. This page moves complete rows; for rows with gaps, use the app or elsewhere counterfactual.`);
    return x;
  }

  /* A covariate; what is missing of a category has a level, where the fit has seen such rows. */
  function covariate(carried, column, cell, row) {
    const x = number(carried, column, cell, row), gap = (column.levels ?? []).indexOf("(missing)");
    if (Number.isNaN(x) && gap >= 0) return gap;
    if (Number.isNaN(x)) throw new Error(`Row ${row}, column ${column.name} is empty; covariates must not be missing.`);
    return x;
  }

  /* The place of a row's domain; labels in several columns are joined. */
  function domain(carried, label, row) {
    const place = carried.domains.indexOf(label);
    if (place < 0) throw new Error(`Row ${row}: the model does not know the domain ${label}.`);
    return place;
  }

  const written = (column, x) => (Number.isNaN(x) ? "" : column.levels ? column.levels[x] : String(x));

  return { places, number, amount, covariate, domain, written };
})();
