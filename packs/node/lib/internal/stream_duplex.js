// Streams that are both; transforming streams.

const { Readable } = require('internal/stream_readable');
const { destroy } = require('internal/stream_base');
const { coded } = require('internal/errors');

function Duplex(options) {
  if (!(this instanceof Duplex)) return new Duplex(options);
  const { Writable } = require('internal/stream_writable');
  Readable.call(this, options);
  Writable.call(this, options);
  this.allowHalfOpen = options?.allowHalfOpen !== false;
  if (options?.readable === false)
    Object.assign(this._readableState, { readable: false, ended: true, endEmitted: true });
  if (options?.writable === false)
    Object.assign(this._writableState, { writable: false, ending: true, ended: true, finished: true });
}
Object.setPrototypeOf(Duplex.prototype, Readable.prototype);
Object.setPrototypeOf(Duplex, Readable);

/// Called once both halves are known.
function complete() {
  const { Writable } = require('internal/stream_writable');
  for (const name of Object.getOwnPropertyNames(Writable.prototype)) {
    if (name === 'constructor' || name === 'pipe' || name in Duplex.prototype) continue;
    Object.defineProperty(Duplex.prototype, name, Object.getOwnPropertyDescriptor(Writable.prototype, name));
  }
  Duplex.prototype.destroy = Writable.prototype.destroy;
  Object.defineProperty(Duplex.prototype, 'destroyed', {
    configurable: true,
    get() { return !!(this._readableState?.destroyed && this._writableState?.destroyed); },
    set(value) {
      if (this._readableState && this._writableState)
        this._readableState.destroyed = this._writableState.destroyed = value;
    },
  });
}

Duplex.from = function(body) {
  if (typeof body === 'function') return require('internal/stream_compose')(body);
  if (body?.readable || body?.writable) {
    const { readable, writable } =
      body.readable?.pipe || body.writable?.write ? body : { readable: body, writable: body };
    const duplex = new Duplex({
      objectMode: true,
      write(chunk, encoding, callback) {
        if (writable.write(chunk, encoding)) callback();
        else writable.once('drain', callback);
      },
      final(callback) {
        writable.end(callback);
      },
      read() {
        readable?.resume();
      },
    });
    readable?.on('data', (chunk) => { if (!duplex.push(chunk)) readable.pause(); });
    readable?.on('end', () => duplex.push(null));
    return duplex;
  }
  const source = Readable.from(body);
  const duplex = new Duplex({ objectMode: true, writable: false, read() { source.resume(); } });
  source.on('data', (chunk) => { if (!duplex.push(chunk)) source.pause(); });
  source.on('end', () => duplex.push(null));
  return duplex;
};

function Transform(options) {
  if (!(this instanceof Transform)) return new Transform(options);
  Duplex.call(this, options);
  this._readableState.sync = false;
  Object.defineProperty(this, 'waiting', { value: null, writable: true, enumerable: false });
  if (options) {
    if (typeof options.transform === 'function') this._transform = options.transform;
    if (typeof options.flush === 'function') this._flush = options.flush;
  }
  this.on('prefinish', () => { if (this._final !== Transform.prototype._final) final.call(this); });
}
Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
Object.setPrototypeOf(Transform, Duplex);

function final(callback) {
  if (typeof this._flush === 'function' && !this.destroyed) {
    this._flush((error, data) => {
      if (error) {
        if (callback) callback(error);
        else this.destroy(error);
        return;
      }
      if (data != null) this.push(data);
      this.push(null);
      callback?.();
    });
  } else {
    this.push(null);
    callback?.();
  }
}
Transform.prototype._final = final;
Transform.prototype._transform = function () {
  throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _transform() method is not implemented');
};

Transform.prototype._write = function(chunk, encoding, callback) {
  const r = this._readableState;
  const w = this._writableState;
  const { length } = r;
  this._transform(chunk, encoding, (error, value) => {
    if (error) return callback(error);
    if (value != null) this.push(value);
    if (w.ended || length === r.length || r.length < r.highWaterMark) callback();
    else this.waiting = callback;
  });
};

Transform.prototype._read = function() {
  if (!this.waiting) return;
  const callback = this.waiting;
  this.waiting = null;
  callback();
};

function PassThrough(options) {
  if (!(this instanceof PassThrough)) return new PassThrough(options);
  Transform.call(this, options);
}
Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
Object.setPrototypeOf(PassThrough, Transform);
PassThrough.prototype._transform = function(chunk, encoding, callback) { callback(null, chunk); };

module.exports = { Duplex, Transform, PassThrough, complete };
