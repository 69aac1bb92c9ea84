// Running texts. There is one world: a context is an object whose properties the text sees as variables.

const { check, invalidArgType, coded } = require('internal/errors');
const { explain, decorate } = require('internal/syntax');
const topNames = require('internal/top_names');

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
    return shown(() => native.evaluate(this.#text, this.#options.filename, first), this.#options, options);
  }
  runInContext(context, options) {
    return shown(() => runIn(this.#text, context, this.#options), this.#options, options);
  }
  runInNewContext(object, options) { return this.runInContext(createContext(object), options); }
  createCachedData() { return Buffer.alloc(0); }
}

/// Runs something; the stack of what it throws begins with the place, unless the options say otherwise.
function shown(run, ...options) {
  try {
    return inTime(run, ...options);
  } catch (error) {
    const isWanted = !options.some((each) => each?.displayErrors === false);
    if (isWanted && error !== null && (typeof error === 'object' || typeof error === 'function')) {
      const place = require('internal/main').placeOf(error);
      decorate(error, native.classOf(error) === 'Error' ? place : place.replace(/^\n([^]*)/, '$1\n'));
    }
    throw error;
  }
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

const lexicalOf = new WeakMap(); // what `let`, `const` and `class` declared at the top of texts, by context

/// The world as a text in a context sees it. Names that are hidden are those of the text itself.
function scopeOf(context, declared, hidden) {
  const lexical = lexicalOf.get(context);
  const shown = (key) => typeof key === 'string' && !OWN.has(key) && !hidden.has(key);
  const scope = new Proxy(context, {
    isWorld: true, // stacks do not name it (`stacks.py`)
    has: (target, key) => shown(key) || (typeof key !== 'string' && key in target),
    get(target, key) {
      if (key === Symbol.unscopables) return undefined;
      if (key in target) return target[key];
      if (lexical.has(key)) return unhidden(hidden, key, () => lexical.get(key)[key]);
      if (key === 'globalThis' || key === 'self$') return scope;
      if (typeof key === 'string' && LANGUAGE.has(key)) return globalThis[key];
      if (declared.has(key)) return undefined;
      throw new ReferenceError(`${String(key)} is not defined`);
    },
    set(target, key, value) {
      if (lexical.has(key)) unhidden(hidden, key, () => { lexical.get(key)[key] = value; });
      else target[key] = value;
      return true;
    },
  });
  return scope;
}

/// The names by which a text is run.
const OWN = new Set(['scope$', 'text$', 'declare$']);

function unhidden(hidden, key, call) {
  hidden.add(key);
  try {
    return call();
  } finally {
    hidden.delete(key);
  }
}

/// A text with a line before it that gives its declarations away.
function withDeclarations(text, names) {
  if (names.length === 0) return `\n${text}`;
  const strict = isStrict(text) ? "'use strict';" : '';
  const accessors = names.map((name) => `get ${name}(){return ${name}},set ${name}(value$){${name}=value$}`);
  return `${strict}declare$({${accessors}});\n${text}`;
}

/// A text that is evaluated as a file.
const named = (text, filename) => `${text}\n//# sourceURL=${filename.replaceAll('\n', ' ')}`;

const isStrict = (text) => /^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*(?:'use strict'|"use strict")/.test(text);

function runIn(text, context, options) {
  if (context === null || typeof context !== 'object' || !contexts.has(context))
    throw invalidArgType('contextifiedObject', 'vm.Context', context);
  const { function: functions, var: variables, lexical } = topNames(text);
  // Variables are the context's when they get values; in strict texts they are the text's own.
  const own = isStrict(text) ? [...functions, ...variables] : [...functions];
  const hidden = new Set(own);
  // A text may ask for what is not there.
  const declared = new Set(text.match(/(?<=\bvar\s+|,\s*|\btypeof[\s(]+)[A-Za-z_$][\w$]*/g));
  if (!lexicalOf.has(context)) lexicalOf.set(context, new Map());
  const declare = (accessors) => {
    for (const name of lexical) lexicalOf.get(context).set(name, accessors);
    for (const name of own) give(context, name, accessors, functions.has(name));
    hidden.clear();
    for (const name of variables) if (!(name in context)) context[name] = undefined;
  };
  const names = [...new Set([...own, ...variables, ...lexical])];
  const scope = scopeOf(context, declared, hidden);
  const expression = names.length === 0 && expressionOf(text, options);
  if (expression) return expression.call(context, scope);
  let run;
  try {
    run = native.evaluate('(function (scope$, declare$, text$) { with (scope$) { return eval(text$); } })', 'node:vm', 1);
    native.checkSyntax(text, options.filename, false, 1);
  } catch (error) {
    throw explain(error, text, options.filename);
  }
  const lines = '\n'.repeat(Math.max(0, options.lineOffset | 0));
  return run.call(context, scope, declare, named(withDeclarations(lines + text, names), options.filename));
}

/// What gives the value of a text that is one expression. Its stacks have the text's file and lines.
function expressionOf(text, { filename, lineOffset }) {
  const bare = text.replace(/[\s;]+$/, '');
  try {
    native.checkSyntax(`(${bare}\n)`, filename, false, 1);
    return native.evaluate(`(function (scope$) { with (scope$) { return (\n${bare}\n) } })`, filename, lineOffset | 0);
  } catch {
    return undefined;
  }
}

/// A function is the context's own; a variable is kept by the text.
function give(context, name, accessors, isFunction) {
  const { get, set } = Object.getOwnPropertyDescriptor(accessors, name);
  try {
    if (isFunction) context[name] = get();
    else Object.defineProperty(context, name, { get, set, enumerable: true, configurable: true });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
  }
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
