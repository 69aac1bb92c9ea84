// Assertions.

const { AssertionError } = require('internal/assertion_error');
const { isDeepEqual } = require('internal/compare');
const { inspect } = require('internal/inspect');
const { coded, invalidArgType, invalidArgValue, check, received } = require('internal/errors');
const types = require('util/types');

/// Throws what a failed assertion of `start` has to say: the message itself if that is an exception.
function fail(start, message, rest) {
  if (message instanceof Error) throw message;
  throw failure(start, message, rest);
}

const failure = (start, message, rest) =>
  new AssertionError({ operator: start.name, stackStartFn: start, message, ...rest });

/// Like `failure`, with a text that stands for a message that is not given.
function described(start, message, text, rest) {
  const error = failure(start, message || text, rest);
  error.generatedMessage = !message;
  return error;
}

const missing = () => coded(TypeError, 'ERR_MISSING_ARGS', 'The "actual" and "expected" arguments must be specified');

function assert(...args) { okay(assert, args); }

/// The text of the asserting call, for a message.
function callText(start) {
  const holder = {};
  Error.captureStackTrace(holder, start);
  const found = /\n {4}at (?:.*? \()?((?:file:\/\/|\/|\[)[^\n]*?):(\d+):(\d+)\)?(?=\n|$)/.exec(holder.stack);
  const text = found && native.sources[found[1]];
  if (!text) return undefined;
  const lines = text.split('\n').slice(found[2] - 1);
  lines[0] = lines[0].slice(found[3] - 1);
  const rest = lines.join('\n');
  const open = rest.indexOf('(');
  if (open < 0) return undefined;
  let depth = 0;
  let quote = '';
  for (let i = open; i < rest.length && i < 5000; i++) {
    const char = rest[i];
    if (quote) {
      if (char === '\\') i++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'" || char === '`') quote = char;
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char) && --depth === 0) {
      const before = text.split('\n')[found[2] - 1].slice(0, found[3] - 1);
      const head = /([\w$]+(?:\.[\w$]+)*\.)$/.exec(before);
      return (head ? head[1] : '') + rest.slice(0, i + 1);
    }
  }
  return undefined;
}

function okay(start, args) {
  const [actual, message] = args;
  if (actual) return;
  if (message instanceof Error) throw message;
  const error = failure(start, message ?? falsyText(start, args), { actual, expected: true, operator: '==' });
  error.generatedMessage = message == null;
  throw error;
}

function falsyText(start, args) {
  if (args.length === 0) return 'No value argument passed to `assert.ok()`';
  const call = callText(start) ?? 'assert(false)';
  return `The expression evaluated to a falsy value:\n\n  ${call.replaceAll('\n', '\n  ')}\n`;
}

const OLD_FAIL =
  'assert.fail() with more than one argument is deprecated. ' +
  'Please use assert.strictEqual() instead or only pass a message.';
let isFailWarned = false;

assert.fail = function fail(actual, expected, message, operator, stackStartFn) {
  const count = arguments.length;
  const start = stackStartFn || assert.fail;
  if (count <= 1) {
    if (actual instanceof Error) throw actual;
    throw described(start, actual, actual == null ? 'Failed' : String(actual), { operator: 'fail' });
  }
  if (!isFailWarned) process.emitWarning(OLD_FAIL, 'DeprecationWarning', 'DEP0094');
  isFailWarned = true;
  if (message instanceof Error) throw message;
  throw failure(start, message, { actual, expected, operator: operator ?? (count === 2 ? '!=' : 'fail') });
};
assert.AssertionError = AssertionError;
assert.ok = function ok(...args) { okay(ok, args); };

/// Defines an assertion of two values.
function pair(name, holds, operator = name) {
  assert[name] = { [name](actual, expected, message) {
    if (arguments.length < 2) throw missing();
    if (!holds(actual, expected)) fail(assert[name], message, { actual, expected, operator });
  } }[name];
}
// eslint-disable-next-line eqeqeq
const areLooselyEqual = (one, other) => one == other || (Number.isNaN(one) && Number.isNaN(other));
pair('equal', areLooselyEqual, '==');
pair('notEqual', (one, other) => !areLooselyEqual(one, other), '!=');
pair('deepEqual', (one, other) => isDeepEqual(one, other, false));
pair('notDeepEqual', (one, other) => !isDeepEqual(one, other, false));
pair('deepStrictEqual', (one, other) => isDeepEqual(one, other, true));
pair('notDeepStrictEqual', (one, other) => !isDeepEqual(one, other, true));
pair('strictEqual', Object.is);
pair('notStrictEqual', (one, other) => !Object.is(one, other));

const isFilled = (value) => typeof value === 'object' && value !== null;
const isInstance = (value, maker) => maker.prototype !== undefined && value instanceof maker;
const isErrorClass = (maker) => maker === Error || Object.prototype.isPrototypeOf.call(Error, maker);
const isMatch = (text, pattern) => typeof text === 'string' && types.isRegExp(pattern) && pattern.test(text);

/// Whether an exception is what was expected; otherwise throws what is wrong.
function checkException(start, actual, expected, message) {
  const isPattern = types.isRegExp(expected);
  if (!isPattern && typeof expected === 'object') return checkProperties(start, actual, expected, message);
  const text = isPattern ? mismatch(expected, String(actual)) : wrongException(actual, expected);
  if (text !== undefined) throw described(start, message, text, { actual, expected });
}

/// What to say of text that does not match, undefined if it does.
function mismatch(pattern, text) {
  if (pattern.test(text)) return undefined;
  return `The input did not match the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`;
}

/// What to say of an exception that is not of a class or not what a function accepts, undefined if it is.
function wrongException(actual, expected) {
  if (isInstance(actual, expected)) return undefined;
  const after = (title, text) => (actual instanceof Error ? `\n\n${title}:\n\n${text}` : '');
  if (isErrorClass(expected)) {
    const what = actual instanceof Error ? actual.constructor?.name : inspect(actual, { depth: -1 });
    const text = `The error is expected to be an instance of "${expected.name}". Received "${what}"`;
    return text + after('Error message', actual?.message);
  }
  const answer = expected.call({}, actual);
  if (answer === true) return undefined;
  const name = expected.name ? `"${expected.name}" ` : '';
  const text = `The ${name}validation function is expected to return "true". Received ${inspect(answer)}`;
  return text + after('Caught error', actual);
}

/// What is shown of an exception and of what was expected of it.
class Comparison {}

function checkProperties(start, actual, expected, message) {
  const both = { actual, expected, operator: start.name };
  const shown = { operator: 'deepStrictEqual' };
  if (!isFilled(actual)) throw Object.assign(failure(start, message, { ...both, ...shown }), both);
  const keys = Object.keys(expected);
  if (expected instanceof Error) keys.push('name', 'message');
  if (keys.length === 0) throw invalidArgValue('error', expected, 'may not be an empty object');
  const fits = (key) =>
    isMatch(actual[key], expected[key]) || (key in actual && isDeepEqual(actual[key], expected[key], true));
  if (keys.every(fits)) return;
  if (message) fail(start, message, both);
  // What matches a pattern is no difference.
  shown.actual = new Comparison();
  shown.expected = new Comparison();
  for (const key of keys) {
    if (key in actual) shown.actual[key] = actual[key];
    shown.expected[key] = isMatch(actual[key], expected[key]) ? actual[key] : expected[key];
  }
  throw Object.assign(failure(start, undefined, shown), both);
}

const NOTHING = Symbol('nothing');

function caught(call) {
  check.function(call, 'fn');
  try {
    call();
  } catch (error) {
    return error;
  }
  return NOTHING;
}

const isThenable = (value) =>
  types.isPromise(value) || (isFilled(value) && typeof value.then === 'function' && typeof value.catch === 'function');

async function rejected(from) {
  const isCall = typeof from === 'function';
  const promise = isCall ? from() : from;
  if (!isThenable(promise)) {
    if (!isCall) throw invalidArgType('promiseFn', ['Function', 'Promise'], promise);
    const got = received(promise).replace(' Received ', '');
    const message = `Expected instance of Promise to be returned from the "promiseFn" function but got ${got}.`;
    throw coded(TypeError, 'ERR_INVALID_RETURN_VALUE', message);
  }
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return NOTHING;
}

/// A message in place of what is expected must not be what the exception says: a slip is likely.
function checkAmbiguous(actual, text) {
  const [what, said] = isFilled(actual) ? ['error message', actual.message] : ['error', actual];
  if (said !== text) return;
  const message = `The "error/message" argument is ambiguous. The ${what} "${said}" is identical to the message.`;
  throw coded(TypeError, 'ERR_AMBIGUOUS_ARGUMENT', message);
}

function expectsException(start, actual, ...rest) {
  let [expected, message] = rest;
  const isText = typeof expected === 'string';
  const isUsable = expected == null || typeof expected === 'object' || typeof expected === 'function';
  if (isText ? rest.length > 1 : !isUsable)
    throw invalidArgType('error', ['Object', 'Error', 'Function', 'RegExp'], expected);
  if (isText) {
    checkAmbiguous(actual, expected);
    [expected, message] = [undefined, expected];
  }
  if (actual === NOTHING) {
    const kind = start === assert.rejects ? 'rejection' : 'exception';
    const name = expected?.name ? ` (${expected.name})` : '';
    const text = `Missing expected ${kind}${name}${message ? `: ${message}` : '.'}`;
    throw failure(start, text, { actual: undefined, expected });
  }
  if (expected) checkException(start, actual, expected, message);
}

function expectsNone(start, actual, expected, message) {
  if (actual === NOTHING) return;
  if (typeof expected === 'string') [expected, message] = [undefined, expected];
  if (expected && !isExpected(actual, expected)) throw actual;
  const kind = start === assert.doesNotReject ? 'rejection' : 'exception';
  const said = actual === null ? null : actual?.message;
  const text = `Got unwanted ${kind}${message ? `: ${message}` : '.'}\nActual message: "${said}"`;
  throw failure(start, text, { actual, expected });
}

function isExpected(actual, expected) {
  if (types.isRegExp(expected)) return expected.test(String(actual));
  if (typeof expected !== 'function') throw invalidArgType('expected', ['Function', 'RegExp'], expected);
  return isInstance(actual, expected) || (!isErrorClass(expected) && expected.call({}, actual) === true);
}

assert.throws = function throws(call, ...rest) { expectsException(throws, caught(call), ...rest); };
assert.rejects = async function rejects(promise, ...rest) {
  expectsException(rejects, await rejected(promise), ...rest);
};
assert.doesNotThrow = function doesNotThrow(call, ...rest) { expectsNone(doesNotThrow, caught(call), ...rest); };
assert.doesNotReject = async function doesNotReject(promise, ...rest) {
  expectsNone(doesNotReject, await rejected(promise), ...rest);
};

assert.ifError = function ifError(error) {
  if (error == null) return;
  const hasMessage = isFilled(error) && typeof error.message === 'string';
  const said = hasMessage ? error.message || (error.constructor?.name ?? '') : inspect(error);
  const message = `ifError got unwanted exception: ${said}`;
  throw failure(ifError, message, { actual: error, expected: null });
};

function matching(name, wanted) {
  const not = wanted ? 'did not match' : 'was expected to not match';
  assert[name] = { [name](text, pattern, message) {
    if (!types.isRegExp(pattern)) throw invalidArgType('regexp', 'RegExp', pattern);
    const isText = typeof text === 'string';
    if (isText && pattern.test(text) === wanted) return;
    if (message instanceof Error) throw message;
    const why = isText
      ? `The input ${not} the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`
      : `The "string" argument must be of type string. Received type ${typeof text} (${inspect(text)})`;
    throw described(assert[name], message, why, { actual: text, expected: pattern });
  } }[name];
}
matching('match', true);
matching('doesNotMatch', false);

/// Counts calls of functions.
class CallTracker {
  #tracked = [];
  calls(call, expected = 1) {
    const item = typeof call === 'number' ? { expected: call } : { call, expected };
    Object.assign(item, { actual: 0, operator: item.call?.name || 'calls' });
    this.#tracked.push(item);
    return (...args) => {
      item.actual++;
      return item.call?.(...args);
    };
  }
  report() {
    const wrong = this.#tracked.filter((item) => item.actual !== item.expected);
    return wrong.map(({ actual, expected, operator }) => {
      const times = `${expected} time(s) but was executed ${actual} time(s)`;
      return { message: `Expected the ${operator} function to be executed ${times}.`, actual, expected, operator };
    });
  }
  verify() {
    const details = this.report();
    if (details.length === 0) return;
    const all = 'Functions were not called the expected number of times';
    throw new AssertionError({ message: details.length === 1 ? details[0].message : all, details });
  }
}
assert.CallTracker = require('util').deprecate(CallTracker, 'assert.CallTracker is deprecated.', 'DEP0173');

/// The strict form: loose assertions are the strict ones there.
function strict(...args) { okay(strict, args); }
const STRICT = {
  equal: 'strictEqual',
  notEqual: 'notStrictEqual',
  deepEqual: 'deepStrictEqual',
  notDeepEqual: 'notDeepStrictEqual',
};
Object.assign(strict, assert);
for (const [name, exact] of Object.entries(STRICT)) strict[name] = assert[exact];
strict.strict = assert.strict = strict;

module.exports = assert;
