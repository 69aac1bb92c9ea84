// Errors of syntax: what the engine says, with the place that the report of an uncaught exception shows.

const places = new WeakMap();

/// The place is the first line of the engine's stack; Node's stack of such an error begins with the lines of the
/// report instead.
function explain(error, text, filename) {
  if (!(error instanceof SyntaxError) || places.has(error)) return error;
  const found = /\n {4}at (.*):(\d+):(\d+)/.exec(error.stack);
  if (!found || found[1] !== filename) return error;
  const lines = text.split('\n');
  // What is wrong behind the text is that it has ended.
  const behind = Number(found[2]) > lines.length;
  const line = behind ? lines.length : Number(found[2]);
  let column = behind ? lines.at(-1).length + 1 : Number(found[3]);
  const source = lines[line - 1] ?? '';
  const message = behind ? 'Unexpected end of input' : reworded(error.message, text, source, column);
  if (message !== error.message)
    Object.defineProperty(error, 'message', { value: message, writable: true, configurable: true });
  // The engine finds that a name is taken after it has read the name.
  const taken = /^Identifier '(.+)' has already/.exec(message);
  if (taken && source.lastIndexOf(taken[1], column - 2) >= 0) column = source.lastIndexOf(taken[1], column - 2) + 1;
  const width = behind ? 0 : widthOf(message, source, column);
  const head = `${filename}:${line}\n${source}\n${' '.repeat(behind ? 0 : Math.max(0, column - 1))}${'^'.repeat(width)}\n`;
  places.set(error, head);
  const calls = error.stack.slice(found.index + found[0].length);
  Object.defineProperty(error, 'stack', { value: `SyntaxError: ${message}${calls}`, writable: true, configurable: true });
  return decorate(error, `${head}\n`);
}

const decorated = new WeakSet();

/// An exception whose stack begins with the place that the report of it shows, too.
function decorate(error, place) {
  if (decorated.has(error) || !place) return error;
  decorated.add(error);
  const value = `${place}${error.stack}`;
  Object.defineProperty(error, 'stack', { value, writable: true, configurable: true });
  return error;
}

function reworded(message, text, source, column) {
  if (/^Unexpected identifier 'x?/.test(message) || /^Unexpected token/.test(message)) {
    const before = source.slice(0, column - 1);
    if (/(^|[;\s])import\s*[\w{*]?[^(]*$/.test(before) || /^\s*import\b/.test(source))
      return 'Cannot use import statement outside a module';
    if (/^\s*export\b/.test(source)) return "Unexpected token 'export'";
    if (/(^|[^\w$.])await\s+$/.test(before))
      return 'await is only valid in async functions and the top level bodies of modules';
    if (insideCall(before) && !/[,(]\s*$/.test(before)) return 'missing ) after argument list';
  }
  return message;
}

/// Whether an argument list is open where text ends.
function insideCall(before) {
  let depth = 0;
  for (let i = before.length - 1; i >= 0; i--) {
    if (before[i] === ')') depth++;
    else if (before[i] === '(' && --depth < 0)
      return (
        /[\w$\])]\s*$/.test(before.slice(0, i)) &&
        !/\b(if|for|while|switch|catch|function)\s*$/.test(before.slice(0, i))
      );
    else if (before[i] === '{' || before[i] === '}' || before[i] === ';') return false;
  }
  return false;
}

function widthOf(message, source, column) {
  const named = /^(?:Unexpected (?:token|identifier)|Identifier) '(.+?)'/.exec(message);
  if (named && source.startsWith(named[1], column - 1)) return named[1].length;
  const word = /^(?:[\w$]+|\S)/.exec(source.slice(column - 1));
  return Math.max(1, word ? word[0].length : 1);
}

/// The place of an error in a text that is no file; the end of it is not pointed at.
function place(error, name, text, at) {
  const before = text.slice(0, at).split('\n');
  const line = text.split('\n')[before.length - 1];
  const pointer = at >= text.length ? '' : `${' '.repeat(before.at(-1).length)}^\n`;
  places.set(error, `${name}:${before.length}\n${line}\n${pointer}`);
}

const headOf = (error) => places.get(error);

module.exports = { explain, headOf, place, decorate, isDecorated: (error) => decorated.has(error) };
