// The console.

const { inspect, formatWithOptions } = require('internal/inspect');
const { check, invalidArgType, invalidArgValue, coded } = require('internal/errors');

function Console(options, stderr, ignoreErrors) {
  if (new.target === undefined) return new Console(options, stderr, ignoreErrors);
  if (!options || typeof options.write === 'function') options = { stdout: options, stderr, ignoreErrors };
  const { stdout, ...settings } = options;
  const streams = { stdout, stderr: settings.stderr || stdout };
  for (const [name, stream] of Object.entries(streams)) checkStream(stream, name);
  checkSettings(settings);
  setUp(this, () => streams.stdout, () => streams.stderr, settings);
}

function checkStream(stream, name) {
  if (stream && typeof stream.write === 'function') return;
  const message = `Console expects a writable stream instance for ${name}`;
  throw coded(TypeError, 'ERR_CONSOLE_WRITABLE_STREAM', message);
}

function checkSettings({ colorMode = 'auto', groupIndentation = 2, inspectOptions }) {
  if (![true, false, 'auto'].includes(colorMode))
    throw invalidArgValue('colorMode', colorMode, "must be one of: 'auto', true, false");
  check.integer(groupIndentation, 'groupIndentation', 0, 1000);
  if (inspectOptions === undefined) return;
  check.object(inspectOptions, 'options.inspectOptions');
  if (inspectOptions.colors === undefined || colorMode === 'auto') return;
  const message = 'Option "options.inspectOptions.color" cannot be used in combination with option "colorMode"';
  throw coded(TypeError, 'ERR_INCOMPATIBLE_OPTION_PAIR', message);
}

const stateOf = new WeakMap();

function setUp(target, out, err, settings) {
  const { inspectOptions = {}, colorMode = 'auto', groupIndentation = 2, ignoreErrors = true } = settings;
  const options = { inspectOptions, colorMode, groupIndentation, ignoreErrors };
  stateOf.set(target, { out, err, indent: '', counts: new Map(), timers: new Map(), ...options });
  for (const [name, method] of Object.entries(methods)) {
    target[name] = method.bind(target);
    Object.defineProperty(target[name], 'name', { value: name });
  }
}

/// How values are shown on a stream.
function optionsFor({ inspectOptions, colorMode }, stream) {
  // A terminal that does not tell is as most are.
  const isColored = colorMode === 'auto' ? stream.isTTY && (stream.getColorDepth?.() ?? 4) > 2 : colorMode;
  return isColored ? { ...inspectOptions, colors: true } : inspectOptions;
}

function print(state, stream, args) {
  const isPlain = args.length === 1 && typeof args[0] === 'string';
  const text = isPlain ? args[0] : formatWithOptions(optionsFor(state, stream), ...args);
  const lines = state.indent ? state.indent + text.replaceAll('\n', `\n${state.indent}`) : text;
  if (!state.ignoreErrors) return void stream.write(`${lines}\n`);
  const ignore = () => {};
  stream.once?.('error', ignore);
  try {
    // What goes wrong later is told before it is an event.
    stream.write(`${lines}\n`, (error) => { if (error) stream.once?.('error', ignore); });
  } catch (error) {
    if (error instanceof RangeError && /call stack/.test(error.message)) throw error;
  } finally {
    stream.removeListener?.('error', ignore);
  }
}

function duration(milliseconds) {
  const seconds = milliseconds / 1000;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number) => `${Math.floor(number)}`.padStart(2, '0');
  if (hours > 0) return `${hours}:${two(minutes)}:${two(seconds % 60)} (h:mm:ss)`;
  if (minutes > 0) return `${minutes}:${(seconds % 60).toFixed(3).padStart(6, '0')} (m:ss.mmm)`;
  return seconds >= 1 ? `${seconds.toFixed(3)}s` : `${Number(milliseconds.toFixed(3))}ms`;
}

function timeLog(state, label, data, name) {
  const begun = state.timers.get(label);
  if (begun === undefined) {
    process.emitWarning(`No such label '${label}' for console.${name}()`);
    return false;
  }
  print(state, state.out(), [`%s: %s`, label, duration(native.now(1) / 1e6 - begun), ...data]);
  return true;
}

const methods = {
  log(...args) { const state = stateOf.get(this); print(state, state.out(), args); },
  warn(...args) { const state = stateOf.get(this); print(state, state.err(), args); },
  dir(value, options) {
    const state = stateOf.get(this);
    print(state, state.out(), [
      inspect(value, { customInspect: false, ...optionsFor(state, state.out()), ...options }),
    ]);
  },
  time(label = 'default') {
    label = `${label}`;
    const { timers } = stateOf.get(this);
    if (timers.has(label)) return process.emitWarning(`Label '${label}' already exists for console.time()`);
    timers.set(label, native.now(1) / 1e6);
  },
  timeEnd(label = 'default') {
    const state = stateOf.get(this);
    if (timeLog(state, `${label}`, [], 'timeEnd')) state.timers.delete(`${label}`);
  },
  timeLog(label = 'default', ...data) { timeLog(stateOf.get(this), `${label}`, data, 'timeLog'); },
  trace(...args) {
    const error = { name: 'Trace', message: args.length ? formatWithOptions({}, ...args) : '' };
    Error.captureStackTrace(error, methods.trace);
    const first = error.message ? `Trace: ${error.message}` : 'Trace';
    const frames = error.stack
      .split('\n')
      .filter((line) => line.startsWith('    at ') && !line.includes('(node:console'))
      .join('\n');
    const state = stateOf.get(this);
    print(state, state.err(), [`${first}\n${frames}`]);
  },
  assert(condition, ...args) {
    if (condition) return;
    args[0] = args.length ? `Assertion failed: ${args[0]}` : 'Assertion failed';
    const state = stateOf.get(this);
    print(state, state.err(), args);
  },
  clear() {
    const stream = stateOf.get(this).out();
    if (stream.isTTY && process.env.TERM !== 'dumb') stream.write('\x1b[1;1H\x1b[0J');
  },
  count(label = 'default') {
    label = `${label}`;
    const state = stateOf.get(this);
    const count = (state.counts.get(label) ?? 0) + 1;
    state.counts.set(label, count);
    print(state, state.out(), [`${label}: ${count}`]);
  },
  countReset(label = 'default') {
    const { counts } = stateOf.get(this);
    if (!counts.has(`${label}`)) return process.emitWarning(`Count for '${label}' does not exist`);
    counts.delete(`${label}`);
  },
  group(...args) {
    const state = stateOf.get(this);
    if (args.length) print(state, state.out(), args);
    state.indent += ' '.repeat(state.groupIndentation);
  },
  groupEnd() {
    const state = stateOf.get(this);
    state.indent = state.indent.slice(0, Math.max(0, state.indent.length - state.groupIndentation));
  },
  table(data, columns) {
    if (data === null || typeof data !== 'object') return this.log(data);
    if (columns !== undefined && !Array.isArray(columns)) throw invalidArgType('properties', 'Array', columns);
    this.log(require('internal/table')(data, columns));
  },
};
for (const name of ['debug', 'info', 'dirxml']) methods[name] = methods.log;
methods.error = methods.warn;
methods.groupCollapsed = methods.group;

const main = Object.create({}, {});
setUp(main, () => process.stdout, () => process.stderr, {});
Object.defineProperty(main, Symbol.toStringTag, { value: 'console', configurable: true });
for (const name of ['profile', 'profileEnd', 'timeStamp']) main[name] = () => {};
main.context = () => ({});
main.createTask = () => ({ run: (callback) => callback() });
Object.defineProperty(main, 'Console', { value: Console, writable: true, configurable: true, enumerable: true });
Object.defineProperty(Console, Symbol.hasInstance, { value: (value) => stateOf.has(value) });

module.exports = main;
