// Timers as promises.

const loop = require('internal/loop');
const { AbortError, check, invalidArgType } = require('internal/errors');

function after(start, stop, value, options = {}) {
  if (options === null || typeof options !== 'object')
    return Promise.reject(invalidArgType('options', 'object', options));
  const { signal, ref = true } = options;
  try {
    check.signal(signal, 'options.signal');
    check.boolean(ref, 'options.ref');
  } catch (error) {
    return Promise.reject(error);
  }
  if (signal?.aborted) return Promise.reject(new AbortError(undefined, { cause: signal.reason }));
  return new Promise((resolve, reject) => {
    const aborted = () => {
      stop(waiting);
      reject(new AbortError(undefined, { cause: signal.reason }));
    };
    const waiting = start(() => {
      signal?.removeEventListener('abort', aborted);
      resolve(value);
    });
    if (!ref) waiting.unref();
    signal?.addEventListener('abort', aborted);
  });
}

function setTimeout(delay, value, options) {
  return after((done) => new loop.Timer(done, delay, [], false), loop.clear, value, options);
}

function setImmediate(value, options) {
  return after((done) => new loop.Immediate(done, []), loop.clearImmediate, value, options);
}

async function* setInterval(delay, value, options = {}) {
  const { signal, ref = true } = options ?? {};
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  let due = 0;
  let wake;
  const timer = new loop.Timer(() => { due++; wake?.(); }, delay, [], true);
  if (!ref) timer.unref();
  const aborted = () => { loop.clear(timer); wake?.(); };
  signal?.addEventListener('abort', aborted);
  try {
    while (!signal?.aborted) {
      if (due === 0) await new Promise((resolve) => { wake = resolve; });
      for (; due > 0; due--) yield value;
    }
    throw new AbortError(undefined, { cause: signal.reason });
  } finally {
    loop.clear(timer);
    signal?.removeEventListener('abort', aborted);
  }
}

module.exports = {
  setTimeout,
  setImmediate,
  setInterval,
  scheduler: { wait: (delay, options) => setTimeout(delay, undefined, options), yield: () => setImmediate() },
};
