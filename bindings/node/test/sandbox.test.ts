import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { FileOperationError, Sandbox, SandboxError, type SandboxOptions } from "../lib/index.js";

const open: Sandbox[] = [];

async function make(options?: SandboxOptions): Promise<Sandbox> {
  const box = await Sandbox.create(options);
  open.push(box);
  return box;
}

afterEach(async () => {
  for (const box of open.splice(0)) await box.close();
});

describe("execute", () => {
  it("answers streams, status and bytes", async () => {
    const box = await make();
    const result = await box.execute("printf 'b\\na\\n' | sort; echo oops >&2; exit 3");
    expect([result.stdout, result.stderr, result.output, result.exitCode]).toEqual(["a\nb\n", "oops\n", "a\nb\noops\n", 3]);
    const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    expect((await box.execute("cat", { stdin: all })).stdoutBytes.equals(all)).toBe(true);
  });

  it("has its place, variables and time", async () => {
    const box = await make({ env: { A: "1" }, timeout: 300 });
    expect((await box.execute("pwd; echo $A$B", { cwd: "/tmp", env: { B: "2" } })).output).toBe("/tmp\n12\n");
    const late = await box.execute("echo begun; sleep 100");
    expect([late.exitCode, late.timedOut, late.output]).toEqual([124, true, "begun\n"]);
    expect(late.limits.map(({ kind }) => kind)).toEqual(["wall_time"]);
    expect((await box.execute("sleep 0.4; echo done", { timeout: 0 })).output).toBe("done\n");
  });

  it("repeats itself with a seed and a clock", async () => {
    const run = async () =>
      (await (await make({ seed: 7, clock: "virtual:2026-01-01T00:00:00Z" })).execute("date; echo $RANDOM")).output;
    const first = await run();
    expect(first).toMatch(/^Thu Jan {2}1 00:00:00 UTC 2026\n/);
    expect(await run()).toBe(first);
  });

  it("leaves the event loop alone", async () => {
    const box = await make();
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    const answers = await Promise.all([1, 2, 3, 4, 5].map((number) => box.execute(`sleep 0.3; echo ${number}`)));
    clearInterval(timer);
    expect(answers.map(({ output }) => output)).toEqual(["1\n", "2\n", "3\n", "4\n", "5\n"]);
    expect(ticks).toBeGreaterThan(3);
  });

  it("gives the event loop a turn between short commands", async () => {
    const box = await make();
    let turned = false;
    setTimeout(() => (turned = true), 0);
    for (let call = 0; call < 1000; call++) expect((await box.execute("echo hi")).output).toBe("hi\n");
    expect(turned).toBe(true);
  });
});

describe("files", () => {
  it("are read, written, edited and found", async () => {
    const box = await make({ files: { "a.txt": "one\ntwo\nthree\n", "/tmp/b": new Uint8Array([0, 255]) } });
    expect(await box.read("a.txt", { offset: 1, limit: 1 })).toMatchObject({ kind: "text", text: "two", nextOffset: 2 });
    expect((await box.read("/tmp/b")).content).toEqual(Buffer.from([0, 255]));
    await box.write("src/m.ts", "import x\n");
    expect(await box.edit("src/m.ts", "x", "y")).toBe(1);
    expect((await box.ls()).map(({ path, isDir }) => [path, isDir])).toEqual([
      ["/workspace/a.txt", false],
      ["/workspace/src", true],
    ]);
    expect((await box.grep("import", ".", { glob: "*.ts" })).matches[0]?.text).toBe("import y");
    expect((await box.glob("*.ts")).matches.map(({ path }) => path)).toEqual(["/workspace/src/m.ts"]);
    await box.delete("src");
    expect((await box.downloadFiles(["src/m.ts", "a.txt"])).map(({ error }) => error)).toEqual(["file_not_found", null]);
  });

  it("that cannot be had are errors with a reason", async () => {
    const box = await make({ files: { f: "x x" } });
    await expect(box.read("no")).rejects.toMatchObject({ reason: "file_not_found" });
    await expect(box.edit("f", "x", "y")).rejects.toBeInstanceOf(FileOperationError);
    await expect(box.write("f", "", { createNew: true })).rejects.toMatchObject({ reason: "already_exists" });
  });
});

describe("states", () => {
  it("are kept, restored and forked", async () => {
    const box = await make({ files: { f: "before" } });
    const kept = await box.snapshot();
    const fork = await box.fork();
    open.push(fork);
    await box.write("f", "after");
    expect((await fork.read("f")).text).toBe("before");
    const other = await Sandbox.fromSnapshot(kept);
    open.push(other);
    expect((await other.read("f")).text).toBe("before");
    await box.restore(kept);
    expect((await box.read("f")).text).toBe("before");
  });

  it("of the host stay as they are until changes are applied", async () => {
    const host = mkdtempSync(join(tmpdir(), "sandshell-test-"));
    writeFileSync(join(host, "f.txt"), "old\n");
    const box = await make({ mounts: { "/workspace": host } });
    await box.execute("echo new > f.txt");
    expect(readFileSync(join(host, "f.txt"), "utf8")).toBe("old\n");
    expect(await box.diff()).toContain("-old\n+new\n");
    expect(await box.apply()).toBe(1);
    expect(readFileSync(join(host, "f.txt"), "utf8")).toBe("new\n");
    box.mount("/mnt/host", host, "ro");
    expect((await box.execute("cat /mnt/host/f.txt; echo x > /mnt/host/f.txt")).output).toContain("new\n");
    expect(readFileSync(join(host, "f.txt"), "utf8")).toBe("new\n");
  });
});

describe("errors", () => {
  it.each([[{ clock: "noon" }], [{ timeout: -1 }], [{ mounts: { "/x": "/no/such" } }], [{ workdir: "relative" }]])(
    "%o",
    async (options) => {
      await expect(Sandbox.create(options)).rejects.toMatchObject({ kind: "invalid_request" });
    },
  );

  it("of a closed sandbox", async () => {
    const box = await Sandbox.create();
    await box.close();
    await box.close();
    await expect(box.execute("true")).rejects.toMatchObject({ kind: "sandbox_ended" });
    await expect(box.execute("true")).rejects.toBeInstanceOf(SandboxError);
  });
});
