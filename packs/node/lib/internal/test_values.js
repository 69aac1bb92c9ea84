// The values of a failed assertion, as TAP's rows have them.

const { inspect } = require('internal/inspect');

/// Rows for a name with its value. The parts of an object have rows of their own, two columns to the right.
function rowsOf(name, value) {
  const rows = [];
  const waiting = [{ name, value, space: '' }];
  while (waiting.length > 0) {
    const item = waiting.pop();
    const text = textOf(item);
    if (text === undefined) continue;
    rows.push(`${item.space}${item.name}:${text.replaceAll('\n', `\n${item.space}  `)}`);
    if (text === '') waiting.push(...partsOf(item).toReversed());
  }
  return rows.flatMap((row) => row.split('\n'));
}

/// What stands after the name: nothing for an object with parts, no row for `undefined`.
function textOf({ value, above }) {
  if (value === undefined) return undefined;
  if (value === null) return ' ~';
  if (typeof value === 'string' && value.includes('\n')) return ` |-\n${value}`;
  if (typeof value !== 'object') return ` ${inspect(value)}`;
  if (value instanceof Date) return ` ${inspect(value)}`;
  return isAbove(value, above) ? ' <Circular>' : '';
}

function isAbove(value, above) {
  for (let at = above; at; at = at.above) if (at.value === value) return true;
  return false;
}

const partsOf = (item) =>
  Object.keys(item.value).map((name) => ({ name, value: item.value[name], space: `${item.space}  `, above: item }));

module.exports = { rowsOf };
