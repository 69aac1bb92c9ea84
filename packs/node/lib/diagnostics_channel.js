// Named channels.

const channels = new Map();

class Channel {
  #subscribers = [];
  constructor(name) { this.name = name; }
  get hasSubscribers() { return this.#subscribers.length > 0; }
  subscribe(callback) { this.#subscribers.push(callback); }
  unsubscribe(callback) {
    const at = this.#subscribers.indexOf(callback);
    if (at < 0) return false;
    this.#subscribers.splice(at, 1);
    return true;
  }
  publish(data) {
    for (const callback of [...this.#subscribers]) {
      try {
        callback(data, this.name);
      } catch (error) {
        process.nextTick(() => { throw error; });
      }
    }
  }
  bindStore() {}
  unbindStore() {}
  runStores(data, callback, self, ...args) { this.publish(data); return Reflect.apply(callback, self, args); }
}

function channel(name) {
  if (!channels.has(name)) channels.set(name, new Channel(name));
  return channels.get(name);
}

class TracingChannel {
  constructor(name) {
    for (const part of ['start', 'end', 'asyncStart', 'asyncEnd', 'error'])
      this[part] = typeof name === 'string' ? channel(`tracing:${name}:${part}`) : name[part];
  }
  subscribe(handlers) {
    for (const [part, handler] of Object.entries(handlers)) this[part]?.subscribe(handler);
  }
  unsubscribe(handlers) {
    return Object.entries(handlers).every(([part, handler]) => this[part]?.unsubscribe(handler));
  }
  traceSync(callback, context = {}, self, ...args) {
    this.start.publish(context);
    try {
      return context.result = Reflect.apply(callback, self, args);
    } catch (error) {
      context.error = error;
      this.error.publish(context);
      throw error;
    } finally {
      this.end.publish(context);
    }
  }
}

module.exports = {
  Channel, channel,
  hasSubscribers: (name) => channels.get(name)?.hasSubscribers ?? false,
  subscribe: (name, callback) => channel(name).subscribe(callback),
  unsubscribe: (name, callback) => channel(name).unsubscribe(callback),
  tracingChannel: (name) => new TracingChannel(name),
};
