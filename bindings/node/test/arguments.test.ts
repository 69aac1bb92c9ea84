import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Sandbox, SandboxError, SandshellSandbox } from "../lib/index.js";

let box: Sandbox;

beforeAll(async () => {
  box = await Sandbox.create({ packs: [] });
});

afterAll(() => box.close());

const BINDING = /u64|u32|f64|i64|String`|rust|napi|Expected|invalid type/;

/* eslint-disable @typescript-eslint/no-explicit-any */
const wrong: [string, (box: any) => Promise<unknown>][] = [
  ["command", (box) => box.execute(5)],
  ["command", (box) => box.execute(undefined)],
  ["timeout", (box) => box.execute("x", { timeout: "5" })],
  ["cwd", (box) => box.execute("x", { cwd: 5 })],
  ["env.A", (box) => box.execute("x", { env: { A: 5 } })],
  ["env", (box) => box.execute("x", { env: "A=5" })],
  ["stdin", (box) => box.execute("x", { stdin: 5 })],
  ["maxOutput", (box) => box.execute("x", { maxOutput: "1M" })],
  ["signal", (box) => box.execute("x", { signal: 5 })],
  ["path", (box) => box.read(5)],
  ["offset", (box) => box.read("f", { offset: "1" })],
  ["content", (box) => box.write("f", 5)],
  ["old", (box) => box.edit("f", 1, "b")],
  ["replacement", (box) => box.edit("f", "a")],
  ["pattern", (box) => box.grep(/x/)],
  ["glob", (box) => box.grep("x", ".", { glob: 5 })],
  ["pattern", (box) => box.glob()],
  ["files", (box) => box.uploadFiles({ f: 5 })],
  ["path", (box) => box.downloadFiles([5])],
  ["memory", () => Sandbox.create({ memory: "1G" } as any)],
  ["memory", () => Sandbox.create({ memory: 1.5 })],
  ["processes", () => Sandbox.create({ processes: 2 ** 32 })],
  ["maxOutput", () => Sandbox.create({ maxOutput: -1 })],
  ["workdir", () => Sandbox.create({ workdir: 5 } as any)],
  ["env.A", () => Sandbox.create({ env: { A: 5 } } as any)],
  ["mode", () => Sandbox.create({ mounts: { "/m": { source: "/tmp", mode: "wr" } } } as any)],
  ["network", () => Sandbox.create({ network: "open" })],
  ["pack", () => Sandbox.create({ packs: ["no-such-pack"] })],
];

it.each(wrong)("a wrong argument is named: %s", async (name, call) => {
  const error = await call(box).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(SandboxError);
  expect((error as SandboxError).kind).toBe("invalid_request");
  expect((error as SandboxError).message).toContain(name);
  expect((error as SandboxError).message).not.toMatch(BINDING);
});

describe("names that are not UTF-8", () => {
  it.each(["caf\udce9", "\udcff\udcfe", "\u{10ffe9}", "größe"])("are lone surrogates", async (name) => {
    const path = `/workspace/d/${name}`;
    await box.write(path, "one needle\n");
    expect((await box.ls("d")).map(({ path }) => path)).toEqual([path]);
    expect((await box.glob("*", "d")).matches.map(({ path }) => path)).toEqual([path]);
    expect((await box.grep("needle", "d")).matches.map(({ path }) => path)).toEqual([path]);
    expect((await box.read(path)).text).toBe("one needle");
    expect((await box.execute(`cat 'd/${name}'`)).stdout).toBe("one needle\n");
    expect((await box.downloadFiles([path]))[0]?.content?.toString()).toBe("one needle\n");
    await box.delete(path);
    expect(await box.ls("d")).toEqual([]);
  });

  it("are the shell's bytes", async () => {
    await box.write("caf\udce9", "");
    const { stdout } = await box.execute("printf %s caf* | od -An -tx1");
    expect(stdout.trim()).toBe("63 61 66 e9");
    expect((await box.execute('printf %s "$V" | od -An -tx1', { env: { V: "\udcff" } })).stdout.trim()).toBe("ff");
  });
});

it("takes a relative working directory and a network that is blocked", async () => {
  const other = await Sandbox.create({ packs: [], network: "blocked", workdir: "/tmp/w", files: { "s/f": "" } });
  expect((await other.execute("pwd; ls", { cwd: "s" })).stdout).toBe("/tmp/w/s\nf\n");
  await other.close();
});

it("has one listener for all calls of a signal", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on("warning", listen);
  const controller = new AbortController();
  await Promise.all(Array.from({ length: 40 }, (_, n) => box.execute(`sleep 0.05; echo ${n}`, { signal: controller.signal })));
  const running = Array.from({ length: 40 }, () => box.execute("sleep 100", { signal: controller.signal }));
  setTimeout(() => controller.abort(new Error("enough")), 100);
  for (const call of await Promise.allSettled(running)) {
    expect(call).toMatchObject({ status: "rejected", reason: { message: "enough" } });
  }
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off("warning", listen);
  expect(warnings).toEqual([]);
  await expect(box.execute("true", { signal: controller.signal })).rejects.toThrow("enough");
});

it("runs two hundred commands at once", async () => {
  const calls = Array.from({ length: 200 }, (_, n) => box.execute(`seq ${n + 1} | sort -n | tail -n 1 | cat; sleep 0.01`));
  expect((await Promise.all(calls)).map(({ output }) => output)).toEqual(Array.from({ length: 200 }, (_, n) => `${n + 1}\n`));
});

it("says whether it is running", async () => {
  const backend = await SandshellSandbox.create({ packs: [] });
  expect(backend.isRunning).toBe(true);
  await backend.close();
  expect([backend.isRunning, backend.sandbox.isRunning]).toEqual([false, false]);
});
