/* CSV text to cells and back. */
"use strict";

elsewhere.csv = (() => {
  /* Quotes keep separators and line ends, "" is a quote; the separator is found in the first line. */
  function parsed(text) {
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
  const text = (rows, comma) =>
    rows.map((row) => row.map((cell) => quoted(cell, comma)).join(comma)).join("\n") + "\n";

  return { parsed, text };
})();
