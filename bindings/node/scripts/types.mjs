// Writes the declarations again for code that loads the package with `require`.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const dist = new URL("../dist/", import.meta.url);
for (const name of readdirSync(dist).filter((name) => name.endsWith(".d.ts"))) {
  const text = readFileSync(new URL(name, dist), "utf8").replaceAll(/(from "\.\/[^"]+)\.js"/g, '$1.cjs"');
  writeFileSync(new URL(name.replace(/\.ts$/, ".cts"), dist), text);
}
