// Measuring time.

const { coded, invalidArgType } = require('internal/errors');
const { EventTarget } = require('internal/event_target');
const { custom, inspect } = require('internal/inspect');

let entries = [];
const observers = new Set();
const state = { origin: 0, wall: 0 };

class PerformanceEntry {
  constructor(name, entryType, startTime, duration, detail) {
    Object.assign(this, { name, entryType, startTime, duration });
    if (detail !== undefined) this.detail = detail;
  }
  toJSON() { return { ...this }; }
  [custom](depth, options) { return depth < 0 ? this : `${this.constructor.name} ${inspect({ ...this }, options)}`; }
}
class PerformanceMark extends PerformanceEntry {
  constructor(name, options) {
    super(`${name}`, 'mark', options?.startTime ?? performance.now(), 0, options?.detail ?? null);
  }
}
class PerformanceMeasure extends PerformanceEntry {}

function add(entry) {
  entries.push(entry);
  for (const observer of observers) observer.offer(entry);
  return entry;
}

class Performance extends EventTarget {
  now() {
    return native.now(1) / 1e6 - state.origin;
  }
  get timeOrigin() {
    return state.wall;
  }
  get nodeTiming() {
    return {
      name: 'node',
      entryType: 'node',
      startTime: 0,
      duration: this.now(),
      nodeStart: 0,
      v8Start: 0,
      environment: 0,
      bootstrapComplete: 0,
      loopStart: 0,
      loopExit: -1,
      idleTime: 0,
    };
  }
  mark(name, options) {
    return add(new PerformanceMark(name, options));
  }
  measure(name, start, end) {
    const at = (mark, otherwise) => {
      if (mark === undefined) return otherwise;
      if (typeof mark === 'number') return mark;
      const found = entries.findLast((entry) => entry.entryType === 'mark' && entry.name === mark);
      if (!found) throw new DOMException(`The "${mark}" performance mark has not been set`, 'SyntaxError');
      return found.startTime;
    };
    let detail = null;
    let from;
    let to;
    if (start !== null && typeof start === 'object') {
      detail = start.detail ?? null;
      to = at(start.end, start.duration !== undefined ? at(start.start, 0) + start.duration : this.now());
      from = at(start.start, start.duration !== undefined ? to - start.duration : 0);
    } else {
      to = at(end, this.now());
      from = at(start, 0);
    }
    return add(new PerformanceMeasure(`${name}`, 'measure', from, to - from, detail));
  }
  clearMarks(name) {
    entries = entries.filter((entry) => entry.entryType !== 'mark' || (name !== undefined && entry.name !== name));
  }
  clearMeasures(name) {
    entries = entries.filter((entry) => entry.entryType !== 'measure' || (name !== undefined && entry.name !== name));
  }
  getEntries() {
    return entries.toSorted((a, b) => a.startTime - b.startTime);
  }
  getEntriesByName(name, type) {
    return this.getEntries().filter((entry) => entry.name === name && (type === undefined || entry.entryType === type));
  }
  getEntriesByType(type) {
    return this.getEntries().filter((entry) => entry.entryType === type);
  }
  eventLoopUtilization() {
    return { idle: 0, active: 0, utilization: 0 };
  }
  timerify(callback) {
    if (typeof callback !== 'function') throw invalidArgType('fn', 'function', callback);
    return function timerified(...args) {
      const start = performance.now();
      const result = new.target ? Reflect.construct(callback, args, callback) : Reflect.apply(callback, this, args);
      add(new PerformanceEntry(callback.name, 'function', start, performance.now() - start));
      return result;
    };
  }
  toJSON() {
    const { nodeTiming, timeOrigin } = this;
    return { nodeTiming, timeOrigin, eventLoopUtilization: this.eventLoopUtilization() };
  }
}
const performance = new Performance();

class PerformanceObserver {
  #callback;
  #types = [];
  #buffer = [];
  constructor(callback) {
    if (typeof callback !== 'function') throw invalidArgType('callback', 'function', callback);
    this.#callback = callback;
  }
  observe(options) {
    if (options === undefined)
      throw coded(
        TypeError,
        'ERR_MISSING_ARGS',
        'The "options.entryTypes" or "options.type" argument must be specified',
      );
    this.#types = options.entryTypes ?? [options.type];
    if (options.buffered) for (const entry of entries) this.offer(entry);
    observers.add(this);
  }
  offer(entry) {
    if (!this.#types.includes(entry.entryType)) return;
    this.#buffer.push(entry);
    if (this.#buffer.length === 1) {
      setImmediate(() => {
        const list = this.takeRecords();
        if (list.length) {
          this.#callback({
            getEntries: () => list,
            getEntriesByName: (name) => list.filter((item) => item.name === name),
            getEntriesByType: (type) => list.filter((item) => item.entryType === type),
          }, this);
        }
      });
    }
  }
  takeRecords() { return this.#buffer.splice(0); }
  disconnect() { observers.delete(this); this.#buffer = []; }
  static get supportedEntryTypes() { return ['function', 'mark', 'measure']; }
}

function createHistogram() {
  const values = [];
  return {
    record(value) {
      values.push(value);
    },
    reset() {
      values.length = 0;
    },
    get count() {
      return values.length;
    },
    get min() {
      return values.length ? Math.min(...values) : 9223372036854776000;
    },
    get max() {
      return values.length ? Math.max(...values) : 0;
    },
    get mean() {
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    },
    get stddev() {
      const { mean } = this;
      return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    },
    percentile(rank) {
      return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil((rank / 100) * values.length) - 1)] ?? 0;
    },
    enable: () => true,
    disable: () => true,
  };
}

module.exports = {
  Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver, performance, createHistogram,
  monitorEventLoopDelay: createHistogram,
  constants: {
    NODE_PERFORMANCE_GC_MAJOR: 4,
    NODE_PERFORMANCE_GC_MINOR: 1,
    NODE_PERFORMANCE_GC_INCREMENTAL: 8,
    NODE_PERFORMANCE_GC_WEAKCB: 16,
  },
};
Object.defineProperty(module.exports, 'begin', { enumerable: false, value() {
  state.origin = native.now(1) / 1e6;
  state.wall = native.now(0) / 1e6;
} });
