// AssertionError and how it shows a difference.

const { inspect } = require('internal/inspect');

const TITLES = {
  deepStrictEqual: 'Expected values to be strictly deep-equal:',
  strictEqual: 'Expected values to be strictly equal:',
  strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
  deepEqual: 'Expected values to be loosely deep-equal:',
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  notIdentical: 'Values have same structure but are not reference-equal:',
  notDeepEqualUnequal: 'Expected values not to be loosely deep-equal:',
};

const shown = (value) =>
  value instanceof Error
    ? `[${value}]`
    : inspect(value, {
        compact: false,
        customInspect: false,
        depth: 1000,
        maxArrayLength: Infinity,
        showHidden: false,
        showProxy: false,
        sorted: true,
        getters: true,
        breakLength: Infinity,
      });

/// The lines of both with signs; equal lines far from a difference are left out.
function difference(actual, expected, operator, message) {
  let title = message ?? TITLES[operator];
  const actualText = shown(actual);
  const expectedText = shown(expected);
  let left = actualText.split('\n');
  let right = expectedText.split('\n');
  if (
    message == null &&
    operator === 'strictEqual' &&
    ((typeof actual === 'object' && actual !== null && typeof expected === 'object' && expected !== null) ||
      (typeof actual === 'function' && typeof expected === 'function'))
  ) {
    title = TITLES.strictEqualObject;
  }
  if (left.length === 1 && right.length === 1 && left[0] !== right[0]) {
    const length = left[0].length + right[0].length;
    if (length <= 12) {
      if (
        (typeof actual !== 'object' || actual === null) &&
        (typeof expected !== 'object' || expected === null) &&
        (actual !== 0 || expected !== 0)
      ) {
        return `${title}\n\n${left[0]} !== ${right[0]}\n`;
      }
    } else if (title !== TITLES.strictEqualObject && length < (native.isatty(2) ? 80 : 80)) {
      let i = 0;
      while (left[0][i] === right[0][i]) i++;
      if (i > 2) return `${title}\n+ actual - expected\n\n+ ${left[0]}\n- ${right[0]}\n${' '.repeat(i + 2)}^`;
    }
  }
  if (actualText === expectedText && title !== undefined) {
    const lines = actualText.split('\n');
    if (lines.length > 50) lines.splice(46, lines.length, '...');
    return `${TITLES.notIdentical}\n\n${lines.join('\n')}\n`;
  }
  const tail = [];
  while (left.length && right.length && left.at(-1) === right.at(-1)) {
    tail.unshift(left.pop());
    right.pop();
  }
  const rows = align(left, right);
  for (const line of tail) rows.push([' ', line]);
  const { out, skipped } = shortened(rows);
  return `${title}\n+ actual - expected${skipped ? ' ... Lines skipped' : ''}\n\n${out.join('\n')}`;
}

/// Lines with '+', '-' or ' ', by the longest common subsequence.
function align(left, right) {
  const rows = [];
  if (left.length * right.length > 4e6)
    return [...left.map((line) => ['+', line]), ...right.map((line) => ['-', line])];
  const comma = (line) => (line?.endsWith(',') ? line.slice(0, -1) : line);
  const same = (a, b) => a === b || comma(a) === comma(b);
  const table = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--)
      table[i][j] = same(left[i], right[j]) ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  }
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && same(left[i], right[j])) {
      // The line that goes on, if only one does.
      rows.push([' ', left[i].endsWith(',') ? left[i] : right[j]]);
      i++;
      j++;
    } else if (i < left.length && (j >= right.length || table[i + 1][j] >= table[i][j + 1]))
      rows.push(['+', left[i++]]);
    else rows.push(['-', right[j++]]);
  }
  return rows;
}

/// Of more than five equal lines in a row only some at both ends are shown.
function shortened(rows) {
  const out = [];
  let skipped = false;
  for (let i = 0; i < rows.length;) {
    let end = i;
    while (end < rows.length && rows[end][0] === ' ') end++;
    const last = end === rows.length;
    if (end - i > 5) {
      skipped = true;
      const [head, tail] = last ? [1, 3] : [2, 2];
      for (let k = i; k < i + head; k++) out.push(`  ${rows[k][1]}`);
      out.push('...');
      for (let k = end - tail; k < end; k++) out.push(`  ${rows[k][1]}`);
    } else for (let k = i; k < end; k++) out.push(`  ${rows[k][1]}`);
    if (end < rows.length) out.push(`${rows[end][0]} ${rows[end][1]}`);
    i = end + 1;
  }
  return { out, skipped };
}

function messageFor({ actual, expected, operator }) {
  if (operator === 'deepStrictEqual' || operator === 'strictEqual') return difference(actual, expected, operator);
  if (operator === 'notDeepStrictEqual' || operator === 'notStrictEqual') {
    let base = TITLES[operator];
    if (
      operator === 'notStrictEqual' &&
      ((typeof actual === 'object' && actual !== null) || typeof actual === 'function')
    )
      base = TITLES.notStrictEqualObject;
    const lines = shown(actual).split('\n');
    if (lines.length > 50) lines.splice(46, lines.length, '...');
    if (lines.length === 1) return `${base}${lines[0].length > 5 ? '\n\n' : ' '}${lines[0]}`;
    return `${base}\n\n${lines.join('\n')}\n`;
  }
  let [one, two] = [shown(actual), shown(expected)];
  const known = TITLES[operator];
  if (operator === 'notDeepEqual' && one === two) {
    one = `${known}\n\n${one}`;
    return one.length > 1024 ? `${one.slice(0, 1021)}...` : one;
  }
  if (one.length > 512) one = `${one.slice(0, 509)}...`;
  if (two.length > 512) two = `${two.slice(0, 509)}...`;
  if (operator === 'deepEqual') return `${known}\n\n${one}\n\nshould loosely deep-equal\n\n${two}`;
  if (operator === 'notDeepEqual')
    return `${TITLES.notDeepEqualUnequal}\n\n${one}\n\nshould not loosely deep-equal\n\n${two}`;
  return `${one} ${operator} ${two}`;
}

class AssertionError extends Error {
  constructor(options) {
    if (options === null || typeof options !== 'object')
      throw require('internal/errors').invalidArgType('options', 'Object', options);
    const { message, operator, stackStartFn, actual, expected } = options;
    const limit = Error.stackTraceLimit;
    if (message != null && (operator === 'deepStrictEqual' || operator === 'strictEqual'))
      super(difference(actual, expected, operator, String(message)));
    else if (message != null) super(String(message));
    else super(messageFor({ actual, expected, operator }));
    this.generatedMessage = message == null;
    Object.defineProperty(this, 'name', {
      value: 'AssertionError [ERR_ASSERTION]',
      enumerable: false,
      writable: true,
      configurable: true,
    });
    this.code = 'ERR_ASSERTION';
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
    Error.captureStackTrace(this, stackStartFn);
    void this.stack;
    this.name = 'AssertionError';
    Error.stackTraceLimit = limit;
  }
  toString() { return `${this.name} [${this.code}]: ${this.message}`; }
  [inspect.custom](depth, context) {
    const { actual, expected } = this;
    for (const name of ['actual', 'expected']) {
      if (typeof this[name] === 'string') {
        const lines = this[name].split('\n');
        if (lines.length > 10) this[name] = `${lines.slice(0, 10).join('\n')}\n...`;
        else if (this[name].length > 512) this[name] = `${this[name].slice(0, 512)}...`;
      }
    }
    const text = inspect(this, { ...context, customInspect: false, depth: 0 });
    this.actual = actual;
    this.expected = expected;
    return text;
  }
}

module.exports = { AssertionError };
