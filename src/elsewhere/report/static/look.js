/* One column of two domains, before and after. */
"use strict";

elsewhere.look = (() => {
  const { byId, make, shown } = elsewhere.elements;

  const COLOURS = ["#3b75af", "#e8833a", "currentColor"];
  /* Round numbers between two ends: four to nine of them. */
  function ticks(low, high) {
    const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((times) => times * power >= rough * 0.75);
    const first = Math.ceil(low / step), last = Math.floor(high / step);
    return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  }
  const worded = (levels, value) => (levels.length ? levels[Math.floor(value)] : shown(value));

  function histogram({ edges, levels }, series, labels, said) {
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
    const marks = levels.length ? levels.map((_, place) => place) : ticks(edges[0], edges.at(-1));
    marks.forEach((value) => {
      const x = (width * (value - edges[0])) / (edges.at(-1) - edges[0]);
      const anchor = x < 20 ? "start" : x > width - 20 ? "end" : "middle";
      svg.append(make("line", "", { x1: x, x2: x, y1: height - foot, y2: height - foot + 5, stroke: "currentColor" }));
      svg.append(make("text", worded(levels, value), { x, y: height - 4, "text-anchor": anchor, class: "tick" }));
    });
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect(), k = Math.min(edges.length - 2, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * (edges.length - 1))));
      said.textContent = (levels.length ? `${levels[k]}: ` : `${shown(edges[k])} to ${shown(edges[k + 1])}: `) +
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
      said.textContent = `Median in ${labels[0]}: ${worded(one.levels, one.medians[d])}; in ${labels[1]}: ${worded(one.levels, one.medians[e])}; moved: ${worded(one.levels, one.moved_medians[pair])}.`;
      const series = [one.seen[d], one.seen[e], one.moved[pair]];
      byId("look-chart").replaceChildren(histogram(one, series, labels, said));
      const key = labels.map((label, s) => { const item = make("li", label); item.prepend(make("span", "", { class: `swatch s${s}`, "aria-hidden": "true" })); return item; });
      byId("look-key").replaceChildren(...key);
    };
    column.addEventListener("change", draw);
    from.addEventListener("change", () => { targets(Number(to.value)); draw(); });
    to.addEventListener("change", draw);
    place.hidden = false;
    draw();
  }

  return { chooser };
})();
