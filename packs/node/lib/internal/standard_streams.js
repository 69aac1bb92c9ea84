// stdin, stdout, stderr. Output is written at once; input is read when there is some.

const { Readable } = require('stream');
const { Writable } = require('stream');
const { systemError, streamError } = require('internal/errors');
const { writeAll } = require('fs').internals;
const { watch, unwatch } = require('internal/loop');

const WOULD_WAIT = -11;
const BROKEN_PIPE = -32;

class Output extends Writable {
  constructor(fd) {
    super({ decodeStrings: false, emitClose: false, autoDestroy: false });
    Object.defineProperty(this, 'fd', { value: fd, enumerable: true });
    Object.defineProperty(this, '_type', { value: native.isatty(fd) ? 'tty' : 'pipe', enumerable: true });
    Object.defineProperty(this, '_isStdio', { value: true, enumerable: true });
    if (this._type === 'tty') require('tty').extend(this);
  }
  _write(chunk, encoding, callback) {
    try {
      this.put(chunk, encoding);
    } catch (error) {
      return callback(error.errno === BROKEN_PIPE ? streamError(BROKEN_PIPE, 'write') : error);
    }
    callback(null);
  }
  put(chunk, encoding) {
    if (typeof chunk !== 'string') return writeAll(this.fd, chunk, null);
    if (encoding !== 'utf8' && encoding !== 'utf-8') return writeAll(this.fd, Buffer.from(chunk, encoding), null);
    const code = native.print(this.fd, chunk);
    if (code === WOULD_WAIT) writeAll(this.fd, Buffer.from(chunk), null);
    else if (code < 0) throw systemError(code, 'write');
  }
  _destroy(error, callback) { callback(error); }
  destroySoon() { this.destroy(); }
}

class Input extends Readable {
  constructor(fd) {
    super({ highWaterMark: 65536, emitClose: false, autoDestroy: true });
    Object.defineProperty(this, 'fd', { value: fd, enumerable: true });
    this.watcher = undefined;
    Object.defineProperty(this, 'watcher', { enumerable: false });
    Object.defineProperty(this, 'held', { value: true, writable: true, enumerable: false });
    if (native.isatty(fd)) require('tty').extendInput(this);
  }
  _read(size) {
    if (this.watcher) return;
    this.watcher = watch(this.fd, 1, () => {
      const chunk = Buffer.allocUnsafe(size);
      const got = native.read(this.fd, chunk, 0, size, -1);
      if (got === -11 || got === -4) return;
      unwatch(this.watcher);
      this.watcher = undefined;
      if (got < 0) this.destroy(systemError(got, 'read'));
      else this.push(got === 0 ? null : chunk.subarray(0, got));
    });
    this.watcher.held = this.held;
  }
  pause() {
    const result = super.pause();
    if (this.watcher) {
      unwatch(this.watcher);
      this.watcher = undefined;
      this._readableState.reading = false;
    }
    return result;
  }
  _destroy(error, callback) {
    if (this.watcher) unwatch(this.watcher);
    this.watcher = undefined;
    callback(error);
  }
  ref() { this.held = true; if (this.watcher) this.watcher.held = true; return this; }
  unref() { this.held = false; if (this.watcher) this.watcher.held = false; return this; }
  setRawMode(on) { native.rawMode(this.fd, on); this.isRaw = !!on; return this; }
}
Object.defineProperty(Output, 'name', { value: 'WriteStream' });
Object.defineProperty(Input, 'name', { value: 'ReadStream' });

function open(fd) {
  return fd === 0 ? new Input(0) : new Output(fd);
}

module.exports = { open, Input, Output };
