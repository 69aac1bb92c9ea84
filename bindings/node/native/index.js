"use strict";

// The add-on of this platform, which `npm run build:native` puts beside this file.
const { dirname } = require("node:path");

const name = `sandshell.${process.platform}-${process.arch}.node`;
try {
  module.exports = { ...require(`./${name}`), packageRoot: dirname(__dirname) };
} catch (cause) {
  throw new Error(`sandshell has no add-on for this platform (${name}): build it with npm run build:native`, { cause });
}
