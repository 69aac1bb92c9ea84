/** Local sandboxes that are kept on disk. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { Provider, Sandbox, dataDirectory } from "../lib/index.js";

const program = process.env["SANDSHELL"] ?? "sandshell";
let place: string;
let dataDir: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "sandshell-kept-"));
  dataDir = join(place, "data");
});

/** What the program says about these sandboxes: it is another process. */
function elsewhere(...args: string[]): string {
  return execFileSync(program, ["--data-dir", dataDir, ...args], { encoding: "utf8" });
}

async function ids(provider: Provider, labels: Record<string, string> = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const { id } of provider.list(labels)) found.push(id);
  return found;
}

it("is there in another process", async () => {
  const box = await Sandbox.create({ dataDir, env: { WHO: "me" }, files: { f: "text" }, labels: { thread_id: "7" } });
  box.keep();
  await box.close();
  expect(elsewhere("exec", "--sandbox-id", box.id, "echo $WHO >> f; cat f")).toBe("textme\n");
  // It is woken, with what the other process did.
  expect((await box.read("f")).text).toBe("textme");
  await box.close();
  const provider = await Provider.named("local", { dataDir });
  expect(await ids(provider, { thread_id: "7" })).toEqual([box.id]);
  expect(await ids(provider, { thread_id: "8" })).toEqual([]);
  const again = await Sandbox.create({ dataDir, id: box.id });
  expect((await again.read("f")).text).toBe("textme");
  await again.close();
  await provider.delete(box.id);
  await provider.delete(box.id);
  expect(await ids(provider)).toEqual([]);
  await expect(provider.create({ id: box.id })).rejects.toMatchObject({ kind: "not_found" });
  // One that is not kept ends.
  await (await Sandbox.create({ dataDir })).close();
  expect(await ids(provider)).toEqual([]);
});

it("snapshots, forks, states", async () => {
  const provider = await Provider.named("local", { dataDir });
  const box = await provider.create({ files: { f: "one" } });
  box.keep();
  const snapshot = await box.snapshot("prepared");
  await box.write("f", "two");
  await box.restore(snapshot);
  expect((await box.read("f")).text).toBe("one");
  await box.write("f", "three");
  await box.restore("prepared");
  expect((await box.read("f")).text).toBe("one");
  const fork = await box.fork();
  await fork.write("f", "of the fork");
  await fork.close();
  await box.restore(1);
  expect(await box.ls()).toEqual([]);
  await box.close();
  await provider.restore(box.id, snapshot.id);
  const copy = await provider.fork(box.id);
  for (const options of [{ id: copy }, { snapshot: "prepared" }]) {
    const other = await provider.create(options);
    expect((await other.read("f")).text).toBe("one");
    await other.close();
  }
  expect((await ids(provider)).sort()).toEqual([box.id, copy].sort());
  await expect(provider.snapshot(box.id, "prepared")).rejects.toMatchObject({ kind: "conflict" });
  await provider.deleteSnapshot("prepared");
  await expect(provider.create({ snapshot: "prepared" })).rejects.toMatchObject({ kind: "not_found" });
});

it("pausing, time limits, archives", async () => {
  const provider = await Provider.named("local", { dataDir });
  const box = await provider.create({ files: { f: "one" }, hardTtl: 3_600_000 });
  box.keep();
  const state = async () => (await provider.list().next()).value?.state;
  await box.pause();
  expect(await state()).toBe("paused");
  expect((await box.execute("echo woken")).stdout).toBe("woken\n");
  await box.setTtl(50);
  await box.execute("sleep 0.1");
  await box.close();
  expect(await state()).toBe("paused");
  await provider.setTtl(box.id, null);
  await provider.resume(box.id);
  expect(await state()).toBe("running");
  await provider.pause(box.id);
  const archive = join(place, "box.tar");
  await provider.export(box.id, archive);
  const copy = await provider.import(archive, { copy: "yes" });
  expect(await ids(provider, { copy: "yes" })).toEqual([copy]);
  expect(elsewhere("exec", "--sandbox-id", copy, "cat f")).toBe("one");
  writeFileSync(archive, "no archive".repeat(100));
  await expect(provider.import(archive)).rejects.toMatchObject({ kind: "invalid_request" });
  await expect((await Provider.named("local")).export(box.id, archive)).rejects.toMatchObject({ kind: "unsupported" });
});

it("the user's directory", async () => {
  process.env["SANDSHELL_DATA_DIR"] = dataDir;
  expect(dataDirectory()).toBe(dataDir);
  const box = await Sandbox.create({ labels: { a: "b" } });
  box.keep();
  await box.close();
  expect(elsewhere("list")).toContain(box.id);
  await expect(Sandbox.create({ id: "x" })).rejects.toMatchObject({ kind: "not_found" });
  await expect(Sandbox.create({ id: box.id, labels: { a: "b" } })).rejects.toMatchObject({ kind: "invalid_request" });
  delete process.env["SANDSHELL_DATA_DIR"];
});
