// Loads the library, when the pack is built. What a program finds is this state.

const library = native.library;
const loaded = new Map();
native.sources = { __proto__: null };

/// The library's own `require`.
function load(name) {
  const known = loaded.get(name);
  if (known) return known.exports;
  const text = library[name];
  if (!text) throw new Error(`No such built-in module: ${name}`);
  const module = { exports: {} };
  loaded.set(name, module);
  text(native, load, module, module.exports);
  return module.exports;
}

load('internal/globals').setUp();
// What is used by nearly every program is ready; all else is loaded when it is asked for.
for (const name of Object.keys(library)) if (name !== 'internal/start' && !name.startsWith('late/')) load(name);
native.main = load('internal/main').main;
