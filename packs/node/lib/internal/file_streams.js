// Streams of files.

const { Readable, Writable, finished } = require('stream');
const { streamKind } = require('internal/stream_kinds');
const { toPath } = require('internal/paths');
const { check, invalidArgType, outOfRange } = require('internal/errors');
const { complete } = require('internal/loop');
const fs = require('fs');

/// A kind of stream of files; `state` is the property with the state of its base.
function fileKind(name, Base, state, begin, methods) {
  const Kind = streamKind(name, Base, begin, { _construct: open, _destroy: close, ...methods });
  Object.defineProperties(Kind.prototype, {
    pending: { configurable: true, get() { return this.fd === null; } },
    autoClose: { get() { return this[state].autoDestroy; }, set(on) { this[state].autoDestroy = on; } },
  });
  return Kind;
}

const isHandle = (value) => typeof value?.fd === 'number' && typeof value.close === 'function';

/// The file of a stream: by its name, or by a descriptor or handle that is open.
function setFile(stream, path, { fd = null, flags, mode = 0o666 }, own) {
  if (typeof fd === 'number') check.integer(fd, 'fd', 0, 2147483647);
  else if (fd !== null && !isHandle(fd)) throw invalidArgType('options.fd', ['number', 'FileHandle'], fd);
  const name = fd !== null && path == null ? path : toPath(path);
  Object.assign(stream, { fd: fd?.fd ?? fd, path: name, flags, mode, ...own });
  Object.defineProperty(stream, 'handle', { value: typeof fd === 'number' ? null : fd, enumerable: false });
}

const forBase = (options) => ({ ...options, autoDestroy: options.autoClose !== false });

function open(callback) {
  if (typeof this.fd === 'number') return callback();
  fs.open(this.path, this.flags, this.mode, (error, fd) => {
    if (error) return callback(error);
    this.fd = fd;
    callback();
    this.emit('open', fd);
    this.emit('ready');
  });
}

function close(error, callback) {
  const { fd, handle } = this;
  if (typeof fd !== 'number') return callback(error);
  this.fd = null;
  if (this.flush) native.fsync(fd);
  const closed = (other) => callback(error || other);
  if (handle) handle.close().then(() => closed(), closed);
  else fs.close(fd, closed);
}

function beginReading(stream, path, options) {
  options = fs.internals.optionsOf(options, { highWaterMark: 65536 });
  const { flags = 'r', start, end = Infinity } = options;
  if (start !== undefined) check.integer(start, 'start', 0);
  if (end !== Infinity) check.integer(end, 'end', 0);
  if (start > end) throw outOfRange('start', `<= "end" (here: ${end})`, start);
  setFile(stream, path, { ...options, flags }, { start, end, pos: start, bytesRead: 0 });
  return forBase(options);
}

const ReadStream = fileKind('ReadStream', Readable, '_readableState', beginReading, {
  _read(wanted) {
    const size = Math.min(wanted, this.end + 1 - (this.pos ?? this.bytesRead));
    if (size <= 0) return this.push(null);
    const buffer = Buffer.allocUnsafe(size);
    fs.read(this.fd, buffer, 0, size, this.pos ?? null, (error, got) => {
      if (error) return this.destroy(error);
      this.bytesRead += got;
      if (this.pos !== undefined) this.pos += got;
      this.push(got === 0 ? null : buffer.subarray(0, got));
    });
  },
  close(callback) {
    if (callback) finished(this, callback);
    this.destroy();
  },
});

function beginWriting(stream, path, options) {
  options = fs.internals.optionsOf(options, {});
  const { flags = 'w', start, encoding } = options;
  const flush = options.flush ?? false;
  check.boolean(flush, 'options.flush');
  if (start !== undefined) check.integer(start, 'start', 0);
  setFile(stream, path, { ...options, flags }, { flush, start, pos: start, bytesWritten: 0 });
  const defaultEncoding = encoding || options.defaultEncoding;
  return { ...forBase(options), decodeStrings: true, ...(defaultEncoding && { defaultEncoding }) };
}

const WriteStream = fileKind('WriteStream', Writable, '_writableState', beginWriting, {
  _write(chunk, encoding, callback) {
    try {
      fs.internals.writeAll(this.fd, chunk, this.pos);
    } catch (error) {
      return callback(error);
    }
    this.bytesWritten += chunk.length;
    if (this.pos !== undefined) this.pos += chunk.length;
    complete(callback, null);
  },
  /// Closes it after all is written.
  close(callback) {
    if (callback && this.closed) return process.nextTick(callback);
    if (callback) this.on('close', callback);
    if (this.writableFinished) this.destroy();
    else this.end();
  },
  destroySoon: Writable.prototype.end,
});

module.exports = { ReadStream, WriteStream };
