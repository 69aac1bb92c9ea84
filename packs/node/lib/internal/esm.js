// ECMAScript modules: where names lead, and what is there.

const path = require('path');
const { coded } = require('internal/errors');
const packages = require('internal/packages');
const { builtin, load } = require('internal/builtins');
const Module = require('module');

const CONDITIONS = new Set(['node', 'import', 'node-addons']);
const evaluated = new Map(); // texts that are no files: of -e, of the REPL, of data URLs
const commonNames = new Map();

const { pathToFileURL, fileURLToPath } = require('internal/file_urls');

const conditions = () =>
  Module.extraConditions.length ? new Set([...CONDITIONS, ...Module.extraConditions]) : CONDITIONS;
const EVALUATED = /^eval at .*?\(((?:file:\/)?\/.*?):\d+:\d+\)/; // the file of texts given to `Function` and `eval`
const baseURL = (base) => {
  base = base === '<input>' ? (process.mainModule?.filename ?? base) : (EVALUATED.exec(base)?.[1] ?? base);
  return /^[a-z][a-z+.-]+:/.test(base) ? base : pathToFileURL(base).href;
};
const pathOf = (url) => (url.startsWith('file:') ? fileURLToPath(url) : path.join(process.cwd(), 'x'));

/// The URL that a name means in the module `base`.
function resolve(name, base) {
  const inner = builtin(name);
  if (inner !== undefined) return `node:${inner}`;
  if (name.startsWith('node:')) throw coded(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${name}`);
  base = baseURL(base);
  if (name.startsWith('data:')) return name;
  const [scheme = 'file:'] = /^[a-z][a-z\d+.-]*:/i.exec(name) ?? [];
  if (scheme !== 'file:') {
    throw coded(
      Error,
      'ERR_UNSUPPORTED_ESM_URL_SCHEME',
      'Only URLs with a scheme in: file, data, and node are supported by the default ESM loader. ' +
        `Received protocol '${scheme}'`,
    );
  }
  const from = pathOf(base);
  let file;
  if (name.startsWith('#')) {
    const target = packages.importTarget(name, path.dirname(from), conditions(), from);
    if (target.bare) return resolve(target.bare, base);
    file = target.file;
  } else if (/^(\.{0,2}\/|\.\.?$|file:)/.test(name)) {
    let url;
    try {
      url = new URL(name, base);
    } catch {
      throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER', `Invalid module "${name}"`);
    }
    return checked(fileURLToPath(url), name, from, url.search + url.hash);
  } else file = inPackages(name, from);
  return checked(file, name, from, '');
}

function checked(file, name, from, rest) {
  const kind = native.kind(file);
  if (kind === 1) {
    throw coded(
      Error,
      'ERR_UNSUPPORTED_DIR_IMPORT',
      `Directory import '${file}' is not supported resolving ES modules imported from ${from}`,
      { url: pathToFileURL(file).href },
    );
  }
  if (kind !== 0)
    throw coded(Error, 'ERR_MODULE_NOT_FOUND', `Cannot find module '${file}' imported from ${from}`, {
      url: pathToFileURL(file).href,
    });
  const real = native.realpath(file);
  return pathToFileURL(typeof real === 'string' ? real : file).href + rest;
}

/// The file of a name that begins with a package's.
function inPackages(name, from) {
  const [wanted, subpath] = packages.splitName(name);
  if (!/^(@[^\\%]*\/|[^@.\\%])[^\\%]*$/.test(wanted))
    throw coded(
      TypeError,
      'ERR_INVALID_MODULE_SPECIFIER',
      `Invalid module "${name}" is not a valid package name imported from ${from}`,
    );
  const asked = `"${name}" from ${from}`;
  const byExports = (directory, contents) =>
    packages.exportedFile(directory, contents, subpath, conditions(), from);
  const [home, own] = packages.scopeOf(path.dirname(from), asked) ?? [];
  if (own?.exports != null && own.name === wanted) return byExports(home, own);
  const folders = Module._nodeModulePaths(path.dirname(from)).map((folder) => path.join(folder, wanted));
  const directory = folders.find((folder) => native.kind(folder) === 1);
  if (directory === undefined) throw noPackage(wanted, from);
  const contents = packages.contentsOf(path.join(directory, 'package.json'), asked);
  if (contents?.exports != null) return byExports(directory, contents);
  return subpath === '.' ? mainOf(directory, contents?.main, from) : path.join(directory, subpath);
}

const noPackage = (name, from) =>
  coded(Error, 'ERR_MODULE_NOT_FOUND', `Cannot find package '${name}' imported from ${from}`);

/// The file that a package without `exports` begins with.
function mainOf(directory, main, from) {
  const ends = ['', '.js', '.json', '/index.js', '/index.json'];
  const guesses = [...(main ? ends.map((end) => main + end) : []), 'index.js', 'index.json'];
  const found = guesses.map((guess) => path.join(directory, guess)).find((file) => native.kind(file) === 0);
  if (!found) throw noPackage(`${directory}/${main ?? ''}`, from);
  return found;
}

/// 'module', 'commonjs', 'json', …: what a file is by its name.
function formatOf(file) {
  const extension = path.extname(file);
  if (extension === '.mjs') return 'module';
  if (extension === '.cjs') return 'commonjs';
  if (extension === '.json') return 'json';
  if (extension === '.js' || extension === '') {
    const scope = packages.scopeOf(path.dirname(file), file);
    if (scope?.[1].type === 'module') return 'module';
    if (scope?.[1].type === 'commonjs' || extension === '') return 'commonjs';
    return 'unknown';
  }
  if (extension === '.wasm') return 'wasm';
  if (extension === '.node') return 'addon';
  return undefined;
}

/// Whether a text of no known kind is a module: it has the syntax of one and is none of CommonJS.
function looksLikeModule(text) {
  return /^\s*(import\s*[\w{*"']|export\s*[\w{*]|import\.meta)/m.test(
    text.replace(/\/\*[^]*?\*\//g, '').replace(/\/\/.*$/gm, ''),
  );
}

/// Whether a text is no CommonJS and looks like a module.
function isModuleText(text, file) {
  const hasWords = looksLikeModule(text);
  if (!hasWords && !/\bawait\b/.test(text)) return false;
  try {
    native.checkSyntax(
      `(function(exports, require, module, __filename, __dirname){${text.startsWith('#!') ? '//' : ''}\n${text}\n})`,
      file,
      false,
      0,
    );
    return false;
  } catch {
    return hasWords || isModuleSyntax(text, file);
  }
}

/// Whether a text could be a module, which may wait outside of functions.
function isModuleSyntax(text, file) {
  try {
    native.checkSyntax(text, file, true, 1);
    return true;
  } catch {
    return false;
  }
}

/// The engine asks what a URL has: a text, or names and a function that gives their values.
function loadModule(url) {
  if (url.startsWith('node:')) return ofValues(load(url.slice(5)));
  if (evaluated.has(url)) return { text: evaluated.get(url) };
  if (url.startsWith('data:')) return ofData(url);
  const file = fileURLToPath(url);
  const format = formatOf(file);
  switch (format) {
    case 'module': return ofText(url, Module.readText(file));
    case 'json': return typed.has(url) ? ofJson(file) : needsType(url);
    case 'commonjs': return ofCommon(file);
    case 'unknown': {
      const text = Module.readText(file);
      return isModuleText(text, file) ? ofText(url, text) : ofCommon(file);
    }
    case 'wasm': throw require('internal/errors').unsupported('Importing WebAssembly');
    default:
      throw coded(
        TypeError,
        'ERR_UNKNOWN_FILE_EXTENSION',
        `Unknown file extension "${path.extname(file)}" for ${file}`,
      );
  }
}

const typed = new Set();

function needsType(url) {
  throw coded(
    TypeError,
    'ERR_IMPORT_ASSERTION_TYPE_MISSING',
    `Module "${url}" needs an import attribute of type "json"`,
  );
}

function ofText(url, text) {
  if (text.startsWith('#!')) text = `//${text.slice(2)}`;
  native.sources[url] = text;
  return { text };
}

function ofJson(file) {
  return { names: ['default'], evaluate: () => ({ default: JSON.parse(Module.readText(file)) }) };
}

function ofData(url) {
  const found = /^data:([^,;]*)((?:;[^,;]*)*),([^]*)$/.exec(url);
  if (!found) throw coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL', { input: url });
  const text = found[2].includes(';base64')
    ? Buffer.from(decodeURIComponent(found[3]), 'base64').toString()
    : decodeURIComponent(found[3]);
  if (found[1] === 'application/json') return { names: ['default'], evaluate: () => ({ default: JSON.parse(text) }) };
  if (found[1] !== 'text/javascript')
    throw coded(RangeError, 'ERR_UNKNOWN_MODULE_FORMAT', `Unknown module format: ${found[1]} for URL ${url}`);
  return ofText(url, text);
}

/// A built-in module or another object: its default is itself, its own properties are names.
function ofValues(exports) {
  const names = Object.keys(exports).filter((name) => name !== 'default');
  return { names: ['default', ...names], evaluate: () => ({ ...pick(exports, names), default: exports }) };
}

function pick(exports, names) {
  const out = {};
  for (const name of names) {
    try {
      out[name] = exports[name];
    } catch {
      out[name] = undefined;
    }
  }
  return out;
}

/// A CommonJS module: its names are found in its text, before it runs.
function ofCommon(file) {
  const names = namesOf(file);
  const all = ['default', ...names];
  return {
    names: all,
    evaluate() {
      const exports = Module._load(file, undefined, false);
      const out =
        exports !== null && (typeof exports === 'object' || typeof exports === 'function') ? pick(exports, names) : {};
      out.default = exports;
      return out;
    },
  };
}

const NAME = '[A-Za-z_$][\\w$]*';
const PATTERNS = [
  new RegExp(`(?:^|[^\\w$.])(?:module\\.)?exports\\.(${NAME})\\s*=(?!=)`, 'g'),
  new RegExp(`(?:^|[^\\w$.])(?:module\\.)?exports\\[\\s*['"]([^'"]+)['"]\\s*\\]\\s*=(?!=)`, 'g'),
  new RegExp(
    `Object\\.defineProperty\\(\\s*(?:module\\.)?exports\\s*,\\s*['"]([^'"]+)['"]\\s*,\\s*\\{\\s*(?:enumerable\\s*:|value\\s*:|get\\s*[:(])`,
    'g',
  ),
  new RegExp(`(?:^|[^\\w$.])__esModule\\s*=\\s*(?:exports)`, 'g'),
];

function namesOf(file) {
  if (commonNames.has(file)) return commonNames.get(file);
  const names = new Set();
  commonNames.set(file, []);
  if (file.endsWith('.json') || file.endsWith('.node')) return [];
  const text = Module.readText(file).replace(/\/\*[^]*?\*\//g, ' ');
  for (const pattern of PATTERNS) for (const found of text.matchAll(pattern)) if (found[1]) names.add(found[1]);
  for (const found of text.matchAll(/(?:^|[^\w$.])module\.exports\s*=\s*\{([^]*?)\}/g)) {
    for (const part of found[1].split(',')) {
      const name = /^\s*(?:\/\/.*\n\s*)*(?:([A-Za-z_$][\w$]*)|'([^']+)'|"([^"]+)")\s*(:|\(|$)/.exec(part);
      if (!name) break;
      names.add(name[1] ?? name[2] ?? name[3]);
      if (name[4] === '(' || (name[4] === ':' && !/^\s*[\w$'"]+\s*:\s*[\w$.]+\s*$/.test(part.replace(/\/\/.*$/gm, ''))))
        break;
    }
  }
  for (const found of text.matchAll(
    /(?:module\.exports\s*=\s*|__exportStar\(\s*|__export\(\s*)require\(\s*['"]([^'"]+)['"]\s*\)/g,
  )) {
    try {
      const from = new Module(file);
      from.filename = file;
      from.paths = Module._nodeModulePaths(path.dirname(file));
      const target = Module._resolveFilename(found[1], from);
      if (builtin(target)) for (const name of Object.keys(load(builtin(target)))) names.add(name);
      else for (const name of namesOf(target)) names.add(name);
    } catch {
      // What cannot be found fails when the module runs.
    }
  }
  names.delete('default');
  const list = [...names];
  commonNames.set(file, list);
  return list;
}

function fillMeta(meta, url) {
  Object.setPrototypeOf(meta, null);
  if (url.startsWith('file:')) {
    const file = fileURLToPath(url);
    meta.dirname = path.dirname(file);
    meta.filename = file;
  }
  meta.resolve = function resolve_(name) {
    try {
      return resolve(`${name}`, url);
    } catch (error) {
      // That there is no such module is told when it is imported.
      const isURL = ['ERR_UNKNOWN_BUILTIN_MODULE', 'ERR_UNSUPPORTED_ESM_URL_SCHEME'].includes(error.code);
      if (!isURL && !error.url) throw error;
      return error.url ?? `${name}`;
    }
  };
  Object.defineProperty(meta.resolve, 'name', { value: 'resolve' });
  meta.url = url;
}

native.resolveImport = (base, name, type) => {
  const url = resolve(name, base);
  if (type === 'json') typed.add(url);
  else if (type !== undefined)
    throw coded(
      TypeError,
      'ERR_IMPORT_ATTRIBUTE_UNSUPPORTED',
      `Import attribute "type" with value "${type}" is not supported`,
    );
  return url;
};
native.loadModule = loadModule;
native.fillMeta = fillMeta;

/// Runs a text as a module with this URL.
function evaluate(text, url) {
  evaluated.set(url, text);
  native.sources[url] = text;
  const before = native.resolveImport;
  native.resolveImport = (base, name, type) => (name === url ? url : before(base, name, type));
  try {
    return native.importModule(url, url);
  } finally {
    native.resolveImport = before;
  }
}

module.exports = {
  resolve,
  formatOf,
  looksLikeModule,
  isModuleText,
  isModuleSyntax,
  evaluate,
  importModule: (name, base) => native.importModule(base, name),
};
