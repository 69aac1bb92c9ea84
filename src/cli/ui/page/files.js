// The files of a state.

import { fill, h, table } from "./dom.js";
import { ask, download } from "./server.js";
import { bytes, clock, full, name, output } from "./text.js";

/** The states and snapshots to choose from. */
export async function choices(id) {
  const [{ states }, { snapshots }] = await Promise.all([ask("timeline", { id }), ask("snapshots")]);
  return { states, snapshots };
}

/** A menu of states and snapshots. `newest`: how the newest state is called, which has no number then. */
export function menu(label, { states, snapshots }, chosen, newest, choose) {
  const option = (value, text) => h("option", { value, selected: value === (chosen ?? "") }, text);
  const state = (one) => option(String(one.number), [`${one.number}: ${full(one.at)}  `, name(one.what.slice(0, 60))]);
  return h("label", {}, label, h("select", { "data-key": label, onchange: (event) => choose(event.target.value) },
    newest && option("", newest),
    h("optgroup", { label: "States" }, states.map(state)),
    snapshots.length > 0 && h("optgroup", { label: "Snapshots" }, snapshots.map((one) => option(one.id, name(one.name ?? one.id))))));
}

export function view(body, id, query, address) {
  const path = query.path ?? "/";
  const at = query.at;
  const above = h("div", { class: "above" });
  const shown = h("div");
  body.append(above, shown);
  let last = "";
  let head = "";

  const go = (where, what = {}) => address(id, "files", { at, path: where, ...what });

  function trail() {
    const names = path.split("/").filter(Boolean);
    const step = (one, index) => {
      const end = index === names.length - 1;
      return h("li", {}, h("a", { href: go(`/${names.slice(0, index + 1).join("/")}`), "data-key": `step-${index}`, "aria-current": end ? "page" : null }, name(one)));
    };
    return h("nav", { class: "path mono grow", "aria-label": "Path" }, h("ol", {}, h("li", {}, h("a", { href: go("/"), "data-key": "step" }, "/")), names.map(step)));
  }

  function row(entry) {
    const where = `${path === "/" ? "" : path}/${entry.name}`;
    const opens = entry.kind === "directory" ? {} : { file: 1 };
    const link = entry.kind === "directory" || entry.kind === "file" || entry.kind === "link";
    const label = [name(entry.name), entry.kind === "directory" && "/"];
    return h("tr", {},
      h("th", { scope: "row", class: "name mono" },
        link ? h("a", { href: go(where, entry.kind === "link" ? {} : opens), "data-key": where }, label) : label,
        entry.target !== null && h("span", { class: "quiet" }, " → ", name(entry.target))),
      h("td", { class: "wide" }, entry.kind),
      h("td", { class: "number" }, entry.kind === "file" ? bytes(entry.size) : ""),
      h("td", { class: "mono wide" }, entry.mode),
      h("td", { class: "wide" }, entry.owner === 0 ? "root" : entry.owner === 1000 ? "user" : String(entry.owner)),
      h("td", { class: "when" }, clock(entry.changed)));
  }

  const rows = h("tbody");
  async function directory() {
    const answer = await ask("files", { id, at, path });
    const more = h("p");
    const button = (next) => next !== null && h("button", { "data-key": "more", onclick: async () => {
      const page = await ask("files", { id, at, path, after: next });
      rows.append(...page.entries.map(row));
      fill(more, button(page.next));
    } }, "Show more");
    fill(more, button(answer.next));
    fill(rows, answer.entries.map(row));
    const list = table(`Files in ${path}`, ["Name", ["Kind", "wide"], ["Size", "number"], ["Mode", "wide"], ["Owner", "wide"], "Changed"], []);
    list.querySelector("tbody").replaceWith(rows);
    const empty = h("div", { class: "empty" }, h("p", {}, "The directory is empty."));
    fill(shown, answer.entries.length ? list : empty, more, h("p", { class: "note" },
      "These are the sandbox's own files as they were stored. Directories that a process has mounted from the machine are not a part of them."));
  }

  async function file() {
    const part = await ask("file", { id, at, path });
    const text = h("pre", { tabindex: 0, "aria-label": `Contents of ${path}` }, part.binary ? "" : output(part.text));
    const more = h("p");
    const button = (next) => next !== null && h("button", { "data-key": "more", onclick: async () => {
      const page = await ask("file", { id, at, path, offset: next });
      text.append(...output(page.binary ? "… what follows is not text …" : page.text));
      fill(more, button(page.binary ? null : page.next));
    } }, "Show more");
    if (!part.binary) fill(more, button(part.next));
    fill(shown,
      h("p", {}, `${bytes(part.size)}, mode ${part.mode}, changed ${full(part.changed)}  `, h("a", { href: download({ id, at, path }), download: "", "data-key": "download" }, "Download")),
      part.size === 0 ? h("div", { class: "empty" }, h("p", {}, "The file is empty.")) : part.binary ? h("div", { class: "empty" }, h("p", {}, "It is not text.")) : text,
      more);
  }

  async function update(sandbox) {
    const chosen = await choices(id);
    const menus = JSON.stringify(chosen);
    if (menus !== head) {
      head = menus;
      const choose = (value) => { location.hash = address(id, "files", { at: value, path, file: query.file }); };
      fill(above, trail(), menu("State ", chosen, at, "newest", choose));
    }
    // Only the newest state changes.
    const state = at ? "fixed" : String(sandbox.state);
    if (state === last) return;
    if (query.file) await file();
    else {
      try {
        await directory();
      } catch (error) {
        // A link may lead to a file.
        await file().catch(() => { throw error; });
      }
    }
    last = state;
  }

  return { update };
}
