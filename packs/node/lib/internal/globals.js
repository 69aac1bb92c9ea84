// What every program finds without loading it.

/// Adds to `globalThis`; `lazy` ones are loaded when they are first used.
function define(name, value, enumerable = false) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable });
}

function lazy(name, get, enumerable = false) {
  Object.defineProperty(globalThis, name, {
    configurable: true, enumerable,
    get() {
      const value = get();
      define(name, value, enumerable);
      return value;
    },
    set(value) { define(name, value, enumerable); },
  });
}

function setUp() {
  const { Buffer, atob, btoa } = require('buffer');
  define('global', globalThis, true);
  Object.defineProperty(globalThis, Symbol.toStringTag, {
    value: 'global',
    writable: false,
    enumerable: false,
    configurable: true,
  });
  define('Buffer', Buffer);
  const timers = require('timers');
  for (const name of ['clearImmediate', 'setImmediate', 'clearInterval', 'clearTimeout', 'setInterval', 'setTimeout'])
    define(name, timers[name], true);
  define('queueMicrotask', queueMicrotask, true);
  define('structuredClone', require('internal/structured_clone').structuredClone, true);
  define('atob', atob, true);
  define('btoa', btoa, true);
  define('process', require('process'));
  define('console', require('console'));
  const { URL, URLSearchParams } = require('internal/whatwg_url');
  define('URL', URL);
  define('URLSearchParams', URLSearchParams);
  for (const [name, value] of Object.entries(require('internal/text_coding'))) define(name, value);
  const { Event, CustomEvent, EventTarget, AbortController, AbortSignal } = require('internal/event_target');
  for (const [name, value] of Object.entries({ Event, CustomEvent, EventTarget, AbortController, AbortSignal }))
    define(name, value);
  define('DOMException', require('internal/dom_exception').DOMException);
  const { performance } = require('perf_hooks');
  define('performance', performance, true);
  for (const name of [
    'Performance',
    'PerformanceEntry',
    'PerformanceMark',
    'PerformanceMeasure',
    'PerformanceObserver',
  ])
    define(name, require('perf_hooks')[name]);
  define(
    'fetch',
    {
      async fetch(input, init) {
        const { Request, fetchLocal } = require('internal/fetch_types');
        const request = new Request(input, init);
        request.signal.throwIfAborted();
        return await fetchLocal(request) ?? require('internal/fetch').fetchLoopback(request);
      },
    }.fetch,
    true,
  );
  lazy('crypto', () => require('internal/webcrypto').webcrypto);
  for (const name of ['Crypto', 'CryptoKey', 'SubtleCrypto']) lazy(name, () => require('internal/webcrypto')[name]);
  for (const name of ['Blob', 'File']) lazy(name, () => require('internal/blob')[name]);
  for (const name of ['MessageChannel', 'MessagePort', 'MessageEvent', 'BroadcastChannel'])
    lazy(name, () => require('internal/messages')[name]);
  for (const name of [
    'ReadableStream',
    'ReadableStreamDefaultController',
    'ReadableStreamDefaultReader',
    'WritableStream',
    'WritableStreamDefaultWriter',
    'TransformStream',
    'ByteLengthQueuingStrategy',
    'CountQueuingStrategy',
    'TextDecoderStream',
    'TextEncoderStream',
    'CompressionStream',
    'DecompressionStream',
  ]) {
    lazy(name, () => require('stream/web')[name]);
  }
  define('Atomics', require('internal/atomics').Atomics);
  define('WebAssembly', require('internal/webassembly').WebAssembly);
  for (const name of ['Headers', 'Request', 'Response', 'FormData'])
    lazy(name, () => require('internal/fetch_types')[name]);
  define('navigator', {
    hardwareConcurrency: 1,
    language: 'en-US',
    languages: ['en-US'],
    userAgent: 'Node.js/20',
    platform: 'linux',
  });
  delete globalThis.navigator; // Node 20 has none.
  require('internal/engine').adapt();
  require('internal/intl').setUp();
}

function queueMicrotask(callback) {
  if (typeof callback !== 'function') throw require('internal/errors').invalidArgType('callback', 'function', callback);
  Promise.resolve().then(() => {
    try {
      callback();
    } catch (error) {
      require('internal/main').report(error, 'uncaughtException');
    }
  });
}

module.exports = { setUp };
