// CommonJS modules: finding, loading, `require`.

const path = require('path');
const { coded, invalidArgValue, check, invalidArgType } = require('internal/errors');
const packages = require('internal/packages');
const { NAMES, builtin, load } = require('internal/builtins');

const CONDITIONS = new Set(['node', 'require', 'module-sync', 'node-addons']);
CONDITIONS.delete('module-sync');

function Module(id = '', parent) {
  this.id = id;
  this.path = path.dirname(id);
  this.exports = {};
  Object.defineProperty(this, 'parent', { value: parent, writable: true, configurable: true, enumerable: false });
  this.filename = null;
  this.loaded = false;
  this.children = [];
  if (parent?.children) parent.children.push(this);
}
Module.Module = Module;
Module._cache = { __proto__: null };
Module._pathCache = { __proto__: null };
Module._extensions = { __proto__: null };
Module.globalPaths = [];
Module.builtinModules = [...NAMES];
Module.isBuiltin = (name) => typeof name === 'string' && builtin(name) !== undefined;
Module._debug = () => {};
Module.syncBuiltinESMExports = () => {};
Module.findSourceMap = () => undefined;
Module.register = () => { throw require('internal/errors').unsupported('module.register'); };
Module.enableCompileCache = () => ({ status: 3 });
Module.SourceMap = class SourceMap {};

Module._nodeModulePaths = (from) => {
  const out = [];
  for (let at = path.resolve(from); ; at = path.dirname(at)) {
    if (path.basename(at) !== 'node_modules') out.push(path.join(at, 'node_modules'));
    if (at === '/') return out;
  }
};

const isRelative = (name) => name === '.' || name === '..' || name.startsWith('./') || name.startsWith('../');

Module._resolveLookupPaths = (request, parent) => {
  if (builtin(request)) return null;
  if (!isRelative(request)) return [...parent?.paths ?? [], ...Module.globalPaths];
  return [parent?.filename ? path.dirname(parent.filename) : '.'];
};

const real = (file) => {
  const found = native.realpath(file);
  return typeof found === 'string' ? found : file;
};

function tryExtensions(base) {
  for (const extension of Object.keys(Module._extensions))
    if (native.kind(base + extension) === 0) return real(base + extension);
  return undefined;
}

function tryDirectory(directory, request) {
  const contents = packages.readPackage(path.join(directory, 'package.json'));
  const main = contents?.main;
  if (typeof main === 'string' && main) {
    const file = path.resolve(directory, main);
    const found =
      (native.kind(file) === 0 && real(file)) || tryExtensions(file) || tryExtensions(path.join(file, 'index'));
    if (found) return found;
    const index = tryExtensions(path.join(directory, 'index'));
    if (!index) {
      const error = coded(
        Error,
        'MODULE_NOT_FOUND',
        `Cannot find module '${file}'. Please verify that the package.json has a valid "main" entry`,
      );
      error.stack = error.stack.replace(' [MODULE_NOT_FOUND]', '');
      delete error.toString;
      error.path = path.join(directory, 'package.json');
      error.requestPath = request;
      throw error;
    }
    return index;
  }
  return tryExtensions(path.join(directory, 'index'));
}

function tryFile(base, request) {
  const kind =
    request.endsWith('/') || /(^|\/)\.\.?$/.test(request) ? (native.kind(base) === 1 ? 1 : -1) : native.kind(base);
  if (kind === 0) return real(base);
  if (!request.endsWith('/')) {
    const found = tryExtensions(base);
    if (found) return found;
  }
  return native.kind(base) === 1 ? tryDirectory(base, request) : undefined;
}

function inPackages(request, from, paths) {
  const [name, subpath] = packages.splitName(request);
  // A package may name itself.
  const scope = from ? packages.scopeOf(from) : undefined;
  if (scope?.[1].exports !== undefined && scope[1].name === name)
    return finalFile(packages.resolveExports(scope[0], scope[1], subpath, conditions(), undefined), request);
  for (const folder of paths) {
    const directory = path.join(folder, name);
    if (native.kind(directory) === 1) {
      const contents = packages.readPackage(path.join(directory, 'package.json'));
      if (contents?.exports !== undefined && contents.exports !== null)
        return finalFile(packages.resolveExports(directory, contents, subpath, conditions(), undefined), request);
    }
    const found = tryFile(path.join(folder, request), request);
    if (found) return found;
  }
  return undefined;
}

function finalFile(file, request) {
  if (native.kind(file) === 0) return real(file);
  const error = coded(Error, 'MODULE_NOT_FOUND', `Cannot find module '${file}'`);
  error.stack = error.stack.replace(' [MODULE_NOT_FOUND]', '');
  delete error.toString;
  error.path = file;
  error.request = request;
  throw error;
}

const conditions = () =>
  Module.extraConditions?.length ? new Set([...CONDITIONS, ...Module.extraConditions]) : CONDITIONS;

Module._findPath = (request, paths) => {
  for (const folder of path.isAbsolute(request) ? [''] : paths ?? []) {
    const found = tryFile(path.resolve(folder, request), request);
    if (found) return found;
  }
  return false;
};

Module._resolveFilename = function(request, parent, isMain, options) {
  const name = builtin(request);
  if (name !== undefined) return request;
  if (request.startsWith('node:'))
    throw coded(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${request}`);
  const from = parent?.filename ? path.dirname(parent.filename) : process.cwd();
  let paths = parent?.paths ?? Module._nodeModulePaths(from);
  let bases = [from];
  if (options?.paths) {
    bases = options.paths;
    paths = options.paths.flatMap((folder) => Module._nodeModulePaths(folder));
  }
  let found;
  if (request.startsWith('#') && parent?.filename) {
    const target = packages.resolveImports(request, from, conditions(), parent.filename);
    if (target.bare) return Module._resolveFilename(target.bare, parent);
    found = finalFile(target.file, request);
  } else if (path.isAbsolute(request)) found = tryFile(request, request);
  else if (isRelative(request)) {
    for (const base of bases) if ((found = tryFile(path.resolve(base, request), request))) break;
  } else found = inPackages(request, from, [...paths, ...Module.globalPaths]);
  if (found) return found;
  const stack = [];
  for (let at = parent; at; at = at.parent) stack.push(at.filename || at.id);
  let message = `Cannot find module '${request}'`;
  if (stack.length) message += `\nRequire stack:\n- ${stack.join('\n- ')}`;
  const error = new Error(message);
  error.code = 'MODULE_NOT_FOUND';
  error.requireStack = stack;
  throw error;
};

Module._load = function(request, parent, isMain) {
  const name = builtin(request);
  if (name !== undefined) return load(name);
  const filename = Module._resolveFilename(request, parent, isMain);
  const cached = Module._cache[filename];
  if (cached !== undefined) {
    if (parent && !parent.children.includes(cached)) parent.children.push(cached);
    return cached.exports;
  }
  const inner = builtin(filename);
  if (inner !== undefined) return load(inner);
  const module = new Module(filename, parent);
  if (isMain) {
    process.mainModule = module;
    module.id = '.';
  }
  Module._cache[filename] = module;
  let failed = true;
  try {
    module.load(filename);
    failed = false;
  } finally {
    if (failed) {
      delete Module._cache[filename];
      const at = parent?.children.indexOf(module) ?? -1;
      if (at >= 0) parent.children.splice(at, 1);
    }
  }
  return module.exports;
};

Module.prototype.load = function(filename) {
  this.filename = filename;
  this.paths = Module._nodeModulePaths(path.dirname(filename));
  const base = path.basename(filename);
  let extension = '.js';
  for (let dot = base.indexOf('.'); dot >= 0; dot = base.indexOf('.', dot + 1)) {
    if (dot > 0 && Module._extensions[base.slice(dot)]) {
      extension = base.slice(dot);
      break;
    }
  }
  if (filename.endsWith('.mjs') && !Module._extensions['.mjs']) {
    requireModule(this, filename);
    return;
  }
  Module._extensions[extension](this, filename);
  this.loaded = true;
};

/// An ECMAScript module is loaded by `require` if nothing in it waits.
function requireModule(module, filename) {
  const { pathToFileURL } = require('internal/file_urls');
  const url = pathToFileURL(filename).href;
  const promise = native.importModule(url, url);
  promise.catch(() => {});
  native.runMicrotasks();
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
  if (Object.prototype.hasOwnProperty.call(value, 'module.exports')) module.exports = value['module.exports'];
  else if (
    Object.prototype.hasOwnProperty.call(value, 'default') &&
    !Object.prototype.hasOwnProperty.call(value, '__esModule')
  )
    module.exports = marked(value);
  else module.exports = value;
  module.loaded = true;
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
    const made = native.evaluate(
      `(function (exports, require, module, __filename, __dirname) {\n${text}\n})`,
      filename,
      0,
    );
    Object.defineProperty(made, 'name', { value: 'Object.<anonymous>' });
    return made;
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

Module.runMain = () => {};
Module._initPaths = () => {
  const home = process.env.HOME;
  const given = (process.env.NODE_PATH ?? '').split(':').filter(Boolean);
  Module.globalPaths = [
    ...given,
    ...(home ? [path.join(home, '.node_modules'), path.join(home, '.node_libraries')] : []),
    '/usr/lib/node',
  ];
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
void invalidArgType;

module.exports = Module;
