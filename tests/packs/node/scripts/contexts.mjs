// What AsyncLocalStorage holds follows everything that waits.
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks"; import { setTimeout as sleep } from "node:timers/promises"; import fs from "node:fs"; import cp from "node:child_process"; import { EventEmitter } from "node:events"; import { promisify } from "node:util"; import stream from "node:stream";
const s = new AsyncLocalStorage();
const out = [];
const log = (w) => out.push(`${w}:${s.getStore()}`);
await Promise.all([1, 2, 3].map((n) => s.run(n, async () => {
  log("sync"); await sleep(3 - n); log("sleep"); await null; log("null");
  await new Promise((r) => setTimeout(() => { log("timer"); r(); }, 1));
  await new Promise((r) => setImmediate(() => { log("immediate"); r(); }));
  await new Promise((r) => process.nextTick(() => { log("tick"); r(); }));
  await new Promise((r) => queueMicrotask(() => { log("micro"); r(); }));
  await new Promise((r) => fs.readFile("/etc/passwd", () => { log("readFile"); r(); }));
  await fs.promises.readFile("/etc/passwd"); log("promises");
  await promisify(cp.exec)("true"); log("exec");
  await { then(r) { log("thenable"); r(); } };
  await Promise.all([Promise.resolve(1).then(() => log("then")), (async () => { await 1; log("inner"); })()]);
  try { await Promise.reject(1); } catch { log("catch"); }
  await Promise.resolve().finally(() => log("finally"));
  for await (const x of (async function* () { log("gen"); yield 1; await 0; log("gen2"); })()) log("for");
  await s.run(n * 10, async () => { await 1; log("nested"); }); log("after");
  s.exit(() => log("exit")); s.enterWith(n * 100); await 1; log("entered");
  const r = new AsyncResource("x"); await s.run("other", () => r.runInAsyncScope(() => log("resource")));
  const b = AsyncLocalStorage.bind(() => log("bound")); s.run("no", b);
})));
log("outside"); await sleep(1); log("outside2");
out.sort(); for (const l of out) console.log(l);
let iv; await new Promise((r) => s.run("iv", () => { let k = 0; iv = setInterval(() => { console.log("interval", s.getStore()); if (++k === 2) { clearInterval(iv); r(); } }, 1); }));
const e = new EventEmitter(); s.run("on", () => e.on("x", () => console.log("event", s.getStore()))); s.run("emit", () => e.emit("x"));
s.run("p", () => { Promise.reject(new Error("u")).catch(() => console.log("rej", s.getStore())); });
await sleep(2);
