// How things are written.

import { h } from "./dom.js";

// Control characters, and those that change the direction of what follows or cannot be seen.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const NAMED = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{10ff80}-\u{10ffff}]/gu;
const SEQUENCE = /\u001b\[[0-9;:?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]{0,200}(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]?|\r(?!\n)|./suy;

/** A name or another text of one line: nothing in it is invisible, and it is in its own direction. */
export function name(text) {
  const shown = text.replace(NAMED, (one) => {
    const code = one.codePointAt(0);
    if (code >= 0x10ff80) return `\\x${(code & 0xff).toString(16)}`;
    return { 9: "\\t", 10: "\\n", 13: "\\r", 27: "\\e" }[code] ?? `\\u{${code.toString(16)}}`;
  });
  return h("bdi", {}, shown);
}

/** What a program wrote. What a terminal would act on is shown, and not acted on. */
export function output(text) {
  text = text.replaceAll("\r\n", "\n");
  if (!HIDDEN.test(text)) return [text];
  const parts = [];
  let plain = "";
  SEQUENCE.lastIndex = 0;
  for (let match; (match = SEQUENCE.exec(text)); ) {
    if (!HIDDEN.test(match[0])) {
      plain += match[0];
      continue;
    }
    parts.push(plain, h("span", { class: "control" }, Array.from(match[0], picture).join("")));
    plain = "";
  }
  return [...parts, plain];
}

function picture(one) {
  const code = one.codePointAt(0);
  // As `cat -v` writes them.
  if (code < 0x20 || code === 0x7f) return `^${String.fromCodePoint(code ^ 0x40)}`;
  return HIDDEN.test(one) ? `\\u{${code.toString(16)}}` : one;
}

/** The first line of a command. */
export function line(text) {
  const end = text.indexOf("\n");
  return end < 0 ? name(text) : [name(text.slice(0, end)), " …"];
}

export function bytes(count) {
  if (count === null || count === undefined) return "unknown";
  if (count < 1024) return `${count} B`;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = -1;
  do {
    count /= 1024;
    unit += 1;
  } while (count >= 1024 && unit < units.length - 1);
  return `${count < 10 ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
}

export function count(number) {
  return number === null || number === undefined ? "unknown" : number.toLocaleString("en");
}

/** A number with its noun. */
export function many(number, one, more = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : more}`;
}

export function duration(millis) {
  if (millis < 1) return "< 1 ms";
  if (millis < 1000) return `${Math.round(millis)} ms`;
  const seconds = millis / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
  return `${Math.round(seconds / 86400)} days`;
}

/** A time, with how long ago it was. */
export function ago(at) {
  const past = Date.now() - at;
  const text = past < 5000 ? "now" : `${duration(Math.floor(past / 1000) * 1000).replace(/ (\d+ s|0 min)$/, "")} ago`;
  return h("time", { datetime: new Date(at).toISOString(), title: full(at) }, text);
}

/** The time of day; the date, too, if it is another day. */
export function clock(at) {
  const date = new Date(at);
  const time = date.toLocaleTimeString("en-GB");
  const today = date.toDateString() === new Date().toDateString();
  const text = today ? time : `${day(date)} ${time.slice(0, 5)}`;
  return h("time", { datetime: date.toISOString(), title: full(at) }, text);
}

export function full(at) {
  const date = new Date(at);
  return `${day(date)} ${date.toLocaleTimeString("en-GB")}`;
}

function day(date) {
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
