// Lines from a stream, questions, the terminal's cursor.

const EventEmitter = require('events');
const { StringDecoder } = require('string_decoder');
const { coded, invalidArgValue, AbortError, check } = require('internal/errors');

/// The options, which are the first argument or all of them.
const optionsOf = (input, output, completer, terminal) =>
  input?.input ? input : { input, output, completer, terminal };

function checkOptions({ completer, history, historySize, tabSize, signal }) {
  if (completer !== undefined && typeof completer !== 'function') throw invalidArgValue('completer', completer);
  if (history !== undefined) check.array(history, 'history');
  if (historySize !== undefined) check.number(historySize, 'historySize', 0);
  if (tabSize !== undefined) check.integer(tabSize, 'tabSize', 1, 2 ** 32 - 1);
  check.signal(signal, 'options.signal');
}

const abortOf = (signal) => new AbortError(undefined, { cause: signal.reason });

function whenAborted(signal, callback) {
  if (!signal) return;
  if (signal.aborted) process.nextTick(callback);
  else signal.addEventListener('abort', callback, { once: true });
}

function Interface(...args) {
  if (!(this instanceof Interface)) return new Interface(...args);
  const options = optionsOf(...args);
  checkOptions(options);
  const { input, output, completer, terminal, history = [], signal } = options;
  EventEmitter.call(this);
  Object.assign(this, {
    input,
    output,
    completer,
    line: '',
    cursor: 0,
    closed: false,
    paused: false,
    terminal: !!(terminal ?? output?.isTTY),
    history,
  });
  const hidden = {
    promptText: options.prompt ?? '> ',
    rest: '',
    decoder: new StringDecoder('utf8'),
    asked: null,
    oldPrompt: '',
    sawReturn: 0,
    crlfDelay: Math.max(100, options.crlfDelay || 0),
    heard: {
      error: (error) => this.emit('error', error),
      data: (chunk) => this.take(this.decoder.write(chunk)),
      end: () => {
        const last = this.rest + this.decoder.end();
        this.rest = '';
        if (last.length) this.deliver(last);
        this.close();
      },
    },
  };
  for (const [name, value] of Object.entries(hidden))
    Object.defineProperty(this, name, { value, writable: true, configurable: true });
  for (const [type, listener] of Object.entries(this.heard)) input.on(type, listener);
  whenAborted(signal, () => this.close());
  input.resume();
}
Object.setPrototypeOf(Interface.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Interface, EventEmitter);
const proto = Interface.prototype;

Object.defineProperty(proto, 'take', {
  value(text) {
    if (this.sawReturn && performance.now() - this.sawReturn <= this.crlfDelay && text.startsWith('\n'))
      text = text.slice(1);
    this.sawReturn = text.endsWith('\r') ? performance.now() : 0;
    this.rest += text;
    const parts = this.rest.split(/\r\n|\n|\r|\u2028|\u2029/);
    this.rest = parts.pop();
    for (const line of parts) this.deliver(line);
  },
});

Object.defineProperty(proto, 'deliver', { value(line) {
  if (this.asked) {
    const callback = this.asked;
    this.asked = null;
    this.setPrompt(this.oldPrompt);
    callback(line);
  } else this.emit('line', line);
} });

proto.getPrompt = function() { return this.promptText; };
proto.setPrompt = function(text) { this.promptText = text; };
proto.prompt = function() {
  if (this.paused) this.resume();
  this.output?.write(this.promptText);
};

proto.question = function(query, ...rest) {
  const callback = rest.find((item) => typeof item === 'function');
  const { signal } = (rest[0] !== callback && rest[0]) || {};
  check.signal(signal, 'options.signal');
  if (!callback || signal?.aborted) return undefined;
  if (this.closed) throw coded(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
  if (this.asked) return this.prompt();
  this.oldPrompt = this.promptText;
  this.setPrompt(query);
  this.asked = callback;
  whenAborted(signal, () => { this.asked = null; });
  return this.prompt();
};

/// The answer as a promise.
function ask(query, options) {
  const signal = options?.signal;
  return new Promise((resolve, reject) => {
    const fail = () => reject(abortOf(signal));
    Interface.prototype.question.call(this, query, options ?? {}, (answer) => {
      signal?.removeEventListener('abort', fail);
      resolve(answer);
    });
    whenAborted(signal, fail);
  });
}
Object.defineProperty(proto.question, Symbol.for('nodejs.util.promisify.custom'), { value: ask });

proto.write = function(data) {
  if (this.paused) this.resume();
  if (data) this.take(`${data}`);
};

/// Halts the input or lets it go on, and tells so if that is a change.
function halt(reader, isPaused) {
  if (reader.paused === isPaused) return undefined;
  const what = isPaused ? 'pause' : 'resume';
  reader.input[what]();
  reader.paused = isPaused;
  reader.emit(what);
  return reader;
}
proto.pause = function() { return halt(this, true); };
proto.resume = function() { return halt(this, false); };
proto.close = function() {
  if (this.closed) return;
  this.pause();
  for (const type of ['data', 'end']) this.input.removeListener(type, this.heard[type]);
  this.closed = true;
  this.emit('close');
};
proto.getCursorPos = function() { return { rows: 0, cols: this.cursor }; };
if (Symbol.dispose) proto[Symbol.dispose] = proto.close;

const linesOf = new WeakMap();

/// An interface has one iterator: who loops again goes on after the line that was last.
proto[Symbol.asyncIterator] = function() {
  if (!linesOf.has(this)) linesOf.set(this, iterate(this));
  return linesOf.get(this);
};

function iterate(lines) {
  const ready = [];
  const waiting = [];
  let isOver = lines.closed;
  const onLine = (value) => (waiting.length ? waiting.shift()({ value, done: false }) : void ready.push(value));
  const stop = () => {
    isOver = true;
    lines.removeListener('line', onLine);
    for (const resolve of waiting.splice(0)) resolve({ value: undefined, done: true });
  };
  lines.on('line', onLine);
  lines.on('close', stop);
  return {
    async next() {
      if (ready.length) return { value: ready.shift(), done: false };
      return isOver ? { value: undefined, done: true } : new Promise((resolve) => { waiting.push(resolve); });
    },
    async return() {
      stop();
      lines.close();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() { return this; },
  };
}

/// Writes a control sequence of a terminal. A stream that is not there takes everything.
function control(stream, sequence, callback) {
  if (callback !== undefined) check.function(callback, 'callback');
  if (stream && sequence) return stream.write(`\x1b[${sequence}`, callback);
  if (callback) process.nextTick(callback, null);
  return true;
}

/// Where the cursor shall be. What is no number says nothing.
function place(x, y) {
  for (const [name, value] of Object.entries({ x, y })) if (Number.isNaN(value)) throw invalidArgValue(name, value);
  const [column, row] = [x, y].map((value) => (typeof value === 'number' ? value + 1 : undefined));
  if (row === undefined) return column === undefined ? '' : `${column}G`;
  if (column !== undefined) return `${row};${column}H`;
  throw coded(TypeError, 'ERR_INVALID_CURSOR_POS', 'Cannot set cursor row without setting its column');
}

module.exports = {
  Interface,
  clearLine: (stream, direction, callback) =>
    control(stream, `${direction < 0 ? 1 : direction > 0 ? 0 : 2}K`, callback),
  clearScreenDown: (stream, callback) => control(stream, '0J', callback),
  createInterface: (...args) => new Interface(...args),
  cursorTo(stream, x, y, callback) {
    return typeof y === 'function' ? control(stream, place(x), y) : control(stream, place(x, y), callback);
  },
  emitKeypressEvents(stream) {
    if (stream.keypressDecoder) return;
    Object.defineProperty(stream, 'keypressDecoder', { value: true });
    stream.on('data', (chunk) => {
      for (const char of String(chunk)) {
        const code = char.charCodeAt(0);
        const name =
          { 13: 'return', 10: 'enter', 9: 'tab', 8: 'backspace', 127: 'backspace', 27: 'escape', 32: 'space' }[code] ??
          (code < 27 ? String.fromCharCode(code + 96) : char.toLowerCase());
        stream.emit('keypress', char, {
          sequence: char,
          name,
          ctrl: code < 27 && ![9, 10, 13].includes(code),
          meta: false,
          shift: /[A-Z]/.test(char),
        });
      }
    });
  },
  moveCursor(stream, dx, dy, callback) {
    const steps = [[dx, 'C'], [-dx, 'D'], [dy, 'B'], [-dy, 'A']].filter(([count]) => count > 0);
    return control(stream, steps.map((step) => step.join('')).join('\x1b['), callback);
  },
  get promises() { return require('readline/promises'); },
};
