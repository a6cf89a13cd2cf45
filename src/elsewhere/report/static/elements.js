/* Elements of a page, and the data that came with it. */
"use strict";

elsewhere.elements = (() => {
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

  return { byId, dataOf, make, shown };
})();
