// EventTarget, Event, AbortController: the DOM's events.

const { coded, check, invalidArgType, AbortError } = require('internal/errors');
const { custom, inspect } = require('internal/inspect');

const stateOf = new WeakMap();

class Event {
  #type;
  #options;
  #timeStamp = native.now(1) / 1e6;
  #canceled = false;
  #stopped = false;
  constructor(type, options = undefined) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "type" argument must be specified');
    if (options !== undefined && (options === null || typeof options !== 'object'))
      throw invalidArgType('options', 'object', options);
    this.#type = `${type}`;
    this.#options = options ?? {};
    stateOf.set(this, { target: null, current: null, dispatching: false, stopNow: false });
  }

  get type() { return this.#type; }
  get target() { return stateOf.get(this).target; }
  get srcElement() { return stateOf.get(this).target; }
  get currentTarget() { return stateOf.get(this).current; }
  get cancelable() { return !!this.#options.cancelable; }
  get bubbles() { return !!this.#options.bubbles; }
  get composed() { return !!this.#options.composed; }
  get defaultPrevented() { return this.cancelable && this.#canceled; }
  get returnValue() { return !this.defaultPrevented; }
  get timeStamp() { return this.#timeStamp; }
  get eventPhase() { return stateOf.get(this).dispatching ? 2 : 0; }
  get isTrusted() { return false; }
  get cancelBubble() { return this.#stopped; }
  set cancelBubble(value) { if (value) this.#stopped = true; }
  composedPath() { return stateOf.get(this).dispatching ? [stateOf.get(this).target] : []; }
  preventDefault() { this.#canceled = true; }
  stopPropagation() { this.#stopped = true; }
  stopImmediatePropagation() { stateOf.get(this).stopNow = true; }
  initEvent() {}
  [custom](depth, options) {
    const { type, defaultPrevented, cancelable, timeStamp } = this;
    if (depth < 0) return this.constructor.name;
    return `${this.constructor.name} ${inspect({ type, defaultPrevented, cancelable, timeStamp }, options)}`;
  }

  static NONE = 0;
  static CAPTURING_PHASE = 1;
  static AT_TARGET = 2;
  static BUBBLING_PHASE = 3;
}

class CustomEvent extends Event {
  #detail;
  constructor(type, options) {
    super(type, options);
    this.#detail = options?.detail ?? null;
  }
  get detail() { return this.#detail; }
}

const listenersOf = new WeakMap();

class EventTarget {
  constructor() {
    listenersOf.set(this, new Map());
  }

  addEventListener(type, listener, options) {
    if (arguments.length < 2)
      throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "type" and "listener" arguments must be specified');
    if (listener === null || listener === undefined) {
      const words = `addEventListener called with ${listener} which has no effect.`;
      const warning = Object.assign(new Error(words), { name: 'AddEventListenerArgumentTypeWarning', target: this, type });
      process.emitWarning(warning);
      return;
    }
    if (typeof listener !== 'function' && typeof listener !== 'object')
      throw invalidArgType('listener', 'EventListener', listener);
    const {
      once = false,
      capture = false,
      passive = false,
      signal,
    } = typeof options === 'boolean' ? { capture: options } : (options ?? {});
    if (signal?.aborted) return;
    const all = listenersOf.get(this);
    type = `${type}`;
    if (!all.has(type)) all.set(type, []);
    const list = all.get(type);
    if (list.some((item) => item.listener === listener && item.capture === capture)) return;
    list.push({ listener, once, capture, passive, removed: false });
    signal?.addEventListener('abort', () => this.removeEventListener(type, listener, options), { once: true });
  }

  removeEventListener(type, listener, options) {
    const capture = typeof options === 'boolean' ? options : !!options?.capture;
    const list = listenersOf.get(this).get(`${type}`);
    const at = list?.findIndex((item) => item.listener === listener && item.capture === capture) ?? -1;
    if (at >= 0) list.splice(at, 1)[0].removed = true;
  }

  dispatchEvent(event) {
    if (!(event instanceof Event)) throw invalidArgType('event', 'Event', event);
    const state = stateOf.get(event);
    if (state.dispatching)
      throw coded(Error, 'ERR_EVENT_RECURSION', `The event "${event.type}" is already being dispatched`);
    state.target = state.current = this;
    state.dispatching = true;
    for (const item of [...listenersOf.get(this).get(event.type) ?? []]) {
      if (item.removed) continue;
      if (item.once) this.removeEventListener(event.type, item.listener, item.capture);
      try {
        const result =
          typeof item.listener === 'function' ? item.listener.call(this, event) : item.listener.handleEvent(event);
        if (result != null && typeof result.then === 'function')
          result.then(undefined, (error) =>
            process.nextTick(() => {
              throw error;
            }),
          );
      } catch (error) {
        process.nextTick(() => { throw error; });
      }
      if (state.stopNow) break;
    }
    state.dispatching = false;
    state.current = null;
    return !event.defaultPrevented;
  }

  [Symbol.for('listeners')](type) {
    return (listenersOf.get(this).get(type) ?? []).map((item) => item.listener);
  }
  [custom](depth, options) {
    return depth < 0 ? this.constructor.name : `${this.constructor.name} ${inspect({}, options)}`;
  }
}

function handlerProperty(proto, type) {
  const current = new WeakMap();
  Object.defineProperty(proto, `on${type}`, {
    configurable: true, enumerable: true,
    get() { return current.get(this)?.original ?? null; },
    set(value) {
      const before = current.get(this);
      if (before) this.removeEventListener(type, before.wrapped);
      current.delete(this);
      if (typeof value !== 'function') return;
      const wrapped = (event) => value.call(this, event);
      current.set(this, { original: value, wrapped });
      this.addEventListener(type, wrapped);
    },
  });
}

const signals = new WeakMap();
let making = false;

class AbortSignal extends EventTarget {
  constructor() {
    if (!making) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    super();
    signals.set(this, { aborted: false, reason: undefined });
  }
  get aborted() {
    return signals.get(this).aborted;
  }
  get reason() {
    return signals.get(this).reason;
  }
  throwIfAborted() {
    if (this.aborted) throw this.reason;
  }
  [custom](depth, options) {
    return depth < 0 ? 'AbortSignal' : `AbortSignal ${inspect({ aborted: this.aborted }, options)}`;
  }
  static abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
    const signal = newSignal();
    signals.set(signal, { aborted: true, reason });
    return signal;
  }
  static timeout(delay) {
    check.number(delay, 'delay', 0, 2 ** 32 - 1);
    const signal = newSignal();
    const { Timer } = require('internal/loop');
    new Timer(
      () => abort(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      delay,
      [],
      false,
    ).unref();
    return signal;
  }
  static any(list) {
    check.array(list, 'signals');
    list.forEach((item, i) => {
      if (!(item instanceof AbortSignal)) throw invalidArgType(`signals[${i}]`, 'AbortSignal', item);
    });
    const signal = newSignal();
    for (const other of list) {
      if (other.aborted) {
        abort(signal, other.reason);
        break;
      }
      other.addEventListener('abort', () => abort(signal, other.reason), { once: true });
    }
    return signal;
  }
}
handlerProperty(AbortSignal.prototype, 'abort');
Object.defineProperty(AbortSignal.prototype, Symbol.toStringTag, { value: 'AbortSignal', configurable: true });

function newSignal() {
  making = true;
  try {
    return new AbortSignal();
  } finally {
    making = false;
  }
}

function abort(signal, reason) {
  if (signal.aborted) return;
  signals.set(signal, { aborted: true, reason });
  signal.dispatchEvent(new Event('abort'));
}

class AbortController {
  #signal = newSignal();
  get signal() {
    return this.#signal;
  }
  abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
    abort(this.#signal, reason);
  }
  [custom](depth, options) {
    return depth < 0 ? 'AbortController' : `AbortController ${inspect({ signal: this.signal }, options)}`;
  }
}
Object.defineProperty(AbortController.prototype, Symbol.toStringTag, { value: 'AbortController', configurable: true });
for (const Kind of [Event, EventTarget])
  Object.defineProperty(Kind.prototype, Symbol.toStringTag, { value: Kind.name, configurable: true });

module.exports = { Event, CustomEvent, EventTarget, AbortController, AbortSignal, handlerProperty };
