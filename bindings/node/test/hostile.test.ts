/** Nonsensical arguments give errors, never a crash, and the sandbox stays usable. */

import { mkdirSync, mkdtempSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Sandbox, Snapshot, type SandboxOptions } from "../lib/index.js";
import { SandshellSandbox } from "../lib/deepagents.js";

const WRONG: unknown[] = [
  undefined,
  null,
  3,
  -1,
  Number.NaN,
  1e300,
  2n ** 70n,
  "",
  "a\0b",
  "\ud800",
  {},
  [],
  [null],
  () => 1,
  Symbol("s"),
  new Uint8Array([255]),
  new Proxy({}, {}),
];
const NUMBERS = [0, 1, -1, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 2 ** 64, 1e300, -1e300, Infinity, Number.NaN];

let box: Sandbox;
beforeAll(async () => {
  box = await Sandbox.create({ packs: [] });
});
afterAll(() => box.close());

/** Runs work that may succeed or fail, but must end. */
async function attempt<T>(work: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).not.toMatch(/panick/);
    return undefined;
  }
}

async function usable() {
  expect((await box.execute("echo usable")).output).toBe("usable\n");
}

const METHODS = "execute read write edit ls grep glob delete uploadFiles downloadFiles mount restore snapshot".split(" ");

it.each(METHODS)("%s takes no nonsense", async (name) => {
  const method = (box as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>)[name]?.bind(box);
  if (!method) throw new Error(name);
  for (const first of WRONG) {
    // Skip calls that would delete the root or mount over it.
    if (["delete", "mount"].includes(name) && (first === "" || first === undefined)) continue;
    for (const second of WRONG) await attempt(() => method(first, second, second));
  }
  await usable();
});

it.each(NUMBERS)("the number %d", async (number) => {
  await attempt(() => box.execute("echo x", { timeout: number }));
  await attempt(() => box.execute("echo x", { maxOutput: number }));
  await box.write("/tmp/lines", "1\n2\n");
  await attempt(() => box.read("/tmp/lines", { offset: number }));
  await attempt(() => box.read("/tmp/lines", { limit: number }));
  await attempt(() => box.grep("x", "/tmp", { maxCount: number }));
  const names = ["timeout", "maxOutput", "memory", "processMemory", "processes", "descriptors", "fuel", "disk", "seed"];
  for (const name of names) {
    const made = await attempt(() => Sandbox.create({ packs: [], [name]: number }));
    await attempt(async () => made?.execute("echo x | cat", { timeout: 5000 }));
    await made?.close();
  }
  await usable();
});

it("times that are none are refused", async () => {
  for (const timeout of [-1, Number.NaN, Infinity, 1e300]) {
    await expect(box.execute("true", { timeout })).rejects.toMatchObject({ kind: "invalid_request" });
    await expect(Sandbox.create({ timeout })).rejects.toMatchObject({ kind: "invalid_request" });
  }
});

const ODD: unknown[] = [
  { env: { "A=B": "c" } },
  { env: { A: "b\0c" } },
  { env: { A: 1 } },
  { env: 7 },
  { workdir: "/a\0b" },
  { workdir: "/dev/null" },
  { hostname: "a\0b" },
  { clock: 7 },
  { mounts: { "/": null } },
  { mounts: { "/x": 7 } },
  { mounts: { "/x": { source: "/tmp", mode: "wx" } } },
  { mounts: { "/x": "/dev/null" } },
  { files: { "": "x" } },
  { files: { "/": "x" } },
  { files: { a: 7 } },
  { packs: [7] },
  { packs: ["/dev"] },
  { cache: "/dev/null/x" },
  { provider: 7 },
  { provider: null },
  { provider: "" },
  { provider: "command", params: { command: [] } },
  { provider: "command", params: { command: ["/no/such/program"] } },
  { params: 7 },
  7,
  null,
];

it.each(ODD.map((options) => [options]))("%o", async (options) => {
  const made = await attempt(() => Sandbox.create(options as SandboxOptions));
  await attempt(async () => made?.execute("pwd; hostname; date", { timeout: 5000 }));
  await made?.close();
});

it("a closed sandbox answers with errors", async () => {
  const closed = await Sandbox.create({ packs: [] });
  const snapshot = await closed.snapshot();
  await closed.close();
  const calls = [
    () => closed.execute("true"),
    () => closed.read("/x"),
    () => closed.write("/x", ""),
    () => closed.ls("/"),
    () => closed.glob("*"),
    () => closed.snapshot(),
    () => closed.restore(snapshot),
    () => closed.fork(),
    () => closed.diff(),
    () => closed.apply(),
  ];
  for (const work of calls) await expect(work()).rejects.toMatchObject({ name: expect.stringMatching(/Error/) });
  const other = await Sandbox.fromSnapshot(snapshot);
  expect((await other.execute("echo lives")).output).toBe("lives\n");
  await other.close();
  await expect(Sandbox.fromSnapshot({} as Snapshot)).rejects.toBeInstanceOf(Error);
});

it("an aborted command is stopped", async () => {
  const reason = new Error("enough");
  await expect(box.execute("true", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const abort = new AbortController();
  const running = box.execute("echo $BASHPID > /tmp/pid; sleep 1000", { signal: abort.signal });
  while ((await box.execute("[ -s /tmp/pid ]")).exitCode !== 0);
  abort.abort(reason);
  await expect(running).rejects.toBe(reason);
  while ((await box.execute("kill -0 $(cat /tmp/pid)")).exitCode === 0);
  const unused = new AbortController();
  expect((await box.execute("echo done", { signal: unused.signal })).output).toBe("done\n");
  await expect(box.execute("a\0b", { signal: unused.signal })).rejects.toMatchObject({ kind: "invalid_request" });
});

it("an option that there is none of is refused", async () => {
  const misspelt = { timeOut: 5 } as object;
  await expect(Sandbox.create(misspelt)).rejects.toMatchObject({ kind: "invalid_request" });
  await expect(SandshellSandbox.create(misspelt)).rejects.toMatchObject({ kind: "invalid_request" });
});

it("many calls at once while it is closed", async () => {
  const short = await Sandbox.create({ packs: [] });
  const calls = Array.from({ length: 40 }, (_, number) =>
    attempt<unknown>(() => (number % 2 ? short.execute("sleep 0.05; echo x") : short.write(`/tmp/${number}`, "x"))),
  );
  await short.close();
  await Promise.all(calls);
});

it("the backend answers instead of throwing", async () => {
  const backend = await SandshellSandbox.create({ packs: [] });
  for (const path of ["a\0b", "", "\ud800", "/no/such"]) {
    await backend.read(path);
    await backend.ls(path);
    await backend.edit(path, "a", "b");
    await backend.grep("x", path);
    await backend.glob("*", path);
    await backend.downloadFiles([path]);
    await backend.uploadFiles([[path, new Uint8Array()]]);
  }
  await backend.close();
  expect((await backend.execute("true")).exitCode).not.toBe(0);
});

it("the program's own directories are not given away", async () => {
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "sandshell");
  mkdirSync(join(cache, "modules"), { recursive: true });
  const trusted = { kind: "invalid_request", message: expect.stringContaining("which this program trusts") };
  for (const source of ["/", homedir(), dirname(cache), cache, join(cache, "modules")]) {
    const mounts = { "/m": { source, mode: "rw" as const } };
    await expect(Sandbox.create({ packs: [], mounts })).rejects.toMatchObject(trusted);
  }
  const made = await Sandbox.create({ packs: [] });
  expect(() => made.mount("/m", cache, "rw")).toThrow("which this program trusts");
  expect((await made.execute("ls /m 2>/dev/null")).output).toBe("");
  const harmless = mkdtempSync(join(tmpdir(), "sandshell-test-"));
  made.mount("/n", harmless, "rw");
  expect((await made.execute("echo x > /n/f")).exitCode).toBe(0);
  await made.close();
});
