"use strict";

// The add-on of this platform: beside this file, where `npm run build:native` puts it, or in the package of the platform,
// which npm installs as an optional dependency.
const { existsSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { platformName } = require("./platform.js");

const file = `./sandshell.${process.platform}-${process.arch}.node`;

function addon() {
  try {
    return require(file);
  } catch (cause) {
    if (cause.code !== "MODULE_NOT_FOUND") throw new Error(`sandshell's add-on ${file} cannot be loaded`, { cause });
  }
  const name = platformName();
  try {
    return require(name);
  } catch (cause) {
    const how = `install ${name}, or build it with npm run build:native`;
    throw new Error(`sandshell has no add-on for this platform: ${how}`, { cause });
  }
}

// The directories of packs: this package's own, and those of the packages `sandshell-pack-NAME` that are installed where
// this one finds them.
const packages = ["git", "matplotlib", "node", "numpy", "pandas", "perl", "python", "sqlite"].map((name) => {
  try {
    return dirname(require.resolve(`sandshell-pack-${name}/package.json`));
  } catch {
    return "";
  }
});
const packDirectories = [dirname(__dirname), ...packages].filter(Boolean).map((place) => join(place, "packs"));

module.exports = { ...addon(), packDirectories: packDirectories.filter((place) => existsSync(place)) };
