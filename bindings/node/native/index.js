"use strict";

// The add-on of this platform: beside this file, where `npm run build:native` puts it, or in the package of the platform,
// which npm installs as an optional dependency.
const { dirname } = require("node:path");
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

module.exports = { ...addon(), packageRoot: dirname(__dirname) };
