/* What a page does when it is looked at: sort tables, enlarge pictures, choose a column and two domains, move rows. */
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const dataOf = (id) => (byId(id) ? JSON.parse(byId(id).textContent) : null);
  const shown = (x) => (Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(2) : String(Number(x.toPrecision(4))));

  function make(tag, text, attributes = {}) {
    const made = document.createElementNS(
      ["svg", "rect", "line", "path", "text", "title", "g"].includes(tag) ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== "") made.textContent = text;
    return made;
  }

  /* ---- tables that sort by the column whose heading is pressed ---- */
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

  /* ---- pictures that are enlarged when pressed; Escape, Close or a press beside them brings the page back ---- */
  function enlarge(image) {
    const large = make("dialog", "", { class: "enlarged", "aria-label": image.alt || "picture" });
    const close = make("button", "Close", { type: "button", class: "button" });
    const scroll = make("div", "", { class: "wide", tabindex: "0" });
    scroll.append(make("img", "", { src: image.src, alt: image.alt }));
    large.append(close, scroll);
    close.addEventListener("click", () => large.close());
    large.addEventListener("click", (event) => { if (event.target === large) large.close(); });
    large.addEventListener("close", () => large.remove());
    document.querySelector("main").append(large);
    large.showModal();
  }
  function enlargeable(image) {
    const button = make("button", "", { type: "button", class: "enlarge", title: "Enlarge" });
    image.replaceWith(button);
    button.append(image);
    button.addEventListener("click", () => enlarge(image));
  }

  /* ---- one column of two domains, before and after ---- */
  const COLOURS = ["#3b75af", "#e8833a", "currentColor"];
  /* Round numbers between two ends: four to nine of them. */
  function ticks(low, high) {
    const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((times) => times * power >= rough * 0.75);
    const first = Math.ceil(low / step), last = Math.floor(high / step);
    return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  }
  function histogram(edges, series, labels, said) {
    const width = 640, height = 220, foot = 24, step = width / (edges.length - 1);
    const top = Math.max(...series.flat(), 1e-9);
    const svg = make("svg", "", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "chart", "aria-label": labels.join("; ") });
    const y = (share) => (height - foot) * (1 - share / top);
    series.slice(0, 2).forEach((shares, s) => shares.forEach((share, k) => svg.append(make("rect", "", {
      x: k * step, width: step, y: y(share), height: height - foot - y(share), fill: COLOURS[s], "fill-opacity": 0.4 }))));
    if (series[2]) {
      const path = series[2].map((share, k) => `${k ? "L" : "M"}${k * step},${y(share)}H${(k + 1) * step}`).join("");
      svg.append(make("path", "", { d: path, fill: "none", stroke: COLOURS[2], "stroke-width": 2 }));
    }
    ticks(edges[0], edges.at(-1)).forEach((value) => {
      const x = (width * (value - edges[0])) / (edges.at(-1) - edges[0]);
      const anchor = x < 20 ? "start" : x > width - 20 ? "end" : "middle";
      svg.append(make("line", "", { x1: x, x2: x, y1: height - foot, y2: height - foot + 5, stroke: "currentColor" }));
      svg.append(make("text", shown(value), { x, y: height - 4, "text-anchor": anchor, class: "tick" }));
    });
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect(), k = Math.min(edges.length - 2, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * (edges.length - 1))));
      said.textContent = `${shown(edges[k])} to ${shown(edges[k + 1])}: ` +
        series.map((shares, s) => `${labels[s]} ${(100 * shares[k]).toFixed(1)} %`).join(", ");
    });
    return svg;
  }

  function chooser(looks) {
    const place = byId("look"), column = byId("look-column"), from = byId("look-from"), to = byId("look-to");
    looks.columns.forEach((one, c) => column.append(make("option", one.name, { value: c })));
    const named = (d) => make("option", looks.domains[d], { value: d });
    const byName = (a, b) => looks.domains[a].localeCompare(looks.domains[b], undefined, { numeric: true });
    const inOrder = (places) => [...new Set(places)].sort(byName);
    const first = looks.pairs[0];
    from.append(...inOrder(looks.pairs.map(([d]) => d)).map(named));
    from.value = first[0];
    const targets = (wanted) => {
      const found = inOrder(looks.pairs.filter(([d]) => d === Number(from.value)).map(([, e]) => e));
      to.replaceChildren(...found.map(named));
      to.value = found.includes(wanted) ? wanted : found[0];
    };
    targets(first[1]);
    const draw = () => {
      const d = Number(from.value), e = Number(to.value), one = looks.columns[column.value];
      const pair = looks.pairs.findIndex(([a, b]) => a === d && b === e);
      const labels = [looks.domains[d], looks.domains[e], `${looks.domains[d]} moved to ${looks.domains[e]}`];
      const said = byId("look-said");
      said.textContent = `Median in ${labels[0]}: ${shown(one.medians[d])}; in ${labels[1]}: ${shown(one.medians[e])}; moved: ${shown(one.moved_medians[pair])}.`;
      const series = [one.seen[d], one.seen[e], one.moved[pair]];
      byId("look-chart").replaceChildren(histogram(one.edges, series, labels, said));
      const key = labels.map((label, s) => { const item = make("li", label); item.prepend(make("span", "", { class: `swatch s${s}`, "aria-hidden": "true" })); return item; });
      byId("look-key").replaceChildren(...key);
    };
    column.addEventListener("change", draw);
    from.addEventListener("change", () => { targets(Number(to.value)); draw(); });
    to.addEventListener("change", draw);
    place.hidden = false;
    draw();
  }

  /* ---- rows that are dropped on the page are moved in it ---- */
  const PREVIEW = 8;
  function preview(result) {
    const table = make("table", ""), head = table.createTHead().insertRow(), body = table.createTBody();
    const columns = result.where.slice(0, 6);
    head.append(make("th", "row", { scope: "col" }), ...columns.map((c) => make("th", result.head[c], { scope: "col" })));
    result.after.slice(0, PREVIEW).forEach((cells, r) => {
      const line = body.insertRow();
      line.append(make("th", String(r + 1), { scope: "row" }), ...columns.map((c) =>
        make("td", `${shown(Number(result.before[r][c]))} → ${shown(Number(cells[c]))}`)));
    });
    return table;
  }

  function mover(carried) {
    const zone = byId("drop"), input = byId("drop-file"), said = byId("drop-said"), out = byId("drop-out");
    const from = byId("drop-from"), to = byId("drop-to");
    let last = null;
    carried.domains.forEach((name) => { from.append(make("option", name, { value: name })); to.append(make("option", name, { value: name })); });
    if (carried.domains.length > 1) to.selectedIndex = 1;
    async function run() {
      if (!last) return;
      out.replaceChildren();
      try {
        const result = elsewhere.moveCsv(carried, await last.text(), from.value, to.value);
        said.textContent = `${result.after.length} rows of ${last.name} moved to ${to.value}. Nothing left this page.`;
        const link = make("a", "Download the moved rows", { download: "moved.csv", id: "drop-link", class: "button",
          href: URL.createObjectURL(new Blob([result.csv], { type: "text/csv" })) });
        const wide = make("div", "", { class: "wide", tabindex: "0" });
        wide.append(preview(result));
        out.append(wide, link);
      } catch (error) { said.textContent = `Not moved. ${error.message}`; }
    }
    const take = (files) => { if (files.length) { last = files[0]; run(); } };
    input.addEventListener("change", () => take(input.files));
    [from, to].forEach((choice) => choice.addEventListener("change", run));
    ["dragover", "dragenter"].forEach((name) => zone.addEventListener(name, (e) => { e.preventDefault(); zone.classList.add("over"); }));
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (e) => { e.preventDefault(); zone.classList.remove("over"); take(e.dataTransfer.files); });
    zone.hidden = false;
  }

  document.querySelectorAll("table").forEach((table) => { if (table.tHead && !table.classList.contains("fixed")) sortable(table); });
  document.querySelectorAll("main figure > img").forEach(enlargeable);
  const looks = dataOf("looks"), carried = dataOf("model");
  if (looks && byId("look")) chooser(looks);
  if (carried && byId("drop")) mover(carried);
})();
