// What wants a network or TLS: the words that say that there is none.

const EventEmitter = require('events');
const { Duplex } = require('stream');
const { systemError, unsupported } = require('internal/errors');

/// The exception of a call that would open a socket.
function refused(syscall, more) {
  const error = systemError(-97, syscall);
  error.message = `${syscall} ${error.code} ${more ?? ''}`.trim() + ' (this sandbox has no network)';
  error.stack = error.stack.replace(/^.*/, `Error: ${error.message}`);
  return error;
}

class Socket extends Duplex {
  constructor(options) {
    super({ read() {}, write(chunk, encoding, callback) { callback(refused('write')); }, ...options });
    this.connecting = false;
  }
  connect(options, host, callback) {
    const done = [options, host, callback].find((item) => typeof item === 'function');
    if (done) this.once('connect', done);
    const place =
      typeof options === 'object'
        ? `${options.host ?? options.hostname ?? 'localhost'}:${options.port ?? options.path ?? ''}`
        : `${typeof host === 'string' ? host : 'localhost'}:${options}`;
    process.nextTick(() => this.destroy(refused('connect', place)));
    return this;
  }
  setTimeout() { return this; }
  setNoDelay() { return this; }
  setKeepAlive() { return this; }
  address() { return {}; }
  ref() { return this; }
  unref() { return this; }
  destroySoon() { this.destroy(); }
}

class Server extends EventEmitter {
  constructor(options, listener) {
    super();
    if (typeof options === 'function') listener = options;
    if (listener) this.on('connection', listener);
    this.listening = false;
  }
  listen(...args) {
    const done = args.find((item) => typeof item === 'function');
    if (done) this.once('listening', done);
    const port = args.find((item) => typeof item === 'number') ?? args[0]?.port ?? 0;
    process.nextTick(() => this.emit('error', refused('listen', `0.0.0.0:${port}`)));
    return this;
  }
  close(callback) {
    if (callback)
      process.nextTick(
        callback,
        Object.assign(new Error('Server is not running.'), { code: 'ERR_SERVER_NOT_RUNNING' }),
      );
    return this;
  }
  address() { return null; }
  ref() { return this; }
  unref() { return this; }
  setTimeout() { return this; }
  closeAllConnections() {}
  closeIdleConnections() {}
  getConnections(callback) { process.nextTick(callback, null, 0); }
}

module.exports = { refused, Socket, Server, unsupported };
