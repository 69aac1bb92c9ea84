// The event loop: what is to be done next, timers, descriptors that are waited for, ends of processes, signals.

const { current, within } = require('internal/async_context');

const ticks = [];
let immediates = [];
const timers = new Map(); // number to timer, for those that are set
let timerCount = 0;
const watchers = new Set(); // descriptors that are waited for
let operations = 0; // that will call back and keep the program alive
const completed = [];
const children = new Map(); // pid to what is called at its end
let expecting = false; // the signal that tells of children's ends
const signals = new Map(); // number to what is called
let signalPipe;
let report = () => {}; // what happens to an exception that nobody catches
let rejections = () => {};

const milliseconds = () => native.now(1) / 1e6;

/// Runs a function of the program's, in the context in which it was given; an exception goes to the process.
function run(callback, self, args, context) {
  try {
    within(context, callback, self, args);
  } catch (error) {
    report(error, 'uncaughtException');
  }
}

/// What has to happen before the loop goes on: ticks, then promises, until there are none.
function drain() {
  do {
    while (ticks.length) {
      // Taken by many, as taking each from the front would move all others.
      const batch = ticks.splice(0, ticks.length);
      for (const { callback, args, context } of batch) run(callback, undefined, args, context);
    }
    microtasks();
  } while (ticks.length || rejections());
}

function microtasks() {
  for (;;) {
    try {
      native.runJobs();
      return;
    } catch (error) {
      report(error, 'uncaughtException');
    }
  }
}

function nextTick(callback, ...args) {
  ticks.push({ callback, args, context: current() });
}

class Timer {
  constructor(callback, delay, args, repeats) {
    delay *= 1;
    if (!(delay >= 1 && delay <= 2147483647)) {
      if (delay > 2147483647) {
        process.emitWarning(
          `${delay} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`,
          'TimeoutOverflowWarning',
        );
      }
      delay = 1;
    }
    this._idleTimeout = Math.trunc(delay);
    this._onTimeout = callback;
    this._timerArgs = args;
    this._repeat = repeats ? this._idleTimeout : null;
    this._destroyed = false;
    Object.defineProperty(this, 'held', { value: true, writable: true });
    Object.defineProperty(this, 'context', { value: current() });
    Object.defineProperty(this, 'number', { value: ++timerCount });
    Object.defineProperty(this, 'due', { value: 0, writable: true });
    Object.defineProperty(this, 'turn', { value: 0, writable: true });
    this.start();
  }

  start() {
    this.due = Math.trunc(loopNow()) + this._idleTimeout;
    this.turn = ++timerCount;
    timers.set(this.number, this);
  }

  ref() { this.held = true; return this; }
  unref() { this.held = false; return this; }
  hasRef() { return this.held; }
  refresh() { if (!this._destroyed) this.start(); return this; }
  close() { clear(this); return this; }
  [Symbol.toPrimitive]() { return this.number; }
}
Object.defineProperty(Timer, 'name', { value: 'Timeout' });
if (Symbol.dispose) Timer.prototype[Symbol.dispose] = Timer.prototype.close;

let now;
/// The time of this turn of the loop, so that timers that were set together are due together.
function loopNow() {
  return now ??= milliseconds();
}

function clear(timer) {
  if (timer === undefined || timer === null) return;
  if (typeof timer === 'number' || typeof timer === 'string') timer = timers.get(Number(timer));
  if (timer instanceof Timer) {
    timer._destroyed = true;
    timer._repeat = null;
    timers.delete(timer.number);
  } else if (timer instanceof Immediate) clearImmediate(timer);
}

class Immediate {
  constructor(callback, args) {
    this._onImmediate = callback;
    this._argv = args;
    this._destroyed = false;
    Object.defineProperty(this, 'held', { value: true, writable: true });
    Object.defineProperty(this, 'context', { value: current() });
    immediates.push(this);
  }

  ref() { this.held = true; return this; }
  unref() { this.held = false; return this; }
  hasRef() { return this.held; }
}
if (Symbol.dispose) Immediate.prototype[Symbol.dispose] = function() { clearImmediate(this); };

function clearImmediate(immediate) {
  if (!(immediate instanceof Immediate)) return;
  immediate._destroyed = true;
  immediate._onImmediate = null;
}

/// Has a callback called in a later turn, as the end of an operation.
function complete(callback, ...args) {
  operations++;
  completed.push({ callback, args, context: current() });
}

/// Waits for a descriptor: 1 to read, 2 to write. `ready` is called with what happened until the watcher is stopped.
function watch(fd, events, ready) {
  const watcher = { fd, events, ready, held: true, context: current() };
  watchers.add(watcher);
  return watcher;
}

function unwatch(watcher) {
  watchers.delete(watcher);
}

/// To be called before a child is started: it may end before the next statement.
function expectChild() {
  needSignals();
  if (expecting) return;
  expecting = true;
  native.signal(17, signalPipe[1]);
}

/// Calls back at the end of a child.
function watchChild(pid, ended) {
  ended.context = current();
  children.set(pid, ended);
}

function onSignal(number, callback) {
  needSignals();
  signals.set(number, callback);
  native.signal(number, signalPipe[1]);
}

function offSignal(number) {
  signals.delete(number);
  if (number !== 17 || !expecting) native.signal(number, 0);
}

function needSignals() {
  if (signalPipe) return;
  signalPipe = native.pipe();
  native.nonblocking(signalPipe[0], true);
  native.nonblocking(signalPipe[1], true);
}

function readSignals() {
  const bytes = new Uint8Array(64);
  const got = native.read(signalPipe[0], bytes, 0, 64, -1);
  for (let i = 0; i < got; i++) {
    const callback = signals.get(bytes[i]);
    if (callback) {
      run(callback, undefined, [bytes[i]]);
      drain();
    }
  }
  reap();
}

function reap() {
  for (const [pid, ended] of [...children]) {
    const status = native.wait(pid, false);
    if (typeof status !== 'number' && status[0] === 0) continue;
    children.delete(pid);
    run(ended, undefined, typeof status === 'number' ? [0, 0] : [status[1], status[2]], ended.context);
    drain();
  }
}

function runTimers() {
  const due = [];
  for (const timer of timers.values()) if (timer.due <= now) due.push(timer);
  due.sort((a, b) => a.due - b.due || a.turn - b.turn);
  for (const timer of due) {
    if (timer._destroyed || timers.get(timer.number) !== timer || timer.due > now) continue;
    timers.delete(timer.number);
    run(timer._onTimeout, timer, timer._timerArgs, timer.context);
    if (timer._repeat !== null && !timer._destroyed && !timers.has(timer.number)) {
      now = undefined;
      loopNow();
      timer.start();
    } else if (!timers.has(timer.number)) timer._destroyed = true;
    drain();
  }
}

function runImmediates() {
  const batch = immediates;
  immediates = [];
  for (const immediate of batch) {
    if (immediate._destroyed) continue;
    immediate._destroyed = true;
    run(immediate._onImmediate, immediate, immediate._argv, immediate.context);
    drain();
  }
}

function runCompleted() {
  const batch = completed.splice(0, completed.length);
  for (const { callback, args, context } of batch) {
    operations--;
    run(callback, undefined, args, context);
    drain();
  }
}

function alive() {
  if (completed.length || immediates.some((immediate) => immediate.held && !immediate._destroyed)) return true;
  for (const timer of timers.values()) if (timer.held) return true;
  for (const watcher of watchers) if (watcher.held) return true;
  for (const ended of children.values()) if (ended.held !== false) return true;
  return false;
}

/// How long to wait for descriptors, in milliseconds; -1 for as long as it takes.
function patience() {
  if (completed.length || immediates.length) return 0;
  let least = -1;
  for (const timer of timers.values()) {
    const left = Math.max(0, timer.due - now);
    if (least < 0 || left < least) least = left;
  }
  return Math.ceil(least);
}

function waitForDescriptors(timeout) {
  const list = [];
  const asked = [];
  for (const watcher of watchers) {
    list.push(watcher.fd, watcher.events);
    asked.push(watcher);
  }
  if (signalPipe) list.push(signalPipe[0], 1);
  if (timeout === 0 && list.length === 0) return;
  let got = native.poll(list, timeout);
  // A signal came: what else is ready is told before it, as with libuv.
  if (typeof got === 'number') got = native.poll(list, 0);
  now = undefined;
  loopNow();
  if (typeof got !== 'number') {
    for (let i = 0; i < asked.length; i++) {
      if (got[i] && watchers.has(asked[i])) {
        run(asked[i].ready, undefined, [got[i]], asked[i].context);
        drain();
      }
    }
  }
  if (signalPipe && (typeof got === 'number' || got[asked.length])) readSignals();
}

/// Runs until there is nothing left to wait for.
function loop() {
  drain();
  while (alive()) {
    now = undefined;
    loopNow();
    runTimers();
    runCompleted();
    if (!alive()) break;
    waitForDescriptors(patience());
    runImmediates();
  }
}

/// Takes over what happens to exceptions, and to rejections that nobody handles (which tells whether there was
/// something to do).
function handle(onException, onRejections) {
  report = onException;
  rejections = onRejections;
}

module.exports = {
  loop,
  drain,
  nextTick,
  Timer,
  Immediate,
  clear,
  clearImmediate,
  complete,
  watch,
  unwatch,
  expectChild,
  watchChild,
  onSignal,
  offSignal,
  handle,
  run,
  milliseconds,
  reap,
  pending: () => alive() || ticks.length > 0,
  heldTimers: () => [...timers.values()].filter((timer) => timer.held).length,
};
