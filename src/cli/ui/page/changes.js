// How two states differ.

import { failure, fill, h } from "./dom.js";
import { ask } from "./server.js";
import { choices, menu } from "./files.js";
import { bytes, many, name, output } from "./text.js";

/** The lines of a unified diff, with their numbers. */
function lines(diff) {
  let [old, now] = [0, 0];
  return diff.replace(/\n$/, "").split("\n").map((text) => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    const line = (kind, left, right, shown) =>
      h("div", { class: `line ${kind}` }, h("span", { class: "at" }, left), h("span", { class: "at" }, right), h("span", { class: "text" }, output(shown)));
    if (hunk) {
      [old, now] = [Number(hunk[1]), Number(hunk[2])];
      return line("hunk", "", "", text);
    }
    if (text.startsWith("+")) return line("plus", "", String(now++), text);
    if (text.startsWith("-")) return line("minus", String(old++), "", text);
    if (text.startsWith("\\")) return line("hunk", "", "", text);
    return line("", String(old++), String(now++), text);
  });
}

export function view(body, id, query, address) {
  const above = h("div", { class: "above" });
  const shown = h("div");
  body.append(above, shown);
  let [head, last] = ["", ""];

  function item(change, from, to) {
    const within = h("div", { class: "within" });
    let asked = false;
    const sign = { added: ["good", "added"], changed: ["busy", "changed"], removed: ["bad", "removed"] }[change.change];
    const facts = [
      change.old_mode && change.old_mode !== change.mode && h("span", {}, `mode ${change.old_mode} → ${change.mode}`),
      h("span", { class: "quiet" }, change.kind === "file" ? bytes(change.size) : change.kind),
    ];
    const row = [h("span", { class: sign[0] }, sign[1]), h("code", { class: "what" }, name(change.path)), h("span", { class: "facts" }, facts)];
    if (change.kind !== "file" && change.kind !== "link") return h("li", { class: "plain" }, h("div", { class: "row" }, row));
    const details = h("details", { ontoggle: async () => {
      if (!details.open || asked) return;
      asked = true;
      try {
        const answer = await ask("diff", { id, from, to, path: change.path });
        const links = h("p", {},
          change.change !== "added" && [h("a", { href: address(id, "files", { at: from, path: change.path, file: 1 }) }, "before"), "  "],
          change.change !== "removed" && h("a", { href: address(id, "files", { at: to, path: change.path, file: 1 }) }, "after"));
        const text = answer.why ? h("p", { class: "quiet" }, `Not compared: ${answer.why}.`)
          : answer.diff ? h("pre", { class: "diff", tabindex: 0, "aria-label": `Changes of ${change.path}` }, lines(answer.diff))
          : h("p", { class: "quiet" }, "Its contents are the same.");
        fill(within, text, answer.cut && h("p", { class: "quiet" }, "The rest is not shown."), links);
      } catch (error) {
        asked = false;
        fill(within, failure(error));
      }
    } }, h("summary", { class: "row", "data-key": change.path }, row), within);
    return h("li", {}, details);
  }

  async function update(sandbox) {
    const chosen = await choices(id);
    const to = query.to ?? "";
    // Without another choice: what the last change did.
    const from = query.from ?? String((chosen.states[1] ?? chosen.states[0])?.number ?? "");
    const menus = JSON.stringify(chosen);
    if (menus !== head) {
      head = menus;
      const go = (what) => { location.hash = address(id, "changes", { from, to, ...what }); };
      fill(above, menu("From ", chosen, from, null, (value) => go({ from: value })), menu("to ", chosen, to, "newest", (value) => go({ to: value })));
    }
    const state = `${from} ${to || sandbox.state}`;
    if (state === last) return;
    const answer = await ask("changes", { id, from, to });
    last = state;
    const list = h("ol", { class: "items", "aria-label": "Files that differ" }, answer.changes.map((change) => item(change, from, to)));
    const more = h("p");
    const button = (next) => next !== null && h("button", { "data-key": "more", onclick: async () => {
      const page = await ask("changes", { id, from, to, after: next });
      list.append(...page.changes.map((change) => item(change, from, to)));
      fill(more, button(page.next));
    } }, "Show more");
    fill(more, button(answer.next));
    fill(shown, h("p", { class: "quiet", role: "status" }, `${many(answer.total, "file")} ${answer.total === 1 ? "differs" : "differ"}`),
      answer.total > 0 ? list : h("div", { class: "empty" }, h("p", {}, "The two are the same.")), more);
  }

  return { update };
}
