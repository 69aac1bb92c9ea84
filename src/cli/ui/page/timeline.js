// What happened in a sandbox: calls, and states that no call led to.

import { failure, fill, h } from "./dom.js";
import { ask } from "./server.js";
import { bytes, clock, duration, line, output } from "./text.js";

export function view(body, id, _, address) {
  const list = h("ol", { class: "items", "aria-label": "Calls and changes, newest first" });
  const note = h("div");
  // What is unfolded stays so, with its element.
  const unfolded = new Map();
  let last = "";
  body.append(note, list);

  function status(call) {
    if (call.running) return h("span", { class: "busy" }, "running");
    if (!call.end) return h("span", { class: "bad" }, "its process was killed");
    if (call.end.status === null) return h("span", { class: "bad" }, "given up");
    return h("span", { class: call.end.status === 0 ? "good" : "bad" }, call.end.status === 0 ? "ok" : `status ${call.end.status}`);
  }

  function changed(number, states) {
    const before = states.find((state) => state.number < number);
    if (!number || !states.some((state) => state.number === number)) return null;
    return before
      ? h("a", { href: address(id, "changes", { from: before.number, to: number }), "data-key": `changes-${number}` }, "changes")
      : h("a", { href: address(id, "files", { at: number }), "data-key": `files-${number}` }, "files");
  }

  function callItem(call, states) {
    const key = `call-${call.number}`;
    const within = unfolded.get(key) ?? h("div", { class: "within" });
    const summary = h("summary", { class: "row", "data-key": key },
      h("span", { class: "quiet" }, clock(call.at)),
      h("code", { class: "what" }, line(call.command)),
      h("span", { class: "facts" },
        call.session && h("span", { class: "tag" }, "session ", line(call.session)),
        status(call), h("span", { class: "quiet" }, call.end ? duration(call.end.took) : "")));
    const details = h("details", { open: unfolded.has(key), ontoggle: () => {
      if (!details.open) return void unfolded.delete(key);
      if (unfolded.has(key) && within.dataset.ended === String(Boolean(call.end))) return;
      unfolded.set(key, within);
      unfold(within, call, states);
    } }, summary, within);
    return h("li", {}, details);
  }

  async function unfold(within, call, states) {
    within.dataset.ended = String(Boolean(call.end));
    const facts = h("p", { class: "quiet" }, `process ${call.process}`, call.end && `, ${bytes(call.end.written)} written`);
    const link = call.end && changed(call.end.state, states);
    const what = h("p", {}, call.end ? (link ? ["What it did to the files: ", link] : "No state was stored with it: it changed no file, or the state is not kept any more.") : null);
    try {
      const wrote = call.end ? await ask("output", { id, call: call.number }) : null;
      const text = wrote && (wrote.written === 0
        ? h("p", { class: "quiet" }, "It wrote nothing.")
        : h("pre", { tabindex: 0, "aria-label": "Output" }, output(wrote.head), wrote.missing > 0 && h("span", { class: "control" }, `\n… ${bytes(wrote.missing)} are not kept …\n`), output(wrote.tail)));
      fill(within, h("pre", { tabindex: 0, "aria-label": "Command" }, output(call.command)), text, what, facts);
    } catch (error) {
      fill(within, failure(error));
    }
  }

  function stateItem(state, states) {
    return h("li", { class: "plain" }, h("div", { class: "row" },
      h("span", { class: "quiet" }, clock(state.at)),
      h("span", { class: "what" }, line(state.what)),
      h("span", { class: "facts" }, changed(state.number, states), h("span", { class: "quiet" }, `state ${state.number}`))));
  }

  async function update() {
    const answer = await ask("timeline", { id });
    const text = JSON.stringify(answer);
    if (text === last) return;
    last = text;
    fill(note, answer.damage && h("div", { class: "error", role: "alert" }, `The journal of calls cannot be read: ${answer.damage}`));
    const led = new Set(answer.calls.map((call) => call.end?.state).filter(Boolean));
    const items = [
      ...answer.calls.map((call) => ({ at: call.at, number: call.number, make: () => callItem(call, answer.states) })),
      ...answer.states.filter((state) => !led.has(state.number)).map((state) => ({ at: state.at, number: state.number, make: () => stateItem(state, answer.states) })),
    ];
    items.sort((one, two) => two.at - one.at || two.number - one.number);
    fill(list, items.map((item) => item.make()));
  }

  return { update };
}
