// CommonJS modules: finding, loading, `require`.

const path = require('path');
const { coded, invalidArgValue, check, unsupported } = require('internal/errors');
const packages = require('internal/packages');
const { NAMES, builtin, load } = require('internal/builtins');

const CONDITIONS = ['node', 'require', 'node-addons'];
const RELATIVE = /^\.\.?(\/|$)/;
/// A path that means a directory, and no file that is called like it.
const OF_DIRECTORY = /(^|\/)\.{0,2}$/;

/// A module that is still to be loaded; `parent` is the one that asked for it.
function Module(id = '', parent) {
  Object.assign(this, { id, path: path.dirname(id), exports: {}, filename: null, loaded: false, children: [] });
  Object.defineProperty(this, 'parent', { value: parent, writable: true, configurable: true });
  parent?.children?.push(this);
}

const table = () => Object.create(null);
Object.assign(Module, {
  Module,
  globalPaths: [],
  builtinModules: [...NAMES],
  isBuiltin: (name) => typeof name === 'string' && builtin(name) !== undefined,
  syncBuiltinESMExports() {},
  findSourceMap() {},
  register() { throw unsupported('module.register'); },
  enableCompileCache: () => ({ status: 3 }),
  SourceMap: class SourceMap {},
  runMain() {},
  _debug() {},
  _cache: table(),
  _extensions: table(),
  _pathCache: table(),
});

/// The conditions of `exports` and `imports` that hold for `require`.
const conditions = () => new Set([...CONDITIONS, ...Module.extraConditions]);

Module._nodeModulePaths = (from) => {
  const out = [];
  for (let at = path.resolve(from); ; at = path.dirname(at)) {
    if (path.basename(at) !== 'node_modules') out.push(path.join(at, 'node_modules'));
    if (at === '/') return out;
  }
};

Module._resolveLookupPaths = (request, parent) => {
  if (builtin(request)) return null;
  if (!RELATIVE.test(request)) return [...parent?.paths ?? [], ...Module.globalPaths];
  return [parent?.filename ? path.dirname(parent.filename) : '.'];
};

const notFound = (message, about) => Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND', ...about });

const real = (file) => {
  const found = native.realpath(file);
  return typeof found === 'string' ? found : file;
};

/// The file that has this name but for an ending that can be loaded.
function withEnding(base) {
  const ending = Object.keys(Module._extensions).find((each) => native.kind(base + each) === 0);
  return ending && real(base + ending);
}

/// What a directory is as a module: what its package.json says, or its index.
function fileOfDirectory(directory, request) {
  const description = path.join(directory, 'package.json');
  const main = packages.contentsOf(description)?.main;
  const index = withEnding(path.join(directory, 'index'));
  if (typeof main !== 'string' || !main) return index;
  const file = path.resolve(directory, main);
  const found = native.kind(file) === 0 ? real(file) : withEnding(file) ?? withEnding(path.join(file, 'index'));
  if (found) return found;
  if (!index) {
    const message = `Cannot find module '${file}'. Please verify that the package.json has a valid "main" entry`;
    throw notFound(message, { path: description, requestPath: request });
  }
  process.emitWarning(
    `Invalid 'main' field in '${description}' of '${main}'. Please either fix that or report it to the module author`,
    'DeprecationWarning',
    'DEP0128',
  );
  return index;
}

/// The file that a path means: the one with this name, with an ending, or of this directory.
function fileAt(base, request) {
  const kind = native.kind(base);
  if (!OF_DIRECTORY.test(request)) {
    const found = kind === 0 ? real(base) : withEnding(base);
    if (found) return found;
  }
  return kind === 1 ? fileOfDirectory(base, request) : undefined;
}

function fileIn(folders, request) {
  for (const folder of folders) {
    const found = fileAt(path.resolve(folder, request), request);
    if (found) return found;
  }
  return undefined;
}

Module._findPath = (request, folders) => fileIn(path.isAbsolute(request) ? [''] : folders ?? [], request) ?? false;

/// A file that a package.json names has to be there.
function existing(file, description) {
  if (native.kind(file) === 0) return real(file);
  throw notFound(`Cannot find module '${file}'`, { path: description });
}

function inPackages(request, from, folders) {
  const [name, subpath] = packages.splitName(request);
  const byExports = (directory, contents) =>
    existing(
      packages.exportedFile(directory, contents, subpath, conditions()),
      path.join(directory, 'package.json'),
    );
  // A package may name itself.
  const [home, own] = packages.scopeOf(from) ?? [];
  if (own?.exports !== undefined && own.name === name) return byExports(home, own);
  for (const folder of folders) {
    const directory = path.join(folder, name);
    const contents =
      native.kind(directory) === 1 ? packages.contentsOf(path.join(directory, 'package.json')) : undefined;
    if (contents?.exports != null) return byExports(directory, contents);
    const found = fileAt(path.join(folder, request), request);
    if (found) return found;
  }
  return undefined;
}

/// The file that a name means in a module; undefined if there is none.
function search(request, parent, bases) {
  const home = parent?.filename ? path.dirname(parent.filename) : process.cwd();
  if (path.isAbsolute(request)) return fileAt(request, request);
  if (RELATIVE.test(request)) return fileIn(bases ?? [home], request);
  if (request.startsWith('#') && parent?.filename && packages.scopeOf(home)?.[1].imports) {
    const { bare, file, description } = packages.importTarget(request, home, conditions(), parent.filename);
    return bare ? Module._resolveFilename(bare, parent) : existing(file, description);
  }
  const folders = bases?.flatMap(Module._nodeModulePaths) ?? parent?.paths ?? Module._nodeModulePaths(home);
  return inPackages(request, home, [...folders, ...Module.globalPaths]);
}

Module._resolveFilename = function(request, parent, isMain, options) {
  if (builtin(request) !== undefined) return request;
  if (request.startsWith('node:'))
    throw coded(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${request}`);
  const bases = options?.paths;
  if (bases !== undefined && !Array.isArray(bases)) throw invalidArgValue('options.paths', bases);
  const found = search(request, parent, bases);
  if (found) return found;
  const requireStack = [];
  for (let at = parent; at; at = at.parent) requireStack.push(at.filename || at.id);
  const ways = requireStack.length ? ['\nRequire stack:', ...requireStack].join('\n- ') : '';
  throw notFound(`Cannot find module '${request}'${ways}`, { requireStack });
};

Module._load = function(request, parent, isMain) {
  const name = builtin(request);
  if (name !== undefined) return load(name);
  const filename = Module._resolveFilename(request, parent, isMain);
  const known = Module._cache[filename];
  if (known !== undefined) {
    if (parent && !parent.children.includes(known)) parent.children.push(known);
    return known.exports;
  }
  const inner = builtin(filename);
  return inner === undefined ? loadFile(filename, parent, isMain).exports : load(inner);
};

function loadFile(filename, parent, isMain) {
  const module = new Module(filename, parent);
  if (isMain) {
    process.mainModule = module;
    module.id = '.';
  }
  Module._cache[filename] = module;
  try {
    module.load(filename);
  } catch (error) {
    // It can be tried again.
    delete Module._cache[filename];
    if (parent?.children) parent.children = parent.children.filter((child) => child !== module);
    throw error;
  }
  return module;
}

/// The longest ending of a file's name that somebody can load, such as ".d.ts" of "a.d.ts".
function endingOf(filename) {
  const [, ...parts] = path.basename(filename).slice(1).split('.');
  const endings = parts.map((_, i) => `.${parts.slice(i).join('.')}`);
  return endings.find((ending) => Module._extensions[ending]) ?? '.js';
}

Module.prototype.load = function(filename) {
  Object.assign(this, { filename, paths: Module._nodeModulePaths(path.dirname(filename)) });
  if (filename.endsWith('.mjs') && !Module._extensions['.mjs']) requireModule(this, filename);
  else Module._extensions[endingOf(filename)](this, filename);
  this.loaded = true;
};

/// An ECMAScript module is loaded by `require` if nothing in it waits.
function requireModule(module, filename) {
  const { pathToFileURL } = require('internal/file_urls');
  const url = pathToFileURL(filename).href;
  const promise = native.importModule(url, url);
  promise.catch(() => {});
  native.runJobs();
  const [state, value] = native.promiseParts(promise);
  if (state === 2) throw value;
  if (state === 0) {
    throw coded(
      Error,
      'ERR_REQUIRE_ASYNC_MODULE',
      'require() cannot be used on an ESM graph with top-level await. Use import() instead. ' +
        `To see where the top-level await comes from, use --experimental-print-required-tla.\n  From ${module.parent?.filename ?? null} \n  Requiring ${filename} `,
    );
  }
  if (Object.hasOwn(value, 'module.exports')) module.exports = value['module.exports'];
  else module.exports = Object.hasOwn(value, 'default') && !Object.hasOwn(value, '__esModule') ? marked(value) : value;
}

/// The namespace with the mark that tells compiled code where `default` is.
function marked(namespace) {
  const out = Object.create(null, {
    [Symbol.toStringTag]: { value: 'Module' },
    __esModule: { value: true, enumerable: true },
  });
  for (const key of Object.keys(namespace))
    Object.defineProperty(out, key, { enumerable: true, get: () => namespace[key] });
  return (moduleViews.add(out), out);
}
const moduleViews = native.moduleViews = new WeakSet();

Module.prototype.require = function(id) {
  check.string(id, 'id');
  if (id === '') throw invalidArgValue('id', id, 'must be a non-empty string');
  return Module._load(id, this, false);
};

function makeRequire(module) {
  function require(id) { return module.require(id); }
  require.resolve = function resolve(request, options) {
    check.string(request, 'request');
    return Module._resolveFilename(request, module, false, options);
  };
  require.resolve.paths = function paths(request) {
    check.string(request, 'request');
    return Module._resolveLookupPaths(request, module);
  };
  require.main = process.mainModule;
  require.extensions = Module._extensions;
  require.cache = Module._cache;
  return require;
}

Module.wrapper = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'];
Module.wrap = (text) => Module.wrapper[0] + text + Module.wrapper[1];

/// The function that a text becomes. The line above the text is numbered 0, so that lines and columns are those of the
/// file.
function compileFunction(text, filename) {
  if (text.startsWith('#!')) text = `//${text.slice(2)}`;
  native.sources[filename] = text;
  try {
    return native.evaluate(
      `(function (exports, require, module, __filename, __dirname) {\n${text}\n})`,
      filename,
      0,
    );
  } catch (error) {
    throw require('internal/syntax').explain(error, text, filename);
  }
}

const OF_MODULES = /^(Cannot use import statement outside a module|Unexpected token 'export')/;

/// Compiles a text; one that looks like an ES module gets a hint besides its error.
function compileCommon(text, filename) {
  try {
    return compileFunction(text, filename);
  } catch (error) {
    if (error instanceof SyntaxError && OF_MODULES.test(error.message)) {
      const words = 'To load an ES module, set "type": "module" in the package.json or use the .mjs extension.';
      process.emit('warning', Object.assign(new Error(words), { name: 'Warning' }));
    }
    throw error;
  }
}

Module.prototype._compile = function(text, filename) {
  const compiled = compileCommon(text, filename);
  const requireOf = makeRequire(this);
  return Reflect.apply(compiled, this.exports, [this.exports, requireOf, this, filename, path.dirname(filename)]);
};

const stripBom = (text) => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
const readText = (filename) => stripBom(require('fs').readFileSync(filename, 'utf8'));

Module._extensions['.js'] = function(module, filename) {
  const text = readText(filename);
  if (filename.endsWith('.js')) {
    const scope = packages.scopeOf(path.dirname(filename));
    if (scope?.[1].type === 'module') return requireModule(module, filename);
    if (scope?.[1].type === undefined && require('internal/esm').isModuleText(text, filename))
      return requireModule(module, filename);
  }
  module._compile(text, filename);
};

Module._extensions['.json'] = function(module, filename) {
  const text = readText(filename);
  try {
    module.exports = JSON.parse(text);
  } catch (error) {
    error.message = `${filename}: ${error.message}`;
    error.stack = error.stack.replace(/^SyntaxError: /, `SyntaxError: ${filename}: `);
    throw error;
  }
};

Module._extensions['.node'] = function(module, filename) { return process.dlopen(module, filename); };

Module.createRequire = (from) => {
  if (from instanceof URL || (typeof from === 'string' && from.startsWith('file:')))
    from = require('url').fileURLToPath(from);
  else if (typeof from !== 'string' || !path.isAbsolute(from))
    throw invalidArgValue('filename', from, 'must be a file URL object, file URL string, or absolute path string');
  const module = new Module(from.endsWith('/') ? path.join(from, 'noop.js') : from);
  module.filename = module.id;
  module.paths = Module._nodeModulePaths(module.path);
  return makeRequire(module);
};

Module._initPaths = () => {
  const { HOME, NODE_PATH = '' } = process.env;
  const homes = HOME ? ['.node_modules', '.node_libraries'].map((name) => path.join(HOME, name)) : [];
  Module.globalPaths = [...NODE_PATH.split(':').filter(Boolean), ...homes, '/usr/lib/node'];
};
Module._preloadModules = (requests) => {
  const parent = new Module('internal/preload', null);
  parent.filename = path.join(process.cwd(), 'noop.js');
  parent.paths = Module._nodeModulePaths(process.cwd());
  for (const request of requests) parent.require(request);
};
Object.defineProperty(Module, 'makeRequire', { value: makeRequire, enumerable: false });
Object.defineProperty(Module, 'readText', { value: readText, enumerable: false });
Object.defineProperty(Module, 'extraConditions', { value: [], writable: true, enumerable: false });

module.exports = Module;
