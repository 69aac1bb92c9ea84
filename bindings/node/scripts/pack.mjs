// Puts Python for the sandbox into the package: `node scripts/pack.mjs [DIR]`. With a DIR, that built pack is used
// instead of building one.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const [given] = process.argv.slice(2);
const place = mkdtempSync(join(tmpdir(), "sandshell-pack-"));

function built() {
  const env = { ...process.env, XDG_DATA_HOME: place, XDG_CACHE_HOME: join(place, "cache") };
  const command = ["run", "--release", "--bin", "sandshell", "--", "pack", "build", "python"];
  execFileSync("cargo", command, { cwd: join(here, "../.."), env, stdio: "inherit" });
  return join(place, "sandshell/packs/python");
}

try {
  rmSync(join(here, "packs"), { recursive: true, force: true });
  cpSync(given ?? built(), join(here, "packs/python"), { recursive: true });
} finally {
  rmSync(place, { recursive: true });
}
