// What the package readable-stream, whose streams these are, needs of what is around it.

const { AbortError, check, coded, invalidArgType, invalidArgValue, listed, outOfRange } = require('internal/errors');
const { inspect } = require('internal/inspect');

/// Exceptions by their codes: classes, as the package makes them with `new`.
const codes = {};
function define(code, Kind, message) {
  codes[code] = function(...details) { return coded(Kind, code, message(...details)); };
}

codes.ERR_INVALID_ARG_TYPE = function(...details) { return invalidArgType(...details); };
codes.ERR_INVALID_ARG_VALUE = function(...details) { return invalidArgValue(...details); };
codes.ERR_OUT_OF_RANGE = function(...details) { return outOfRange(...details); };
define('ERR_ILLEGAL_CONSTRUCTOR', TypeError, () => 'Illegal constructor');
define('ERR_INVALID_RETURN_VALUE', TypeError, (wanted, name, value) => {
  const kind = value?.constructor?.name ? `an instance of ${value.constructor.name}` : `type ${typeof value}`;
  return `Expected ${wanted} to be returned from the "${name}" function but got ${kind}.`;
});
define('ERR_METHOD_NOT_IMPLEMENTED', Error, (name) => `The ${name} method is not implemented`);
define('ERR_MISSING_ARGS', TypeError, (...names) => {
  const quoted = names.map((name) => `"${name}"`);
  return `The ${listed(quoted, 'and')} argument${names.length > 1 ? 's' : ''} must be specified`;
});
define('ERR_MULTIPLE_CALLBACK', Error, () => 'Callback called multiple times');
define('ERR_STREAM_ALREADY_FINISHED', Error, (name) => `Cannot call ${name} after a stream was finished`);
define('ERR_STREAM_CANNOT_PIPE', Error, () => 'Cannot pipe, not readable');
define('ERR_STREAM_DESTROYED', Error, (name) => `Cannot call ${name} after a stream was destroyed`);
define('ERR_STREAM_NULL_VALUES', TypeError, () => 'May not write null values to stream');
define('ERR_STREAM_PREMATURE_CLOSE', Error, () => 'Premature close');
define('ERR_STREAM_PUSH_AFTER_EOF', Error, () => 'stream.push() after EOF');
define('ERR_STREAM_UNSHIFT_AFTER_END_EVENT', Error, () => 'stream.unshift() after end event');
define('ERR_STREAM_WRITE_AFTER_END', Error, () => 'write after end');
define('ERR_UNKNOWN_ENCODING', TypeError, (name) => `Unknown encoding: ${name}`);

/// One exception of two, the later one first.
function aggregateTwoErrors(inner, outer) {
  if (!inner || !outer || inner === outer) return inner || outer;
  if (Array.isArray(outer.errors)) {
    outer.errors.push(inner);
    return outer;
  }
  return Object.assign(new AggregateError([outer, inner], outer.message), { code: outer.code });
}

module.exports = {
  codes,
  AbortError,
  aggregateTwoErrors,
  validateAbortSignal: check.signal,
  validateBoolean: check.boolean,
  validateFunction: check.function,
  validateInteger: check.integer,
  validateObject: check.object,
  kEmptyObject: Object.freeze({}),
  inspect,
  get addAbortListener() { return require('events').addAbortListener; },
  get AbortSignalAny() { return AbortSignal.any; },
  promisify: { custom: Symbol.for('nodejs.util.promisify.custom') },
  debuglog: () => () => {},
  get deprecate() { return require('util').deprecate; },
  once(callback) {
    let called = false;
    return function(...values) {
      if (called) return;
      called = true;
      callback.apply(this, values);
    };
  },
  createDeferredPromise: () => Promise.withResolvers(),
};
