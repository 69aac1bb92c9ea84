// The process: arguments, environment, streams, signals, its end.

const EventEmitter = require('events');
const loop = require('internal/loop');
const { systemError, coded, invalidArgType, invalidArgValue, outOfRange, check } = require('internal/errors');
const { signals } = require('internal/constants');

const VERSION = '20.19.0';

function process() {}
const proto = Object.create(EventEmitter.prototype, {
  constructor: { value: process, writable: true, configurable: true, enumerable: false },
  [Symbol.toStringTag]: { value: 'process', configurable: true },
});
const self = Object.create(proto);
EventEmitter.call(self);

const identity = (i) => () => native.identity()[i];

Object.assign(self, {
  version: `v${VERSION}`,
  versions: {
    node: VERSION,
    acorn: '8.14.0',
    brotli: '1.1.0',
    modules: '115',
    quickjs: '0.17.0',
    zlib: '1.2.13',
    unicode: '16.0',
    uv: '1.46.0',
    v8: '11.3.244.8-node.26',
  },
  arch: 'wasm32',
  platform: 'linux',
  release: { name: 'node', lts: 'Iron' },
  features: {
    inspector: false,
    debug: false,
    uv: true,
    ipv6: false,
    tls_alpn: false,
    tls_sni: false,
    tls_ocsp: false,
    tls: false,
    cached_builtins: true,
  },
  config: { target_defaults: {}, variables: {} },
  title: 'node',
  argv: [],
  execArgv: [],
  execPath: '/usr/bin/node',
  exitCode: undefined,
  moduleLoadList: [],
  noDeprecation: false,
  getuid: identity(2), geteuid: identity(3), getgid: identity(4), getegid: identity(5),
  getgroups: () => [native.identity()[4]],
  cwd() {
    const path = native.cwd();
    if (typeof path === 'number') throw systemError(path, 'uv_cwd');
    return path;
  },
  chdir(path) {
    check.string(path, 'directory');
    const code = native.chdir(path);
    if (code < 0) {
      const error = systemError(code, 'chdir', self.cwd(), path);
      throw error;
    }
  },
  umask(mask) {
    if (mask === undefined) return native.umask(mask);
    let number = mask;
    if (typeof mask === 'string') number = /^[0-7]+$/.test(mask) ? Number.parseInt(mask, 8) : undefined;
    if (typeof number !== 'number' || number !== number >>> 0)
      throw invalidArgValue('mask', mask, 'must be a 32-bit unsigned integer or an octal string');
    return native.umask(number);
  },
  uptime: () => (loop.milliseconds() - started) / 1000,
  hrtime: Object.assign((before) => {
    const now = native.now(1) - startedAt;
    let pair = [Math.floor(now / 1e9), now % 1e9];
    if (before !== undefined) {
      check.array(before, 'time');
      if (before.length !== 2) throw outOfRange('time', 2, before.length);
      pair = [pair[0] - before[0], pair[1] - before[1]];
      if (pair[1] < 0) pair = [pair[0] - 1, pair[1] + 1e9];
    }
    return pair;
  }, { bigint: () => BigInt(native.now(1)) }),
  cpuUsage(before) {
    const [user, system] = native.usage();
    if (before) {
      check.object(before, 'prevValue');
      check.number(before.user, 'prevValue.user');
      check.number(before.system, 'prevValue.system');
    }
    return before ? { user: user - before.user, system: system - before.system } : { user, system };
  },
  resourceUsage() {
    const [user, system] = native.usage();
    return {
      userCPUTime: user,
      systemCPUTime: system,
      maxRSS: native.memory()[0] / 1024,
      sharedMemorySize: 0,
      unsharedDataSize: 0,
      unsharedStackSize: 0,
      minorPageFault: 0,
      majorPageFault: 0,
      swappedOut: 0,
      fsRead: 0,
      fsWrite: 0,
      ipcSent: 0,
      ipcReceived: 0,
      signalsCount: 0,
      voluntaryContextSwitches: 0,
      involuntaryContextSwitches: 0,
    };
  },
  memoryUsage: Object.assign(() => {
    const [total, used] = native.memory();
    return { rss: total, heapTotal: total, heapUsed: used, external: 0, arrayBuffers: 0 };
  }, { rss: () => native.memory()[0] }),
  constrainedMemory: () => 0,
  availableMemory: () => 2 ** 32 - native.memory()[0],
  nextTick(callback, ...args) {
    check.function(callback, 'callback');
    loop.nextTick(callback, ...args);
  },
  exit(code) {
    if (code !== undefined) self.exitCode = code;
    leave();
  },
  reallyExit: (code) => native.exit(code ?? 0),
  abort() { native.kill(self.pid, 6); native.exit(134); },
  kill(pid, signal) {
    if (pid != (pid | 0)) throw invalidArgType('pid', 'number', pid);
    let number = 15;
    if (typeof signal === 'number') number = signal;
    else if (signal !== undefined && signal !== 0) {
      number = signals[signal];
      if (number === undefined) throw coded(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${signal}`);
    }
    const code = native.kill(pid, number);
    if (code < 0) {
      const error = systemError(code, 'kill');
      error.message = `kill ${error.code}`;
      error.stack = error.stack.replace(/^.*/, `Error: kill ${error.code}`);
      throw error;
    }
    return true;
  },
  emitWarning(warning, options, code, constructor) {
    let detail;
    let type = options;
    if (options !== null && typeof options === 'object' && !Array.isArray(options)) ({ type, code, detail } = options);
    if (typeof type === 'function') type = undefined;
    if (typeof code === 'function') code = undefined;
    if (type !== undefined) check.string(type, 'type');
    if (code !== undefined) check.string(code, 'code');
    if (typeof warning === 'string') {
      const error = new Error(warning);
      error.name = String(type || 'Warning');
      error.stack = error.stack.replace(/^Error/, error.name);
      if (code !== undefined) error.code = code;
      if (detail !== undefined) error.detail = detail;
      warning = error;
    } else if (!(warning instanceof Error)) throw invalidArgType('warning', ['string', 'Error'], warning);
    if (warning.name === 'DeprecationWarning') {
      if (self.noDeprecation) return;
      if (self.throwDeprecation) return self.nextTick(() => { throw warning; });
    }
    self.nextTick(() => self.emit('warning', warning));
  },
  binding: (name) => { throw new Error(`No such module: ${name}`); },
  _getActiveHandles: () => [],
  _getActiveRequests: () => [],
  getActiveResourcesInfo: () => Array.from({ length: loop.heldTimers() }, () => 'Timeout'),
  setUncaughtExceptionCaptureCallback(callback) {
    if (callback !== null && typeof callback !== 'function')
      throw invalidArgType('fn', ['function', 'null'], callback);
    if (callback !== null && self.captureCallback !== null) {
      throw coded(
        Error,
        'ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET',
        '`process.setupUncaughtExceptionCapture()` was called while a capture callback was already active',
      );
    }
    self.captureCallback = callback;
  },
  hasUncaughtExceptionCaptureCallback: () => self.captureCallback != null,
  setSourceMapsEnabled(on) { check.boolean(on, 'val'); },
  getBuiltinModule: (name) => (require('module').isBuiltin(name) ? require(name.replace(/^node:/, '')) : undefined),
  loadEnvFile(path = '.env') { require('internal/dotenv').load(path); },
  assert(value, message) { require('assert')(value, message); },
  allowedNodeEnvironmentFlags: new Set(),
  report: undefined,
  openStdin() { self.stdin.resume(); return self.stdin; },
  dlopen() { throw coded(Error, 'ERR_DLOPEN_FAILED', 'Native modules cannot be loaded in this sandbox'); },
});
Object.defineProperty(self, 'captureCallback', { value: null, writable: true, enumerable: false });
for (const [i, name] of [
  [0, 'pid'],
  [1, 'ppid'],
])
  Object.defineProperty(self, name, { enumerable: true, configurable: true, get: identity(i) });
Object.defineProperty(self, 'debugPort', { value: 9229, writable: true, enumerable: true });

let started = 0;
let startedAt = 0;
let exiting = false;
let exitCode;
Object.defineProperty(self, 'exitCode', {
  configurable: true, enumerable: true,
  get: () => exitCode,
  set(value) {
    if (value !== null && value !== undefined) {
      let number = value;
      if (typeof value === 'string' && value !== '') number = Number(value);
      if (typeof value !== 'number' && !(typeof value === 'string' && Number.isInteger(number)))
        throw invalidArgType('code', 'number', value);
      check.integer(number, 'code');
      value = typeof value === 'string' ? number : value;
    }
    exitCode = value;
  },
});

/// Ends the process: tells its listeners once.
function leave() {
  if (!exiting) {
    exiting = true;
    self._exiting = true;
    self.emit('exit', self.exitCode ?? 0);
  }
  native.exit((self.exitCode ?? 0) & 255);
}
Object.defineProperty(self, 'leave', { value: leave, enumerable: false });
Object.defineProperty(self, '_exiting', { value: false, writable: true, enumerable: false });

// The environment: every value is text.
const environment = {};
const env = new Proxy(environment, {
  set(target, key, value) {
    if (typeof key === 'symbol') throw new TypeError('Cannot convert a Symbol value to a string');
    target[key] = `${value}`;
    return true;
  },
  defineProperty(target, key, descriptor) {
    if (!('value' in descriptor && descriptor.configurable && descriptor.writable && descriptor.enumerable)) {
      // An assignment arrives here, too, with the value alone.
      if (Object.hasOwn(target, key) && Object.keys(descriptor).join() === 'value') return Reflect.set(target, key, `${descriptor.value}`);
      throw coded(
        TypeError,
        'ERR_INVALID_OBJECT_DEFINE_PROPERTY',
        "'process.env' only accepts a configurable, writable, and enumerable data descriptor",
      );
    }
    target[key] = `${descriptor.value}`;
    return true;
  },
  deleteProperty(target, key) {
    delete target[key];
    return true;
  },
});
self.env = env;

// Signals: a listener takes a signal from its default.
self.on('newListener', (type) => {
  const number = signals[type];
  if (number && number !== 9 && number !== 19 && self.listenerCount(type) === 0)
    loop.onSignal(number, () => self.emit(type, type, number));
});
self.on('removeListener', (type) => {
  if (signals[type] && self.listenerCount(type) === 0) loop.offSignal(signals[type]);
});

// Streams are made when they are first used.
for (const [fd, name] of [[0, 'stdin'], [1, 'stdout'], [2, 'stderr']]) {
  let stream;
  Object.defineProperty(self, name, {
    configurable: true, enumerable: true,
    get: () => stream ??= require('internal/standard_streams').open(fd),
  });
}

/// What is known only when the program starts.
function begin(args) {
  startedAt = native.now(1);
  started = startedAt / 1e6;
  self.argv0 = args[0];
  for (const entry of native.environment()) {
    const at = entry.indexOf('=', 1);
    if (at > 0) environment[entry.slice(0, at)] = entry.slice(at + 1);
  }
  if (environment.NODE_CHANNEL_FD !== undefined) require('internal/ipc').begin(environment);
}
Object.defineProperty(self, 'begin', { value: begin, enumerable: false });

module.exports = self;
