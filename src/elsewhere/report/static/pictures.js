/* Pictures that are enlarged when pressed; Escape, Close or a press beside them brings the page back. */
"use strict";

elsewhere.pictures = (() => {
  const { make } = elsewhere.elements;

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

  return { enlargeable };
})();
