// Running texts. There is one world: a context is an object whose properties the text sees as variables.

const { check, invalidArgType, coded } = require('internal/errors');
const { explain } = require('internal/syntax');

const contexts = new WeakSet();

function settings(options) {
  if (typeof options === 'string') return { filename: options };
  return { filename: 'evalmachine.<anonymous>', lineOffset: 0, ...options };
}

class Script {
  #text;
  #options;
  constructor(text, options) {
    this.#text = `${text}`;
    if (options !== undefined && typeof options !== 'string') check.object(options, 'options');
    this.#options = settings(options);
    this.#options.filename ??= 'evalmachine.<anonymous>';
    const offset = this.#options.lineOffset | 0;
    native.sources[this.#options.filename] =
      offset < 0 ? this.#text.split('\n').slice(-offset).join('\n') : '\n'.repeat(offset) + this.#text;
    try {
      native.checkSyntax(this.#text, this.#options.filename, false, 1 + (this.#options.lineOffset | 0));
    } catch (error) {
      throw explain(error, this.#text, this.#options.filename);
    }
    this.cachedDataRejected = undefined;
  }
  runInThisContext(options) {
    const first = 1 + (this.#options.lineOffset | 0);
    return inTime(() => native.evaluate(this.#text, this.#options.filename, first), this.#options, options);
  }
  runInContext(context, options) {
    return inTime(() => runIn(this.#text, context, this.#options), this.#options, options);
  }
  runInNewContext(object, options) { return this.runInContext(createContext(object), options); }
  createCachedData() { return Buffer.alloc(0); }
}

/// Runs something for as long as its options allow.
function inTime(run, ...options) {
  const timeout = options.map((each) => each?.timeout).find((each) => each !== undefined);
  if (timeout === undefined) return run();
  check.integer(timeout, 'options.timeout', 1, 2 ** 32 - 1);
  const answer = native.callInTime(run, timeout);
  if (answer) return answer[0];
  throw coded(Error, 'ERR_SCRIPT_EXECUTION_TIMEOUT', `Script execution timed out after ${timeout}ms`);
}

function createContext(object = {}) {
  if (object === null || typeof object !== 'object') throw invalidArgType('contextObject', 'Object', object);
  contexts.add(object);
  return object;
}

/// Names that a context has besides its own: what the language itself defines.
const LANGUAGE = new Set(['Object', 'Function', 'Array', 'Number', 'parseFloat', 'parseInt', 'Infinity', 'NaN', 'undefined', 'Boolean', 'String', 'Symbol', 'Date', 'Promise', 'RegExp',
  'Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'JSON', 'Math', 'Intl', 'ArrayBuffer', 'SharedArrayBuffer', 'Atomics', 'Uint8Array', 'Int8Array',
  'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array', 'Float32Array', 'Float64Array', 'Uint8ClampedArray', 'BigUint64Array', 'BigInt64Array', 'DataView', 'Map', 'BigInt', 'Set',
  'WeakMap', 'WeakSet', 'WeakRef', 'Proxy', 'Reflect', 'FinalizationRegistry', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape', 'unescape', 'eval', 'isFinite', 'isNaN', 'console']);

function runIn(text, context, options) {
  if (context === null || typeof context !== 'object' || !contexts.has(context))
    throw invalidArgType('contextifiedObject', 'vm.Context', context);
  const declared = new Set();
  for (const found of text.matchAll(/(?:^|[;{}\s])(?:var|function\*?|let|const|class)\s+([A-Za-z_$][\w$]*)/g))
    declared.add(found[1]);
  const scope = new Proxy(context, {
    has: (target, key) => typeof key === 'string' && key !== 'scope$' && key !== 'text$' ? true : key in target,
    get(target, key) {
      if (key === Symbol.unscopables) return undefined;
      if (key in target) return target[key];
      if (key === 'globalThis' || key === 'self$') return scope;
      if (typeof key === 'string' && LANGUAGE.has(key)) return globalThis[key];
      if (declared.has(key)) return undefined;
      throw new ReferenceError(`${String(key)} is not defined`);
    },
    set(target, key, value) { target[key] = value; return true; },
  });
  // The text runs in its own scope; declarations at its top become properties of the context.
  const hoisted = text
    .replace(/^(\s*)(?:var|let|const)\s+([A-Za-z_$][\w$]*)\s*(?=[=;\n]|$)/gm, '$1$2 ')
    .replace(/^([ \t]*)(async\s+function|function|class)\s+([A-Za-z_$][\w$]*)/gm, '$1$3 = $2 $3');
  for (const source of [hoisted, text]) {
    let compiled;
    try {
      compiled = native.evaluate(
        `(function (scope$, text$) { with (scope$) { return eval(text$); } })`,
        options.filename,
        1,
      );
      native.checkSyntax(source, options.filename, false, 1);
    } catch (error) {
      if (source === text) throw explain(error, text, options.filename);
      continue;
    }
    return compiled.call(context, scope, source);
  }
  return undefined;
}

module.exports = {
  Script,
  createContext,
  createScript: (text, options) => new Script(text, options),
  runInContext: (text, context, options) => new Script(text, options).runInContext(context),
  runInNewContext: (text, object, options) => new Script(text, options).runInNewContext(object),
  runInThisContext: (text, options) => new Script(text, options).runInThisContext(),
  isContext(object) {
    if (object === null || typeof object !== 'object') throw invalidArgType('object', 'Object', object);
    return contexts.has(object);
  },
  compileFunction(text, params = [], options = {}) {
    check.string(text, 'code');
    const filename = options?.filename ?? '';
    native.sources[filename] = text;
    try {
      return native.evaluate(`(function (${params.join(',')}) {\n${text}\n})`, filename, 0);
    } catch (error) {
      throw explain(error, text, filename);
    }
  },
  measureMemory: () => Promise.reject(coded(Error, 'ERR_CONTEXT_NOT_INITIALIZED', 'context used is not initialized')),
  constants: { __proto__: null, USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default') },
};
