// Streams of files.

const { Readable } = require('stream');
const { Writable } = require('stream');
const { toPath } = require('internal/paths');
const { check, invalidArgValue, outOfRange } = require('internal/errors');
const fs = require('fs');

const { whenReadable } = fs;

function settings(options) {
  options = typeof options === 'string' ? { encoding: options } : { ...options };
  const { encoding } = options;
  if (encoding && !Buffer.isEncoding(encoding)) throw invalidArgValue('encoding', encoding, 'is invalid encoding');
  return options;
}

function ReadStream(path, options) {
  if (!(this instanceof ReadStream)) return new ReadStream(path, options);
  options = settings(options);
  options.highWaterMark ??= 65536;
  this.fd = options.fd == null ? null : typeof options.fd === 'object' ? options.fd.fd : options.fd;
  if (typeof options.fd === 'object' && options.fd !== null)
    Object.defineProperty(this, 'handle', { value: options.fd, enumerable: false });
  this.path = path === undefined || path === null ? path : toPath(path);
  this.flags = options.flags ?? 'r';
  this.mode = options.mode ?? 0o666;
  this.start = options.start;
  this.end = options.end ?? Infinity;
  this.pos = undefined;
  this.bytesRead = 0;
  if (this.start !== undefined) {
    check.integer(this.start, 'start', 0);
    this.pos = this.start;
  }
  if (this.end !== Infinity) {
    check.integer(this.end, 'end', 0);
    if (this.start !== undefined && this.start > this.end)
      throw outOfRange('start', `<= "end" (here: ${this.end})`, this.start);
  }
  Readable.call(this, { ...options, autoDestroy: options.autoClose !== false, emitClose: options.emitClose });
}
Object.setPrototypeOf(ReadStream.prototype, Readable.prototype);
Object.setPrototypeOf(ReadStream, Readable);

function construct(callback) {
  if (typeof this.fd === 'number') return callback();
  fs.open(this.path, this.flags, this.mode, (error, fd) => {
    if (error) return callback(error);
    this.fd = fd;
    callback();
    this.emit('open', fd);
    this.emit('ready');
  });
}
ReadStream.prototype._construct = construct;

ReadStream.prototype._read = function(size) {
  if (this.pos !== undefined) size = Math.min(this.end - this.pos + 1, size);
  else size = Math.min(this.end - this.bytesRead + 1, size);
  if (size <= 0) return this.push(null);
  const buffer = Buffer.allocUnsafe(size);
  fs.read(this.fd, buffer, 0, size, this.pos ?? null, (error, got) => {
    if (error) return this.destroy(error);
    if (got === 0) return this.push(null);
    if (this.pos !== undefined) this.pos += got;
    this.bytesRead += got;
    this.push(buffer.subarray(0, got));
  });
};

function close(error, callback) {
  if (typeof this.fd !== 'number') return callback(error);
  const { fd } = this;
  this.fd = null;
  if (this.handle) {
    this.handle.close().then(() => callback(error), (other) => callback(error || other));
    return;
  }
  fs.close(fd, (other) => callback(error || other));
}
ReadStream.prototype._destroy = close;
ReadStream.prototype.close = function(callback) {
  if (callback) require('stream').finished(this, callback);
  this.destroy();
};
Object.defineProperty(ReadStream.prototype, 'pending', { configurable: true, get() { return this.fd === null; } });

function WriteStream(path, options) {
  if (!(this instanceof WriteStream)) return new WriteStream(path, options);
  options = settings(options);
  this.fd = options.fd == null ? null : typeof options.fd === 'object' ? options.fd.fd : options.fd;
  if (typeof options.fd === 'object' && options.fd !== null)
    Object.defineProperty(this, 'handle', { value: options.fd, enumerable: false });
  this.path = path === undefined || path === null ? path : toPath(path);
  this.flags = options.flags ?? 'w';
  this.mode = options.mode ?? 0o666;
  this.start = options.start;
  this.pos = options.start;
  this.bytesWritten = 0;
  Writable.call(this, {
    ...options,
    decodeStrings: true,
    autoDestroy: options.autoClose !== false,
    emitClose: options.emitClose,
  });
  if (options.encoding) this.setDefaultEncoding(options.encoding);
}
Object.setPrototypeOf(WriteStream.prototype, Writable.prototype);
Object.setPrototypeOf(WriteStream, Writable);
WriteStream.prototype._construct = construct;
WriteStream.prototype._write = function(chunk, encoding, callback) {
  try {
    fs.internals.writeAll(this.fd, chunk, this.pos);
  } catch (error) {
    return callback(error);
  }
  this.bytesWritten += chunk.length;
  if (this.pos !== undefined) this.pos += chunk.length;
  require('internal/loop').complete(callback, null);
};
WriteStream.prototype._destroy = close;
WriteStream.prototype.close = function(callback) {
  if (callback) {
    if (this.closed) return process.nextTick(callback);
    this.on('close', callback);
  }
  if (this.writableFinished) this.destroy();
  else this.end();
};
WriteStream.prototype.destroySoon = WriteStream.prototype.end;
Object.defineProperty(WriteStream.prototype, 'pending', { configurable: true, get() { return this.fd === null; } });
Object.defineProperty(WriteStream.prototype, 'autoClose', { get() { return this._writableState.autoDestroy; } });
void whenReadable;

module.exports = { ReadStream, WriteStream };
