// The sandboxes that there are.

import { fill, h, table } from "./dom.js";
import { ask } from "./server.js";
import { ago, bytes, count, many, name } from "./text.js";

/** Who uses a sandbox. */
export function state(sandbox) {
  if (sandbox.damage) return h("span", { class: "state bad", title: sandbox.damage }, "damaged");
  if (sandbox.user?.here) return h("span", { class: "state busy" }, "in use by this page");
  if (sandbox.user) return h("span", { class: "state busy" }, `in use by process ${sandbox.user.process}`);
  if (sandbox.paused) return h("span", { class: "state" }, "paused");
  return h("span", { class: "state idle" }, sandbox.parked ? "parked" : "idle");
}

export function labels(sandbox) {
  return sandbox.labels.map(([key, value]) => h("span", { class: "tag" }, name(`${key}=${value}`)));
}

export function view(body) {
  let wanted = "";
  let pages = 1;
  let last = null;
  const found = h("div");
  const filter = h("input", { type: "search", oninput: (event) => { wanted = event.target.value.toLowerCase(); render(); } });
  const total = h("span", { class: "quiet", role: "status" });
  body.append(
    h("div", { class: "above" }, h("h1", {}, "Sandboxes"), total, h("span", { class: "grow" }), h("label", {}, "Id or label ", filter)),
    found,
  );

  function row(sandbox) {
    return h("tr", {},
      h("th", { scope: "row" }, h("a", { href: `#/${encodeURIComponent(sandbox.id)}/timeline`, class: "mono id", "data-key": sandbox.id }, name(sandbox.id))),
      h("td", {}, state(sandbox)),
      h("td", { class: "labels" }, labels(sandbox)),
      h("td", { class: "when" }, ago(sandbox.used)),
      h("td", { class: "when wide" }, ago(sandbox.created)),
      h("td", { class: "number" }, bytes(sandbox.bytes)),
      h("td", { class: "number wide" }, count(sandbox.inodes)));
  }

  function render() {
    if (!last) return;
    const fits = (sandbox) => [sandbox.id, ...sandbox.labels.map((label) => label.join("="))].some((text) => text.toLowerCase().includes(wanted));
    const shown = last.sandboxes.filter(fits);
    total.textContent = last.next ? `the first ${count(last.sandboxes.length)}` : many(last.sandboxes.length, "sandbox", "sandboxes");
    const more = last.next && h("p", {}, h("button", { "data-key": "more", onclick: () => { pages += 1; update(); } }, "Show more"));
    if (last.sandboxes.length === 0) {
      fill(found, h("div", { class: "empty" }, h("p", {}, "No sandbox is kept here yet."), h("p", {}, "Make one: ", h("code", {}, "sandshell create --label job=7"))));
    } else if (shown.length === 0) {
      fill(found, h("div", { class: "empty" }, h("p", {}, "No sandbox has this in its id or labels.")), more);
    } else {
      fill(found, table("Sandboxes", ["Sandbox", "State", "Labels", "Used", ["Created", "wide"], ["Size", "number"], ["Files", "number wide"]], shown.map(row), "cards"), more);
    }
  }

  async function update() {
    const all = { sandboxes: [], next: undefined, directory: "" };
    for (let page = 0; page < pages; page += 1) {
      const answer = await ask("sandboxes", { after: all.next });
      all.sandboxes.push(...answer.sandboxes);
      all.next = answer.next;
      all.directory = answer.directory;
      if (!answer.next) break;
    }
    // The newest first.
    all.sandboxes.sort((one, two) => two.used - one.used);
    last = all;
    render();
    return all.directory;
  }

  const clock = setInterval(render, 30_000);
  return { update, leave: () => clearInterval(clock) };
}
