// What a sandbox uses of what it may use, and what runs in it.

import { fill, h, table } from "./dom.js";
import { ago, bytes, count, duration, full, name } from "./text.js";

function gauge(label, used, limit, text) {
  const shown = limit === null ? `${text(used)}, no limit` : `${text(used)} of ${text(limit)}`;
  const meter = limit !== null && h("meter", { min: 0, max: Math.max(limit, 1), value: Math.min(used, limit), high: limit * 0.9, optimum: 0, "aria-label": `${label}: ${shown}` });
  return h("div", { class: "gauge" }, h("span", {}, label), h("span", { class: "value" }, shown), meter);
}

/** The letters of `/proc`. */
const STATES = { R: "running", S: "waiting", D: "waiting", T: "stopped", Z: "ended" };

export function view(body) {
  let last = "";

  function processes(sandbox) {
    if (sandbox.live) {
      const row = (one) => h("tr", {}, h("td", { class: "number" }, String(one.id)), h("td", { class: "number" }, one.parent), h("td", {}, STATES[one.state] ?? one.state), h("td", { class: "name mono" }, name(one.command)));
      return sandbox.live.processes.length
        ? table("Processes", [["Number", "number"], ["Parent", "number"], "State", "Command"], sandbox.live.processes.map(row))
        : h("p", { class: "quiet" }, "Nothing runs.");
    }
    if (sandbox.user) return h("p", {}, `Process ${sandbox.user.process} of this machine uses the sandbox, and runs what is in it. Its calls are in the timeline; its processes and their memory are only known to it.`);
    return h("p", { class: "quiet" }, "Nothing runs: no process of this machine uses the sandbox.");
  }

  function render(sandbox) {
    const { limits, live } = sandbox;
    const idle = Date.now() - sandbox.used;
    fill(body,
      sandbox.damage && h("div", { class: "error", role: "alert" }, sandbox.damage),
      h("div", { class: "gauges" },
        gauge("Size", sandbox.bytes ?? 0, limits.bytes, bytes),
        gauge("Files", sandbox.inodes ?? 0, limits.inodes, count),
        live && gauge("Memory", live.memory, limits.memory, bytes),
        live && gauge("Processes", live.count, limits.processes, count),
        !sandbox.user && !sandbox.parked && sandbox.ttl !== null && gauge("Unused, until it is parked", idle, sandbox.ttl, duration),
        sandbox.ends !== null && gauge("Age, until it is deleted", Date.now() - sandbox.created, sandbox.ends - sandbox.created, duration)),
      h("h2", {}, "Processes"), processes(sandbox),
      h("h2", {}, "Network"), h("p", { class: "note" }, "There is no network in a local sandbox, so there are no requests to list."),
      h("h2", {}, "Facts"),
      h("dl", {},
        h("dt", {}, "Created"), h("dd", {}, full(sandbox.created), ", ", ago(sandbox.created)),
        h("dt", {}, "Last used"), h("dd", {}, full(sandbox.used), ", ", ago(sandbox.used)),
        h("dt", {}, "Newest state"), h("dd", {}, String(sandbox.state)),
        h("dt", {}, "Working directory"), h("dd", { class: "mono" }, name(sandbox.workdir)),
        !live && [h("dt", {}, "Memory, at most"), h("dd", {}, bytes(limits.memory)), h("dt", {}, "Processes, at most"), h("dd", {}, count(limits.processes))],
        h("dt", {}, "Time of a command"), h("dd", {}, limits.timeout === null ? "no limit, unless its caller sets one" : duration(limits.timeout)),
        h("dt", {}, "Output of a command"), h("dd", {}, `${bytes(limits.output)}, unless its caller sets another limit`)));
  }

  let sandbox = null;
  const clock = setInterval(() => sandbox && render(sandbox), 5000);
  return {
    update: (now) => {
      sandbox = now;
      const text = JSON.stringify(now);
      if (text !== last) render(now);
      last = text;
    },
    leave: () => clearInterval(clock),
  };
}
