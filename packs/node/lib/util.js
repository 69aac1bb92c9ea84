// Helpers for programs.

const { inspect, format, formatWithOptions, custom } = require('internal/inspect');
const { SYSTEM, check, invalidArgType, coded, outOfRange } = require('internal/errors');
const types = require('util/types');

const ownForm = Symbol.for('nodejs.util.promisify.custom');
const customArgs = Symbol('customPromisifyArgs');

function promisify(original) {
  check.function(original, 'original');
  if (original[ownForm]) {
    const own = original[ownForm];
    check.function(own, 'util.promisify.custom');
    return Object.defineProperty(own, ownForm, {
      value: own,
      enumerable: false,
      writable: false,
      configurable: true,
    });
  }
  const names = original[customArgs];
  function promised(...args) {
    return new Promise((resolve, reject) => {
      Reflect.apply(original, this, [
        ...args,
        (error, ...values) => {
          if (error) return reject(error);
          if (names !== undefined && values.length > 1)
            return resolve(Object.fromEntries(names.map((name, i) => [name, values[i]])));
          resolve(values[0]);
        },
      ]);
    });
  }
  Object.setPrototypeOf(promised, Object.getPrototypeOf(original));
  Object.defineProperty(promised, ownForm, {
    value: promised,
    enumerable: false,
    writable: false,
    configurable: true,
  });
  return Object.defineProperties(promised, Object.getOwnPropertyDescriptors(original));
}
promisify.custom = ownForm;

function callbackify(original) {
  check.function(original, 'original');
  function called(...args) {
    const callback = args.pop();
    check.function(callback, 'last argument');
    Reflect.apply(original, this, args).then(
      (value) => process.nextTick(callback, null, value),
      (reason) =>
        process.nextTick(() => {
          if (!reason)
            reason = coded(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value', { reason });
          callback(reason);
        }),
    );
  }
  const descriptors = Object.getOwnPropertyDescriptors(original);
  if (typeof descriptors.length.value === 'number') descriptors.length.value++;
  if (typeof descriptors.name.value === 'string') descriptors.name.value += 'Callbackified';
  return Object.defineProperties(called, descriptors);
}

function inherits(constructor, parent) {
  if (constructor === undefined || constructor === null) throw invalidArgType('ctor', 'function', constructor);
  if (parent === undefined || parent === null) throw invalidArgType('superCtor', 'function', parent);
  if (parent.prototype === undefined) throw invalidArgType('superCtor.prototype', 'Object', parent.prototype);
  Object.defineProperty(constructor, 'super_', { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
}

const told = new Set();
function deprecate(original, message, code) {
  if (code !== undefined) check.string(code, 'code');
  let warned = false;
  function deprecated(...args) {
    if (!warned) {
      warned = true;
      if (code === undefined || !told.has(code)) process.emitWarning(message, 'DeprecationWarning', code, deprecated);
      if (code !== undefined) told.add(code);
    }
    return new.target ? Reflect.construct(original, args, new.target) : Reflect.apply(original, this, args);
  }
  Object.setPrototypeOf(deprecated, original);
  if (original.prototype) deprecated.prototype = original.prototype;
  return deprecated;
}

function debuglog(section, callback) {
  section = section.toUpperCase();
  let enabled;
  const test = () => {
    enabled ??=
      new RegExp(
        `^(${(process.env.NODE_DEBUG ?? '')
          .replace(/[|\\{}()[\]^$+?.]/g, '\\$&')
          .replaceAll('*', '.*')
          .replaceAll(',', '|')})$`,
        'i',
      ).test(section) && !!process.env.NODE_DEBUG;
    return enabled;
  };
  const log = (...args) => {
    if (test()) process.stderr.write(`${section} ${process.pid}: ${format(...args)}\n`);
  };
  Object.defineProperty(log, 'enabled', { get: test, configurable: true, enumerable: true });
  callback?.(log);
  return log;
}

// eslint-disable-next-line no-control-regex
const ANSI =
  /[\u001B\u009B][[\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001B\u005C|\u009C))|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-ntqry=><~]))/g;

function styleText(style, text, { validateStream = true, stream = process.stdout } = {}) {
  check.string(text, 'text');
  check.boolean(validateStream, 'options.validateStream');
  if (validateStream && !(stream && typeof stream === 'object' && typeof stream.on === 'function' && 'pipe' in stream))
    throw invalidArgType('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
  let before = '';
  let after = '';
  for (const name of Array.isArray(style) ? style : [style]) {
    const codes = inspect.colors[name];
    if (codes === undefined) {
      const { invalidArgValue } = require('internal/errors');
      throw invalidArgValue(
        'format',
        name,
        `must be one of: ${Object.keys(inspect.colors)
          .map((color) => `'${color}'`)
          .join(', ')}`,
      );
    }
    before += `\x1b[${codes[0]}m`;
    after = `\x1b[${codes[1]}m${after}`;
  }
  // As in Node 20, where the text goes matters to a single style only.
  const isPlain = validateStream && !Array.isArray(style) && !hasColors(stream);
  return isPlain ? text : `${before}${text}${after}`;
}

function hasColors(stream) {
  const { FORCE_COLOR, NO_COLOR, NODE_DISABLE_COLORS } = process.env;
  if (FORCE_COLOR !== undefined) return ['', '1', '2', '3', 'true'].includes(FORCE_COLOR);
  return !!stream?.isTTY && NO_COLOR === undefined && NODE_DISABLE_COLORS === undefined;
}

function systemErrorMap() {
  return new Map(Object.entries(SYSTEM).map(([number, pair]) => [-number, pair]));
}

async function aborted(signal, resource) {
  if (signal === undefined) throw invalidArgType('signal', 'AbortSignal', signal);
  check.signal(signal, 'signal');
  if (resource === null || (typeof resource !== 'object' && typeof resource !== 'function'))
    throw invalidArgType('resource', 'Object', resource);
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

module.exports = {
  _errnoException: (number, syscall) => require('internal/errors').systemError(number, syscall),
  _extend(target, source) {
    return source !== null && typeof source === 'object' ? Object.assign(target, source) : target;
  },
  callbackify,
  debug: debuglog,
  debuglog,
  deprecate,
  format,
  formatWithOptions(options, ...words) {
    if (options === null || typeof options !== 'object') throw invalidArgType('inspectOptions', 'object', options);
    return formatWithOptions(options, ...words);
  },
  getSystemErrorMap: systemErrorMap,
  getSystemErrorName(number) {
    check.number(number, 'err');
    if (number >= 0 || !Number.isSafeInteger(number)) throw outOfRange('err', 'a negative integer', number);
    return SYSTEM[-number]?.[0];
  },
  inherits,
  inspect,
  isArray: Array.isArray,
  isBoolean: (value) => typeof value === 'boolean',
  isBuffer: (value) => Buffer.isBuffer(value),
  isDeepStrictEqual: (one, two) => require('internal/compare').isDeepEqual(one, two, true),
  isNull: (value) => value === null,
  isNullOrUndefined: (value) => value === null || value === undefined,
  isNumber: (value) => typeof value === 'number',
  isString: (value) => typeof value === 'string',
  isSymbol: (value) => typeof value === 'symbol',
  isUndefined: (value) => value === undefined,
  isRegExp: types.isRegExp,
  isObject: (value) => value !== null && typeof value === 'object',
  isDate: types.isDate,
  isError: (value) => value instanceof Error,
  isFunction: (value) => typeof value === 'function',
  isPrimitive: (value) => value === null || (typeof value !== 'object' && typeof value !== 'function'),
  log: (...args) => console.log('%s - %s', new Date().toTimeString().slice(0, 8), format(...args)),
  promisify,
  stripVTControlCharacters(text) {
    check.string(text, 'str');
    return text.replace(ANSI, '');
  },
  styleText,
  toUSVString: (text) => `${text}`.toWellFormed(),
  get parseArgs() { return require('internal/parse_args'); },
  get parseEnv() { return require('internal/dotenv').parse; },
  get TextDecoder() { return TextDecoder; },
  get TextEncoder() { return TextEncoder; },
  get MIMEType() { return require('internal/mime').MIMEType; },
  get MIMEParams() { return require('internal/mime').MIMEParams; },
  aborted,
  types,
};
Object.defineProperty(module.exports, 'customPromisifyArgs', { value: customArgs, enumerable: false });
