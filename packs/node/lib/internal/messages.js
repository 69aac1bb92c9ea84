// MessageChannel: messages within the program.

const { Event, EventTarget, handlerProperty } = require('internal/event_target');
const { structuredClone } = require('internal/structured_clone');
const loop = require('internal/loop');

class MessageEvent extends Event {
  #data;
  constructor(type, options) {
    super(type, options);
    this.#data = options?.data ?? null;
    Object.assign(this, { ports: options?.ports ?? [], origin: options?.origin ?? '', lastEventId: '', source: null });
  }
  get data() { return this.#data; }
}

class MessagePort extends EventTarget {
  #other;
  #queue = [];
  #started = false;
  #held;
  #closed = false;
  static link(one, two) {
    one.#other = two;
    two.#other = one;
  }
  postMessage(value, transfer) {
    const copy = structuredClone(value, Array.isArray(transfer) ? { transfer } : transfer);
    const other = this.#other;
    if (!other || other.#closed) return;
    other.#queue.push(copy);
    other.#deliver();
  }
  #deliver() {
    if (!this.#started || this.#queue.length === 0) return;
    loop.complete(() => {
      if (this.#queue.length === 0) return;
      this.dispatchEvent(new MessageEvent('message', { data: this.#queue.shift() }));
      this.#deliver();
    });
  }
  start() {
    if (this.#started) return;
    this.#started = true;
    this.#hold(true);
    this.#deliver();
  }
  #hold(on) {
    if (on && !this.#held && !this.#closed) this.#held = setInterval(() => {}, 2 ** 30);
    else if (!on && this.#held) this.#held = clearInterval(this.#held);
  }
  ref() { this.#hold(true); }
  unref() { this.#hold(false); }
  hasRef() { return !!this.#held; }
  close(callback) {
    if (this.#closed) return;
    this.#closed = true;
    this.#hold(false);
    const other = this.#other;
    loop.complete(() => {
      this.dispatchEvent(new Event('close'));
      callback?.();
      other?.close();
    });
  }
  on(type, listener) {
    this.addEventListener(type, type === 'message' ? (event) => listener(event.data) : listener);
    if (type === 'message') this.start();
    return this;
  }
  once(type, listener) {
    this.addEventListener(type, type === 'message' ? (event) => listener(event.data) : listener, { once: true });
    if (type === 'message') this.start();
    return this;
  }
  off(type, listener) { this.removeEventListener(type, listener); return this; }
  addEventListener(type, listener, options) {
    super.addEventListener(type, listener, options);
    void type;
  }
  next() { return this.#queue.length ? { message: this.#queue.shift() } : undefined; }
}
handlerProperty(MessagePort.prototype, 'message');
const handler = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage');
Object.defineProperty(MessagePort.prototype, 'onmessage', {
  ...handler,
  set(value) {
    handler.set.call(this, value);
    if (value) this.start();
    else this.unref();
  },
});

class MessageChannel {
  constructor() {
    this.port1 = new MessagePort();
    this.port2 = new MessagePort();
    MessagePort.link(this.port1, this.port2);
  }
}

const channels = new Map();
class BroadcastChannel extends EventTarget {
  constructor(name) {
    super();
    this.name = `${name}`;
    if (!channels.has(this.name)) channels.set(this.name, new Set());
    channels.get(this.name).add(this);
  }
  postMessage(value) {
    for (const other of channels.get(this.name))
      if (other !== this)
        loop.complete(() => other.dispatchEvent(new MessageEvent('message', { data: structuredClone(value) })));
  }
  close() { channels.get(this.name)?.delete(this); }
  ref() { return this; }
  unref() { return this; }
}
handlerProperty(BroadcastChannel.prototype, 'message');

module.exports = {
  MessageChannel,
  MessagePort,
  MessageEvent,
  BroadcastChannel,
  receiveMessageOnPort: (port) => port.next(),
};
