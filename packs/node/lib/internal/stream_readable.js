// Streams that are read.

const EventEmitter = require('events');
const { Stream, destroy, fail, construct, addAbortSignal, highWaterMarkOf } = require('internal/stream_base');
const { coded, invalidArgType, AbortError, check } = require('internal/errors');

class ReadableState {
  constructor(options, stream, isDuplex) {
    this.objectMode = !!(options?.objectMode || (isDuplex && options?.readableObjectMode));
    this.highWaterMark = highWaterMarkOf(options, 'readableHighWaterMark', isDuplex, this.objectMode);
    this.buffer = [];
    this.length = 0;
    this.pipes = [];
    this.flowing = null;
    this.ended = false;
    this.endEmitted = false;
    this.reading = false;
    this.constructed = true;
    this.sync = true;
    this.needReadable = false;
    this.emittedReadable = false;
    this.readableListening = false;
    this.resumeScheduled = false;
    this.errorEmitted = false;
    this.emitClose = options?.emitClose !== false;
    this.autoDestroy = options?.autoDestroy !== false;
    this.destroyed = false;
    this.errored = null;
    this.closed = false;
    this.closeEmitted = false;
    this.defaultEncoding = options?.defaultEncoding || 'utf8';
    this.awaiting = new Set();
    this.readingMore = false;
    this.dataEmitted = false;
    this.decoder = null;
    this.encoding = null;
    if (options?.encoding) {
      this.decoder = new (require('string_decoder').StringDecoder)(options.encoding);
      this.encoding = options.encoding;
    }
  }
}

function Readable(options) {
  if (!(this instanceof Readable)) return new Readable(options);
  const isDuplex = this instanceof require('internal/stream_duplex').Duplex;
  this._readableState = new ReadableState(options, this, isDuplex);
  if (options) {
    if (typeof options.read === 'function') this._read = options.read;
    if (typeof options.destroy === 'function') this._destroy = options.destroy;
    if (typeof options.construct === 'function') this._construct = options.construct;
    if (options.signal && !isDuplex) addAbortSignal(options.signal, this);
  }
  Stream.call(this, options);
  construct(this, () => { if (this._readableState.needReadable) maybeReadMore(this, this._readableState); });
}
Object.setPrototypeOf(Readable.prototype, Stream.prototype);
Object.setPrototypeOf(Readable, Stream);
Readable.ReadableState = ReadableState;
const proto = Readable.prototype;

proto.destroy = destroy;
proto._undestroy = function () {
  Object.assign(this._readableState, { destroyed: false, ended: false, errored: null, closed: false });
};
proto._destroy = function (error, callback) {
  callback(error);
};
proto[EventEmitter.captureRejectionSymbol] = function (error) {
  this.destroy(error);
};
proto._read = function () {
  throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _read() method is not implemented');
};

proto.push = function(chunk, encoding) { return add(this, chunk, encoding, false); };
proto.unshift = function(chunk, encoding) { return add(this, chunk, encoding, true); };

function add(stream, chunk, encoding, front) {
  const state = stream._readableState;
  if (chunk === null) {
    state.reading = false;
    atEnd(stream, state);
    return false;
  }
  if (!state.objectMode) {
    if (typeof chunk === 'string') {
      encoding = encoding || state.defaultEncoding;
      if (state.encoding !== encoding) {
        chunk =
          front && state.encoding
            ? Buffer.from(chunk, encoding).toString(state.encoding)
            : Buffer.from(chunk, encoding);
      }
    } else if (chunk instanceof Uint8Array) {
      if (!Buffer.isBuffer(chunk)) chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    } else if (chunk !== undefined) {
      fail(stream, invalidArgType('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk));
      return false;
    }
  }
  if (!state.objectMode && (chunk === undefined || chunk.length <= 0)) {
    state.reading = false;
    maybeReadMore(stream, state);
  } else if (front) {
    if (state.endEmitted)
      fail(stream, coded(Error, 'ERR_STREAM_UNSHIFT_AFTER_END_EVENT', 'stream.unshift() after end event'));
    else if (state.destroyed || state.errored) return false;
    else addChunk(stream, state, chunk, true);
  } else if (state.ended) {
    fail(stream, coded(Error, 'ERR_STREAM_PUSH_AFTER_EOF', 'stream.push() after EOF'));
  } else if (state.destroyed || state.errored) return false;
  else {
    state.reading = false;
    if (state.decoder && !encoding) {
      chunk = state.decoder.write(chunk);
      if (state.objectMode || chunk.length !== 0) addChunk(stream, state, chunk, false);
      else maybeReadMore(stream, state);
    } else addChunk(stream, state, chunk, false);
  }
  return !state.ended && (state.length < state.highWaterMark || state.length === 0);
}

function addChunk(stream, state, chunk, front) {
  if (state.flowing && state.length === 0 && !state.sync && stream.listenerCount('data') > 0) {
    state.awaiting.clear();
    state.dataEmitted = true;
    stream.emit('data', chunk);
  } else {
    state.length += state.objectMode ? 1 : chunk.length;
    if (front) state.buffer.unshift(chunk);
    else state.buffer.push(chunk);
    if (state.needReadable) emitReadable(stream);
  }
  maybeReadMore(stream, state);
}

function atEnd(stream, state) {
  if (state.ended) return;
  if (state.decoder) {
    const rest = state.decoder.end();
    if (rest?.length) {
      state.buffer.push(rest);
      state.length += state.objectMode ? 1 : rest.length;
    }
  }
  state.ended = true;
  if (state.sync) emitReadable(stream);
  else {
    state.needReadable = false;
    state.emittedReadable = true;
    emitReadableNow(stream);
  }
}

function emitReadable(stream) {
  const state = stream._readableState;
  state.needReadable = false;
  if (state.emittedReadable) return;
  state.emittedReadable = true;
  process.nextTick(emitReadableNow, stream);
}

function emitReadableNow(stream) {
  const state = stream._readableState;
  if (!state.destroyed && !state.errored && (state.length || state.ended)) {
    stream.emit('readable');
    state.emittedReadable = false;
  }
  state.needReadable = !state.flowing && !state.ended && state.length <= state.highWaterMark;
  flow(stream);
}

function maybeReadMore(stream, state) {
  if (state.readingMore || !state.constructed) return;
  state.readingMore = true;
  process.nextTick(() => {
    while (
      !state.reading &&
      !state.ended &&
      (state.length < state.highWaterMark || (state.flowing && state.length === 0))
    ) {
      const before = state.length;
      stream.read(0);
      if (before === state.length) break;
    }
    state.readingMore = false;
  });
}

proto.isPaused = function() { return this._readableState.paused === true || this._readableState.flowing === false; };

proto.setEncoding = function(encoding) {
  const { StringDecoder } = require('string_decoder');
  const state = this._readableState;
  state.decoder = new StringDecoder(encoding);
  state.encoding = state.decoder.encoding;
  let text = '';
  for (const chunk of state.buffer) text += state.decoder.write(chunk);
  state.buffer = text ? [text] : [];
  state.length = text.length;
  return this;
};

function howMuch(count, state) {
  if (count <= 0 || (state.length === 0 && state.ended)) return 0;
  if (state.objectMode) return 1;
  if (Number.isNaN(count)) return state.flowing && state.length ? state.buffer[0].length : state.length;
  if (count <= state.length) return count;
  return state.ended ? state.length : 0;
}

proto.read = function(count) {
  if (count === undefined) count = NaN;
  else if (!Number.isInteger(count)) count = Number.parseInt(count, 10);
  const state = this._readableState;
  const asked = count;
  if (count > state.highWaterMark) state.highWaterMark = Math.min(2 ** 30, 2 ** Math.ceil(Math.log2(count)));
  if (count !== 0) state.emittedReadable = false;
  if (
    count === 0 &&
    state.needReadable &&
    ((state.highWaterMark !== 0 ? state.length >= state.highWaterMark : state.length > 0) || state.ended)
  ) {
    if (state.length === 0 && state.ended) endReadable(this);
    else emitReadable(this);
    return null;
  }
  count = howMuch(count, state);
  if (count === 0 && state.ended) {
    if (state.length === 0) endReadable(this);
    return null;
  }
  let wanted = state.needReadable;
  if (state.length === 0 || state.length - count < state.highWaterMark) wanted = true;
  if (state.ended || state.reading || state.destroyed || state.errored || !state.constructed) wanted = false;
  else if (wanted) {
    state.reading = true;
    state.sync = true;
    if (state.length === 0) state.needReadable = true;
    try {
      this._read(state.highWaterMark);
    } catch (error) {
      fail(this, error);
    }
    state.sync = false;
    if (!state.reading) count = howMuch(asked, state);
  }
  let chunk = count > 0 ? take(count, state) : null;
  if (chunk === null) {
    state.needReadable = state.length <= state.highWaterMark;
    count = 0;
  } else {
    state.length -= count;
    state.awaiting.clear();
  }
  if (state.length === 0) {
    if (!state.ended) state.needReadable = true;
    if (asked !== count && state.ended) endReadable(this);
  }
  if (chunk !== null && !state.errored && !state.closeEmitted) {
    state.dataEmitted = true;
    this.emit('data', chunk);
  }
  return chunk;
};

function take(count, state) {
  if (state.length === 0) return null;
  if (state.objectMode) return state.buffer.shift();
  if (!count || count >= state.length) {
    const all = state.buffer;
    state.buffer = [];
    if (all.length === 1) return all[0];
    return state.decoder ? all.join('') : Buffer.concat(all);
  }
  const parts = [];
  let left = count;
  while (left > 0) {
    const first = state.buffer[0];
    if (first.length <= left) {
      parts.push(state.buffer.shift());
      left -= first.length;
    } else {
      parts.push(first.slice(0, left));
      state.buffer[0] = first.slice(left);
      left = 0;
    }
  }
  if (parts.length === 1) return parts[0];
  return state.decoder ? parts.join('') : Buffer.concat(parts);
}

function endReadable(stream) {
  const state = stream._readableState;
  if (state.endEmitted) return;
  state.ended = true;
  process.nextTick(() => {
    if (state.errored || state.closeEmitted || state.endEmitted || state.length !== 0) return;
    state.endEmitted = true;
    stream.emit('end');
    if (stream.writable && stream.allowHalfOpen === false)
      process.nextTick(() => {
        if (stream.writable && !stream.writableEnded && !stream.destroyed) stream.end();
      });
    else if (state.autoDestroy) {
      const w = stream._writableState;
      if (!w || (w.autoDestroy && (w.finished || w.writable === false))) stream.destroy();
    }
  });
}

proto.on = function(type, listener) {
  const result = Stream.prototype.on.call(this, type, listener);
  const state = this._readableState;
  if (type === 'data') {
    state.readableListening = this.listenerCount('readable') > 0;
    if (state.flowing !== false) this.resume();
  } else if (type === 'readable' && !state.endEmitted && !state.readableListening) {
    state.readableListening = state.needReadable = true;
    state.flowing = false;
    state.emittedReadable = false;
    if (state.length) emitReadable(this);
    else if (!state.reading) process.nextTick(() => this.read(0));
  }
  return result;
};
proto.addListener = proto.on;

proto.removeListener = function(type, listener) {
  const result = Stream.prototype.removeListener.call(this, type, listener);
  if (type === 'readable') process.nextTick(updateListening, this);
  return result;
};
proto.off = proto.removeListener;
proto.removeAllListeners = function(type) {
  const result = Reflect.apply(Stream.prototype.removeAllListeners, this, arguments);
  if (type === 'readable' || type === undefined) process.nextTick(updateListening, this);
  return result;
};

function updateListening(stream) {
  const state = stream._readableState;
  state.readableListening = stream.listenerCount('readable') > 0;
  if (state.resumeScheduled && !state.paused) state.flowing = true;
  else if (stream.listenerCount('data') > 0) stream.resume();
  else if (!state.readableListening) state.flowing = null;
}

proto.resume = function() {
  const state = this._readableState;
  if (!state.flowing) {
    state.flowing = !state.readableListening;
    if (!state.resumeScheduled) {
      state.resumeScheduled = true;
      process.nextTick(() => {
        if (!state.reading) this.read(0);
        state.resumeScheduled = false;
        this.emit('resume');
        flow(this);
        if (state.flowing && !state.reading) this.read(0);
      });
    }
  }
  state.paused = false;
  return this;
};

proto.pause = function() {
  if (this._readableState.flowing !== false) {
    this._readableState.flowing = false;
    this.emit('pause');
  }
  this._readableState.paused = true;
  return this;
};

function flow(stream) {
  const state = stream._readableState;
  while (state.flowing && stream.read() !== null);
}

proto.pipe = function(target, options) {
  const source = this;
  const state = this._readableState;
  state.pipes.push(target);
  const doEnd = options?.end !== false && target !== process.stdout && target !== process.stderr;
  const onEnd = doEnd ? () => target.end() : () => clean();
  const onData = (chunk) => {
    if (target.write(chunk) === false) {
      state.awaiting.add(target);
      source.pause();
      if (!draining) {
        draining = true;
        target.on('drain', onDrain);
      }
    }
  };
  let draining = false;
  const onDrain = () => {
    state.awaiting.delete(target);
    if (state.awaiting.size === 0 && source.listenerCount('data')) source.resume();
  };
  const onError = (error) => {
    clean();
    source.unpipe(target);
    target.removeListener('error', onError);
    if (target.listenerCount('error') === 0) {
      const s = target._writableState || target._readableState;
      if (s && !s.errorEmitted) fail(target, error);
      else target.emit('error', error);
    }
  };
  const onClose = () => { target.removeListener('finish', onFinish); source.unpipe(target); };
  const onFinish = () => { target.removeListener('close', onClose); source.unpipe(target); };
  const onUnpipe = (readable, info) => {
    if (readable === source && info && !info.hasUnpiped) {
      info.hasUnpiped = true;
      clean();
    }
  };
  const clean = () => {
    target.removeListener('close', onClose);
    target.removeListener('finish', onFinish);
    if (draining) target.removeListener('drain', onDrain);
    target.removeListener('error', onError);
    target.removeListener('unpipe', onUnpipe);
    source.removeListener('end', onEnd);
    source.removeListener('data', onData);
    if (draining && state.awaiting.has(target)) onDrain();
  };
  if (state.endEmitted) process.nextTick(onEnd);
  else source.once('end', onEnd);
  target.on('unpipe', onUnpipe);
  source.on('data', onData);
  target.prependListener('error', onError);
  target.once('close', onClose);
  target.once('finish', onFinish);
  target.emit('pipe', source);
  if (target.writableNeedDrain === true) {
    state.awaiting.add(target);
    source.pause();
    draining = true;
    target.on('drain', onDrain);
  } else if (!state.flowing) source.resume();
  return target;
};

proto.unpipe = function(target) {
  const state = this._readableState;
  if (state.pipes.length === 0) return this;
  const targets = target ? state.pipes.filter((pipe) => pipe === target) : [...state.pipes];
  state.pipes = target ? state.pipes.filter((pipe) => pipe !== target) : [];
  if (state.pipes.length === 0) this.pause();
  for (const each of targets) each.emit('unpipe', this, { hasUnpiped: false });
  return this;
};

proto.wrap = function(old) {
  old.on('data', (chunk) => { if (!this.push(chunk) && old.pause) old.pause(); });
  old.on('end', () => this.push(null));
  old.on('error', (error) => fail(this, error));
  old.on('close', () => this.destroy());
  this._read = () => old.resume?.();
  return this;
};

proto[Symbol.asyncIterator] = function() { return iterate(this); };
proto.iterator = function(options) { return iterate(this, options); };

async function* iterate(stream, options) {
  const { finished } = require('internal/stream_finished');
  let wake = () => {};
  let failure;
  const onReadable = () => wake();
  stream.on('readable', onReadable);
  const clean = finished(stream, { writable: false }, (error) => {
    failure = error ?? null;
    wake();
  });
  try {
    for (;;) {
      const chunk = stream.destroyed ? null : stream.read();
      if (chunk !== null) yield chunk;
      else if (failure) throw failure;
      else if (failure === null) return;
      else await new Promise((resolve) => { wake = resolve; });
    }
  } catch (error) {
    failure = error;
    throw failure;
  } finally {
    if (
      (failure || options?.destroyOnReturn !== false) &&
      (failure === undefined || stream._readableState.autoDestroy)
    ) {
      stream.on('error', () => {});
      stream.destroy(null);
    } else {
      stream.off('readable', onReadable);
      clean();
    }
  }
}

Readable.from = function(iterable, options) {
  if (typeof iterable === 'string' || iterable instanceof Uint8Array) {
    return new Readable({ objectMode: true, ...options, read() { this.push(iterable); this.push(null); } });
  }
  let iterator;
  if (iterable?.[Symbol.asyncIterator]) iterator = iterable[Symbol.asyncIterator]();
  else if (iterable?.[Symbol.iterator]) iterator = iterable[Symbol.iterator]();
  else throw invalidArgType('iterable', ['Iterable'], iterable);
  const stream = new Readable({ objectMode: true, highWaterMark: 1, ...options });
  let reading = false;
  stream._read = () => {
    if (!reading) {
      reading = true;
      next();
    }
  };
  async function next() {
    for (;;) {
      try {
        const { value, done } = await iterator.next();
        if (done) {
          stream.push(null);
          return;
        }
        const item = value && typeof value.then === 'function' ? await value : value;
        if (item === null) {
          reading = false;
          throw coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
        }
        if (stream.push(item)) continue;
        reading = false;
      } catch (error) {
        stream.destroy(error);
      }
      break;
    }
  }
  stream._destroy = (error, callback) => {
    const close = async () => {
      if (error && typeof iterator.throw === 'function') {
        const { value, done } = await iterator.throw(error);
        await value;
        if (done) return;
      }
      if (typeof iterator.return === 'function') await (await iterator.return()).value;
    };
    close().then(() => process.nextTick(callback, error), (other) => process.nextTick(callback, other || error));
  };
  return stream;
};

Readable.wrap = (source, options) =>
  new Readable({ objectMode: source.readableObjectMode ?? source.objectMode ?? true, ...options }).wrap(source);
Readable.fromWeb = (web, options) => Readable.from(web, options);
Readable.toWeb = (stream) => new ReadableStream({ start(controller) {
  stream.on('data', (chunk) => controller.enqueue(chunk));
  stream.on('end', () => controller.close());
  stream.on('error', (error) => controller.error(error));
} });
Readable.isDisturbed = (stream) => !!(stream._readableState?.dataEmitted || stream.destroyed);

// What arrays have, for streams.
const helpers = {
  map(each, options) {
    check.function(each, 'fn');
    const source = this;
    const concurrency = options?.concurrency ?? 1;
    return Readable.from((async function* mapped() {
      const running = [];
      for await (const item of source) {
        running.push(Promise.resolve(each(item, { signal: options?.signal })));
        running.at(-1).catch(() => {});
        if (running.length >= concurrency) yield await running.shift();
      }
      while (running.length) yield await running.shift();
    })());
  },
  filter(each, options) {
    check.function(each, 'fn');
    const source = this;
    return Readable.from(
      (async function* filtered() {
        for await (const item of source) if (await each(item, options ?? {})) yield item;
      })(),
    );
  },
  flatMap(each, options) {
    check.function(each, 'fn');
    const source = this;
    return Readable.from(
      (async function* flat() {
        for await (const item of source) yield* await each(item, options ?? {});
      })(),
    );
  },
  take(count) {
    const source = this;
    return Readable.from((async function* taken() {
      if (count <= 0) return;
      let left = count;
      for await (const item of source) {
        yield item;
        if (--left <= 0) return;
      }
    })());
  },
  drop(count) {
    const source = this;
    return Readable.from(
      (async function* dropped() {
        let left = count;
        for await (const item of source) if (left-- <= 0) yield item;
      })(),
    );
  },
  asIndexedPairs() {
    const source = this;
    return Readable.from(
      (async function* pairs() {
        let i = 0;
        for await (const item of source) yield [i++, item];
      })(),
    );
  },
  compose(stream, options) {
    return require('internal/stream_compose')(this, stream, options);
  },
  async toArray() {
    const out = [];
    for await (const item of this) out.push(item);
    return out;
  },
  async forEach(each, options) {
    for await (const item of this) await each(item, options ?? {});
  },
  async some(each, options) {
    for await (const item of this) if (await each(item, options ?? {})) return true;
    return false;
  },
  async every(each, options) {
    for await (const item of this) if (!(await each(item, options ?? {}))) return false;
    return true;
  },
  async find(each, options) {
    for await (const item of this) if (await each(item, options ?? {})) return item;
    return undefined;
  },
  async reduce(each, ...rest) {
    let has = rest.length > 0;
    let value = rest[0];
    for await (const item of this) {
      value = has ? await each(value, item, {}) : item;
      has = true;
    }
    if (!has) throw coded(TypeError, 'ERR_MISSING_ARGS', 'Reduce of an empty stream requires an initial value');
    return value;
  },
};
for (const [name, value] of Object.entries(helpers))
  Object.defineProperty(proto, name, { value, writable: true, configurable: true, enumerable: false });

const getter = (name, get, set) => Object.defineProperty(proto, name, { configurable: true, enumerable: false, get, set });
getter('readable', function() {
  const state = this._readableState;
  return !!state && state.readable !== false && !state.destroyed && !state.errorEmitted && !state.endEmitted;
}, function(value) { if (this._readableState) this._readableState.readable = !!value; });
getter('readableDidRead', function() { return this._readableState.dataEmitted; });
getter('readableAborted', function() { const s = this._readableState; return !!(s.readable !== false && (s.destroyed || s.errored) && !s.endEmitted); });
getter('readableHighWaterMark', function() { return this._readableState.highWaterMark; });
getter('readableBuffer', function() { return this._readableState?.buffer; });
getter('readableFlowing', function() { return this._readableState.flowing; }, function(value) { if (this._readableState) this._readableState.flowing = value; });
getter('readableLength', function() { return this._readableState.length; });
getter('readableObjectMode', function() { return this._readableState ? this._readableState.objectMode : false; });
getter('readableEncoding', function() { return this._readableState ? this._readableState.encoding : null; });
getter('errored', function() { return this._readableState ? this._readableState.errored : null; });
getter('closed', function() { return this._readableState ? this._readableState.closed : false; });
getter('destroyed', function() { return this._readableState ? this._readableState.destroyed : false; }, function(value) {
  if (this._readableState) this._readableState.destroyed = value;
});
getter('readableEnded', function() { return this._readableState ? this._readableState.endEmitted : false; });

module.exports = { Readable };
