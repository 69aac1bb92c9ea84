// EventEmitter and what goes with it.

const { inspect } = require('internal/inspect');
const { coded, invalidArgType, outOfRange, check, AbortError } = require('internal/errors');

const captureRejections = Symbol.for('nodejs.rejection');
const errorMonitor = Symbol('events.errorMonitor');
const kCapture = Symbol('kCapture');
let defaultMaxListeners = 10;

function EventEmitter(options) {
  EventEmitter.init.call(this, options);
}
module.exports = EventEmitter;
const kShapeMode = Symbol('shapeMode');
EventEmitter.EventEmitter = EventEmitter;
EventEmitter.usingDomains = false;
EventEmitter.captureRejectionSymbol = captureRejections;
EventEmitter.errorMonitor = errorMonitor;
EventEmitter.prototype._events = undefined;
EventEmitter.prototype._eventsCount = 0;
EventEmitter.prototype._maxListeners = undefined;

Object.defineProperties(EventEmitter, {
  defaultMaxListeners: {
    enumerable: true,
    get: () => defaultMaxListeners,
    set(value) {
      check.number(value, 'defaultMaxListeners', 0);
      defaultMaxListeners = value;
    },
  },
  captureRejections: { enumerable: true, value: false, writable: true },
});

EventEmitter.init = function(options) {
  if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
    this._events = { __proto__: null };
    this._eventsCount = 0;
  }
  this._maxListeners = this._maxListeners || undefined;
  this[kShapeMode] = false;
  if (options?.captureRejections) {
    check.boolean(options.captureRejections, 'options.captureRejections');
    this[kCapture] = true;
  } else if (EventEmitter.captureRejections) this[kCapture] = true;
  else if (!(kCapture in this))
    Object.defineProperty(this, kCapture, { value: false, writable: true, configurable: true, enumerable: true });
  else this[kCapture] = false;
};
Object.defineProperty(EventEmitter.prototype, kCapture, { value: false, writable: true, enumerable: false });

EventEmitter.prototype.setMaxListeners = function (count) {
  check.number(count, 'setMaxListeners', 0);
  this._maxListeners = count;
  return this;
};

EventEmitter.prototype.getMaxListeners = function() {
  return this._maxListeners === undefined ? defaultMaxListeners : this._maxListeners;
};

EventEmitter.prototype.emit = function(type, ...args) {
  const events = this._events;
  if (type === 'error') {
    if (events?.[errorMonitor] !== undefined) this.emit(errorMonitor, ...args);
    if (events?.error === undefined) throw unhandled(args);
  }
  const handler = events?.[type];
  if (handler === undefined) return false;
  if (typeof handler === 'function') {
    const result = Reflect.apply(handler, this, args);
    if (result != null && this[kCapture]) watchRejection(this, result, type, args);
  } else {
    for (const listener of [...handler]) {
      const result = Reflect.apply(listener, this, args);
      if (result != null && this[kCapture]) watchRejection(this, result, type, args);
    }
  }
  return true;
};

function unhandled([error]) {
  if (error instanceof Error) return error;
  let text;
  try {
    text = inspect(error);
  } catch {
    text = error;
  }
  return coded(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${text})`, { context: error });
}

function watchRejection(emitter, result, type, args) {
  if (typeof result.then !== 'function') return;
  result.then(undefined, (error) => {
    process.nextTick(() => {
      if (typeof emitter[captureRejections] === 'function') emitter[captureRejections](error, type, ...args);
      else {
        const before = emitter[kCapture];
        try {
          emitter[kCapture] = false;
          emitter.emit('error', error);
        } finally {
          emitter[kCapture] = before;
        }
      }
    });
  });
}

function checkListener(listener) {
  if (typeof listener !== 'function') throw invalidArgType('listener', 'function', listener);
}

function add(emitter, type, listener, prepend) {
  checkListener(listener);
  let events = emitter._events;
  if (events === undefined) {
    events = emitter._events = { __proto__: null };
    emitter._eventsCount = 0;
  } else if (events.newListener !== undefined) {
    emitter.emit('newListener', type, listener.listener ?? listener);
    events = emitter._events;
  }
  const existing = events[type];
  if (existing === undefined) {
    events[type] = listener;
    emitter._eventsCount++;
    return emitter;
  }
  let list;
  if (typeof existing === 'function') list = events[type] = prepend ? [listener, existing] : [existing, listener];
  else {
    list = existing;
    if (prepend) list.unshift(listener);
    else list.push(listener);
  }
  const most = emitter.getMaxListeners();
  if (most > 0 && list.length > most && !list.warned) {
    list.warned = true;
    const warning = new Error(
      'Possible EventEmitter memory leak detected. ' +
        `${list.length} ${String(type)} listeners added to ${inspect(emitter, { depth: -1 })}. MaxListeners is ${most}. Use emitter.setMaxListeners() to increase limit`,
    );
    warning.name = 'MaxListenersExceededWarning';
    warning.emitter = emitter;
    warning.type = type;
    warning.count = list.length;
    process.emitWarning(warning);
  }
  return emitter;
}

EventEmitter.prototype.addListener = function addListener(type, listener) { return add(this, type, listener, false); };
EventEmitter.prototype.on = EventEmitter.prototype.addListener;
EventEmitter.prototype.prependListener = function prependListener(type, listener) {
  return add(this, type, listener, true);
};

function onceWrapper(target, type, listener) {
  const state = { fired: false };
  const wrapped = function(...args) {
    if (state.fired) return undefined;
    target.removeListener(type, wrapped);
    state.fired = true;
    return Reflect.apply(listener, target, args);
  };
  Object.defineProperty(wrapped, 'name', { value: 'bound onceWrapper', configurable: true });
  wrapped.listener = listener;
  return wrapped;
}

EventEmitter.prototype.once = function once(type, listener) {
  checkListener(listener);
  this.on(type, onceWrapper(this, type, listener));
  return this;
};
EventEmitter.prototype.prependOnceListener = function prependOnceListener(type, listener) {
  checkListener(listener);
  this.prependListener(type, onceWrapper(this, type, listener));
  return this;
};

EventEmitter.prototype.removeListener = function removeListener(type, listener) {
  checkListener(listener);
  const events = this._events;
  const list = events?.[type];
  if (list === undefined) return this;
  if (list === listener || list.listener === listener) {
    this._eventsCount -= 1;
    if (this._eventsCount === 0) this._events = { __proto__: null };
    else delete events[type];
    if (events.removeListener) this.emit('removeListener', type, list.listener || listener);
  } else if (typeof list !== 'function') {
    const position = list.findLastIndex((item) => item === listener || item.listener === listener);
    if (position < 0) return this;
    list.splice(position, 1);
    if (list.length === 1) events[type] = list[0];
    if (events.removeListener !== undefined) this.emit('removeListener', type, listener);
  }
  return this;
};
EventEmitter.prototype.off = EventEmitter.prototype.removeListener;

EventEmitter.prototype.removeAllListeners = function removeAllListeners(type) {
  const events = this._events;
  if (events === undefined) return this;
  if (events.removeListener === undefined) {
    if (arguments.length === 0) {
      this._events = { __proto__: null };
      this._eventsCount = 0;
    } else if (events[type] !== undefined) {
      this._eventsCount -= 1;
      if (this._eventsCount === 0) this._events = { __proto__: null };
      else delete events[type];
    }
    return this;
  }
  if (arguments.length === 0) {
    for (const key of Reflect.ownKeys(events)) if (key !== 'removeListener') this.removeAllListeners(key);
    this.removeAllListeners('removeListener');
    this._events = { __proto__: null };
    this._eventsCount = 0;
    return this;
  }
  const listeners = events[type];
  if (typeof listeners === 'function') this.removeListener(type, listeners);
  else if (listeners !== undefined)
    for (const listener of [...listeners].reverse()) this.removeListener(type, listener);
  return this;
};

function listOf(emitter, type, unwrap) {
  const handler = emitter._events?.[type];
  if (handler === undefined) return [];
  const list = typeof handler === 'function' ? [handler] : [...handler];
  return unwrap ? list.map((item) => item.listener ?? item) : list;
}

EventEmitter.prototype.listeners = function listeners(type) { return listOf(this, type, true); };
EventEmitter.prototype.rawListeners = function rawListeners(type) { return listOf(this, type, false); };
EventEmitter.prototype.listenerCount = function listenerCount(type, listener) {
  const list = listOf(this, type, false);
  return listener == null ? list.length : list.filter((item) => item === listener || item.listener === listener).length;
};
EventEmitter.prototype.eventNames = function eventNames() {
  return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : [];
};
EventEmitter.listenerCount = (emitter, type) => emitter.listenerCount(type);

EventEmitter.once = async function once(emitter, name, options = {}) {
  const signal = options?.signal;
  check.signal(signal, 'options.signal');
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  return new Promise((resolve, reject) => {
    const isTarget = typeof emitter.on !== 'function';
    const off = (type, listener) =>
      isTarget ? emitter.removeEventListener(type, listener) : emitter.removeListener(type, listener);
    const done = (...args) => {
      if (name !== 'error' && !isTarget) off('error', failed);
      signal?.removeEventListener('abort', aborted);
      resolve(args);
    };
    const failed = (error) => {
      off(name, done);
      signal?.removeEventListener('abort', aborted);
      reject(error);
    };
    const aborted = () => {
      off(name, done);
      if (!isTarget) off('error', failed);
      reject(new AbortError(undefined, { cause: signal.reason }));
    };
    if (isTarget) {
      if (typeof emitter.addEventListener !== 'function') throw invalidArgType('emitter', 'EventEmitter', emitter);
      emitter.addEventListener(name, done, { once: true });
    } else {
      emitter.once(name, done);
      if (name !== 'error') emitter.once('error', failed);
    }
    signal?.addEventListener('abort', aborted, { once: true });
  });
};

EventEmitter.on = function on(emitter, name, options = {}) {
  const signal = options?.signal;
  check.signal(signal, 'options.signal');
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  const ready = [];
  const waiting = [];
  let failure = null;
  let finished = false;
  const arrive = (...args) => {
    if (waiting.length) waiting.shift().resolve({ value: args, done: false });
    else ready.push(args);
  };
  const fail = (error) => {
    if (waiting.length) waiting.shift().reject(error);
    else failure = error;
    iterator.return();
  };
  const abort = () => fail(new AbortError(undefined, { cause: signal.reason }));
  const iterator = {
    next() {
      if (ready.length) return Promise.resolve({ value: ready.shift(), done: false });
      if (failure) {
        const promise = Promise.reject(failure);
        failure = null;
        return promise;
      }
      if (finished) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return() {
      emitter.removeListener('error', fail);
      emitter.removeListener(name, arrive);
      signal?.removeEventListener('abort', abort);
      finished = true;
      for (const { resolve } of waiting.splice(0)) resolve({ value: undefined, done: true });
      return Promise.resolve({ value: undefined, done: true });
    },
    throw(error) {
      if (!error || !(error instanceof Error)) throw invalidArgType('EventEmitter.AsyncIterator', 'Error', error);
      failure = error;
      emitter.removeListener(name, arrive);
      emitter.removeListener('error', fail);
    },
    [Symbol.asyncIterator]() { return this; },
  };
  emitter.on(name, arrive);
  if (name !== 'error') emitter.on('error', fail);
  for (const event of options?.close ?? []) emitter.on(event, () => iterator.return());
  signal?.addEventListener('abort', abort, { once: true });
  return iterator;
};

EventEmitter.getEventListeners = (emitter, type) =>
  typeof emitter.listeners === 'function' ? emitter.listeners(type) : (emitter[Symbol.for('listeners')]?.(type) ?? []);
EventEmitter.getMaxListeners = (emitter) => emitter.getMaxListeners?.() ?? defaultMaxListeners;
EventEmitter.setMaxListeners = (count = defaultMaxListeners, ...targets) => {
  if (targets.length === 0) defaultMaxListeners = count;
  for (const target of targets) {
    if (target instanceof EventTarget) continue;
    if (typeof target?.setMaxListeners !== 'function')
      throw invalidArgType('eventTargets', ['EventEmitter', 'EventTarget'], target);
    target.setMaxListeners(count);
  }
};
EventEmitter.addAbortListener = function addAbortListener(signal, listener) {
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener('abort', listener, { once: true });
  return { [Symbol.dispose ?? Symbol.for('dispose')]() { signal.removeEventListener('abort', listener); } };
};
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
EventEmitter.EventEmitterAsyncResource = EventEmitterAsyncResource;
