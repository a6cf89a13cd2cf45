/* Rows that are dropped on the page are moved in it. */
"use strict";

elsewhere.drop = (() => {
  const { byId, make, shown } = elsewhere.elements;
  const PREVIEW = 8, COLUMNS = 6;
  const WRONG = "This browser does not reach the answers of the model, so that nothing is moved here. Use: elsewhere counterfactual";

  const readable = (cell) => (cell.trim() === "" || Number.isNaN(Number(cell)) ? cell || "–" : shown(Number(cell)));

  function preview(result) {
    const table = make("table", ""), head = table.createTHead().insertRow(), body = table.createTBody();
    const columns = result.where.slice(0, COLUMNS);
    head.append(make("th", "row", { scope: "col" }), ...columns.map((c) => make("th", result.head[c], { scope: "col" })));
    result.after.slice(0, PREVIEW).forEach((cells, r) => {
      const line = body.insertRow();
      line.append(make("th", String(r + 1), { scope: "row" }), ...columns.map((c) =>
        make("td", `${readable(result.before[r][c])} → ${readable(cells[c])}`)));
    });
    return table;
  }

  /* Where rows can come from and go to, in the order of names; combinations that were never seen are marked. */
  function offer(choice, carried) {
    const byName = (a, b) => a.localeCompare(b, undefined, { numeric: true });
    [...carried.domains].sort(byName).forEach((name) => {
      const unseen = carried.unseen.includes(name) ? `${name} (no rows seen)` : name;
      choice.append(make("option", unseen, { value: name }));
    });
  }

  function accept(zone, take) {
    ["dragover", "dragenter"].forEach((name) => zone.addEventListener(name, (e) => { e.preventDefault(); zone.classList.add("over"); }));
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (e) => { e.preventDefault(); zone.classList.remove("over"); take(e.dataTransfer.files); });
  }

  function mover(carried) {
    const zone = byId("drop"), input = byId("drop-file"), said = byId("drop-said"), out = byId("drop-out");
    const from = byId("drop-from"), to = byId("drop-to");
    let last = null, address = null;
    offer(from, carried);
    offer(to, carried);
    if (carried.domains.length > 1) to.selectedIndex = 1;
    async function run() {
      if (!last) return;
      out.replaceChildren();
      said.textContent = `Moving the rows of ${last.name} …`;
      try {
        if (!elsewhere.agrees(carried)) throw new Error(WRONG);
        const result = elsewhere.moveCsv(carried, await last.text(), from.value, to.value);
        said.textContent = `${result.after.length} rows of ${last.name} moved to ${to.value}. Nothing left this page.`;
        if (address) URL.revokeObjectURL(address);
        address = URL.createObjectURL(new Blob([result.csv], { type: "text/csv" }));
        const link = make("a", "Download the moved rows", { download: "moved.csv", id: "drop-link", class: "button", href: address });
        const wide = make("div", "", { class: "wide", tabindex: "0" });
        wide.append(preview(result));
        out.append(wide, link);
      } catch (error) { said.textContent = `Not moved. ${error.message}`; }
    }
    const take = (files) => { if (files.length) { last = files[0]; run(); } };
    input.addEventListener("change", () => take(input.files));
    [from, to].forEach((choice) => choice.addEventListener("change", run));
    accept(zone, take);
    zone.hidden = false;
  }

  return { mover };
})();
