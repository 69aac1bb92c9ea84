// An open descriptor of a stream of bytes, as the event loop sees it.

const loop = require('internal/loop');
const { streamError } = require('internal/errors');

const PIECE = 65536;
const AGAIN = -11;
const INTERRUPTED = -4;

/// What is read first goes here; a chunk of its own size is made of it.
let space;

class StreamHandle {
  #owner; // gets `data`, `ended` and `failed`
  #reader;
  #writer;
  #held = true;
  bytesRead = 0;
  bytesWritten = 0;

  constructor(fd, owner) {
    this.fd = fd;
    this.#owner = owner;
  }

  get reading() { return this.#reader !== undefined; }

  readStart() {
    if (this.#reader || this.fd < 0) return;
    this.#reader = loop.watch(this.fd, 1, () => this.#read());
    this.#reader.held = this.#held;
  }

  readStop() {
    if (this.#reader) loop.unwatch(this.#reader);
    this.#reader = undefined;
  }

  #read() {
    space ??= Buffer.allocUnsafeSlow(PIECE);
    const got = native.read(this.fd, space, 0, PIECE, -1);
    if (got === AGAIN || got === INTERRUPTED) return;
    if (got > 0) {
      this.bytesRead += got;
      let chunk = space;
      // Much is given away as it is.
      if (got > PIECE / 2) space = undefined;
      else chunk = Buffer.from(space.subarray(0, got));
      this.#owner.data(got === chunk.length ? chunk : chunk.subarray(0, got));
      return;
    }
    this.readStop();
    if (got === 0) this.#owner.ended();
    else this.#owner.failed(streamError(got, 'read'));
  }

  /// Writes all of some bytes: at once what there is room for, the rest when there is some. `done` gets an error or
  /// null.
  write(bytes, done) {
    let at = 0;
    const attempt = () => {
      while (at < bytes.length) {
        const wrote = native.write(this.fd, bytes, at, bytes.length - at, -1);
        if (wrote === INTERRUPTED) continue;
        if (wrote === AGAIN) {
          if (!this.#writer) {
            this.#writer = loop.watch(this.fd, 2, attempt);
            this.#writer.held = this.#held;
          }
          return;
        }
        if (wrote < 0) return end(streamError(wrote, 'write'));
        at += wrote;
        this.bytesWritten += wrote;
        this.#owner.active();
      }
      end(null);
    };
    const end = (error) => {
      this.#stopWriting();
      done(error);
    };
    attempt();
  }

  #stopWriting() {
    if (this.#writer) loop.unwatch(this.#writer);
    this.#writer = undefined;
  }

  /// Waits until a connection is there or refused.
  whenConnected(done) {
    this.#writer = loop.watch(this.fd, 2, () => {
      this.#stopWriting();
      done(native.socketError(this.fd));
    });
    this.#writer.held = this.#held;
  }

  shutdown() { return native.shutdown(this.fd, 1); }

  close() {
    if (this.fd < 0) return;
    this.readStop();
    this.#stopWriting();
    native.close(this.fd);
    this.fd = -1;
  }

  #hold(held) {
    this.#held = held;
    for (const watcher of [this.#reader, this.#writer]) if (watcher) watcher.held = held;
  }
  ref() { this.#hold(true); }
  unref() { this.#hold(false); }
  hasRef() { return this.#held; }
  getAsyncId() { return -1; }
  setNoDelay(on) { return native.socketOption(this.fd, 'noDelay', on ? 1 : 0); }
  setKeepAlive(on) { return native.socketOption(this.fd, 'keepAlive', on ? 1 : 0); }
}

module.exports = { StreamHandle };
