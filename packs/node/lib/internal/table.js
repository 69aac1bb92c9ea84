// `console.table`.

const { inspect, visibleWidth } = require('internal/inspect');

/// A value in a cell: of objects with many properties only what they are.
function cell(value) {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  const depth = isPlain && Object.keys(value).length > 2 ? -1 : 0;
  return inspect(value, { maxArrayLength: 3, breakLength: Infinity, depth });
}

/// Columns, each a title and its cells, whose lists may have holes.
function draw(columns, count) {
  const filled = columns.map(([title, cells]) => [title, ...Array.from({ length: count }, (_, i) => cells[i] ?? '')]);
  const widths = filled.map((texts) => Math.max(...texts.map(visibleWidth)));
  const line = (left, middle, right) => left + widths.map((width) => '─'.repeat(width + 2)).join(middle) + right;
  const padded = (text, width) => ` ${text}${' '.repeat(width - visibleWidth(text))} `;
  const row = (i) => `│${filled.map((texts, column) => padded(texts[i], widths[column])).join('│')}│`;
  const rows = Array.from({ length: count }, (_, i) => row(i + 1));
  return [line('┌', '┬', '┐'), row(0), line('├', '┼', '┤'), ...rows, line('└', '┴', '┘')].join('\n');
}

/// What maps, sets and their iterators hold, as lists of [key, value] or [value]; undefined of other values.
function itemsOf(data) {
  const kind = native.classOf(data);
  if (kind === 'Map') return { hasKeys: true, items: [...data] };
  if (kind === 'Set') return { hasKeys: false, items: Array.from(data, (value) => [value]) };
  if (kind !== 'Map Iterator' && kind !== 'Set Iterator') return undefined;
  const [arePairs, ...held] = native.itemsOf(data);
  const hasKeys = arePairs && kind === 'Map Iterator';
  const size = hasKeys ? 2 : 1;
  return { hasKeys, items: Array.from({ length: held.length / size }, (_, i) => held.slice(i * size, (i + 1) * size)) };
}

function ofItems({ hasKeys, items }) {
  const titles = hasKeys ? ['Key', 'Values'] : ['Values'];
  const columns = titles.map((title, i) => [title, items.map((item) => cell(item[i]))]);
  return draw([['(iteration index)', items.map((_, i) => `${i}`)], ...columns], items.length);
}

module.exports = function table(data, wanted) {
  const items = itemsOf(data);
  if (items !== undefined) return ofItems(items);
  const rows = Object.keys(data);
  const columns = new Map(wanted?.map((name) => [`${name}`, []]));
  // What has no properties has a column of its own.
  const values = [];
  rows.forEach((key, i) => {
    const row = data[key];
    const hasProperties = (typeof row === 'object' && row !== null) || typeof row === 'function';
    if (!hasProperties && !wanted) values[i] = cell(row);
    if (!hasProperties) return;
    for (const name of wanted ? columns.keys() : Object.keys(row)) {
      if (!columns.has(name)) columns.set(name, []);
      if (Object.hasOwn(row, name)) columns.get(name)[i] = cell(row[name]);
    }
  });
  const last = values.length > 0 ? [['Values', values]] : [];
  return draw([['(index)', rows], ...columns, ...last], rows.length);
};
