import { describe, expect, it } from "vitest";
import {
  VfsSandbox,
  VfsSandboxError,
  createVfsSandboxFactory,
  createVfsSandboxFactoryFromSandbox,
} from "../lib/node-vfs.js";

describe("VfsSandbox", () => {
  it("is made in one step or in two", async () => {
    const box = new VfsSandbox({ initialFiles: { "/a.txt": "a", "b/c.txt": "c" }, mountPath: "/vfs" });
    expect(box.isRunning).toBe(false);
    await expect(box.execute("true")).rejects.toMatchObject({ code: "NOT_INITIALIZED" });
    await box.initialize();
    expect([box.isRunning, box.isVfsMode, box.workingDirectory]).toEqual([true, true, "/workspace"]);
    expect((await box.execute("cat a.txt /a.txt b/c.txt /b/c.txt; pwd")).output).toBe("aacc/workspace\n");
    await expect(box.initialize()).rejects.toBeInstanceOf(VfsSandboxError);
    expect(VfsSandboxError.isInstance(await box.initialize().catch((error: unknown) => error))).toBe(true);
    await box.stop();
    await box.close();
    expect(box.isRunning).toBe(false);
  });

  it("is not running when its files cannot be made", async () => {
    const box = new VfsSandbox({ initialFiles: { "/a": "x", "/a/b": "y" } });
    await expect(box.initialize()).rejects.toMatchObject({ code: "INITIALIZATION_FAILED" });
    expect(box.isRunning).toBe(false);
  });

  it("forgets what is removed and survives links", async () => {
    const box = await VfsSandbox.create({ initialFiles: { "/a.txt": "a" } });
    await box.execute("rm a.txt; ln -s /etc link; echo new > made.txt");
    expect((await box.ls("/")).files?.map(({ path }) => path)).toEqual(["/link/", "/made.txt"]);
    expect((await box.execute("cat /made.txt")).output).toBe("new\n");
    expect((await box.delete("/made.txt")).error).toBeUndefined();
    expect((await box.read("/made.txt")).error).toBe("File '/made.txt' not found");
    await box.stop();
  });

  it("sees nothing of the host", async () => {
    process.env["SANDSHELL_TEST_SECRET"] = "secret";
    const box = await VfsSandbox.create();
    expect((await box.execute("echo [$SANDSHELL_TEST_SECRET]")).output).toBe("[]\n");
    await box.stop();
  });

  it("stops what takes too long, in its words", async () => {
    const box = await VfsSandbox.create({ timeout: 200 });
    expect(await box.execute("echo begun; sleep 100")).toEqual({
      output: "begun\n\n[Command timed out]",
      exitCode: null,
      truncated: false,
    });
    expect(await box.execute("head -c 2000000 /dev/zero | tr '\\0' x")).toMatchObject({ truncated: true });
    await box.stop();
  });

  it("comes from factories", async () => {
    const made = await createVfsSandboxFactory({ initialFiles: { "/f": "x" } })();
    expect((await made.execute("cat f")).output).toBe("x");
    expect(createVfsSandboxFactoryFromSandbox(made)()).toBe(made);
    await made.stop();
  });
});
