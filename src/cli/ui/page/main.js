// Which view is shown, and when it is made anew.

import { failure, fill, h } from "./dom.js";
import { ask, listen } from "./server.js";
import { state } from "./list.js";
import * as list from "./list.js";
import * as timeline from "./timeline.js";
import * as files from "./files.js";
import * as changes from "./changes.js";
import * as overview from "./overview.js";
import * as terminal from "./terminal.js";
import { name } from "./text.js";

const TABS = { timeline: ["Timeline", timeline], files: ["Files", files], changes: ["Changes", changes], overview: ["Limits and processes", overview], terminal: ["Terminal", terminal] };

const main = document.getElementById("main");

/** The view: its address, its elements, how it is updated and left. */
let shown = null;

/** `#/`, or `#/ID/TAB?query`. */
function asked() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [id, tab] = path.split("/").map(decodeURIComponent);
  return { id: id || null, tab: TABS[tab] ? tab : "timeline", query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a view. */
function address(id, tab, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given).toString();
  return `#/${encodeURIComponent(id)}/${tab}${text ? `?${text}` : ""}`;
}

async function show() {
  const { id, tab: key, query } = asked();
  const same = shown && shown.id === id;
  shown?.leave?.();
  const view = { id, head: h("div"), errors: h("div"), body: h("div") };
  if (same) view.head = shown.head;
  shown = view;
  if (id === null) {
    document.title = "Sandboxes – sandshell";
    Object.assign(view, list.view(view.body));
  } else {
    const [title, tab] = TABS[key];
    document.title = `${title} – ${id} – sandshell`;
    Object.assign(view, tab.view(view.body, id, query, address));
    view.tab = key;
  }
  fill(main, view.head, view.errors, view.body);
  if (!same) main.focus({ preventScroll: true });
  await update();
}

async function head(view) {
  const sandbox = await ask("sandbox", { id: view.id });
  const text = JSON.stringify([sandbox.user, sandbox.parked, sandbox.paused, sandbox.labels, view.tab]);
  if (view.headText !== text) {
    view.headText = text;
    const tab = ([key, [title]]) => h("a", { href: address(view.id, key), "aria-current": key === view.tab ? "page" : null, "data-key": `tab-${key}` }, title);
    fill(
      view.head,
      h("div", { class: "above" }, h("h1", {}, name(view.id)), h("span", { role: "status" }, state(sandbox)), h("span", {}, list.labels(sandbox))),
      h("nav", { class: "tabs", "aria-label": "Views of the sandbox" }, Object.entries(TABS).map(tab)),
    );
  }
  return sandbox;
}

async function update() {
  const view = shown;
  try {
    const sandbox = view.id === null ? null : await head(view);
    const directory = shown === view ? await view.update?.(sandbox) : null;
    place(sandbox?.directory ?? directory);
    if (shown === view && view.failed) fill(view.errors);
    view.failed = false;
  } catch (error) {
    if (shown !== view) return;
    if (view.failed !== error.message) fill(view.errors, failure(error));
    view.failed = error.message;
  }
}

/** Which directory of sandboxes this is. */
function place(directory) {
  const element = document.getElementById("place");
  if (directory && element.textContent !== directory) element.textContent = directory;
}

function connected(is) {
  const element = document.getElementById("connection");
  element.className = is ? "" : "lost";
  const text = is ? "live" : "not connected: has `sandshell ui` ended?";
  if (element.textContent !== text) element.textContent = text;
}

addEventListener("hashchange", show);
// It is no view, and leaves the address as it is.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
show();
listen(update, connected);
// Locks and times leave no trace in the store.
setInterval(() => document.hidden || update(), 5000);
