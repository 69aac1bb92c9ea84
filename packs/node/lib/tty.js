// Terminals.

function depth(env) {
  if (env.FORCE_COLOR !== undefined) return { '0': 1, 'false': 1, '2': 8, '3': 24 }[env.FORCE_COLOR] ?? 4;
  if (env.NODE_DISABLE_COLORS || env.NO_COLOR || env.TERM === 'dumb') return 1;
  if (env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit') return 24;
  if (/-256(color)?$/i.test(env.TERM ?? '')) return 8;
  return env.TERM ? 4 : 1;
}

const methods = {
  getColorDepth(env = process.env) { return depth(env); },
  hasColors(count = 16, env) {
    if (typeof count === 'object') [count, env] = [16, count];
    return count <= 2 ** this.getColorDepth(env);
  },
  getWindowSize() { return [this.columns, this.rows]; },
  cursorTo(...args) { return require('readline').cursorTo(this, ...args); },
  moveCursor(...args) { return require('readline').moveCursor(this, ...args); },
  clearLine(...args) { return require('readline').clearLine(this, ...args); },
  clearScreenDown(callback) { return require('readline').clearScreenDown(this, callback); },
};

function extend(stream) {
  stream.isTTY = true;
  const size = native.terminalSize(stream.fd) ?? [80, 24];
  [stream.columns, stream.rows] = size;
  for (const [name, value] of Object.entries(methods))
    Object.defineProperty(stream, name, { value, enumerable: false, writable: true, configurable: true });
}

function extendInput(stream) {
  stream.isTTY = true;
  stream.isRaw = false;
}

module.exports = {
  extend, extendInput,
  isatty: (fd) => Number.isInteger(fd) && fd >= 0 && fd <= 2147483647 && native.isatty(fd),
  get ReadStream() { return require('internal/standard_streams').Input; },
  get WriteStream() { return require('internal/standard_streams').Output; },
};
Object.defineProperty(module.exports, 'extend', { enumerable: false });
Object.defineProperty(module.exports, 'extendInput', { enumerable: false });
