// In `node -e` and the REPL the built-in modules are global names.

const { NAMES } = require('internal/builtins');

function define() {
  for (const name of NAMES) {
    if (name.includes('/') || name in globalThis) continue;
    Object.defineProperty(globalThis, name, {
      configurable: true, enumerable: false,
      get: () => require(name),
      set(value) {
        Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
      },
    });
  }
}

module.exports = { define };
