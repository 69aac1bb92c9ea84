// Assertions.

const { AssertionError } = require('internal/assertion_error');
const { isDeepEqual } = require('internal/compare');
const { inspect } = require('internal/inspect');
const { coded, invalidArgType, invalidArgValue, check } = require('internal/errors');
const types = require('util/types');

function fail(values) {
  if (values.message instanceof Error) throw values.message;
  throw new AssertionError(values);
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
  const [value, message] = args;
  if (value) return;
  let generated = false;
  let text = message;
  if (args.length === 0) {
    generated = true;
    text = 'No value argument passed to `assert.ok()`';
  } else if (message == null) {
    generated = true;
    const call = callText(start);
    text =
      call === undefined
        ? 'The expression evaluated to a falsy value:\n\n  assert(false)\n'
        : `The expression evaluated to a falsy value:\n\n  ${call.replaceAll('\n', '\n  ')}\n`;
  } else if (message instanceof Error) throw message;
  const error = new AssertionError({
    actual: value,
    expected: true,
    message: text,
    operator: '==',
    stackStartFn: start,
  });
  error.generatedMessage = generated;
  throw error;
}

assert.ok = function ok(...args) { okay(ok, args); };
assert.fail = function failing(...args) {
  const [actual, expected, message, operator, start] = args;
  let error;
  if (args.length <= 1) {
    if (actual instanceof Error) throw actual;
    error = new AssertionError({ message: actual ?? 'Failed', operator: 'fail', stackStartFn: start || failing });
    error.generatedMessage = args.length === 0 || actual == null;
  } else {
    process.emitWarning(
      'assert.fail() with more than one argument is deprecated. Please use assert.strictEqual() instead or only pass a message.',
      'DeprecationWarning',
      'DEP0094',
    );
    if (message instanceof Error) throw message;
    error = new AssertionError({
      actual,
      expected,
      operator: operator ?? (args.length === 2 ? '!=' : 'fail'),
      stackStartFn: start || failing,
      ...(message !== undefined && { message }),
    });
  }
  throw error;
};
assert.AssertionError = AssertionError;

/// Defines an assertion of two values.
function pair(name, holds, operator = name) {
  assert[name] = { [name](actual, expected, message) {
    if (arguments.length < 2) throw missing();
    if (!holds(actual, expected)) fail({ actual, expected, message, operator, stackStartFn: assert[name] });
  } }[name];
}
// eslint-disable-next-line eqeqeq
pair('equal', (a, b) => a == b || (Number.isNaN(a) && Number.isNaN(b)), '==');
// eslint-disable-next-line eqeqeq
pair('notEqual', (a, b) => !(a == b || (Number.isNaN(a) && Number.isNaN(b))), '!=');
pair('deepEqual', (a, b) => isDeepEqual(a, b, false));
pair('notDeepEqual', (a, b) => !isDeepEqual(a, b, false));
pair('deepStrictEqual', (a, b) => isDeepEqual(a, b, true));
pair('notDeepStrictEqual', (a, b) => !isDeepEqual(a, b, true));
pair('strictEqual', Object.is);
pair('notStrictEqual', (a, b) => !Object.is(a, b));

/// Whether an exception is what was expected; otherwise throws what is wrong.
function checkException(actual, expected, message, start) {
  let generated = false;
  let why;
  if (typeof expected !== 'function') {
    if (types.isRegExp(expected)) {
      const text = String(actual);
      if (expected.exec(text) !== null) return;
      if (!message) {
        generated = true;
        message = `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(text)}\n`;
      }
      why = true;
    } else if (typeof actual !== 'object' || actual === null) {
      const error = new AssertionError({ actual, expected, message, operator: 'deepStrictEqual', stackStartFn: start });
      error.operator = start.name;
      throw error;
    } else {
      const keys = Object.keys(expected);
      if (expected instanceof Error) keys.push('name', 'message');
      else if (keys.length === 0) throw invalidArgValue('error', expected, 'may not be an empty object');
      for (const key of keys) {
        if (
          typeof actual[key] === 'string' &&
          types.isRegExp(expected[key]) &&
          expected[key].exec(actual[key]) !== null
        )
          continue;
        if (key in actual && isDeepEqual(actual[key], expected[key], true)) continue;
        if (!message) {
          const pick = (object, other) => {
            const out = new Comparison();
            for (const name of keys) {
              if (!(name in object)) continue;
              out[name] =
                other &&
                typeof other[name] === 'string' &&
                types.isRegExp(object[name]) &&
                object[name].exec(other[name]) !== null
                  ? other[name]
                  : object[name];
            }
            return out;
          };
          const error = new AssertionError({
            actual: pick(actual),
            expected: pick(expected, actual),
            operator: 'deepStrictEqual',
            stackStartFn: start,
          });
          Object.assign(error, { actual, expected, operator: start.name });
          throw error;
        }
        fail({ actual, expected, message, operator: start.name, stackStartFn: start });
      }
      return;
    }
  } else if (expected.prototype !== undefined && actual instanceof expected) return;
  else if (Object.prototype.isPrototypeOf.call(Error, expected) || expected === Error) {
    if (!message) {
      generated = true;
      message = `The error is expected to be an instance of "${expected.name}". Received `;
      message += actual instanceof Error ? `"${actual.name}"` : `"${inspect(actual, { depth: -1 })}"`;
    }
    if (actual instanceof Error && generated) message += `\n\nError message:\n\n${actual.message}`;
    why = true;
  } else {
    const result = Reflect.apply(expected, {}, [actual]);
    if (result === true) return;
    if (!message) {
      generated = true;
      const name = expected.name ? `"${expected.name}" ` : '';
      message = `The ${name}validation function is expected to return "true". Received ${inspect(result)}`;
      if (actual instanceof Error) message += `\n\nCaught error:\n\n${actual}`;
    }
    why = true;
  }
  if (!why) return;
  const error = new AssertionError({ actual, expected, message, operator: start.name, stackStartFn: start });
  error.generatedMessage = generated;
  throw error;
}
class Comparison {}

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

async function rejected(from) {
  let promise = from;
  if (typeof from === 'function') {
    promise = from();
    if (!(promise && typeof promise.then === 'function'))
      throw coded(
        TypeError,
        'ERR_INVALID_RETURN_VALUE',
        `Expected instance of Promise to be returned from the "promiseFn" function but got ${promise == null ? promise : `type ${typeof promise}`}.`,
      );
  } else if (!(promise && typeof promise.then === 'function'))
    throw invalidArgType('promiseFn', ['Function', 'Promise'], promise);
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return NOTHING;
}

function expectsException(start, actual, expected, message, count) {
  if (typeof expected === 'string') {
    if (count === 4) throw invalidArgType('error', ['Object', 'Error', 'Function', 'RegExp'], expected);
    if (typeof actual === 'object' && actual !== null) {
      if (actual.message === expected)
        throw coded(
          TypeError,
          'ERR_AMBIGUOUS_ARGUMENT',
          `The "error/message" argument is ambiguous. The error message "${actual.message}" is identical to the message.`,
        );
    } else if (actual === expected)
      throw coded(
        TypeError,
        'ERR_AMBIGUOUS_ARGUMENT',
        `The "error/message" argument is ambiguous. The error "${actual}" is identical to the message.`,
      );
    message = expected;
    expected = undefined;
  } else if (expected != null && typeof expected !== 'object' && typeof expected !== 'function')
    throw invalidArgType('error', ['Object', 'Error', 'Function', 'RegExp'], expected);
  if (actual === NOTHING) {
    let details = '';
    if (expected?.name) details += ` (${expected.name})`;
    details += message ? `: ${message}` : '.';
    const kind = start === assert.rejects ? 'rejection' : 'exception';
    fail({
      actual: undefined,
      expected,
      operator: start.name,
      message: `Missing expected ${kind}${details}`,
      stackStartFn: start,
    });
  }
  if (expected) checkException(actual, expected, message, start);
}

function expectsNone(start, actual, expected, message) {
  if (actual === NOTHING) return;
  if (typeof expected === 'string') {
    message = expected;
    expected = undefined;
  }
  if (!expected || matches(actual, expected)) {
    const details = message ? `: ${message}` : '.';
    const kind = start === assert.doesNotReject ? 'rejection' : 'exception';
    fail({
      actual,
      expected,
      operator: start.name,
      message: `Got unwanted ${kind}${details}\nActual message: "${actual?.message}"`,
      stackStartFn: start,
    });
  }
  throw actual;
}

function matches(actual, expected) {
  if (typeof expected !== 'function') {
    if (types.isRegExp(expected)) return expected.exec(String(actual)) !== null;
    throw invalidArgType('expected', ['Function', 'RegExp'], expected);
  }
  if (expected.prototype !== undefined && actual instanceof expected) return true;
  if (Object.prototype.isPrototypeOf.call(Error, expected)) return false;
  return Reflect.apply(expected, {}, [actual]) === true;
}

assert.throws = function throws(call, ...rest) {
  expectsException(throws, caught(call), rest[0], rest[1], rest.length + 2);
};
assert.rejects = async function rejects(promise, ...rest) {
  expectsException(rejects, await rejected(promise), rest[0], rest[1], rest.length + 2);
};
assert.doesNotThrow = function doesNotThrow(call, ...rest) {
  expectsNone(doesNotThrow, caught(call), ...rest);
};
assert.doesNotReject = async function doesNotReject(promise, ...rest) {
  expectsNone(doesNotReject, await rejected(promise), ...rest);
};

assert.ifError = function ifError(error) {
  if (error === null || error === undefined) return;
  let message = 'ifError got unwanted exception: ';
  if (typeof error === 'object' && typeof error.message === 'string')
    message += error.message.length === 0 && error.constructor ? error.constructor.name : error.message;
  else message += inspect(error);
  const failure = new AssertionError({
    actual: error,
    expected: null,
    operator: 'ifError',
    message,
    stackStartFn: ifError,
  });
  failure.generatedMessage = false;
  throw failure;
};

function matching(name, wanted) {
  assert[name] = {
    [name](text, pattern, message) {
      if (!types.isRegExp(pattern)) throw invalidArgType('regexp', 'RegExp', pattern);
      if (typeof text === 'string' && (pattern.exec(text) !== null) === wanted) return;
      if (message instanceof Error) throw message;
      const generated = !message;
      message ||=
        typeof text !== 'string'
          ? `The "string" argument must be of type string. Received type ${typeof text} (${inspect(text)})`
          : (wanted
              ? 'The input did not match the regular expression '
              : 'The input was expected to not match the regular expression ') +
            `${inspect(pattern)}. Input:\n\n${inspect(text)}\n`;
      const error = new AssertionError({
        actual: text,
        expected: pattern,
        message,
        operator: name,
        stackStartFn: assert[name],
      });
      error.generatedMessage = generated;
      throw error;
    },
  }[name];
}
matching('match', true);
matching('doesNotMatch', false);

class CallTracker {
  #tracked = [];
  calls(call, expected = 1) {
    if (typeof call === 'number') [call, expected] = [() => {}, call];
    const item = { call, expected, actual: 0 };
    this.#tracked.push(item);
    return (...args) => { item.actual++; return call?.(...args); };
  }
  report() {
    return this.#tracked
      .filter((item) => item.actual !== item.expected)
      .map((item) => ({
        message: `Expected the ${item.call?.name || 'calls'} function to be executed ${item.expected} time(s) but was executed ${item.actual} time(s).`,
        actual: item.actual,
        expected: item.expected,
        operator: item.call?.name || 'calls',
      }));
  }
  verify() {
    const errors = this.report();
    if (errors.length)
      throw new AssertionError({
        message: errors.length === 1 ? errors[0].message : 'Functions were not called the expected number of times',
        details: errors,
      });
  }
}
assert.CallTracker = CallTracker;

function strict(...args) { okay(strict, args); }
assert.strict = Object.assign(strict, assert, {
  equal: assert.strictEqual,
  deepEqual: assert.deepStrictEqual,
  notEqual: assert.notStrictEqual,
  notDeepEqual: assert.notDeepStrictEqual,
});
assert.strict.strict = assert.strict;
module.exports = assert;
