// `node` at a terminal, or with -i.

const path = require('path');

function main() {
  const Module = require('module');
  const module = new Module('<repl>');
  module.filename = null;
  module.paths = Module._nodeModulePaths(process.cwd());
  Object.defineProperty(module, 'filename', { value: path.join(process.cwd(), 'repl'), writable: true });
  for (const [key, value] of Object.entries({ module, exports: module.exports, require: Module.makeRequire(module) }))
    Object.defineProperty(globalThis, key, { value, writable: true, configurable: true });
  require('internal/builtin_globals').define();
  process.stdout.write(`Welcome to Node.js ${process.version}.\nType ".help" for more information.\n`);
  const server = require('repl').start({});
  server.on('exit', () => { if (process.stdin.isTTY) process.stdout.write('\n'); process.exit(); });
}

module.exports = { main };
