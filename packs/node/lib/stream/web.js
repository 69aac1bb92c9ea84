// Streams of the web, in the form that most programs use.

const { coded, unsupported } = require('internal/errors');

class ReadableStreamDefaultController {
  #stream;
  constructor(stream) {
    this.#stream = stream;
  }
  get desiredSize() {
    return this.#stream.state.closed ? 0 : this.#stream.state.size - this.#stream.state.queue.length;
  }
  enqueue(chunk) {
    const { state } = this.#stream;
    if (state.closed || state.error) throw new TypeError('Invalid state: Controller is already closed');
    if (state.waiting.length) state.waiting.shift().resolve({ value: chunk, done: false });
    else state.queue.push(chunk);
  }
  close() {
    const { state } = this.#stream;
    if (state.closed) throw new TypeError('Invalid state: Controller is already closed');
    state.closed = true;
    for (const { resolve } of state.waiting.splice(0)) resolve({ value: undefined, done: true });
    if (!state.queue.length) state.settle();
  }
  error(reason) {
    const { state } = this.#stream;
    if (state.closed || state.error) return;
    state.error = { reason };
    state.queue = [];
    for (const { reject } of state.waiting.splice(0)) reject(reason);
    state.fail(reason);
  }
}

class ReadableStream {
  constructor(source = {}, strategy = {}) {
    const state = {
      queue: [],
      waiting: [],
      closed: false,
      error: null,
      source,
      pulling: false,
      locked: false,
      size: strategy?.highWaterMark ?? 1,
      reader: null,
    };
    state.closedPromise = new Promise((resolve, reject) => {
      state.settle = resolve;
      state.fail = reject;
    });
    state.closedPromise.catch(() => {});
    Object.defineProperty(this, 'state', { value: state, enumerable: false });
    state.controller = new ReadableStreamDefaultController(this);
    state.started = Promise.resolve().then(() => {});
    const begun = source.start?.(state.controller);
    state.started = Promise.resolve(begun);
    state.started.then(() => this.pull(), (error) => state.controller.error(error));
  }
  static from(iterable) {
    const iterator = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]();
    return new ReadableStream({
      async pull(controller) {
        const { value, done } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) { await iterator.return?.(reason); },
    }, { highWaterMark: 0 });
  }
  pull() {
    const { state } = this;
    if (state.pulling || state.closed || state.error || !state.source.pull) return;
    if (state.queue.length >= state.size && !state.waiting.length) return;
    state.pulling = true;
    state.started.then(() => state.source.pull(state.controller)).then(() => {
      state.pulling = false;
      if (state.waiting.length || state.queue.length < state.size) this.pull();
    }, (error) => state.controller.error(error));
  }
  get locked() { return this.state.locked; }
  getReader() {
    const { state } = this;
    if (state.locked) throw coded(TypeError, 'ERR_INVALID_STATE', 'Invalid state: ReadableStream is locked');
    state.locked = true;
    return new ReadableStreamDefaultReader(this);
  }
  async cancel(reason) {
    const { state } = this;
    state.disturbed = true;
    state.queue = [];
    if (!state.closed) state.controller.close();
    await state.source.cancel?.(reason);
  }
  async pipeTo(target, { preventClose = false } = {}) {
    const writer = target.getWriter();
    try {
      for await (const chunk of this) await writer.write(chunk);
      if (!preventClose) await writer.close();
    } catch (error) {
      await writer.abort(error);
      throw error;
    } finally {
      writer.releaseLock();
    }
  }
  pipeThrough({ readable, writable }, options) {
    this.pipeTo(writable, options).catch(() => {});
    return readable;
  }
  tee() {
    const reader = this.getReader();
    const controllers = [];
    let reading = false;
    const pull = async () => {
      if (reading) return;
      reading = true;
      const { value, done } = await reader.read();
      reading = false;
      for (const controller of controllers) {
        if (done) controller.close();
        else controller.enqueue(value);
      }
    };
    return [0, 1].map(() => new ReadableStream({ start(controller) { controllers.push(controller); }, pull }));
  }
  async *values({ preventCancel = false } = {}) {
    const reader = this.getReader();
    let finished = false;
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) {
          finished = true;
          return;
        }
        yield value;
      }
    } finally {
      if (!finished && !preventCancel && !this.state.error) await reader.cancel();
      reader.releaseLock();
    }
  }
}
Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, {
  value: ReadableStream.prototype.values,
  writable: true,
  configurable: true,
});

class ReadableStreamDefaultReader {
  #stream;
  constructor(stream) { this.#stream = stream; }
  get closed() { return this.#stream.state.closedPromise; }
  read() {
    const { state } = this.#stream;
    state.disturbed = true;
    if (state.error) return Promise.reject(state.error.reason);
    if (state.queue.length) {
      const value = state.queue.shift();
      if (state.closed && !state.queue.length) state.settle();
      this.#stream.pull();
      return Promise.resolve({ value, done: false });
    }
    if (state.closed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      state.waiting.push({ resolve, reject });
      this.#stream.pull();
    });
  }
  cancel(reason) { return this.#stream.cancel(reason); }
  releaseLock() { this.#stream.state.locked = false; }
}

class WritableStream {
  constructor(sink = {}, strategy = {}) {
    const state = {
      sink,
      last: Promise.resolve(),
      closed: false,
      error: null,
      locked: false,
      size: strategy?.highWaterMark ?? 1,
      controller: {
        error: (reason) => {
          state.error = { reason };
        },
        signal: new AbortController().signal,
      },
    };
    Object.defineProperty(this, 'state', { value: state, enumerable: false });
    state.last = Promise.resolve(sink.start?.(state.controller));
    state.done = new Promise((resolve, reject) => { state.settle = resolve; state.fail = reject; });
    state.done.catch(() => {});
  }
  get locked() { return this.state.locked; }
  getWriter() {
    if (this.state.locked) throw coded(TypeError, 'ERR_INVALID_STATE', 'Invalid state: WritableStream is locked');
    this.state.locked = true;
    return new WritableStreamDefaultWriter(this);
  }
  close() { return new WritableStreamDefaultWriter(this).close(); }
  async abort(reason) {
    this.state.error = { reason };
    await this.state.sink.abort?.(reason);
    this.state.fail(reason);
  }
}

class WritableStreamDefaultWriter {
  #stream;
  constructor(stream) { this.#stream = stream; }
  get closed() { return this.#stream.state.done; }
  get ready() { return this.#stream.state.last; }
  get desiredSize() { return this.#stream.state.size; }
  write(chunk) {
    const { state } = this.#stream;
    if (state.error) return Promise.reject(state.error.reason);
    if (state.closed) return Promise.reject(new TypeError('Invalid state: WritableStream is closed'));
    state.last = state.last.then(() => state.sink.write?.(chunk, state.controller));
    state.last.catch((reason) => { state.error ??= { reason }; });
    return state.last.then(() => undefined);
  }
  close() {
    const { state } = this.#stream;
    state.closed = true;
    state.last = state.last.then(() => state.sink.close?.());
    return state.last.then(() => state.settle());
  }
  abort(reason) { return this.#stream.abort(reason); }
  releaseLock() { this.#stream.state.locked = false; }
}

class TransformStream {
  constructor(transformer = {}) {
    let controller;
    this.readable = new ReadableStream(
      {
        start(own) {
          controller = own;
        },
      },
      { highWaterMark: Infinity },
    );
    const face = {
      enqueue: (chunk) => controller.enqueue(chunk),
      error: (reason) => controller.error(reason),
      terminate: () => controller.close(),
      get desiredSize() {
        return controller.desiredSize;
      },
    };
    this.writable = new WritableStream({
      start: () => transformer.start?.(face),
      write: (chunk) => (transformer.transform ? transformer.transform(chunk, face) : face.enqueue(chunk)),
      async close() {
        await transformer.flush?.(face);
        if (!controller.closed) {
          try {
            controller.close();
          } catch {
            // The transformer closed it.
          }
        }
      },
      abort: (reason) => controller.error(reason),
    });
  }
}

class TextEncoderStream extends TransformStream {
  constructor() { super({ transform: (chunk, controller) => controller.enqueue(new TextEncoder().encode(chunk)) }); }
}
class TextDecoderStream extends TransformStream {
  constructor(label, options) {
    const decoder = new TextDecoder(label, options);
    super({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true });
        if (text) controller.enqueue(text);
      },
      flush(controller) {
        const text = decoder.decode();
        if (text) controller.enqueue(text);
      },
    });
  }
}

function throughZlib(kinds) {
  return class extends TransformStream {
    constructor(format) {
      const kind = kinds[format];
      if (!kind)
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'format' is invalid. Received '${format}'`);
      const parts = [];
      super({
        transform(chunk) { parts.push(Buffer.from(chunk)); },
        flush(controller) { controller.enqueue(new Uint8Array(require('zlib')[kind](Buffer.concat(parts)))); },
      });
    }
  };
}
const CompressionStream = throughZlib({
  'gzip': 'gzipSync',
  'deflate': 'deflateSync',
  'deflate-raw': 'deflateRawSync',
});
const DecompressionStream = throughZlib({
  'gzip': 'gunzipSync',
  'deflate': 'inflateSync',
  'deflate-raw': 'inflateRawSync',
});

class CountQueuingStrategy {
  constructor({ highWaterMark }) {
    this.highWaterMark = highWaterMark;
  }
  size() {
    return 1;
  }
}
class ByteLengthQueuingStrategy {
  constructor({ highWaterMark }) {
    this.highWaterMark = highWaterMark;
  }
  size(chunk) {
    return chunk.byteLength;
  }
}

module.exports = {
  ReadableStream,
  ReadableStreamDefaultReader,
  ReadableStreamDefaultController,
  WritableStream,
  WritableStreamDefaultWriter,
  TransformStream,
  TextEncoderStream,
  TextDecoderStream,
  CompressionStream,
  DecompressionStream,
  CountQueuingStrategy,
  ByteLengthQueuingStrategy,
};
void unsupported;
