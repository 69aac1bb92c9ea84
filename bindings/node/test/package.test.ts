import { execFileSync } from "node:child_process";
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
