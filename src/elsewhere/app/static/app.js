/* What the app's pages do beside showing: take a dropped file, follow a fit, ask for one row, copy. */
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);

  [["drop-table", "file"], ["drop-images", "zip"]].forEach(([place, taker]) => {
    const zone = byId(place), file = byId(taker);
    if (!zone || !file) return;
    ["dragover", "dragenter"].forEach((name) => zone.addEventListener(name, (e) => { e.preventDefault(); zone.classList.add("over"); }));
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (e) => {
      e.preventDefault();
      zone.classList.remove("over");
      if (e.dataTransfer.files.length) { file.files = e.dataTransfer.files; zone.submit(); }
    });
  });

  const choose = byId("choose-domain");
  if (choose) choose.addEventListener("change", () => choose.submit());

  const progress = byId("progress");
  if (progress) {
    const follow = async () => {
      try {
        const answer = await fetch(`/fits/${progress.dataset.fit}/status`);
        if (!answer.ok) { location.reload(); return; }
        const now = await answer.json();
        if (now.status !== "running") { location.reload(); return; }
        byId("bar").value = now.fraction;
        byId("said").textContent = now.said;
      } catch { byId("said").textContent = "The app does not answer. Is it still running?"; }
      setTimeout(follow, 400);
    };
    setTimeout(follow, 200);
  }

  const ask = byId("ask-row");
  if (ask) {
    ask.addEventListener("submit", async (e) => {
      e.preventDefault();
      const place = byId("row-answer");
      place.textContent = "…";
      const asked = new URLSearchParams(new FormData(ask));
      try {
        const answer = await fetch(`/fits/${ask.dataset.fit}/row?${asked}`, { headers: { accept: "text/fragment" } });
        place.innerHTML = await answer.text();  /* made of the app's own escaped blocks */
      } catch { place.textContent = "The app does not answer. Is it still running?"; }
    });
  }

  document.querySelectorAll("pre.copy").forEach((code) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button small copy-it";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(code.textContent); button.textContent = "Copied"; }
      catch { getSelection().selectAllChildren(code); button.textContent = "Selected: press Ctrl+C"; }
    });
    code.before(button);
  });
})();
