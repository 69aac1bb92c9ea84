// A terminal in a sandbox.

import { fill, h } from "./dom.js";
import { endTerminal, type } from "./server.js";

const KEYS = {
  Enter: "\r", Backspace: "\x7f", Tab: "\t", Escape: "\x1b", ArrowUp: "\x1b[A", ArrowDown: "\x1b[B", ArrowRight: "\x1b[C", ArrowLeft: "\x1b[D",
  Home: "\x1b[H", End: "\x1b[F", Insert: "\x1b[2~", Delete: "\x1b[3~", PageUp: "\x1b[5~", PageDown: "\x1b[6~",
  F1: "\x1bOP", F2: "\x1bOQ", F3: "\x1bOR", F4: "\x1bOS", F5: "\x1b[15~", F6: "\x1b[17~", F7: "\x1b[18~", F8: "\x1b[19~", F9: "\x1b[20~", F10: "\x1b[21~",
};

/** What a key sends; `null`: the browser's own. */
function sent(event) {
  if (event.metaKey || (event.ctrlKey && event.shiftKey) || event.isComposing) return null;
  if (event.key === "Tab" && event.shiftKey) return null;
  if (event.ctrlKey && event.key.length === 1) {
    const code = event.key === " " ? 64 : event.key.toUpperCase().charCodeAt(0);
    return code >= 64 && code <= 95 ? (event.altKey ? "\x1b" : "") + String.fromCharCode(code & 31) : null;
  }
  const key = KEYS[event.key];
  if (key !== undefined) return event.altKey ? `\x1b${key}` : key;
  return event.altKey && event.key.length === 1 ? `\x1b${event.key}` : null;
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** A line of the screen with the cursor at a column. */
function withCursor(text, column) {
  let [before, at] = ["", 0];
  const letters = Array.from(text);
  while (letters.length && at < column) {
    const letter = letters.shift();
    before += letter;
    at += WIDE.test(letter) ? 2 : /\p{Mark}/u.test(letter) ? 0 : 1;
  }
  before += " ".repeat(Math.max(0, column - at));
  return [before, h("span", { class: "cursor" }, letters.shift() ?? " "), letters.join("")];
}

export function view(body, id) {
  const screen = h("pre");
  const measure = h("span", { class: "measure mono" }, "m".repeat(50));
  const keys = h("textarea", { "aria-label": "Terminal: what you type goes to the shell. Shift and Tab together leave it.", autocapitalize: "off", autocomplete: "off", spellcheck: "false", rows: 1 });
  const box = h("div", { class: "terminal" }, screen, measure, keys);
  const said = h("div", { class: "hidden", role: "log", "aria-live": "polite", "aria-label": "The terminal's screen" });
  const message = h("p", { role: "status" });
  const start = h("button", { "data-key": "open", onclick: open }, "Open a terminal");
  const stop = h("button", { "data-key": "close", onclick: close }, "Close the terminal");
  const about = h("p", { class: "note" },
    "A shell in the sandbox, as its user. While it is open, other processes that want to use the sandbox wait for it. It is closed when this page has not shown it for a minute. What you type goes to the shell; Shift and Tab together leave it.");
  let running = false;
  let left = false;
  let waiting = "";
  let busy = false;
  let timer;
  let last = "";
  body.append(h("div", { class: "above" }, start, message), about);

  function size() {
    const [width, height] = [measure.getBoundingClientRect().width / 50, parseFloat(getComputedStyle(screen).lineHeight)];
    const style = getComputedStyle(box);
    const room = { x: box.clientWidth - parseFloat(style.paddingLeft) * 2, y: box.clientHeight - parseFloat(style.paddingTop) * 2 };
    const within = (number, most) => Math.max(1, Math.min(most, Math.floor(number)));
    return { columns: within(room.x / width, 400), rows: within(room.y / height, 200) };
  }

  async function open() {
    fill(body, h("div", { class: "above" }, stop, message), box, said, about);
    message.textContent = "starting …";
    message.className = "";
    running = true;
    keys.focus();
    await turn();
  }

  function ended(why, bad) {
    running = false;
    clearTimeout(timer);
    start.textContent = "Open a terminal";
    message.textContent = why;
    message.className = bad ? "bad" : "";
    fill(body, h("div", { class: "above" }, start, message), screen.textContent.trim() !== "" && !bad ? box : null, about);
    start.focus();
  }

  async function close() {
    running = false;
    clearTimeout(timer);
    try {
      await endTerminal(id);
      ended("closed", false);
    } catch (error) {
      ended(error.message, true);
    }
  }

  /** Sends what was typed, and shows the screen. */
  async function turn() {
    if (busy || !running || left) return;
    busy = true;
    clearTimeout(timer);
    const input = waiting;
    waiting = "";
    let pause = 600;
    try {
      const shown = await type({ id, input, ...size() });
      if (!running) return;
      message.textContent = shown.restarted ?? "";
      const text = JSON.stringify([shown.text, shown.cursor]);
      if (text !== last) {
        last = text;
        pause = 100;
        const lines = shown.text.split("\n");
        while (lines.length <= shown.cursor[0]) lines.push("");
        const line = (one, row) => [row > 0 && "\n", row === shown.cursor[0] && shown.ended === null ? withCursor(one, shown.cursor[1]) : one];
        screen.replaceChildren(...lines.flatMap(line).flat().filter((part) => part !== false));
        said.textContent = lines.filter((one) => one.trim()).slice(-3).join("\n");
      }
      if (shown.ended !== null) ended(`the shell has ended with status ${shown.ended}`, false);
    } catch (error) {
      if (running) ended(error.message, true);
    } finally {
      busy = false;
    }
    if (running && !left) timer = setTimeout(turn, waiting ? 0 : document.hidden ? 10_000 : pause);
  }

  function press(text) {
    waiting += text;
    turn();
  }

  keys.addEventListener("keydown", (event) => {
    const text = sent(event);
    if (text === null) return;
    event.preventDefault();
    press(text);
  });
  keys.addEventListener("input", (event) => {
    if (event.isComposing) return;
    press(keys.value.replaceAll("\n", "\r"));
    keys.value = "";
  });
  keys.addEventListener("compositionend", () => {
    press(keys.value);
    keys.value = "";
  });
  // A click goes to the shell's keyboard, unless it has selected something to copy.
  box.addEventListener("click", () => { if (getSelection().isCollapsed) keys.focus(); });
  const resized = new ResizeObserver(() => turn());
  resized.observe(box);

  return {
    // A terminal that this page has open goes on where it was.
    update: (sandbox) => {
      if (running) return;
      start.textContent = sandbox.live ? "Go on with the terminal" : "Open a terminal";
    },
    leave: () => { left = true; clearTimeout(timer); resized.disconnect(); },
  };
}
