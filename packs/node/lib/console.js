// The console.

const { inspect, formatWithOptions } = require('internal/inspect');
const { check, invalidArgType, invalidArgValue, coded } = require('internal/errors');

class Console {
  constructor(options, stderr, ignoreErrors = true) {
    if (!options || typeof options.write === 'function') options = { stdout: options, stderr, ignoreErrors };
    const { stdout, stderr: errors = stdout, inspectOptions, colorMode = 'auto', groupIndentation = 2 } = options;
    if (!stdout || typeof stdout.write !== 'function')
      throw coded(TypeError, 'ERR_CONSOLE_WRITABLE_STREAM', 'Console expects a writable stream instance for stdout');
    if (![true, false, 'auto'].includes(colorMode))
      throw invalidArgValue('colorMode', colorMode, "must be one of: 'auto', true, false");
    check.integer(groupIndentation, 'groupIndentation', 0, 1000);
    setUp(
      this,
      () => stdout,
      () => errors,
      { inspectOptions, colorMode, groupIndentation },
    );
  }
}

const stateOf = new WeakMap();

function setUp(target, out, err, { inspectOptions, colorMode, groupIndentation }) {
  stateOf.set(target, {
    out,
    err,
    indent: '',
    counts: new Map(),
    timers: new Map(),
    inspectOptions,
    colorMode,
    groupIndentation,
  });
  for (const name of Object.keys(methods)) {
    Object.defineProperty(target, name, {
      value: Object.defineProperty(methods[name].bind(target), 'name', { value: name }),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}

function optionsFor(state, stream) {
  let { colorMode } = state;
  if (colorMode === 'auto')
    colorMode = !!(stream.isTTY && (typeof stream.getColorDepth === 'function' ? stream.getColorDepth() > 2 : true));
  return colorMode ? { ...state.inspectOptions, colors: true } : (state.inspectOptions ?? {});
}

function print(state, stream, args) {
  let text =
    args.length === 1 && typeof args[0] === 'string' ? args[0] : formatWithOptions(optionsFor(state, stream), ...args);
  if (state.indent) text = state.indent + text.replaceAll('\n', `\n${state.indent}`);
  const ignore = () => {};
  stream.once?.('error', ignore);
  try {
    stream.write(`${text}\n`);
  } catch (error) {
    if (error instanceof RangeError && /call stack/.test(error.message)) throw error;
  } finally {
    stream.removeListener?.('error', ignore);
  }
}

function duration(milliseconds) {
  if (milliseconds >= 3600000) {
    const hours = Math.floor(milliseconds / 3600000);
    const minutes = Math.floor((milliseconds % 3600000) / 60000);
    return `${hours}:${String(minutes).padStart(2, '0')}:${String(Math.floor((milliseconds % 60000) / 1000)).padStart(2, '0')} (h:mm:ss)`;
  }
  if (milliseconds >= 60000) {
    return `${Math.floor(milliseconds / 60000)}:${((milliseconds % 60000) / 1000).toFixed(3).padStart(6, '0')} (m:ss.mmm)`;
  }
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(3)}s`;
  return `${Number(milliseconds.toFixed(3))}ms`;
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
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift('Assertion failed');
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
methods.debug = methods.info = methods.dirxml = methods.log;
methods.error = methods.warn;
methods.groupCollapsed = methods.group;

const main = Object.create({}, {});
setUp(main, () => process.stdout, () => process.stderr, { colorMode: 'auto', groupIndentation: 2 });
Object.defineProperty(main, Symbol.toStringTag, { value: 'console', configurable: true });
for (const name of ['profile', 'profileEnd', 'timeStamp']) main[name] = () => {};
main.context = () => ({});
main.createTask = () => ({ run: (callback) => callback() });
Object.defineProperty(main, 'Console', { value: Console, writable: true, configurable: true, enumerable: true });
Object.defineProperty(Console, Symbol.hasInstance, { value: (value) => stateOf.has(value) });

module.exports = main;
