// What `package.json` says of names: scopes, `exports`, `imports`, `main`.

const { coded } = require('internal/errors');
const path = require('path');

const read = new Map();

/// The contents of a package.json, or undefined; what is no JSON is an exception.
function readPackage(file) {
  if (read.has(file)) return read.get(file);
  let found;
  if (native.kind(file) === 0) {
    const text = require('fs').readFileSync(file, 'utf8');
    try {
      found = JSON.parse(text);
    } catch (error) {
      throw coded(Error, 'ERR_INVALID_PACKAGE_CONFIG', `Invalid package config ${file}.\n${error.message}`.trim());
    }
    if (found === null || typeof found !== 'object') found = {};
  }
  read.set(file, found);
  return found;
}

/// The nearest package.json from a directory upwards: [directory, contents].
function scopeOf(directory) {
  for (let at = directory; ; at = path.dirname(at)) {
    if (at.endsWith('/node_modules')) return undefined;
    const found = readPackage(path.join(at, 'package.json'));
    if (found !== undefined) return [at, found];
    if (at === '/' || at === '.') return undefined;
  }
}

/// "@scope/name/rest" as ["@scope/name", "./rest"].
function splitName(specifier) {
  const parts = specifier.split('/');
  const count = specifier.startsWith('@') ? 2 : 1;
  return [parts.slice(0, count).join('/'), ['.', ...parts.slice(count)].join('/')];
}

/// What an entry of `exports` or `imports` means for these conditions: a target, null where it is excluded, undefined
/// where nothing fits.
function target(value, conditions, pattern, context) {
  if (typeof value === 'string') {
    if (!value.startsWith('./')) {
      if (context.isImports && !value.startsWith('../') && !value.startsWith('/'))
        return { bare: pattern === undefined ? value : value.replaceAll('*', pattern) };
      throw coded(
        Error,
        'ERR_INVALID_PACKAGE_TARGET',
        `Invalid "${context.isImports ? 'imports' : 'exports'}" target ${JSON.stringify(value)} defined ` +
          `${context.key === '.' && !context.isImports ? 'in the package config' : `for '${context.key}' in the package config`} ${context.directory}/package.json${context.from ? ` imported from ${context.from}` : ''}; targets must start with "./"`,
      );
    }
    return { file: path.join(context.directory, pattern === undefined ? value : value.replaceAll('*', pattern)) };
  }
  if (Array.isArray(value)) {
    let last;
    for (const item of value) {
      try {
        last = target(item, conditions, pattern, context);
      } catch (error) {
        if (error.code !== 'ERR_INVALID_PACKAGE_TARGET') throw error;
        continue;
      }
      if (last !== undefined && last !== null) return last;
    }
    return last;
  }
  if (value === null) return null;
  if (typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      if (key !== 'default' && !conditions.has(key)) continue;
      const found = target(item, conditions, pattern, context);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return undefined;
}

/// The entry for a key: exact, or the most specific pattern.
function lookUp(map, key) {
  if (Object.prototype.hasOwnProperty.call(map, key) && !key.includes('*') && !key.endsWith('/'))
    return [map[key], undefined];
  let best;
  for (const pattern of Object.keys(map)) {
    const star = pattern.indexOf('*');
    if (star < 0) continue;
    const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
    if (!key.startsWith(before) || !key.endsWith(after) || key.length < pattern.length) continue;
    if (
      !best ||
      before.length > best.before.length ||
      (before.length === best.before.length && pattern.length > best.pattern.length)
    )
      best = { pattern, before, after };
  }
  if (!best) return undefined;
  return [map[best.pattern], key.slice(best.before.length, key.length - best.after.length)];
}

/// The file of a package's subpath by its `exports`.
function resolveExports(directory, contents, subpath, conditions, from) {
  let map = contents.exports;
  const isShort =
    typeof map === 'string' ||
    Array.isArray(map) ||
    map === null ||
    !Object.keys(map).some((key) => key.startsWith('.'));
  if (isShort) map = { '.': map };
  const entry = lookUp(map, subpath);
  const found = entry && target(entry[0], conditions, entry[1], { directory, key: subpath, from, isImports: false });
  if (found?.file) return found.file;
  const place = `${directory}/package.json${from ? ` imported from ${from}` : ''}`;
  if (subpath === '.') throw coded(Error, 'ERR_PACKAGE_PATH_NOT_EXPORTED', `No "exports" main defined in ${place}`);
  throw coded(
    Error,
    'ERR_PACKAGE_PATH_NOT_EXPORTED',
    `Package subpath '${subpath}' is not defined by "exports" in ${place}`,
  );
}

/// What "#name" means: { file } or { bare }.
function resolveImports(name, fromDirectory, conditions, from) {
  const scope = scopeOf(fromDirectory);
  const map = scope?.[1].imports;
  const entry = map && name !== '#' && !name.startsWith('#/') ? lookUp(map, name) : undefined;
  const found =
    entry && target(entry[0], conditions, entry[1], { directory: scope[0], key: name, from, isImports: true });
  if (found) return found;
  throw coded(
    TypeError,
    'ERR_PACKAGE_IMPORT_NOT_DEFINED',
    `Package import specifier "${name}" is not defined${scope ? ` in package ${scope[0]}/package.json` : ''}${from ? ` imported from ${from}` : ''}`,
  );
}

module.exports = { readPackage, scopeOf, splitName, resolveExports, resolveImports, forget: () => read.clear() };
