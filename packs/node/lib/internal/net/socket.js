// `net.Socket`.

const { Duplex } = require('stream');
const { checkLocal, openTo, resolve, summary } = require('internal/net/connecting');
const { connectError, closed } = require('internal/net/failures');
const { StreamHandle } = require('internal/net/handle');
const { portOf } = require('internal/net/addresses');
const { check, coded, invalidArgType, streamError } = require('internal/errors');
const { hidden } = require('internal/hidden');
const { kind, getter: addGetter } = require('internal/kinds');
const loop = require('internal/loop');
const { Timer } = loop;

const NOT_CONNECTED = -107;
const FAMILIES = { 4: 'IPv4', 6: 'IPv6' };

/// What a socket keeps for itself.
const state = Symbol('socket state');

class State {
  names = new Map();
  timer;
  handle = null;
  isHeld = true;
  isReset = false;
  dispatched = [0, 0]; // bytes read and written, after the end
  given = 0; // bytes that were given to be written
  rest; // what `onread` did not want yet
  flying = 0; // how much of them is not written yet
}

/// What the options of streams may not change here.
const OWN = ['read', 'write', 'writev', 'final', 'destroy', 'signal'];

function init(options) {
  const given = typeof options === 'number' ? { fd: options } : { ...options };
  const mode = ['objectMode', 'readableObjectMode', 'writableObjectMode'].find((name) => given[name]);
  if (mode)
    throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The property 'options.${mode}' is not supported. Received true`);
  hidden(this, state, new State());
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !OWN.includes(name)));
  Duplex.call(this, { ...rest, allowHalfOpen: !!given.allowHalfOpen, emitClose: false, autoDestroy: true,
    decodeStrings: false });
  Object.assign(this, { connecting: false, server: null, _server: null, _host: null, _hadError: false });
  this.on('end', afterEnd);
  const fd = given.handle instanceof StreamHandle ? given.handle.fd : given.fd;
  if (fd !== undefined) {
    check.integer(fd, 'fd', 0);
    adopt(this, fd);
    if (given.readable !== false && !given.manualStart) this.read(0);
  }
  if (given.onread) takeOver(this, given.onread);
  if (given.signal) abortBy(this, given.signal);
}

function abortBy(socket, signal) {
  check.signal(signal, 'options.signal');
  require('stream').addAbortSignal(signal, socket);
}

/// With `onread`, what arrives goes into one buffer and to one function.
function takeOver(socket, { buffer, callback }) {
  hidden(socket, 'onread', { buffer, callback });
}

function afterEnd() {
  if (!this.allowHalfOpen) this.write = writeAfterEnd;
}

function writeAfterEnd(chunk, encoding, callback) {
  if (!this.writableEnded) return Duplex.prototype.write.call(this, chunk, encoding, callback);
  if (typeof encoding === 'function') callback = encoding;
  const error = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
  if (typeof callback === 'function') process.nextTick(callback, error);
  this.destroy(error);
  return false;
}

/// Gives a socket its open descriptor.
function adopt(socket, fd) {
  const own = socket[state];
  own.handle = new StreamHandle(fd, {
    data: (chunk) => received(socket, chunk),
    ended: () => {
      socket._unrefTimer();
      socket.push(null);
      socket.read(0);
    },
    failed: (error) => socket.destroy(error),
    active: () => socket._unrefTimer(),
  });
  if (!own.isHeld) own.handle.unref();
}

function received(socket, chunk) {
  socket._unrefTimer();
  if (socket.onread) feed(socket, chunk);
  else if (!socket.push(chunk)) socket[state].handle?.readStop();
}

/// Gives what arrived to the function of `onread`, a buffer at a time, until it has enough.
function feed(socket, chunk) {
  const { buffer, callback } = socket.onread;
  for (let at = 0; at < chunk.length;) {
    const space = typeof buffer === 'function' ? buffer() : buffer;
    const size = chunk.copy(space, 0, at);
    at += size;
    const goesOn = callback.call(socket, size, space) !== false;
    const { handle } = socket[state];
    // It may have paused the socket.
    if (goesOn && handle?.reading) continue;
    handle?.readStop();
    socket[state].rest = chunk.subarray(at);
    return;
  }
}

/// Goes on with what `onread` did not want before.
function takeMore(socket) {
  const own = socket[state];
  if (!socket.onread || socket.connecting || !own.handle) return;
  const { rest } = own;
  own.rest = undefined;
  own.handle.readStart();
  if (rest?.length) feed(socket, rest);
}

const methods = {
  _read() {
    if (this.connecting || !this[state].handle) this.once('connect', () => this._read());
    else this[state].handle.readStart();
  },

  _write(chunk, encoding, callback) {
    send(this, typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk, callback, chunk.length);
  },

  _writev(list, callback) {
    const all = list.map(({ chunk, encoding }) => (typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk));
    const length = list.reduce((sum, { chunk }) => sum + chunk.length, 0);
    send(this, all.length === 1 ? all[0] : Buffer.concat(all), callback, length);
  },

  _final(callback) {
    if (this.connecting) {
      this.once('connect', () => this._final(callback));
      return;
    }
    const { handle } = this[state];
    if (!handle) return callback();
    const code = handle.shutdown();
    // What is no socket is closed with everything else.
    if (code < 0 && code !== NOT_CONNECTED && code !== -88) return callback(streamError(code, 'shutdown'));
    return callback();
  },

  _destroy(error, callback) {
    const own = this[state];
    const wasOpen = own.handle || this.connecting;
    this.connecting = false;
    clearTimer(this);
    if (own.handle) {
      own.dispatched = [own.handle.bytesRead, own.handle.bytesWritten];
      if (own.isReset) native.resetSocket(own.handle.fd);
      own.handle.close();
      own.handle = null;
    }
    callback(error);
    // What was open is closed in a later turn of the loop.
    (wasOpen ? loop.complete : process.nextTick)(() => this.emit('close', !!error));
    const server = this._server;
    if (server) {
      this._server = null;
      server._connections--;
      server._emitCloseIfDrained?.();
    }
  },

  end(...args) {
    Duplex.prototype.end.apply(this, args);
    return this;
  },

  destroySoon() {
    const close = () => this.destroy();
    if (this.writable) this.end();
    if (this.writableFinished) close();
    else this.once('finish', close);
  },

  resetAndDestroy() {
    if (this.connecting) {
      this.once('connect', () => this.resetAndDestroy());
    } else if (!this[state].handle) {
      this.destroy(closed());
    } else {
      this[state].isReset = true;
      this.destroy();
    }
    return this;
  },

  setTimeout(milliseconds, callback) {
    if (this.destroyed) return this;
    check.number(milliseconds, 'msecs');
    if (!(milliseconds >= 0 && Number.isFinite(milliseconds)))
      throw require('internal/errors').outOfRange('msecs', 'a non-negative finite number', milliseconds);
    this.timeout = milliseconds;
    clearTimer(this);
    if (callback !== undefined) check.function(callback, 'callback');
    if (milliseconds === 0) {
      if (callback) this.removeListener('timeout', callback);
      return this;
    }
    const timer = new Timer(() => this._onTimeout(), Math.max(1, Math.trunc(milliseconds)), [], false);
    this[state].timer = timer.unref();
    return callback ? this.once('timeout', callback) : this;
  },

  _onTimeout() { this.emit('timeout'); },

  _unrefTimer() { this[state].timer?.refresh(); },

  setNoDelay(on) {
    setting(this, (handle) => handle.setNoDelay(on === undefined || !!on));
    return this;
  },

  setKeepAlive(on) {
    setting(this, (handle) => handle.setKeepAlive(!!on));
    return this;
  },

  address() { return own(this, false); },
  _getsockname() { return own(this, false); },
  _getpeername() { return own(this, true); },

  pause() {
    if (this.onread && !this.connecting) this[state].handle?.readStop();
    return Duplex.prototype.pause.call(this);
  },

  resume() {
    takeMore(this);
    return Duplex.prototype.resume.call(this);
  },

  read(count) {
    takeMore(this);
    return Duplex.prototype.read.call(this, count);
  },

  ref() { return hold(this, true); },
  unref() { return hold(this, false); },

  connect(...args) {
    const [options, callback] = normalized(args);
    return connectWith(this, options, callback);
  },
};

function hold(socket, held) {
  socket[state].isHeld = held;
  const { handle } = socket[state];
  if (!handle) socket.once('connect', () => (held ? socket.ref() : socket.unref()));
  else if (held) handle.ref();
  else handle.unref();
  return socket;
}

function setting(socket, set) {
  const { handle } = socket[state];
  if (handle && !socket.connecting) set(handle);
  else socket.once('connect', () => socket[state].handle && set(socket[state].handle));
}

function clearTimer(socket) {
  socket[state].timer?.close();
  socket[state].timer = undefined;
}

/// `length` is how much of what is written these bytes are: characters of texts.
function send(socket, bytes, callback, length) {
  if (socket.connecting) {
    const gone = () => callback(coded(Error, 'ERR_SOCKET_CLOSED_BEFORE_CONNECTION',
      'Socket closed before the connection was established'));
    socket.once('connect', () => {
      socket.off('close', gone);
      send(socket, bytes, callback, length);
    });
    socket.once('close', gone);
    return undefined;
  }
  socket._unrefTimer();
  const own = socket[state];
  if (!own.handle) return callback(closed());
  own.given += bytes.length;
  own.flying = length;
  return own.handle.write(bytes, (error) => {
    own.flying = 0;
    callback(error);
  });
}

/// An end's address as programs see it; {} if there is none.
function own(socket, isPeer) {
  const { handle, names } = socket[state];
  if (!handle || handle.fd < 0) return names.get(isPeer) ?? {};
  if (names.has(isPeer)) return names.get(isPeer);
  const found = native.socketName(handle.fd, isPeer);
  if (typeof found === 'number' || found[2] === 1) return {};
  const name = { address: found[0], family: FAMILIES[found[2]], port: found[1] };
  names.set(isPeer, name);
  return name;
}

const Socket = kind('Socket', Duplex, init, methods);
const getter = (name, get, set) => addGetter(Socket, name, get, set);
getter('_handle', function() { return this[state].handle; }, function(value) { this[state].handle = value; });
getter('_connecting', function() { return this.connecting; });
getter('pending', function() { return !this[state].handle || this.connecting; });
getter('readyState', function() {
  if (this.connecting) return 'opening';
  const { readable, writable } = this;
  return readable ? (writable ? 'open' : 'readOnly') : writable ? 'writeOnly' : 'closed';
});
getter('bufferSize', function() { return this[state].handle || this.connecting ? this.writableLength : undefined; });
getter('bytesRead', function() { return this[state].handle?.bytesRead ?? this[state].dispatched[0]; });
getter('_bytesDispatched', function() { return this[state].handle?.bytesWritten ?? this[state].dispatched[1]; });
getter('bytesWritten', function() {
  const own = this[state];
  if (!own.handle && !this.connecting && !this.destroyed) return undefined;
  return this.destroyed ? own.dispatched[1] : own.given + this.writableLength - own.flying;
});
for (const [prefix, isPeer] of [['remote', true], ['local', false]])
  for (const [suffix, key] of [['Address', 'address'], ['Family', 'family'], ['Port', 'port']])
    getter(prefix + suffix, function() { return own(this, isPeer)[key]; });

/// Arguments of `connect` and `listen`: (options | port [, host] | path [, …]) [, callback].
function normalized(args) {
  const [first] = args;
  let options = {};
  if (first !== null && typeof first === 'object') options = first;
  else if (isPath(first)) options.path = first;
  else if (args.length) {
    options.port = first;
    if (args.length > 1 && typeof args[1] === 'string') options.host = args[1];
  }
  const last = args.at(-1);
  return [options, typeof last === 'function' ? last : null];
}

const isPath = (value) => typeof value === 'string' && !(Number(value) >= 0);

function connectWith(socket, options, callback) {
  const { path, port, host = 'localhost', family } = options;
  if (path === undefined && port === undefined)
    throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "options" or "port" or "path" argument must be specified');
  if (socket.destroyed) revive(socket);
  if (callback) socket.once('connect', callback);
  socket.connecting = true;
  if (options.noDelay) socket.setNoDelay(true);
  if (options.keepAlive) socket.setKeepAlive(true);
  if (path != null) {
    check.string(path, 'options.path');
    attempt(socket, [{ address: path, port: -1, family: 1 }], []);
    return socket;
  }
  checkLocal(options);
  if (typeof port !== 'number' && typeof port !== 'string')
    throw invalidArgType('options.port', ['number', 'string'], port);
  const number = portOf(port);
  const { localAddress, localPort } = options;
  if (family !== undefined && ![0, 4, 6, 'IPv4', 'IPv6'].includes(family))
    check.number(family, 'options.family');
  socket._host = host || 'localhost';
  // A server may be there that is not ready to be asked before this turn is over; it keeps the process meanwhile.
  resolve(socket, host || 'localhost', options, (error, list) => {
    if (!socket.connecting) return;
    if (error) process.nextTick(() => socket.destroy(error));
    else attempt(socket, list.map((item) => ({ ...item, port: number, localAddress, localPort })), []);
  });
  return socket;
}

/// A socket that is used again.
function revive(socket) {
  socket._undestroy();
  Object.assign(socket[state], { dispatched: [0, 0], given: 0, flying: 0 });
  socket[state].names.clear();
  delete socket.write;
}

function attempt(socket, [target, ...others], errors) {
  socket._unrefTimer();
  const { address, port, family } = target;
  if (family !== 1) socket.emit('connectionAttempt', address, port, family);
  if (!socket.connecting) return;
  const fail = (error) => {
    errors.push(error);
    if (family !== 1) socket.emit('connectionAttemptFailed', address, port, family, error);
    if (!socket.connecting) return;
    if (others.length) attempt(socket, others, errors);
    else socket.destroy(summary(errors));
  };
  openTo(target, (error, fd) => {
    if (error) {
      // It is told when the program has set up what listens.
      loop.complete(() => { if (socket.connecting) fail(error); });
      return;
    }
    adopt(socket, fd);
    const { handle } = socket[state];
    handle.whenConnected((code) => {
      if (code < 0) {
        handle.close();
        socket[state].handle = null;
        fail(connectError(code, 'connect', address, family === 1 ? undefined : port));
      } else connected(socket);
    });
  });
}

function connected(socket) {
  socket.connecting = false;
  socket._unrefTimer();
  socket.emit('connect');
  socket.emit('ready');
  if (socket.readable && !socket.isPaused() && !socket.destroyed) socket.read(0);
}

module.exports = { Socket, adopt, normalized, isPath };
