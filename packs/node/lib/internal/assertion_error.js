// AssertionError and how it shows a difference.

const { inspect } = require('internal/inspect');
const { invalidArgType, withCode } = require('internal/errors');

/// What each assertion expects.
const EXPECTED = {
  strictEqual: 'Expected values to be strictly equal:',
  deepStrictEqual: 'Expected values to be strictly deep-equal:',
  deepEqual: 'Expected values to be loosely deep-equal:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
};
const SAME_OBJECT = 'Expected "actual" to be reference-equal to "expected":';
const OTHER_OBJECT = 'Expected "actual" not to be reference-equal to "expected":';
const LOOKS_SAME = 'Values have same structure but are not reference-equal:';

const isObject = (value) => typeof value === 'object' && value !== null;
const isFunction = (value) => typeof value === 'function';

/// A value with all that may differ, each part on a line of its own.
function shown(value) {
  if (value instanceof Error) return `[${value}]`;
  const all = { depth: 1000, maxArrayLength: Infinity, getters: true };
  return inspect(value, { ...all, compact: false, customInspect: false, sorted: true });
}

const cutLines = (text) => {
  const lines = text.split('\n');
  return lines.length > 50 ? [...lines.slice(0, 46), '...'] : lines;
};
const cutText = (text, most) => (text.length > most ? `${text.slice(0, most - 3)}...` : text);

/// The message of each assertion that has one of its own.
const MESSAGES = {
  strictEqual(actual, expected, title) {
    const areSame = (isOne) => isOne(actual) && isOne(expected);
    const usual = areSame(isObject) || areSame(isFunction) ? SAME_OBJECT : EXPECTED.strictEqual;
    return difference(actual, expected, title || usual);
  },
  deepStrictEqual: (actual, expected, title) => difference(actual, expected, title || EXPECTED.deepStrictEqual),
  notStrictEqual(actual) {
    return unwanted(actual, isObject(actual) || isFunction(actual) ? OTHER_OBJECT : EXPECTED.notStrictEqual);
  },
  notDeepStrictEqual: (actual) => unwanted(actual, EXPECTED.notDeepStrictEqual),
  deepEqual(actual, expected) {
    const [one, other] = [actual, expected].map((value) => cutText(shown(value), 512));
    return `${EXPECTED.deepEqual}\n\n${one}\n\nshould loosely deep-equal\n\n${other}`;
  },
  notDeepEqual(actual, expected) {
    const [one, other] = [shown(actual), shown(expected)];
    if (one === other) return cutText(`${EXPECTED.notDeepEqual}\n\n${one}`, 1024);
    const title = 'Expected values not to be loosely deep-equal:';
    return `${title}\n\n${cutText(one, 512)}\n\nshould not loosely deep-equal\n\n${cutText(other, 512)}`;
  },
};

function messageFor({ message, operator, actual, expected }) {
  const showsBoth = operator === 'strictEqual' || operator === 'deepStrictEqual';
  if (message != null && !showsBoth) return String(message);
  if (message) return MESSAGES[operator](actual, expected, String(message));
  if (Object.hasOwn(MESSAGES, operator)) return MESSAGES[operator](actual, expected);
  return `${cutText(shown(actual), 512)} ${operator} ${cutText(shown(expected), 512)}`;
}

/// What a value should not have been.
function unwanted(actual, title) {
  const lines = cutLines(shown(actual));
  if (lines.length > 1) return `${title}\n\n${lines.join('\n')}\n`;
  return `${title}${lines[0].length > 5 ? '\n\n' : ' '}${lines[0]}`;
}

/// Two values that should be equal.
function difference(actual, expected, title) {
  const [one, other] = [shown(actual), shown(expected)];
  if (one === other) return `${LOOKS_SAME}\n\n${cutLines(one).join('\n')}\n`;
  const length = one.length + other.length;
  const areShort = length < 80 && !one.includes('\n') && !other.includes('\n');
  if (areShort && length <= 12 && !isObject(actual) && !isObject(expected) && (actual !== 0 || expected !== 0))
    return `${title}\n\n${one} !== ${other}\n`;
  if (areShort && length > 12 && title !== SAME_OBJECT) {
    const same = equalLength(one, other);
    if (same > 2) return `${title}\n+ actual - expected\n\n+ ${one}\n- ${other}\n${' '.repeat(same + 2)}^`;
  }
  const { lines, isShortened } = shortened(aligned(one.split('\n'), other.split('\n')));
  return `${title}\n+ actual - expected${isShortened ? ' ... Lines skipped' : ''}\n\n${lines.join('\n')}`;
}

function equalLength(one, other) {
  let length = 0;
  while (one[length] === other[length]) length++;
  return length;
}

/// Lines with '+', '-' or ' ': equal ones at the end, before them by the longest common subsequence.
function aligned(left, right) {
  const tail = [];
  while (left.length && right.length && left.at(-1) === right.at(-1)) {
    tail.unshift([' ', left.pop()]);
    right.pop();
  }
  const all = (sign, lines) => lines.map((line) => [sign, line]);
  if (left.length * right.length > 4e6) return [...all('+', left), ...all('-', right), ...tail];
  const ownText = (line) => line.replace(/,$/, '');
  const same = (i, j) => ownText(left[i]) === ownText(right[j]);
  // Of the lines from i and from j on, how many are in common.
  const common = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--)
      common[i][j] = same(i, j) ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  }
  const rows = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    if (same(i, j)) {
      // The line that goes on, if only one does.
      rows.push([' ', left[i].endsWith(',') ? left[i] : right[j]]);
      i++;
      j++;
    } else if (common[i + 1][j] >= common[i][j + 1]) rows.push(['+', left[i++]]);
    else rows.push(['-', right[j++]]);
  }
  return [...rows, ...all('+', left.slice(i)), ...all('-', right.slice(j)), ...tail];
}

/// Of many equal lines in a row only some at both ends are shown.
function shortened(rows) {
  const lines = [];
  let isShortened = false;
  for (let i = 0; i < rows.length;) {
    let end = i;
    while (end < rows.length && rows[end][0] === ' ') end++;
    const isLast = end === rows.length;
    const [most, head, tail] = isLast ? [4, 1, 3] : [5, 2, 2];
    const equal = rows.slice(i, end).map(([, line]) => `  ${line}`);
    if (equal.length > most) {
      isShortened = true;
      equal.splice(head, equal.length - head - tail, '...');
    }
    lines.push(...equal);
    if (!isLast) lines.push(rows[end].join(' '));
    i = end + 1;
  }
  return { lines, isShortened };
}

/// Long text is shown in part where an error is printed.
function brief(value) {
  if (typeof value !== 'string') return value;
  const lines = value.split('\n');
  if (lines.length > 10) return [...lines.slice(0, 10), '...'].join('\n');
  return value.length > 512 ? `${value.slice(0, 512)}...` : value;
}

class AssertionError extends Error {
  constructor(options) {
    if (!isObject(options)) throw invalidArgType('options', 'Object', options);
    super(messageFor(options));
    const { message, actual, expected, operator, details = [] } = options;
    const code = 'ERR_ASSERTION';
    this.generatedMessage = !message;
    Object.defineProperty(this, 'name', { value: 'AssertionError', writable: true, configurable: true });
    Object.assign(this, { code, actual, expected, operator });
    details.forEach((detail, i) => {
      for (const key of ['message', 'actual', 'expected', 'operator']) this[`${key} ${i}`] = detail[key];
      this[`stack trace ${i}`] = detail.stack;
    });
    Error.captureStackTrace(this, options.stackStartFn);
    withCode(this, code);
  }
  toString() { return `${this.name} [${this.code}]: ${this.message}`; }
  [inspect.custom](depth, options) {
    const view = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
    Object.assign(view, { actual: brief(this.actual), expected: brief(this.expected) });
    return inspect(view, { ...options, customInspect: false, depth: 0 });
  }
}

module.exports = { AssertionError };
