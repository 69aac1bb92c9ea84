// EventEmitter and what goes with it.

const { inspect } = require('internal/inspect');
const { coded, invalidArgType, check, AbortError } = require('internal/errors');

const rejection = Symbol.for('nodejs.rejection');
const errorMonitor = Symbol('events.errorMonitor');
// Programs see these two when an emitter is printed.
const capturing = Symbol('kCapture');
const shapeMode = Symbol('shapeMode');

const targetLimits = new WeakMap(); // what `setMaxListeners` was told of an EventTarget
let limit = 10;
let isCapturing = false; // by default

function EventEmitter(options) {
  EventEmitter.init.call(this, options);
}
module.exports = EventEmitter;

function init(options) {
  if (this._events === undefined || !Object.hasOwn(this, '_events')) reset(this); // not a prototype's
  this._maxListeners ||= undefined;
  this[shapeMode] = false;
  const wish = options?.captureRejections;
  if (wish) check.boolean(wish, 'options.captureRejections');
  this[capturing] = wish || isCapturing;
}

/// `_events` has a function for each event, or an array of them where there are several.
function reset(emitter) {
  emitter._events = { __proto__: null };
  emitter._eventsCount = 0;
}

/// The listeners of an event as an array: the one in `_events`, if there is one.
function held(emitter, type) {
  const found = emitter._events?.[type];
  if (found === undefined) return [];
  return Array.isArray(found) ? found : [found];
}

function forget(emitter, type) {
  if (emitter._eventsCount === 1) return reset(emitter);
  delete emitter._events[type];
  emitter._eventsCount -= 1;
}

const original = (held) => held.listener ?? held;
const isOf = (held, listener) => held === listener || held.listener === listener;

/// Where a listener was added last among what `_events` has for an event.
function placeOf(found, listener) {
  if (Array.isArray(found)) return found.findLastIndex((item) => isOf(item, listener));
  return found !== undefined && isOf(found, listener) ? 0 : -1;
}

function add(emitter, type, listener, how) {
  check.function(listener, 'listener');
  if (emitter._events === undefined) reset(emitter);
  if (emitter._events.newListener) emitter.emit('newListener', type, original(listener));
  const events = emitter._events; // which the listener may have replaced
  if (events[type] === undefined) {
    events[type] = listener;
    emitter._eventsCount++;
  } else {
    const list = held(emitter, type);
    list[how](listener);
    events[type] = list;
    if (!list.warned) warnOfMany(emitter, type, list);
  }
  return emitter;
}

function warnOfMany(emitter, type, list) {
  const most = EventEmitter.prototype.getMaxListeners.call(emitter);
  const count = list.length;
  if (most <= 0 || count <= most) return;
  list.warned = true;
  const words =
    `Possible EventEmitter memory leak detected. ${count} ${String(type)} listeners added to ` +
    `${inspect(emitter, { depth: -1 })}. MaxListeners is ${most}. Use emitter.setMaxListeners() to increase limit`;
  const name = 'MaxListenersExceededWarning';
  process.emitWarning(Object.assign(new Error(words), { name, emitter, type, count }));
}

/// A listener that goes away when it is called. Programs see its name, and `listener`.
function onceOnly(emitter, type, listener) {
  check.function(listener, 'listener');
  let isOver = false;
  const wrapper = (...args) => {
    if (isOver) return undefined;
    emitter.removeListener(type, wrapper);
    isOver = true;
    return Reflect.apply(listener, emitter, args);
  };
  wrapper.listener = listener;
  return Object.defineProperty(wrapper, 'name', { value: 'bound onceWrapper' });
}

/// What is thrown if nobody listens to 'error'.
function unhandled(error) {
  if (error instanceof Error) return error;
  let text = error;
  try {
    text = inspect(error);
  } catch {
    // The value itself must do.
  }
  return coded(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${text})`, { context: error });
}

/// Calls listeners as `Reflect.apply` does, and reports what a promise that one returns is rejected with.
const watching = (type) => (listener, emitter, args) => {
  const result = Reflect.apply(listener, emitter, args);
  try {
    const then = result?.then;
    if (typeof then === 'function')
      then.call(result, undefined, (error) => process.nextTick(reportRejection, emitter, error, type, args));
  } catch (error) {
    emitter.emit('error', error);
  }
};

function reportRejection(emitter, error, type, args) {
  if (typeof emitter[rejection] === 'function') return emitter[rejection](error, type, ...args);
  // What listeners to 'error' fail with would otherwise come back to them, without end.
  emitter[capturing] = false;
  try {
    emitter.emit('error', error);
  } finally {
    emitter[capturing] = true;
  }
}

function addListener(type, listener) {
  return add(this, type, listener, 'push');
}

function removeListener(type, listener) {
  check.function(listener, 'listener');
  const found = this._events?.[type];
  const place = placeOf(found, listener);
  if (place < 0) return this;
  const isOnly = !Array.isArray(found);
  if (isOnly) forget(this, type);
  else {
    found.splice(place, 1);
    if (found.length === 1) this._events[type] = found[0];
  }
  if (this._events.removeListener) this.emit('removeListener', type, isOnly ? original(found) : listener);
  return this;
}

Object.assign(EventEmitter.prototype, {
  _events: undefined,
  _eventsCount: 0,
  _maxListeners: undefined,

  setMaxListeners(count) {
    check.number(count, 'setMaxListeners', 0);
    this._maxListeners = count;
    return this;
  },
  getMaxListeners() {
    return this._maxListeners ?? limit;
  },

  emit(type, ...args) {
    if (type === 'error') {
      if (this._events?.[errorMonitor]) this.emit(errorMonitor, ...args);
      if (!this._events?.error) throw unhandled(args[0]);
    }
    const found = this._events?.[type];
    if (found === undefined) return false;
    const call = this[capturing] ? watching(type) : Reflect.apply;
    if (typeof found === 'function') call(found, this, args);
    else for (const listener of [...found]) call(listener, this, args);
    return true;
  },

  addListener,
  on: addListener,
  prependListener(type, listener) {
    return add(this, type, listener, 'unshift');
  },
  once(type, listener) {
    return this.on(type, onceOnly(this, type, listener));
  },
  prependOnceListener(type, listener) {
    return this.prependListener(type, onceOnly(this, type, listener));
  },

  removeListener,
  off: removeListener,
  removeAllListeners(type) {
    if (this._events === undefined) return this;
    const isTold = this._events.removeListener !== undefined; // somebody of each that goes
    if (arguments.length === 0) {
      const others = this.eventNames().filter((name) => name !== 'removeListener');
      if (isTold) for (const name of [...others, 'removeListener']) this.removeAllListeners(name);
      reset(this);
    } else if (isTold) {
      for (const listener of held(this, type).toReversed()) this.removeListener(type, listener);
    } else if (this._events[type] !== undefined) {
      forget(this, type);
    }
    return this;
  },

  listeners(type) {
    return held(this, type).map(original);
  },
  rawListeners(type) {
    return [...held(this, type)];
  },
  listenerCount(type, listener) {
    const list = held(this, type);
    return listener == null ? list.length : list.filter((item) => isOf(item, listener)).length;
  },
  eventNames() {
    return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : [];
  },
});
Object.defineProperty(EventEmitter.prototype, capturing, { value: false, writable: true });

const isEmitter = (value) => typeof value.on === 'function';
const isTarget = (value) => typeof value?.addEventListener === 'function';

function notEither(name, value) {
  return invalidArgType(name, ['EventEmitter', 'EventTarget'], value);
}

/// Listens to an emitter or an EventTarget; the function that it gives stops that.
function listen(source, type, listener, isOnce) {
  if (isEmitter(source)) {
    source[isOnce ? 'once' : 'on'](type, listener);
    return () => source.removeListener(type, listener);
  }
  if (!isTarget(source)) throw invalidArgType('emitter', 'EventEmitter', source);
  source.addEventListener(type, listener, { once: isOnce });
  return () => source.removeEventListener(type, listener);
}

const abortOf = (signal) => new AbortError(undefined, { cause: signal.reason });

/// The signal among the options, which must not be aborted yet.
function openSignal(options) {
  const signal = options?.signal;
  check.signal(signal, 'options.signal');
  if (signal?.aborted) throw abortOf(signal);
  return signal;
}

/// Listens once to an event, to 'error' and to the signal; whatever comes first ends all three.
async function once(emitter, name, options = undefined) {
  const signal = openSignal(options);
  const stops = [];
  return new Promise((resolve, reject) => {
    const expect = (source, type, settle) => {
      const settleAlone = (...args) => {
        for (const stop of stops) stop();
        settle(...args);
      };
      stops.push(listen(source, type, settleAlone, true));
    };
    expect(emitter, name, (...args) => resolve(args));
    if (name !== 'error' && isEmitter(emitter)) expect(emitter, 'error', reject);
    if (signal) expect(signal, 'abort', () => reject(abortOf(signal)));
  });
}

const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype));

/// An iterator of an event's arguments. Outcomes that nobody awaits yet are `ready`, as the name of the promises'
/// function that settles them and its argument.
function on(emitter, name, options = undefined) {
  const signal = openSignal(options);
  const { close = [], highWaterMark = Number.MAX_SAFE_INTEGER, lowWaterMark = 1 } = options ?? {};
  check.integer(highWaterMark, 'options.highWaterMark', 1);
  check.integer(lowWaterMark, 'options.lowWaterMark', 1);
  const ready = [];
  const waiting = [];
  let isPaused = false;
  let isOver = false;
  const end = { value: undefined, done: true };

  const offer = (how, what) => {
    if (waiting.length > 0) return waiting.shift()[how](what);
    ready.push([how, what]);
    if (isPaused || ready.length <= highWaterMark) return;
    isPaused = true;
    emitter.pause?.();
  };
  const finish = () => {
    for (const stop of stops.toReversed()) stop();
    isOver = true;
    for (const { resolve } of waiting.splice(0)) resolve(end);
  };
  const fail = (error) => {
    offer('reject', error);
    finish();
  };

  const stops = [listen(emitter, name, (...value) => offer('resolve', { value, done: false }), false)];
  if (name !== 'error' && isEmitter(emitter)) stops.push(listen(emitter, 'error', fail, false));
  for (const type of close) stops.push(listen(emitter, type, finish, false));
  if (signal) stops.push(listen(signal, 'abort', () => fail(abortOf(signal)), true));

  return {
    __proto__: AsyncIteratorPrototype,
    next() {
      if (ready.length > 0) {
        const [how, what] = ready.shift();
        if (isPaused && ready.length < lowWaterMark) {
          isPaused = false;
          emitter.resume?.();
        }
        return Promise[how](what);
      }
      if (isOver) return Promise.resolve(end);
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    async return() {
      finish();
      return end;
    },
    throw(error) {
      if (!(error instanceof Error)) throw invalidArgType('EventEmitter.AsyncIterator', 'Error', error);
      fail(error);
    },
    [Symbol.asyncIterator]() { return this; },
  };
}

function getEventListeners(source, type) {
  if (typeof source.listeners === 'function') return source.listeners(type);
  if (isTarget(source)) return source[Symbol.for('listeners')]?.(type) ?? [];
  throw notEither('emitter', source);
}

function getMaxListeners(source) {
  if (typeof source?.getMaxListeners === 'function') return source.getMaxListeners();
  if (isTarget(source)) return targetLimits.get(source) ?? limit;
  throw notEither('emitter', source);
}

function setMaxListeners(count = limit, ...sources) {
  check.number(count, 'setMaxListeners', 0);
  if (sources.length === 0) limit = count;
  for (const source of sources) {
    if (typeof source?.setMaxListeners === 'function') source.setMaxListeners(count);
    else if (isTarget(source)) targetLimits.set(source, count);
    else throw notEither('eventTargets', source);
  }
}
Object.defineProperty(setMaxListeners, 'length', { value: 0 });

function addAbortListener(signal, listener) {
  if (signal === undefined) throw invalidArgType('signal', 'AbortSignal', signal);
  check.signal(signal, 'signal');
  check.function(listener, 'listener');
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener('abort', listener, { once: true });
  return { [Symbol.dispose ?? Symbol.for('dispose')]() { signal.removeEventListener('abort', listener); } };
}

class EventEmitterAsyncResource extends EventEmitter {
  #resource;
  constructor(options = undefined) {
    super(options);
    const { AsyncResource } = require('async_hooks');
    this.#resource = new AsyncResource(options?.name ?? new.target.name, options);
  }
  emit(...args) { return this.#resource.runInAsyncScope(super.emit, this, ...args); }
  emitDestroy() { this.#resource.emitDestroy(); }
  get asyncId() { return this.#resource.asyncId(); }
  get triggerAsyncId() { return this.#resource.triggerAsyncId(); }
  get asyncResource() { return this.#resource; }
}

Object.assign(EventEmitter, {
  addAbortListener,
  once,
  on,
  getEventListeners,
  getMaxListeners,
  EventEmitter,
  usingDomains: false,
  captureRejectionSymbol: rejection,
  EventEmitterAsyncResource,
  errorMonitor,
  setMaxListeners,
  init,
  listenerCount: (emitter, type) => emitter.listenerCount?.(type) ?? 0,
});

Object.defineProperties(EventEmitter, {
  captureRejections: {
    enumerable: true,
    get: () => isCapturing,
    set(value) {
      check.boolean(value, 'EventEmitter.captureRejections');
      isCapturing = value;
    },
  },
  defaultMaxListeners: {
    enumerable: true,
    get: () => limit,
    set(value) {
      check.number(value, 'defaultMaxListeners', 0);
      limit = value;
    },
  },
});
