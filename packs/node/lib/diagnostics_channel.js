// Named channels.

const { check, invalidArgType } = require('internal/errors');

const channels = new Map();

/// What a subscriber throws is no matter of whoever publishes.
function throwLater(error) {
  process.nextTick(() => { throw error; });
}

/// `run` with what was published, or what is made of it, in a store.
function within(store, transform, data, run) {
  return () => {
    let value = data;
    try {
      if (transform) value = transform(data);
    } catch (error) {
      throwLater(error);
      return run();
    }
    return store.run(value, run);
  };
}

class Channel {
  #subscribers = [];
  /// Stores of `AsyncLocalStorage`, and what makes their values of what is published.
  #stores = new Map();

  constructor(name) { this.name = name; }

  get hasSubscribers() { return this.#subscribers.length + this.#stores.size > 0; }

  subscribe(subscriber) {
    check.function(subscriber, 'subscription');
    this.#subscribers = [...this.#subscribers, subscriber];
  }

  unsubscribe(subscriber) {
    const at = this.#subscribers.indexOf(subscriber);
    if (at >= 0) this.#subscribers = this.#subscribers.toSpliced(at, 1);
    return at >= 0;
  }

  publish(data) {
    this.#subscribers.forEach((subscriber) => {
      try {
        subscriber(data, this.name);
      } catch (error) {
        throwLater(error);
      }
    });
  }

  bindStore(store, transform) { this.#stores.set(store, transform); }
  unbindStore(store) { return this.#stores.delete(store); }

  runStores(data, call, self, ...args) {
    const publishAndCall = () => {
      this.publish(data);
      return call.apply(self, args);
    };
    return [...this.#stores].reduce((run, [store, transform]) => within(store, transform, data, run), publishAndCall)();
  }
}

function channel(name) {
  const known = channels.get(name);
  if (known !== undefined) return known;
  if (typeof name !== 'string' && typeof name !== 'symbol') throw invalidArgType('channel', ['string', 'symbol'], name);
  const made = new Channel(name);
  channels.set(name, made);
  return made;
}

const PARTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

function partOf(whole, part) {
  if (typeof whole === 'string') return channel(`tracing:${whole}:${part}`);
  if (whole === null || typeof whole !== 'object')
    throw invalidArgType('nameOrChannels', ['string', 'TracingChannel', 'Object'], whole);
  if (!(whole[part] instanceof Channel)) throw invalidArgType(`nameOrChannels.${part}`, 'Channel', whole[part]);
  return whole[part];
}

/// Five channels, for the parts of one operation.
class TracingChannel {
  constructor(whole) {
    for (const part of PARTS) Object.defineProperty(this, part, { value: partOf(whole, part) });
  }

  get hasSubscribers() { return PARTS.some((part) => this[part].hasSubscribers); }

  subscribe(handlers) {
    for (const part of PARTS) if (handlers[part]) this[part].subscribe(handlers[part]);
  }

  /// Whether all were subscribed.
  unsubscribe(handlers) {
    const taken = PARTS.filter((part) => handlers[part]).map((part) => this[part].unsubscribe(handlers[part]));
    return !taken.includes(false);
  }

  traceSync(call, context = {}, self, ...args) {
    const run = () => Reflect.apply(call, self, args);
    return this.hasSubscribers ? this.#traced(context, () => (context.result = run())) : run();
  }

  tracePromise(call, context = {}, self, ...args) {
    const run = () => Reflect.apply(call, self, args);
    if (!this.hasSubscribers) return run();
    const settled = () => {
      this.asyncStart.publish(context);
      this.asyncEnd.publish(context);
    };
    const onValue = (value) => {
      context.result = value;
      settled();
      return value;
    };
    const onError = (error) => {
      this.#failed(context, error);
      settled();
      throw error;
    };
    return this.#traced(context, () => Promise.resolve(run()).then(onValue, onError));
  }

  traceCallback(call, position = -1, context = {}, self, ...args) {
    const run = () => Reflect.apply(call, self, args);
    if (!this.hasSubscribers) return run();
    const callback = args.at(position);
    check.function(callback, 'callback');
    const settled = (that, results) => {
      const [error, value] = results;
      if (error) this.#failed(context, error);
      else context.result = value;
      return this.asyncStart.runStores(context, () => {
        try {
          return Reflect.apply(callback, that, results);
        } finally {
          this.asyncEnd.publish(context);
        }
      });
    };
    args.splice(position, 1, function (...results) { return settled(this, results); });
    return this.#traced(context, run);
  }

  #failed(context, error) {
    context.error = error;
    this.error.publish(context);
  }

  #traced(context, run) {
    return this.start.runStores(context, () => {
      try {
        return run();
      } catch (error) {
        this.#failed(context, error);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }
}

module.exports = {
  Channel,
  channel,
  hasSubscribers: (name) => channels.get(name)?.hasSubscribers ?? false,
  subscribe: (name, subscriber) => channel(name).subscribe(subscriber),
  unsubscribe: (name, subscriber) => channel(name).unsubscribe(subscriber),
  tracingChannel: (whole) => new TracingChannel(whole),
};
