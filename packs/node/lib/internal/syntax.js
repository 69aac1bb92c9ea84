// Errors of syntax: what the engine says, with the place that the report of an uncaught exception shows.

const places = new WeakMap();

/// The place is the first line of the engine's stack; Node's stack of such an error begins with the lines of the report.
function explain(error, text, filename) {
  if (!(error instanceof SyntaxError) || places.has(error)) return error;
  const found = /\n {4}at (.*):(\d+):(\d+)/.exec(error.stack);
  if (!found || found[1] !== filename) return error;
  const line = Number(found[2]);
  const column = Number(found[3]);
  const source = text.split('\n')[line - 1] ?? '';
  const message = reworded(error.message, text, source, column);
  if (message !== error.message) Object.defineProperty(error, 'message', { value: message, writable: true, configurable: true });
  const width = widthOf(message, source, column);
  const head = `${filename}:${line}\n${source}\n${' '.repeat(Math.max(0, column - 1))}${'^'.repeat(width)}\n`;
  places.set(error, head);
  Object.defineProperty(error, 'stack', { value: `SyntaxError: ${message}`, writable: true, configurable: true });
  return error;
}

function reworded(message, text, source, column) {
  if (/^Unexpected identifier 'x?/.test(message) || /^Unexpected token/.test(message)) {
    const before = source.slice(0, column - 1);
    if (/(^|[;\s])import\s*[\w{*]?[^(]*$/.test(before) || /^\s*import\b/.test(source)) return 'Cannot use import statement outside a module';
    if (/^\s*export\b/.test(source)) return "Unexpected token 'export'";
    if (/(^|[^\w$.])await\s+$/.test(before)) return 'await is only valid in async functions and the top level bodies of modules';
    if (insideCall(before) && !/[,(]\s*$/.test(before)) return 'missing ) after argument list';
  }
  return message;
}

/// Whether an argument list is open where text ends.
function insideCall(before) {
  let depth = 0;
  for (let i = before.length - 1; i >= 0; i--) {
    if (before[i] === ')') depth++;
    else if (before[i] === '(' && --depth < 0) return /[\w$\])]\s*$/.test(before.slice(0, i)) && !/\b(if|for|while|switch|catch|function)\s*$/.test(before.slice(0, i));
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

const headOf = (error) => places.get(error);

module.exports = { explain, headOf };
