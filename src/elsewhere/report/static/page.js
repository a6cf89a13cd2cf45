/* What a page does when it is looked at. */
"use strict";

(() => {
  const { byId, dataOf } = elsewhere.elements;
  document.querySelectorAll("table").forEach((table) => {
    if (table.tHead && !table.classList.contains("fixed")) elsewhere.tables.sortable(table);
  });
  document.querySelectorAll("main figure > img").forEach(elsewhere.pictures.enlargeable);
  const looks = dataOf("looks"), carried = dataOf("model");
  if (looks && byId("look")) elsewhere.look.chooser(looks);
  if (carried && byId("drop")) elsewhere.drop.mover(carried);
})();
