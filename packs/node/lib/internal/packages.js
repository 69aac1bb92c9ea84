// What `package.json` says of names: scopes, `exports`, `imports`, `main`.

const { coded } = require('internal/errors');
const path = require('path');

const known = new Map(); // by the names of the files

/// The contents of a package.json, or undefined. What is no JSON is an exception, which for `import` tells what asked.
function contentsOf(file, asked) {
  if (!known.has(file)) known.set(file, native.kind(file) === 0 ? parsed(file, asked) : undefined);
  return known.get(file);
}

function parsed(file, asked) {
  try {
    const contents = JSON.parse(require('fs').readFileSync(file, 'utf8'));
    return contents !== null && typeof contents === 'object' ? contents : {};
  } catch (error) {
    if (!asked) throw Object.assign(new SyntaxError(`Error parsing ${file}: ${error.message}`), { path: file });
    const words = `Invalid package config ${file} while importing ${asked}. ${error.message}`;
    throw coded(Error, 'ERR_INVALID_PACKAGE_CONFIG', words);
  }
}

/// The nearest package.json from a directory upwards: [directory, contents].
function scopeOf(directory, asked) {
  for (let at = directory; ; at = path.dirname(at)) {
    if (at.endsWith('/node_modules')) return undefined;
    const found = contentsOf(path.join(at, 'package.json'), asked);
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
    const file = path.join(context.directory, pattern === undefined ? value : value.replaceAll('*', pattern));
    return { file, description: path.join(context.directory, 'package.json') };
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
function exportedFile(directory, contents, subpath, conditions, from) {
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

/// What "#name" means: { file, description } or { bare }.
function importTarget(name, fromDirectory, conditions, from) {
  const place = from ? ` imported from ${from}` : '';
  if (name === '#' || name.startsWith('#/')) {
    const message = `Invalid module "${name}" is not a valid internal imports specifier name${place}`;
    throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER', message);
  }
  const [directory, contents] = scopeOf(fromDirectory) ?? [];
  const entry = contents?.imports && lookUp(contents.imports, name);
  const found = entry && target(entry[0], conditions, entry[1], { directory, key: name, from, isImports: true });
  if (found) return found;
  const where = directory ? ` in package ${directory}/package.json` : '';
  throw coded(
    TypeError,
    'ERR_PACKAGE_IMPORT_NOT_DEFINED',
    `Package import specifier "${name}" is not defined${where}${place}`,
  );
}

module.exports = { contentsOf, scopeOf, splitName, exportedFile, importTarget };
