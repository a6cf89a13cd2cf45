/* Tables that sort by the column whose heading is pressed. */
"use strict";

elsewhere.tables = (() => {
  const { make } = elsewhere.elements;

  const amount = (text) => {
    const found = text.replace(/[−–]/g, "-").replace(/,/g, "").match(/[-+]?\d*\.?\d+(e[-+]?\d+)?/i);
    return found ? Number(found[0]) : NaN;
  };
  function compare(a, b) {
    const x = amount(a), y = amount(b);
    if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    return a.localeCompare(b);
  }
  function sortable(table) {
    const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    if (!body || body.rows.length < 3) return;
    heads.forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = make("button", head.textContent, { type: "button", class: "sort" });
      head.textContent = "";
      head.append(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...body.rows].sort((a, b) =>
          (up ? 1 : -1) * compare(a.cells[column].textContent, b.cells[column].textContent));
        body.append(...rows);
      });
    });
  }

  return { sortable };
})();
