// Makes elements. Text is always text: there is no way here to make HTML of it.

/**
 * An element with attributes, listeners (`onclick`: a function) and children: elements, texts, or lists of them.
 * `null` and `false` are left out.
 */
export function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...flat(children));
  return element;
}

function flat(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

/** Puts other children into an element. What has the focus keeps it, if there is an element with the same `data-key`. */
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  element.replaceChildren(...flat(children));
  if (focused === undefined) return;
  for (const one of element.querySelectorAll("[data-key]")) {
    if (one.dataset.key === focused) one.focus({ preventScroll: true });
  }
}

/** A table that says what it is about. Each head is a text, or a text and a class. `cards`: in a narrow window each row is one. */
export function table(caption, heads, rows, kind) {
  const head = (one) => (Array.isArray(one) ? h("th", { scope: "col", class: one[1] }, one[0]) : h("th", { scope: "col" }, one));
  return h("div", { class: "scroll" }, h("table", { class: kind }, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads.map(head))), h("tbody", {}, rows)));
}

/** What went wrong, for everybody to notice. */
export function failure(error) {
  return h("div", { class: "error", role: "alert" }, error.message);
}
