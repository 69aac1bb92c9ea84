// Files with variables of the environment.

function parse(text) {
  const out = {};
  const pattern =
    /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=[ \t]*(?:'([^']*)'|"((?:[^"\\]|\\[^])*)"|`([^`]*)`|([^\n#]*))/gm;
  for (const [, name, single, double, back, plain] of text.replace(/\r\n?/g, '\n').matchAll(pattern)) {
    out[name] = single ?? (double !== undefined ? double.replace(/\\n/g, '\n') : undefined) ?? back ?? plain.trim();
  }
  return out;
}

/// Sets what is not set yet.
function load(file) {
  const text = require('fs').readFileSync(file, 'utf8');
  for (const [name, value] of Object.entries(parse(text)))
    if (process.env[name] === undefined) process.env[name] = value;
}

module.exports = { parse, load };
