// Lines from a stream, questions, the terminal's cursor.

const EventEmitter = require('events');
const { StringDecoder } = require('string_decoder');
const { coded, invalidArgType, AbortError, check } = require('internal/errors');

function Interface(input, output, completer, terminal) {
  if (!(this instanceof Interface)) return new Interface(input, output, completer, terminal);
  EventEmitter.call(this);
  let options = {};
  if (input?.input) {
    options = input;
    ({ input, output, completer, terminal } = options);
  }
  if (input === undefined || typeof input.on !== 'function') throw invalidArgType('input', 'Stream', input);
  Object.assign(this, {
    input,
    output,
    completer,
    line: '',
    cursor: 0,
    closed: false,
    paused: false,
    terminal: terminal ?? !!output?.isTTY,
    history: options.history ?? [],
  });
  const hide = (name, value) =>
    Object.defineProperty(this, name, { value, writable: true, enumerable: false, configurable: true });
  hide('promptText', options.prompt ?? '> ');
  hide('rest', '');
  hide('decoder', new StringDecoder('utf8'));
  hide('asked', null);
  hide('sawReturn', 0);
  hide('crlfDelay', options.crlfDelay ? Math.max(100, options.crlfDelay) : 100);
  hide('onData', (chunk) => this.take(this.decoder.write(chunk)));
  hide('onEnd', () => {
    const last = this.rest + this.decoder.end();
    this.rest = '';
    if (last.length) this.deliver(last);
    this.close();
  });
  hide('onError', (error) => this.emit('error', error));
  input.on('error', this.onError);
  input.on('data', this.onData);
  input.on('end', this.onEnd);
  options.signal?.addEventListener('abort', () => this.close(), { once: true });
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
    for (const line of parts) {
      if (this.closed) return;
      this.deliver(line);
    }
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
proto.question = function(query, options, callback) {
  if (typeof options === 'function') [callback, options] = [options, {}];
  if (typeof callback !== 'function') return;
  if (this.closed) throw coded(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
  if (options?.signal?.aborted) return;
  if (this.asked) return this.prompt();
  Object.defineProperty(this, 'oldPrompt', {
    value: this.promptText,
    writable: true,
    configurable: true,
    enumerable: false,
  });
  this.setPrompt(query);
  this.asked = callback;
  options?.signal?.addEventListener('abort', () => { this.asked = null; }, { once: true });
  this.prompt();
};
Object.defineProperty(proto.question, Symbol.for('nodejs.util.promisify.custom'), { value(query, options) {
  return new Promise((resolve, reject) => {
    if (options?.signal?.aborted) return reject(new AbortError(undefined, { cause: options.signal.reason }));
    this.question(query, options, resolve);
  });
} });
proto.write = function(data) {
  if (this.closed) throw coded(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
  if (this.paused) this.resume();
  if (data) this.take(`${data}`);
};
proto.pause = function() {
  if (this.paused) return this;
  this.input.pause();
  this.paused = true;
  this.emit('pause');
  return this;
};
proto.resume = function() {
  if (!this.paused) return this;
  this.input.resume();
  this.paused = false;
  this.emit('resume');
  return this;
};
proto.close = function() {
  if (this.closed) return;
  this.pause();
  this.input.removeListener('data', this.onData);
  this.input.removeListener('end', this.onEnd);
  this.closed = true;
  this.emit('close');
};
proto.getCursorPos = function() { return { rows: 0, cols: this.cursor }; };
if (Symbol.dispose) proto[Symbol.dispose] = proto.close;

proto[Symbol.asyncIterator] = async function* lines() {
  const ready = [];
  let wake = () => {};
  let done = this.closed;
  const onLine = (line) => { ready.push(line); wake(); };
  const onClose = () => { done = true; wake(); };
  this.on('line', onLine);
  this.on('close', onClose);
  try {
    for (;;) {
      if (ready.length) yield ready.shift();
      else if (done) return;
      else await new Promise((resolve) => { wake = resolve; });
    }
  } finally {
    this.removeListener('line', onLine);
    this.close();
  }
};

function emit(stream, text, callback) {
  if (callback !== undefined) check.function(callback, 'callback');
  if (stream === null || stream === undefined) {
    if (typeof callback === 'function') process.nextTick(callback, null);
    return true;
  }
  return stream.write(text, callback);
}

module.exports = {
  Interface,
  createInterface: (...args) => new Interface(...args),
  clearLine: (stream, direction, callback) =>
    emit(stream, direction < 0 ? '\x1b[1K' : direction > 0 ? '\x1b[0K' : '\x1b[2K', callback),
  clearScreenDown: (stream, callback) => emit(stream, '\x1b[0J', callback),
  cursorTo(stream, x, y, callback) {
    if (typeof y === 'function') [callback, y] = [y, undefined];
    return emit(stream, y === undefined ? `\x1b[${x + 1}G` : `\x1b[${y + 1};${x + 1}H`, callback);
  },
  moveCursor(stream, dx, dy, callback) {
    let text = '';
    if (dx < 0) text += `\x1b[${-dx}D`;
    else if (dx > 0) text += `\x1b[${dx}C`;
    if (dy < 0) text += `\x1b[${-dy}A`;
    else if (dy > 0) text += `\x1b[${dy}B`;
    return emit(stream, text, callback);
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
  get promises() { return require('readline/promises'); },
};
