import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const work = "console.log((await (await Sandbox.create()).execute('echo $((6 * 7))')).output.trim())";

function node(kind: "module" | "commonjs", code: string): string {
  const root = new URL("..", import.meta.url);
  return execFileSync(process.execPath, [`--input-type=${kind}`, "-e", code], { cwd: root, encoding: "utf8" });
}

describe("the built package", () => {
  it("is a module", () => {
    expect(node("module", `import { Sandbox } from "sandshell"; ${work}`)).toBe("42\n");
  });

  it("can be required", () => {
    expect(node("commonjs", `const { Sandbox } = require("sandshell"); (async () => { ${work} })()`)).toBe("42\n");
  });

  it.each(["module", "commonjs"] as const)("has parts (%s)", (kind) => {
    const code =
      kind === "module"
        ? `import { SandshellSandbox } from "sandshell/deepagents"; import { VfsSandbox } from "sandshell/node-vfs"; console.log(SandshellSandbox.name, VfsSandbox.name)`
        : `console.log(require("sandshell/deepagents").SandshellSandbox.name, require("sandshell/node-vfs").VfsSandbox.name)`;
    expect(node(kind, code)).toBe("SandshellSandbox VfsSandbox\n");
  });
});

describe("the packed package", () => {
  it("works in an empty project", { timeout: 300_000 }, () => {
    const place = mkdtempSync(join(tmpdir(), "sandshell-test-"));
    const npm = (cwd: URL | string, ...command: string[]) =>
      execFileSync("npm", [...command, "--ignore-scripts", "--loglevel=error"], { cwd, encoding: "utf8" });
    try {
      npm(new URL("..", import.meta.url), "pack", "--pack-destination", place);
      const [tarball = ""] = readdirSync(place);
      npm(place, "init", "--yes");
      npm(place, "install", "--offline", "--no-audit", "--no-fund", `./${tarball}`);
      const env = { ...process.env, XDG_DATA_HOME: place };
      const options = { cwd: place, encoding: "utf8", env } as const;
      const module = `import { Sandbox } from "sandshell"; ${work}`;
      expect(execFileSync(process.execPath, ["--input-type=module", "-e", module], options)).toBe("42\n");
      const common = `const { Sandbox } = require("sandshell"); (async () => { ${work} })()`;
      expect(execFileSync(process.execPath, ["--input-type=commonjs", "-e", common], options)).toBe("42\n");
      // The package contains the pack only if it was built.
      if (existsSync(new URL("../packs/python", import.meta.url))) {
        const python = module.replace("echo $((6 * 7))", "python3 -c \"print(6 * 7)\"").replaceAll("'", "`");
        expect(execFileSync(process.execPath, ["--input-type=module", "-e", python], options)).toBe("42\n");
      }
    } finally {
      rmSync(place, { recursive: true });
    }
  });
});
