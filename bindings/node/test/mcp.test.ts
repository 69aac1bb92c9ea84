/** Tests `sandshell mcp` with the command-line mode of the inspector. */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const PROGRAM = process.env["SANDSHELL"] ?? "sandshell";
const INSPECTOR = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector-cli/package.json")),
  "build/cli.js",
);

interface Answer {
  tools: { name: string }[];
  resources: { uri: string; name: string }[];
  resourceTemplates: { uriTemplate: string }[];
  contents: { text: string }[];
  content: { type: string; text: string }[];
  structuredContent: Record<string, unknown>;
  isError: boolean;
}

type Inspect = (method: string, ...options: string[]) => Promise<Answer>;

async function over(target: string[], cwd: string, method: string, options: string[]): Promise<Answer> {
  const command = [INSPECTOR, "--cli", ...target, "--method", method, ...options];
  return JSON.parse((await promisify(execFile)(process.execPath, command, { cwd })).stdout) as Answer;
}

function project(): string {
  const place = mkdtempSync(join(tmpdir(), "sandshell-test-"));
  // Without this file, the inspector searches the parent directories for one.
  writeFileSync(join(place, "package.json"), "{}");
  const directory = join(place, "project");
  mkdirSync(directory);
  writeFileSync(join(directory, "notes.txt"), "old\n");
  return directory;
}

async function work(inspect: Inspect) {
  const tool = (name: string, ...values: string[]) =>
    inspect("tools/call", "--tool-name", name, ...values.flatMap((value) => ["--tool-arg", value]));
  expect((await inspect("tools/list")).tools.map(({ name }) => name).sort()).toEqual(
    ("delete diff download edit_file end_session execute glob grep list_sessions ls move read_file read_files restore " +
      "session_output snapshot terminal upload write_file").split(" "),
  );
  const executed = await tool("execute", "command=cat notes.txt; echo $((6 * 7))");
  expect([executed.content[0]?.text, executed.isError]).toEqual(["old\n42\n", false]);
  expect(executed.structuredContent).toMatchObject({ output: "old\n42\n", exit_code: 0, truncated: false });
  expect((await tool("grep", "pattern=old", "max_count=1")).content[0]?.text).toBe("/workspace/notes.txt:1:old\n");
  const refused = await tool("read_file", "path=nothing");
  expect(refused.isError).toBe(true);
  const long = (await tool("execute", "command=seq 100000")).content[0]?.text ?? "";
  expect(long).toMatch(/path \S+ and offset \d+/);
  expect((await inspect("resources/list")).resources.map(({ uri }) => uri)).toEqual(["sandbox:///workspace/notes.txt"]);
  expect((await inspect("resources/templates/list")).resourceTemplates[0]?.uriTemplate).toBe("sandbox://{+path}");
  const { contents } = await inspect("resources/read", "--uri", "sandbox:///workspace/notes.txt");
  expect(contents[0]?.text).toBe("old\n");
}

describe("the inspector's command line", () => {
  it("over standard input and output", async () => {
    const directory = project();
    const target = [PROGRAM, "mcp", "--no-packs"];
    await work((method, ...options) => over(target, directory, method, options));
    const written = ["--tool-name", "write_file", "--tool-arg", "path=notes.txt", "--tool-arg", "content=new"];
    const patch = join(directory, "../changes.patch");
    await over([...target, `--diff=${patch}`], directory, "tools/call", written);
    // The directory is an overlay, so changes are only in the patch.
    expect(readFileSync(join(directory, "notes.txt"), "utf8")).toBe("old\n");
    await expect.poll(() => readFileSync(patch, "utf8")).toContain("-old\n+new");
  });

  it("over HTTP", async () => {
    const directory = project();
    const server = spawn(PROGRAM, ["mcp", "--no-packs", "--http=127.0.0.1:0"], {
      cwd: directory,
      stdio: ["ignore", "ignore", "pipe"],
    });
    try {
      const [line] = (await once(createInterface(server.stderr), "line")) as [string];
      const url = /http:\/\/\S+/.exec(line)?.[0] ?? "";
      await work((method, ...options) => over([url, "--transport", "http"], directory, method, options));
    } finally {
      server.kill();
    }
  });
});
