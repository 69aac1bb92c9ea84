// `console.table`.

const { inspect, visibleWidth } = require('internal/inspect');

const INDEX = '(index)';
const VALUES = 'Values';
const ITERATION = '(iteration index)';
const KEY = 'Key';

function cell(value) {
  const deep = value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 2;
  return inspect(value, {
    maxArrayLength: 3,
    breakLength: Infinity,
    depth:
      value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0,
    ...(deep ? {} : {}),
  });
}

function draw(head, columns) {
  const widths = head.map((title, i) => Math.max(visibleWidth(title), ...columns[i].map(visibleWidth)) + 2);
  const line = (left, middle, right) => left + widths.map((width) => '─'.repeat(width)).join(middle) + right;
  const row = (cells) =>
    `│${cells.map((text, i) => ` ${text}${' '.repeat(widths[i] - visibleWidth(text) - 1)}`).join('│')}│`;
  const count = Math.max(0, ...columns.map((column) => column.length));
  const rows = [];
  for (let i = 0; i < count; i++) rows.push(row(columns.map((column) => column[i] ?? '')));
  return [line('┌', '┬', '┐'), row(head), line('├', '┼', '┤'), ...rows, line('└', '┴', '┘')].join('\n');
}

module.exports = function table(data, wanted) {
  if (data instanceof Map) {
    const entries = [...data];
    return draw(
      [ITERATION, KEY, VALUES],
      [entries.map((_, i) => String(i)), entries.map(([key]) => cell(key)), entries.map(([, value]) => cell(value))],
    );
  }
  if (data instanceof Set) {
    const values = [...data];
    return draw([ITERATION, VALUES], [values.map((_, i) => String(i)), values.map(cell)]);
  }
  const keys = Object.keys(data);
  const columns = new Map();
  const plain = [];
  let hasPlain = false;
  keys.forEach((key, i) => {
    const item = data[key];
    const isPrimitive = item === null || (typeof item !== 'function' && typeof item !== 'object');
    if (isPrimitive && wanted === undefined) {
      hasPlain = true;
      plain[i] = cell(item);
      return;
    }
    for (const name of wanted ?? Object.keys(item)) {
      if (!columns.has(name)) columns.set(name, []);
      if (!isPrimitive && Object.prototype.hasOwnProperty.call(item, name)) columns.get(name)[i] = cell(item[name]);
    }
  });
  const full = (list) => Array.from({ length: keys.length }, (_, i) => list[i] ?? '');
  const head = [INDEX, ...columns.keys()];
  const body = [keys, ...[...columns.values()].map(full)];
  if (hasPlain) {
    head.push(VALUES);
    body.push(full(plain));
  }
  return draw(head, body);
};
