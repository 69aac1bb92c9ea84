// How results of tests are told: TAP, text for people, and events for the process that started this one.

const out = (text) => process.stdout.write(text);
const indent = (nesting) => '    '.repeat(nesting);
const ms = (value) => Number(value.toFixed(6));

class Tap {
  #open = [];
  begin() { out('TAP version 13\n'); }
  start({ name, nesting }) { this.#open[nesting] = name; out(`${indent(nesting)}# Subtest: ${escaped(name)}\n`); }
  result(item) {
    const space = indent(item.nesting);
    if (item.children) out(`${space}    1..${item.children}\n`);
    let line = `${space}${item.ok ? 'ok' : 'not ok'} ${item.number} - ${escaped(item.name)}`;
    if (item.skip) line += ` # SKIP${typeof item.skip === 'string' && item.skip ? ` ${escaped(item.skip)}` : ''}`;
    else if (item.todo) line += ` # TODO${typeof item.todo === 'string' && item.todo ? ` ${escaped(item.todo)}` : ''}`;
    const rows = [`duration_ms: ${ms(item.duration)}`];
    if (item.suite) rows.push("type: 'suite'");
    if (item.error) rows.push(...failureRows(item));
    out(`${line}\n${space}  ---\n${rows.map((row) => `${space}  ${row}\n`).join('')}${space}  ...\n`);
    for (const text of item.diagnostics) out(`${space}# ${escaped(text)}\n`);
  }
  diagnostic(text) { out(`# ${escaped(text)}\n`); }
  end({ counts, duration, children }) {
    out(`1..${children}\n`);
    for (const [name, count] of Object.entries(counts)) out(`# ${name} ${count}\n`);
    out(`# duration_ms ${ms(duration)}\n`);
  }
}

const escaped = (text) =>
  `${text}`
    .replaceAll('\\', '\\\\')
    .replaceAll('#', '\\#')
    .replace(
      /[\n\t\r\f\b\v]/g,
      (char) => ({ '\n': '\\n', '\t': '\\t', '\r': '\\r', '\f': '\\f', '\b': '\\b', '\v': '\\v' })[char],
    );

function block(name, text) {
  if (!text.includes('\n')) return [`${name}: '${text.replaceAll("'", "\\'")}'`];
  return [`${name}: |-`, ...text.split('\n').map((line) => `  ${line}`)];
}

function failureRows({ error, place }) {
  const rows = [];
  if (place) rows.push(`location: '${place.file}:${place.line}:${place.column}'`);
  rows.push(`failureType: '${error.type}'`, ...block('error', error.message), `code: '${error.code}'`);
  if (error.name && error.name !== 'Error') rows.push(`name: '${error.name}'`);
  if (error.isAssertion) rows.push(...error.values, `operator: '${error.operator}'`);
  if (error.stack?.length) rows.push('stack: |-', ...error.stack.map((line) => `  ${line}`));
  return rows;
}

class Spec {
  #failures = [];
  #opened = [];
  begin() {}
  start({ name, nesting, suite }) {
    this.#opened.length = nesting;
    this.#opened[nesting] = { name, shown: false, suite };
  }
  #open(nesting) {
    for (let i = 0; i < nesting; i++) {
      const item = this.#opened[i];
      if (item && !item.shown) {
        item.shown = true;
        out(`${'  '.repeat(i)}▶ ${item.name}\n`);
      }
    }
  }
  result(item) {
    this.#open(item.nesting);
    const space = '  '.repeat(item.nesting);
    const mark = item.skip ? '﹣' : item.ok ? '✔' : '✖';
    let line = `${mark} ${item.name} (${ms(item.duration)}ms)`;
    if (item.skip) line += ` # ${typeof item.skip === 'string' ? item.skip : 'SKIP'}`;
    else if (item.todo) line += ` # ${typeof item.todo === 'string' ? item.todo : 'TODO'}`;
    out(`${space}${line}\n`);
    const isParent = item.error?.type === 'subtestsFailed';
    if (item.error && !isParent) {
      const text = (item.error.text ?? `'${item.error.message}'`)
        .split('\n')
        .map((row) => `${space}  ${row}`)
        .join('\n');
      out(`${text}\n\n`);
      this.#failures.push({ ...item, line });
    }
    for (const text of item.diagnostics) out(`${space}ℹ ${text}\n`);
  }
  diagnostic(text) { out(`ℹ ${text}\n`); }
  end({ counts, duration }) {
    for (const [name, count] of Object.entries(counts)) out(`ℹ ${name} ${count}\n`);
    out(`ℹ duration_ms ${ms(duration)}\n`);
    if (!this.#failures.length) return;
    out('\n✖ failing tests:\n');
    for (const item of this.#failures) {
      const { relative } = require('path');
      if (item.place)
        out(`\ntest at ${relative(process.cwd(), item.place.file)}:${item.place.line}:${item.place.column}\n`);
      out(
        `${item.line}\n${(item.error.text ?? `'${item.error.message}'`)
          .split('\n')
          .map((row) => `  ${row}`)
          .join('\n')}\n`,
      );
    }
  }
}

class Dot {
  #count = 0;
  begin() {}
  start() {}
  result(item) {
    out(item.ok ? '.' : 'X');
    if (++this.#count % 20 === 0) out('\n');
  }
  diagnostic() {}
  end() { out('\n'); }
}

/// Each event is a line on descriptor 3.
class Events {
  #send(kind, data) { native.print(3, `${JSON.stringify([kind, data])}\n`); }
  begin() { this.#send('begin', {}); }
  start(data) { this.#send('start', data); }
  result(data) { this.#send('result', data); }
  diagnostic(data) { this.#send('diagnostic', data); }
  end(data) { this.#send('end', data); }
}

const KINDS = { tap: Tap, spec: Spec, dot: Dot, events: Events };

module.exports = { create: (name) => new (KINDS[name] ?? Tap)() };
