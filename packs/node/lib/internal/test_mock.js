// Functions that remember how they were called, and timers that do not run by themselves.

const { invalidArgType } = require('internal/errors');

class MockFunctionContext {
  calls = [];
  #implementation;
  #once = new Map();
  #restore;
  constructor(implementation, restore) {
    this.#implementation = implementation;
    this.#restore = restore;
    Object.defineProperty(this, 'current', { enumerable: false, value: () => {
      const number = this.calls.length;
      const own = this.#once.get(number);
      this.#once.delete(number);
      return own ?? this.#implementation;
    } });
  }
  callCount() { return this.calls.length; }
  mockImplementation(implementation) { this.#implementation = implementation; }
  mockImplementationOnce(implementation, number = this.calls.length) { this.#once.set(number, implementation); }
  resetCalls() { this.calls.length = 0; }
  restore() { this.#restore?.(); }
}

class MockTimers {
  #saved = {};
  #pending = [];
  #now = 0;
  #count = 0;
  #on = false;
  enable({ apis = ['setTimeout', 'setInterval', 'setImmediate', 'Date'], now = 0 } = {}) {
    this.#on = true;
    this.#now = typeof now === 'object' ? now.getTime() : now;
    const replace = (name, value) => { this.#saved[name] = globalThis[name]; globalThis[name] = value; };
    const add = (callback, delay, args, every) => {
      const timer = { due: this.#now + (delay || 0), callback, args, every, number: ++this.#count };
      this.#pending.push(timer);
      return timer;
    };
    const remove = (timer) => { this.#pending = this.#pending.filter((item) => item !== timer); };
    for (const api of apis) {
      if (api === 'setTimeout') {
        replace('setTimeout', (callback, delay, ...args) => add(callback, delay, args));
        replace('clearTimeout', remove);
      }
      if (api === 'setInterval') {
        replace('setInterval', (callback, delay, ...args) => add(callback, delay, args, delay));
        replace('clearInterval', remove);
      }
      if (api === 'setImmediate') {
        replace('setImmediate', (callback, ...args) => add(callback, -1, args));
        replace('clearImmediate', remove);
      }
      if (api === 'Date') {
        const Real = Date;
        const self = this;
        replace('Date', class Date extends Real {
          constructor(...args) { if (args.length) super(...args); else super(self.#now); }
          static now() { return self.#now; }
        });
      }
    }
  }
  tick(time = 1) {
    const until = this.#now + time;
    for (;;) {
      const next = this.#pending
        .filter((timer) => timer.due <= until)
        .sort((a, b) => a.due - b.due || a.number - b.number)[0];
      if (!next) break;
      this.#now = Math.max(this.#now, next.due);
      if (next.every !== undefined) next.due += next.every;
      else this.#pending = this.#pending.filter((timer) => timer !== next);
      next.callback(...next.args);
    }
    this.#now = until;
  }
  runAll() {
    while (this.#pending.length)
      this.tick(Math.max(0, Math.max(...this.#pending.map((timer) => timer.due)) - this.#now));
  }
  setTime(time) {
    this.#now = time;
  }
  reset() {
    if (!this.#on) return;
    this.#on = false;
    Object.assign(globalThis, this.#saved);
    this.#saved = {};
    this.#pending = [];
  }
}

class MockTracker {
  #all = [];
  timers = new MockTimers();
  fn(original = function () {}, implementation = original, options = {}) {
    if (original !== null && typeof original === 'object')
      [original, implementation] = [function () {}, function () {}];
    if (implementation !== null && typeof implementation === 'object')
      [options, implementation] = [implementation, original];
    return this.#make(original, implementation, options, undefined);
  }
  #make(original, implementation, options, restore) {
    let left = options?.times ?? Infinity;
    const context = new MockFunctionContext(implementation, restore ?? (() => context.mockImplementation(original)));
    const mock = new Proxy(original, {
      apply(target, self, args) {
        const body = left-- > 0 ? context.current() : original;
        const call = {
          arguments: args,
          error: undefined,
          result: undefined,
          stack: new Error(),
          target: undefined,
          this: self,
        };
        try {
          call.result = Reflect.apply(body, self, args);
          return call.result;
        } catch (error) {
          call.error = error;
          throw error;
        } finally {
          context.calls.push(call);
        }
      },
      construct(target, args, newTarget) {
        const body = context.current();
        const call = {
          arguments: args,
          error: undefined,
          result: undefined,
          stack: new Error(),
          target,
          this: undefined,
        };
        try {
          call.result = call.this = Reflect.construct(body, args, newTarget);
          return call.result;
        } catch (error) {
          call.error = error;
          throw error;
        } finally {
          context.calls.push(call);
        }
      },
      get: (target, key, receiver) => (key === 'mock' ? context : Reflect.get(target, key, receiver)),
    });
    this.#all.push(context);
    return mock;
  }
  method(object, name, implementation, options = {}) {
    if (implementation !== null && typeof implementation === 'object')
      [options, implementation] = [implementation, undefined];
    let holder = object;
    while (holder && !Object.prototype.hasOwnProperty.call(holder, name)) holder = Object.getPrototypeOf(holder);
    const before = holder && Object.getOwnPropertyDescriptor(holder, name);
    const part = options.getter ? 'get' : options.setter ? 'set' : 'value';
    const original = before?.[part];
    if (typeof original !== 'function') throw invalidArgType('methodName', 'method', original);
    const own = Object.getOwnPropertyDescriptor(object, name);
    const mock = this.#make(original, implementation ?? original, options, () => {
      if (own) Object.defineProperty(object, name, own);
      else delete object[name];
    });
    Object.defineProperty(object, name, { ...before, [part]: mock, configurable: true });
    return mock;
  }
  getter(object, name, implementation, options) {
    return this.method(object, name, implementation, { ...options, getter: true });
  }
  setter(object, name, implementation, options) {
    return this.method(object, name, implementation, { ...options, setter: true });
  }
  reset() {
    this.restoreAll();
    this.#all = [];
  }
  restoreAll() {
    for (const context of this.#all) context.restore();
    this.timers.reset();
  }
}

module.exports = { mock: new MockTracker(), MockTracker };
