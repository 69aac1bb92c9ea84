// What all streams have: the old `Stream` class, and how streams are destroyed.

const EventEmitter = require('events');
const { coded, AbortError } = require('internal/errors');

function Stream(options) {
  EventEmitter.call(this, options);
}
Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Stream, EventEmitter);

Stream.prototype.pipe = function(target, options) {
  const source = this;
  const onData = (chunk) => {
    if (target.writable && target.write(chunk) === false && source.pause) source.pause();
  };
  const onDrain = () => { if (source.readable && source.resume) source.resume(); };
  const onEnd = () => target.end();
  source.on('data', onData);
  target.on('drain', onDrain);
  if (!target._isStdio && options?.end !== false) source.on('end', onEnd);
  target.emit('pipe', source);
  return target;
};

const readableOf = (stream) => stream._readableState;
const writableOf = (stream) => stream._writableState;

/// Ends a stream before its time, or when it is done: calls `_destroy`, then emits 'error' and 'close'.
function destroy(error, callback) {
  const r = readableOf(this);
  const w = writableOf(this);
  if (r?.destroyed || w?.destroyed) {
    if (typeof callback === 'function') callback();
    return this;
  }
  note(this, error);
  for (const state of [r, w]) if (state) state.destroyed = true;
  if ((r ?? w).constructed === false) {
    this.once('constructed', (other) => run(this, error ?? other, callback));
  } else run(this, error, callback);
  return this;
}

function note(stream, error) {
  if (!error) return;
  for (const state of [readableOf(stream), writableOf(stream)]) if (state && !state.errored) state.errored = error;
}

function run(stream, error, callback) {
  let called = false;
  const finished = (other) => {
    if (called) return;
    called = true;
    error = other ?? error;
    note(stream, error);
    const states = [readableOf(stream), writableOf(stream)].filter(Boolean);
    for (const state of states) state.closed = true;
    if (typeof callback === 'function') callback(error);
    process.nextTick(() => {
      if (error) emitError(stream, error);
      if (states.some((state) => state.emitClose) && !states.some((state) => state.closeEmitted)) {
        for (const state of states) state.closeEmitted = true;
        stream.emit('close');
      }
    });
  };
  try {
    stream._destroy(error || null, finished);
  } catch (thrown) {
    finished(thrown);
  }
}

function emitError(stream, error) {
  const states = [readableOf(stream), writableOf(stream)].filter(Boolean);
  if (states.some((state) => state.errorEmitted)) return;
  for (const state of states) state.errorEmitted = true;
  stream.emit('error', error);
}

/// An error of a stream: destroys it, or only tells where that is not wanted.
function fail(stream, error, sync) {
  const r = readableOf(stream);
  const w = writableOf(stream);
  if (r?.destroyed || w?.destroyed) return;
  if (r?.autoDestroy || w?.autoDestroy) {
    stream.destroy(error);
    return;
  }
  note(stream, error);
  if (sync) process.nextTick(() => emitError(stream, error));
  else emitError(stream, error);
}

function construct(stream, callback) {
  if (typeof stream._construct !== 'function') return;
  const states = [readableOf(stream), writableOf(stream)].filter(Boolean);
  for (const state of states) state.constructed = false;
  stream.once('constructed', callback);
  if (stream.listenerCount('constructed') > 1) return;
  process.nextTick(() => {
    let called = false;
    const ready = (error) => {
      if (called) return fail(stream, error ?? coded(Error, 'ERR_MULTIPLE_CALLBACK', 'Callback called multiple times'));
      called = true;
      for (const state of states) state.constructed = true;
      if (states.some((state) => state.destroyed)) stream.emit('constructed', error);
      else if (error) fail(stream, error, true);
      else process.nextTick(() => stream.emit('constructed'));
    };
    try {
      stream._construct((error) => process.nextTick(ready, error));
    } catch (error) {
      process.nextTick(ready, error);
    }
  });
}

function addAbortSignal(signal, stream) {
  const abort = () => stream.destroy(new AbortError(undefined, { cause: signal.reason }));
  if (signal.aborted) abort();
  else {
    signal.addEventListener('abort', abort, { once: true });
    require('internal/stream_finished').finished(stream, () => signal.removeEventListener('abort', abort));
  }
  return stream;
}

let defaults = { bytes: 16384, objects: 16 };
const highWaterMarkOf = (options, key, isDuplex, objectMode) => {
  const given = options?.highWaterMark ?? (isDuplex ? options?.[key] : undefined);
  if (given != null) {
    if (!Number.isInteger(given) || given < 0) {
      const { invalidArgValue } = require('internal/errors');
      throw invalidArgValue(isDuplex ? `options.${key}` : 'options.highWaterMark', given);
    }
    return Math.floor(given);
  }
  return objectMode ? defaults.objects : defaults.bytes;
};

module.exports = { Stream, destroy, fail, emitError, construct, addAbortSignal, highWaterMarkOf, defaults };
