/** Runs the guide's examples exactly as they are written. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = new URL("..", import.meta.url);

function examples(file: string): string[] {
  const text = readFileSync(new URL(file, root), "utf8");
  return [...text.matchAll(/```js\n([^]*?)```/g)].map((match) => match[1] ?? "");
}

function run(code: string): string {
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: root, encoding: "utf8" });
}

it("the guide", () => {
  const [first, kept, sessions, terminal, , recorded, , vfs] = examples("../../docs/javascript.md");
  expect(run(first ?? "")).toBe("a\nb\n done\n 0\nb\nc\n");
  const place = mkdtempSync(join(tmpdir(), "sandshell-test-"));
  expect(run((kept ?? "").replace('"sandboxes"', JSON.stringify(join(place, "data"))))).toBe("kept\n");
  expect(run(sessions ?? "")).toBe("1 in /tmp\n\n");
  expect(run(terminal ?? "")).toBe("true\n");
  const file = join(place, "cassette.jsonl");
  expect(run((recorded ?? "").replaceAll("cassette.jsonl", file))).toBe("true\n");
  expect(run(vfs ?? "")).toBe("console.log(1)console.log(1)\n");
});

it("the page on migration", () => {
  const [vfs, bash] = examples("../../docs/migration.md");
  expect(run(vfs ?? "")).toBe("console.log(2)\n");
  expect(run(bash ?? "")).toBe("a,1 0\n");
});

it("the readme", () => {
  expect(run(examples("README.md")[0] ?? "")).toBe("A\nB\n\n");
});
