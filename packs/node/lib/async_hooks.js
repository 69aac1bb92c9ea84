// AsyncLocalStorage: a value that belongs to what was begun in a call.

const { current, replace, within } = require('internal/async_context');

class AsyncLocalStorage {
  static bind(callback) { return AsyncResource.bind(callback); }
  static snapshot() {
    const context = current();
    return (callback, ...args) => within(context, callback, undefined, args);
  }
  run(store, callback, ...args) {
    const context = new Map(current());
    context.set(this, store);
    return within(context, callback, undefined, args);
  }
  exit(callback, ...args) {
    const context = new Map(current());
    context.delete(this);
    return within(context, callback, undefined, args);
  }
  getStore() { return current()?.get(this); }
  enterWith(store) {
    const context = new Map(current());
    context.set(this, store);
    replace(context);
  }
  disable() {
    const context = new Map(current());
    context.delete(this);
    replace(context);
  }
}

let count = 1;

class AsyncResource {
  #context = current();
  #id = ++count;
  constructor(type) {
    if (typeof type !== 'string') throw require('internal/errors').invalidArgType('type', 'string', type);
  }
  runInAsyncScope(callback, self, ...args) { return within(this.#context, callback, self, args); }
  emitDestroy() { return this; }
  asyncId() { return this.#id; }
  triggerAsyncId() { return 1; }
  bind(callback, self) {
    const resource = this;
    return function bound(...args) { return resource.runInAsyncScope(callback, self ?? this, ...args); };
  }
  static bind(callback, type, self) { return new AsyncResource(type || 'bound-anonymous-fn').bind(callback, self); }
}

module.exports = {
  AsyncLocalStorage,
  AsyncResource,
  createHook: () => ({ enable() { return this; }, disable() { return this; } }),
  executionAsyncId: () => 1,
  triggerAsyncId: () => 0,
  executionAsyncResource: () => ({}),
  asyncWrapProviders: {},
};
