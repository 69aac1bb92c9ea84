// Streams that are written.

const EventEmitter = require('events');
const { Stream, destroy, fail, construct, addAbortSignal, highWaterMarkOf } = require('internal/stream_base');
const { coded, invalidArgType } = require('internal/errors');

class WritableState {
  constructor(options, stream, isDuplex) {
    this.objectMode = !!(options?.objectMode || (isDuplex && options?.writableObjectMode));
    this.highWaterMark = highWaterMarkOf(options, 'writableHighWaterMark', isDuplex, this.objectMode);
    this.finalCalled = false;
    this.needDrain = false;
    this.ending = false;
    this.ended = false;
    this.finished = false;
    this.destroyed = false;
    this.decodeStrings = options?.decodeStrings !== false;
    this.defaultEncoding = options?.defaultEncoding || 'utf8';
    this.length = 0;
    this.writing = false;
    this.corked = 0;
    this.sync = true;
    this.bufferProcessing = false;
    this.writelen = 0;
    this.buffered = [];
    this.pending = 0;
    this.constructed = true;
    this.prefinished = false;
    this.errorEmitted = false;
    this.emitClose = options?.emitClose !== false;
    this.autoDestroy = options?.autoDestroy !== false;
    this.errored = null;
    this.closed = false;
    this.closeEmitted = false;
    this.onFinished = [];
  }
  getBuffer() { return this.buffered; }
  get bufferedRequestCount() { return this.buffered.length; }
}

function Writable(options) {
  const isDuplex = this instanceof require('internal/stream_duplex').Duplex;
  if (!isDuplex && !Function.prototype[Symbol.hasInstance].call(Writable, this)) return new Writable(options);
  this._writableState = new WritableState(options, this, isDuplex);
  if (options) {
    if (typeof options.write === 'function') this._write = options.write;
    if (typeof options.writev === 'function') this._writev = options.writev;
    if (typeof options.destroy === 'function') this._destroy = options.destroy;
    if (typeof options.final === 'function') this._final = options.final;
    if (typeof options.construct === 'function') this._construct = options.construct;
    if (options.signal) addAbortSignal(options.signal, this);
  }
  Stream.call(this, options);
  construct(this, () => {
    const state = this._writableState;
    if (!state.writing) clearBuffer(this, state);
    finishMaybe(this, state);
  });
}
Object.setPrototypeOf(Writable.prototype, Stream.prototype);
Object.setPrototypeOf(Writable, Stream);
Writable.WritableState = WritableState;
Object.defineProperty(Writable, Symbol.hasInstance, {
  value(object) {
    if (Function.prototype[Symbol.hasInstance].call(this, object)) return true;
    return this === Writable && object?._writableState instanceof WritableState;
  },
});
const proto = Writable.prototype;

proto.pipe = function() { fail(this, coded(Error, 'ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable')); };
proto._destroy = function(error, callback) { callback(error); };
proto[EventEmitter.captureRejectionSymbol] = function(error) { this.destroy(error); };

proto.destroy = function(error, callback) {
  const state = this._writableState;
  if (!state.destroyed && (state.buffered.length || state.onFinished.length))
    process.nextTick(() => errorBuffer(state));
  return destroy.call(this, error, callback);
};
proto._undestroy = function() {};

function errorBuffer(state) {
  if (state.writing) return;
  const error = state.errored ?? coded(Error, 'ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed');
  for (const { chunk, callback } of state.buffered.splice(0)) {
    state.length -= state.objectMode ? 1 : chunk.length;
    callback(error);
  }
  for (const callback of state.onFinished.splice(0))
    callback(state.errored ?? coded(Error, 'ERR_STREAM_DESTROYED', 'Cannot call end after a stream was destroyed'));
}

function write(stream, chunk, encoding, callback) {
  const state = stream._writableState;
  if (typeof encoding === 'function') {
    callback = encoding;
    encoding = state.defaultEncoding;
  } else {
    if (!encoding) encoding = state.defaultEncoding;
    else if (encoding !== 'buffer' && !Buffer.isEncoding(encoding))
      throw coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
    if (typeof callback !== 'function') callback = () => {};
  }
  if (chunk === null) throw coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
  if (!state.objectMode) {
    if (typeof chunk === 'string') {
      if (state.decodeStrings !== false) {
        chunk = Buffer.from(chunk, encoding);
        encoding = 'buffer';
      }
    } else if (chunk instanceof Uint8Array) {
      if (!Buffer.isBuffer(chunk)) chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      encoding = 'buffer';
    } else throw invalidArgType('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk);
  }
  let error;
  if (state.ending) error = coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end');
  else if (state.destroyed)
    error = coded(Error, 'ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed');
  if (error) {
    process.nextTick(callback, error);
    fail(stream, error, true);
    return error;
  }
  state.pending++;
  return writeOrBuffer(stream, state, chunk, encoding, callback);
}

proto.write = function(chunk, encoding, callback) { return write(this, chunk, encoding, callback) === true; };

function writeOrBuffer(stream, state, chunk, encoding, callback) {
  const size = state.objectMode ? 1 : chunk.length;
  state.length += size;
  const room = state.length < state.highWaterMark;
  if (!room) state.needDrain = true;
  if (state.writing || state.corked || state.errored || !state.constructed)
    state.buffered.push({ chunk, encoding, callback });
  else {
    state.writelen = size;
    state.writing = true;
    state.sync = true;
    stream._write(chunk, encoding, onceWritten(stream, size, callback));
    state.sync = false;
  }
  return room && !state.errored && !state.destroyed;
}

function onceWritten(stream, size, callback) {
  let called = false;
  return (error) => {
    if (called) return fail(stream, coded(Error, 'ERR_MULTIPLE_CALLBACK', 'Callback called multiple times'));
    called = true;
    written(stream, error, size, callback);
  };
}

function written(stream, error, size, callback) {
  const state = stream._writableState;
  const { sync } = state;
  state.writing = false;
  state.length -= size;
  state.writelen = 0;
  if (error) {
    if (!state.errored) state.errored = error;
    if (stream._readableState && !stream._readableState.errored) stream._readableState.errored = error;
    const tell = () => {
      state.pending--;
      callback(error);
      errorBuffer(state);
      state.errored === error && fail(stream, error);
    };
    if (sync) process.nextTick(tell);
    else tell();
    return;
  }
  if (state.buffered.length) clearBuffer(stream, state);
  if (sync) process.nextTick(() => afterWrite(stream, state, callback));
  else afterWrite(stream, state, callback);
}

function afterWrite(stream, state, callback) {
  const drains = !state.ending && !stream.destroyed && state.length === 0 && state.needDrain;
  if (drains) {
    state.needDrain = false;
    stream.emit('drain');
  }
  state.pending--;
  callback(null);
  if (state.destroyed) errorBuffer(state);
  finishMaybe(stream, state);
}

function clearBuffer(stream, state) {
  if (state.corked || state.bufferProcessing || state.destroyed || !state.constructed || !state.buffered.length) return;
  state.bufferProcessing = true;
  if (stream._writev && state.buffered.length > 1) {
    const all = state.buffered.splice(0);
    const size = state.length;
    const chunks = all.map(({ chunk, encoding }) => ({ chunk, encoding }));
    chunks.allBuffers = chunks.every(({ encoding }) => encoding === 'buffer');
    state.pending -= all.length - 1;
    state.writing = true;
    state.sync = true;
    stream._writev(chunks, onceWritten(stream, size, (error) => { for (const { callback } of all) callback(error); }));
    state.sync = false;
  } else {
    while (state.buffered.length && !state.writing) {
      const { chunk, encoding, callback } = state.buffered.shift();
      const size = state.objectMode ? 1 : chunk.length;
      state.writing = true;
      state.sync = true;
      stream._write(chunk, encoding, onceWritten(stream, size, callback));
      state.sync = false;
    }
  }
  state.bufferProcessing = false;
}

proto._write = function(chunk, encoding, callback) {
  if (!this._writev) throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _write() method is not implemented');
  this._writev([{ chunk, encoding }], callback);
};
proto._writev = null;

proto.cork = function() { this._writableState.corked++; };
proto.uncork = function() {
  const state = this._writableState;
  if (!state.corked) return;
  state.corked--;
  if (!state.writing) clearBuffer(this, state);
};

proto.setDefaultEncoding = function(encoding) {
  if (typeof encoding === 'string') encoding = encoding.toLowerCase();
  if (!Buffer.isEncoding(encoding)) throw coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
  this._writableState.defaultEncoding = encoding;
  return this;
};

proto.end = function(chunk, encoding, callback) {
  const state = this._writableState;
  if (typeof chunk === 'function') [callback, chunk, encoding] = [chunk, null, null];
  else if (typeof encoding === 'function') [callback, encoding] = [encoding, null];
  let error;
  if (chunk !== null && chunk !== undefined) {
    const result = write(this, chunk, encoding);
    if (result instanceof Error) error = result;
  }
  if (state.corked) {
    state.corked = 1;
    this.uncork();
  }
  if (!error && !state.errored && !state.ending) {
    state.ending = true;
    finishMaybe(this, state, true);
    state.ended = true;
  } else if (state.finished)
    error ??= coded(Error, 'ERR_STREAM_ALREADY_FINISHED', 'Cannot call end after a stream was finished');
  else if (state.destroyed)
    error ??= coded(Error, 'ERR_STREAM_DESTROYED', 'Cannot call end after a stream was destroyed');
  if (typeof callback === 'function') {
    if (error) process.nextTick(callback, error);
    else if (state.finished) process.nextTick(callback);
    else state.onFinished.push(callback);
  }
  return this;
};

function needsFinish(state) {
  return (
    state.ending &&
    !state.destroyed &&
    state.constructed &&
    state.length === 0 &&
    !state.errored &&
    !state.buffered.length &&
    !state.finished &&
    !state.writing &&
    !state.errorEmitted &&
    !state.closeEmitted
  );
}

function finishMaybe(stream, state, sync) {
  if (!needsFinish(state)) return;
  if (!state.finalCalled && !state.prefinished) {
    if (typeof stream._final === 'function' && !state.destroyed) {
      state.finalCalled = true;
      state.pending++;
      let called = false;
      const done = (error) => {
        if (called)
          return fail(stream, error ?? coded(Error, 'ERR_MULTIPLE_CALLBACK', 'Callback called multiple times'));
        called = true;
        state.pending--;
        if (error) {
          for (const callback of state.onFinished.splice(0)) callback(error);
          fail(stream, error, state.sync);
        } else {
          state.prefinished = true;
          stream.emit('prefinish');
          state.pending++;
          process.nextTick(finish, stream, state);
        }
      };
      const call = () => {
        try {
          stream._final(done);
        } catch (error) {
          done(error);
        }
      };
      call();
      return;
    }
    state.prefinished = true;
    stream.emit('prefinish');
  }
  if (state.prefinished && state.pending === 0) {
    state.pending++;
    if (sync) process.nextTick(() => { if (needsFinish(state)) finish(stream, state); else state.pending--; });
    else finish(stream, state);
  }
}

function finish(stream, state) {
  state.pending--;
  if (state.finished || state.destroyed || state.errored) return;
  state.finished = true;
  for (const callback of state.onFinished.splice(0)) callback();
  stream.emit('finish');
  if (state.autoDestroy) {
    const r = stream._readableState;
    if (!r || (r.autoDestroy && (r.endEmitted || r.readable === false))) stream.destroy();
  }
}

Writable.fromWeb = (web) =>
  new Writable({
    objectMode: true,
    write(chunk, encoding, callback) {
      web
        .getWriter()
        .write(chunk)
        .then(() => callback(), callback);
    },
  });

const getter = (name, get, set) =>
  Object.defineProperty(proto, name, { configurable: true, enumerable: false, get, set });
getter('closed', function () {
  return this._writableState ? this._writableState.closed : false;
});
getter(
  'destroyed',
  function () {
    return this._writableState ? this._writableState.destroyed : false;
  },
  function (value) {
    if (this._writableState) this._writableState.destroyed = value;
  },
);
getter(
  'writable',
  function () {
    const state = this._writableState;
    return !!state && state.writable !== false && !state.destroyed && !state.errored && !state.ending && !state.ended;
  },
  function (value) {
    if (this._writableState) this._writableState.writable = !!value;
  },
);
getter('writableFinished', function () {
  return this._writableState ? this._writableState.finished : false;
});
getter('writableObjectMode', function () {
  return this._writableState ? this._writableState.objectMode : false;
});
getter('writableBuffer', function () {
  return this._writableState?.buffered;
});
getter('writableEnded', function () {
  return this._writableState ? this._writableState.ending : false;
});
getter('writableNeedDrain', function () {
  const s = this._writableState;
  return s ? !s.destroyed && !s.ending && s.needDrain : false;
});
getter('writableHighWaterMark', function () {
  return this._writableState?.highWaterMark;
});
getter('writableCorked', function () {
  return this._writableState ? this._writableState.corked : 0;
});
getter('writableLength', function () {
  return this._writableState?.length;
});
getter('errored', function () {
  return this._writableState ? this._writableState.errored : null;
});
getter('writableAborted', function () {
  const s = this._writableState;
  return !!(s.writable !== false && (s.destroyed || s.errored) && !s.finished);
});

module.exports = { Writable };
