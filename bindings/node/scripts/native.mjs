// Builds the add-on and puts it where native/index.js looks for it: `node scripts/native.mjs [--release|FILE]`.
// With a FILE, that library is used instead of building one.
import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const [argument] = process.argv.slice(2);

function built() {
  const release = argument === "--release" ? ["--release"] : [];
  const cargo = (...args) => execFileSync("cargo", args, { cwd: here, stdio: ["ignore", "pipe", "inherit"] });
  cargo("build", "-p", "sandshell-node", ...release);
  const { target_directory } = JSON.parse(cargo("metadata", "--no-deps", "--format-version", "1"));
  const name = process.platform === "darwin" ? "libsandshell_node.dylib" : "libsandshell_node.so";
  return join(target_directory, release.length ? "release" : "debug", name);
}

const library = !argument || argument === "--release" ? built() : argument;
copyFileSync(library, join(here, "native", `sandshell.${process.platform}-${process.arch}.node`));
