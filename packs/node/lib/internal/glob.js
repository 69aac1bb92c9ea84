// Patterns of names of files.

const fs = require('fs');
const path = require('path');

/// A pattern with *, **, ?, [ ] and { } as a regular expression for a whole path.
function expression(pattern) {
  let out = '';
  let braces = 0;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === '*') {
      if (pattern[i + 1] === '*') {
        i++;
        if (pattern[i + 1] === '/') {
          i++;
          out += '(?:.*/)?';
        } else out += '.*';
      } else out += '[^/]*';
    } else if (char === '?') out += '[^/]';
    else if (char === '{') { out += '(?:'; braces++; }
    else if (char === '}' && braces) { out += ')'; braces--; }
    else if (char === ',' && braces) out += '|';
    else if (char === '[') {
      const end = pattern.indexOf(']', i + 1);
      if (end < 0) out += '\\[';
      else {
        out += `[${pattern.slice(i + 1, end).replace(/^!/, '^')}]`;
        i = end;
      }
    } else out += char.replace(/[\\^$.|+()]/g, '\\$&');
  }
  return new RegExp(`^${out}$`);
}

function matching(pattern) {
  const full = path.resolve(pattern);
  const wanted = expression(full);
  const fixed = full.split('/').findIndex((part) => /[*?[{]/.test(part));
  const base = fixed < 0 ? path.dirname(full) : full.split('/').slice(0, fixed).join('/') || '/';
  if (native.kind(base) !== 1) return [];
  return fs
    .readdirSync(base, { recursive: true })
    .map((name) => path.join(base, name))
    .filter((file) => !file.includes('/node_modules/') && wanted.test(file) && native.kind(file) === 0);
}

module.exports = { expression, matching, matches: (name, pattern) => expression(pattern).test(name) };
