// EventTarget, Event, AbortController: the DOM's events.

const { coded, check, invalidArgType, AbortError } = require('internal/errors');
const { custom, inspect } = require('internal/inspect');

const missing = (words) => coded(TypeError, 'ERR_MISSING_ARGS', `The ${words} must be specified`);

const checkOptions = (options) => {
  if (options != null && typeof options !== 'object') throw invalidArgType('options', 'object', options);
};

const kindOf = (type, bubbles, cancelable) => ({ type: `${type}`, bubbles: !!bubbles, cancelable: !!cancelable });

let stateOf; // an event's state, which its target changes

class Event {
  #state;
  static {
    stateOf = (event) => event.#state;
    for (const name of ['type', 'bubbles', 'cancelable', 'composed', 'target', 'timeStamp'])
      Object.defineProperty(this.prototype, name, { get() { return this.#state[name]; }, configurable: true });
  }
  constructor(type, options = undefined) {
    if (arguments.length === 0) throw missing('"type" argument');
    checkOptions(options);
    this.#state = {
      timeStamp: native.now(1) / 1e6,
      target: null,
      current: null, // the target while the event is dispatched
      isPrevented: false,
      isStopped: false,
      isFinal: false,
      composed: !!options?.composed,
      ...kindOf(type, options?.bubbles, options?.cancelable),
    };
  }
  initEvent(type, bubbles, cancelable) {
    if (!this.#state.current) Object.assign(this.#state, kindOf(type, bubbles, cancelable));
  }

  get currentTarget() { return this.#state.current; }
  get srcElement() { return this.#state.target; }
  composedPath() { return this.#state.current ? [this.#state.current] : []; }
  get eventPhase() { return this.#state.current ? Event.AT_TARGET : Event.NONE; }
  get isTrusted() { return false; }

  preventDefault() { this.#state.isPrevented = true; }
  get defaultPrevented() { return this.#state.isPrevented && this.#state.cancelable; }
  get returnValue() { return !this.defaultPrevented; }

  stopPropagation() { this.#state.isStopped = true; }
  stopImmediatePropagation() { this.#state.isStopped = this.#state.isFinal = true; }
  get cancelBubble() { return this.#state.isStopped; }
  set cancelBubble(value) { if (value) this.stopPropagation(); }

  [custom](depth, options) {
    const { type, defaultPrevented, cancelable, timeStamp } = this;
    if (depth < 0) return this.constructor.name;
    return `${this.constructor.name} ${inspect({ type, defaultPrevented, cancelable, timeStamp }, options)}`;
  }
}
['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'].forEach((name, value) => { Event[name] = value; });

class CustomEvent extends Event {
  #detail;
  constructor(type, options = undefined) {
    super(type, options);
    this.#detail = options?.detail ?? null;
  }
  get detail() { return this.#detail; }
}

const throwLater = (error) => process.nextTick(() => { throw error; });

/// Calls a listener. What it throws, or a promise that it returns is rejected with, stops no other listener.
function notify(listener, target, event) {
  try {
    const result = typeof listener === 'function' ? listener.call(target, event) : listener.handleEvent?.(event);
    if (typeof result?.then === 'function') result.then(undefined, throwLater);
  } catch (error) {
    throwLater(error);
  }
}

const listenersOf = new WeakMap(); // of each target, by types

/// A listener's options may be `capture` alone.
const captureOf = (options) => (typeof options === 'boolean' ? options : !!options?.capture);

/// Whether there is a listener, and it is one.
function isListener(listener) {
  if (listener == null) return false;
  if (typeof listener !== 'function' && typeof listener !== 'object')
    throw invalidArgType('listener', 'EventListener', listener);
  return true;
}

class EventTarget {
  constructor() {
    listenersOf.set(this, new Map());
  }

  addEventListener(type, listener, options = undefined) {
    if (arguments.length < 2) throw missing('"type" and "listener" arguments');
    if (!['boolean', 'function'].includes(typeof options)) checkOptions(options);
    const capture = captureOf(options);
    const { once, signal } = options ?? {};
    check.signal(signal, 'options.signal');
    if (!isListener(listener)) {
      const words = `addEventListener called with ${listener} which has no effect.`;
      const name = 'AddEventListenerArgumentTypeWarning';
      process.emitWarning(Object.assign(new Error(words), { name, target: this, type }));
      return;
    }
    if (signal?.aborted) return;
    const all = listenersOf.get(this);
    type = `${type}`;
    if (!all.has(type)) all.set(type, []);
    const list = all.get(type);
    if (list.some((item) => item.listener === listener && item.capture === capture)) return;
    list.push({ listener, once, capture, removed: false });
    signal?.addEventListener('abort', () => this.removeEventListener(type, listener, capture), { once: true });
  }

  removeEventListener(type, listener, options = undefined) {
    if (arguments.length < 2) throw missing('"type" and "listener" arguments');
    if (!isListener(listener)) return;
    const capture = captureOf(options);
    const list = listenersOf.get(this).get(`${type}`);
    const at = list?.findIndex((item) => item.listener === listener && item.capture === capture) ?? -1;
    if (at >= 0) list.splice(at, 1)[0].removed = true;
  }

  dispatchEvent(event) {
    if (arguments.length === 0) throw missing('"event" argument');
    if (!(event instanceof Event)) throw invalidArgType('event', 'Event', event);
    const state = stateOf(event);
    if (state.current)
      throw coded(Error, 'ERR_EVENT_RECURSION', `The event "${event.type}" is already being dispatched`);
    state.target = state.current = this;
    for (const item of listenersOf.get(this).get(event.type)?.slice() ?? []) {
      if (state.isFinal) break;
      if (item.removed) continue;
      if (item.once) this.removeEventListener(event.type, item.listener, item.capture);
      notify(item.listener, this, event);
    }
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

/// Defines `onTYPE`. A later value takes the first one's place among the listeners.
function handlerProperty(proto, type) {
  const listeners = new WeakMap(); // the one listener that each target has for the property
  Object.defineProperty(proto, `on${type}`, {
    configurable: true,
    enumerable: true,
    get() { return listeners.get(this)?.value ?? null; },
    set(value) {
      let listener = listeners.get(this);
      if (!listener) {
        listener = (event) => (typeof listener.value === 'function' ? listener.value.call(this, event) : undefined);
        listeners.set(this, listener);
      }
      listener.value = value;
      if (value == null) this.removeEventListener(type, listener);
      else this.addEventListener(type, listener);
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
    check.integer(delay, 'delay', 0, 2 ** 32 - 1);
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
