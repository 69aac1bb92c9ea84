// Streams: those of the package readable-stream, what Node 20 has beside them, and their ways from and to the Web's.

const Stream = require('readable-stream/stream');

const { Readable, Writable, Duplex } = Stream;

Readable.fromWeb = (web, options) => Readable.from(web, { objectMode: false, ...options });
Readable.toWeb = (stream) => new ReadableStream({
  start(controller) {
    stream.on('data', (chunk) => controller.enqueue(chunk));
    stream.on('end', () => controller.close());
    stream.on('error', (error) => controller.error(error));
  },
});

Object.defineProperty(Writable.prototype, Symbol.asyncDispose, {
  configurable: true,
  enumerable: false,
  writable: true,
  async value() {
    this.destroy();
    await new Promise((resolve) => Stream.finished(this, () => resolve()));
  },
});

/// Two streams; what is written to one is read from the other.
Stream.duplexPair = function duplexPair(options) {
  const ends = [0, 1].map((which) => {
    let written;
    const end = new Duplex({
      ...options,
      read() {
        const callback = written;
        written = undefined;
        callback?.();
      },
      write(chunk, encoding, callback) {
        end.hand(chunk, callback);
      },
      final(callback) {
        end.hand(null, callback);
      },
    });
    // Whoever writes goes on after the other end has been read.
    const receive = (chunk, callback) => {
      if (chunk === null || chunk.length === 0) process.nextTick(callback);
      else written = callback;
      end.push(chunk);
    };
    const hand = (chunk, callback) => ends[1 - which].receive(chunk, callback);
    Object.defineProperties(end, { receive: { value: receive }, hand: { value: hand } });
    return end;
  });
  return ends;
};

module.exports = Stream;
