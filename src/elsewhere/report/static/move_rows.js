/* Rows of a CSV file moved to another domain, as estimators/table_questions.py moves them. */
"use strict";

Object.assign(elsewhere, (() => {
  const { cells, csv, covariates, gaps, links, models } = elsewhere;
  const JOIN = " × "; // between the labels of crossed domains
  const CLOSE = 1e-6;

  /* One row of numbers, NaN where one is missing; `kept` has its covariates. */
  function moveRow(carried, x, i, j, kept) {
    if (i === j) return x;
    const known = carried.covariates, z = known && covariates.rowOf(known, kept);
    const y = x.map((value, c) => links.linked(carried.columns[c], value));
    const rest = gaps.filled(carried.gaps, known ? covariates.takenOut(known, y, z, i) : y, i);
    const after = models.moved(carried.models, known ? covariates.moving(known, rest, i) : rest, i, j);
    const change = known && [covariates.putIn(known, rest, z, i), covariates.putIn(known, after, z, j)];
    return x.map((value, c) => {
      if (Number.isNaN(y[c])) return value; // gaps stay gaps, and zeros that are apart stay zeros
      if (carried.gaps && carried.gaps.unseen[j][c] && !carried.columns[c].zeros) return NaN;
      const moved = known ? y[c] + (change[1][c] - change[0][c]) : after[c];
      return moved === y[c] ? value : links.unlinked(carried.columns[c], moved);
    });
  }

  /* Every total the sum of its parts; one that is missing stays so. */
  function addUp(carried, head, line) {
    const read = (name) => cells.number(carried, { name }, line[head.indexOf(name)], 0);
    for (const { total, parts } of carried.sums) {
      if (Number.isNaN(read(total))) continue;
      line[head.indexOf(total)] = cells.written({}, parts.map(read).reduce((a, b) => a + b));
    }
  }

  /* What a row says of its domain; null where the file does not say. */
  function ownLabel(carried, head) {
    const names = carried.domain_columns;
    if (!names.length || !names.some((name) => head.includes(name))) return null;
    const where = cells.places(head, names);
    return (line) => where.map((place) => line[place]).join(JOIN);
  }

  /* A CSV text moved to the domain `target`; `source` is used where no column says the domain. */
  function moveCsv(carried, text, source, target) {
    const { rows, comma } = csv.parsed(text);
    if (rows.length < 2) throw new Error("The file holds no rows below its column names.");
    const [head, ...body] = rows, columns = carried.columns;
    const where = cells.places(head, columns.map((column) => column.name));
    const kept = carried.covariates ? carried.covariates.columns : [];
    const beside = cells.places(head, kept.map((column) => column.name));
    cells.places(head, carried.sums.flatMap((one) => [one.total, ...one.parts]));
    const label = ownLabel(carried, head), j = carried.domains.indexOf(target);
    const there = carried.domain_columns.length > 1 ? target.split(JOIN) : [target];
    const moved = body.map((line, r) => {
      if (line.length !== head.length)
        throw new Error(`Row ${r + 1} has ${line.length} cells, and the first line ${head.length}.`);
      const i = cells.domain(carried, label ? label(line) : source, r + 1);
      const x = where.map((place, c) => cells.amount(carried, columns[c], line[place], r + 1));
      const given = beside.map((place, c) => cells.covariate(carried, kept[c], line[place], r + 1));
      const answer = moveRow(carried, x, i, j, given), after = line.slice();
      where.forEach((place, c) => {
        if (!Object.is(answer[c], x[c])) after[place] = cells.written(columns[c], answer[c]);
      });
      const stays = x.every((value, c) => Number.isNaN(links.linked(columns[c], value)));
      if (i !== j && !stays) addUp(carried, head, after);
      if (label) there.forEach((part, p) => { after[head.indexOf(carried.domain_columns[p])] = part; });
      return after;
    });
    return { head, before: body, after: moved, where, csv: csv.text([head, ...moved], comma) };
  }

  /* How far whole numbers may be apart because a half was rounded the other way, by column. */
  function rounded(carried) {
    const whole = new Set(carried.columns.filter((c) => c.whole && !c.levels).map((c) => c.name));
    const room = Object.fromEntries([...whole].map((name) => [name, 1]));
    for (const { total, parts } of carried.sums) room[total] = parts.filter((part) => whole.has(part)).length;
    return room;
  }

  /* Whether this browser gives Python's answers to the rows that came along. */
  function agrees(carried) {
    const room = rounded(carried);
    return carried.checks.every((check) => {
      const { head, after } = moveCsv(carried, check.before, check.from, check.to);
      const theirs = csv.parsed(check.after).rows.slice(1);
      return head.every((name, c) => {
        const unit = Math.max(...theirs.map((line) => Math.abs(Number(line[c]) || 0)));
        return after.every((line, r) => line[c] === theirs[r][c] ||
          Math.abs(Number(line[c]) - Number(theirs[r][c])) <= CLOSE * unit + (room[name] || 0));
      });
    });
  }

  return { moveRow, moveCsv, agrees };
})());
