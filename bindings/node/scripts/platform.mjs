// Makes what is published, in DIR: `node scripts/platform.mjs DIR`. `DIR/platform` is the package of this platform, with
// the add-on alone; `DIR/main` is the package `sandshell` without an add-on, which names those of all platforms as
// optional dependencies: npm installs the one that fits.
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { platformName } from "../native/platform.js";

const PLATFORMS = [
  "sandshell-darwin-arm64",
  "sandshell-darwin-x64",
  "sandshell-linux-arm64-gnu",
  "sandshell-linux-arm64-musl",
  "sandshell-linux-x64-gnu",
  "sandshell-linux-x64-musl",
  "sandshell-win32-x64",
];

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const [directory] = process.argv.slice(2);
const whole = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const addon = `sandshell.${process.platform}-${process.arch}.node`;
const name = platformName();
if (!PLATFORMS.includes(name)) throw new Error(`${name} is no platform of the package`);

function write(into, description) {
  writeFileSync(join(into, "package.json"), `${JSON.stringify(description, null, 2)}\n`);
}

const platform = join(directory, "platform");
mkdirSync(platform, { recursive: true });
copyFileSync(join(here, "native", addon), join(platform, addon));
const libc = name.endsWith("-gnu") ? { libc: ["glibc"] } : name.endsWith("-musl") ? { libc: ["musl"] } : {};
write(platform, {
  name,
  version: whole.version,
  description: `The native part of sandshell for ${process.platform} on ${process.arch}`,
  license: whole.license,
  os: [process.platform],
  cpu: [process.arch],
  ...libc,
  main: addon,
  files: [addon],
});

const main = join(directory, "main");
mkdirSync(main, { recursive: true });
for (const part of ["dist", "native", "packs", "README.md"]) {
  cpSync(join(here, part), join(main, part), { recursive: true, filter: (from) => !from.endsWith(".node") });
}
const { scripts, devDependencies, ...published } = whole;
write(main, { ...published, optionalDependencies: Object.fromEntries(PLATFORMS.map((one) => [one, whole.version])) });
