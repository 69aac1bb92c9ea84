// `net.Server`.

const EventEmitter = require('events');
const { Socket, adopt, normalized, isPath } = require('internal/net/socket');
const { hidden } = require('internal/hidden');
const { kind, getter } = require('internal/kinds');
const { listenError } = require('internal/net/failures');
const { portOf } = require('internal/net/addresses');
const { check, coded, invalidArgType, invalidArgValue, streamError, unsupported } = require('internal/errors');
const loop = require('internal/loop');

const AGAIN = -11;
const FULL = [-23, -24]; // no descriptor is left
const PAUSE = 100; // milliseconds until it is tried again
const TURN = 64; // connections that are accepted before others have their turn
const FAMILIES = { 4: 'IPv4', 6: 'IPv6' };

const state = Symbol('server state');

/// What listens: a descriptor, and who is told of connections.
class Listener {
  #watcher;
  #accept;
  #held = true;
  constructor(fd, path, accept) {
    this.fd = fd;
    this.path = path;
    this.#accept = accept;
    this.#watch();
  }
  #watch() {
    this.#watcher = loop.watch(this.fd, 1, () => this.#ready());
    this.#watcher.held = this.#held;
  }
  #ready() {
    for (let turn = 0; turn < TURN && this.fd >= 0; turn++) {
      const fd = native.accept(this.fd);
      if (fd === AGAIN) return;
      if (FULL.includes(fd)) return this.#rest();
      if (fd >= 0) this.#accept(fd);
    }
  }
  /// Connections wait until descriptors are free again.
  #rest() {
    loop.unwatch(this.#watcher);
    setTimeout(() => { if (this.fd >= 0) this.#watch(); }, PAUSE).unref();
  }
  hold(held) {
    this.#held = held;
    this.#watcher.held = held;
  }
  hasRef() { return this.#held; }
  ref() { this.hold(true); }
  unref() { this.hold(false); }
  getsockname(out) { Object.assign(out, placeOf(this)); return 0; }
  close() {
    if (this.fd < 0) return;
    loop.unwatch(this.#watcher);
    native.close(this.fd);
    // Its name in the file system goes with it.
    if (this.path) native.unlink(this.path);
    this.fd = -1;
  }
}

function placeOf({ fd, path }) {
  if (path !== undefined) return path;
  const found = native.socketName(fd, false);
  if (typeof found === 'number') return null;
  return { address: found[0], family: FAMILIES[found[2]], port: found[1] };
}

/// What a server shows of itself, and what its connections are made with.
function init(options, listener) {
  EventEmitter.call(this);
  const heard = typeof options === 'function' ? options : listener;
  const given = typeof options === 'function' ? {} : options ?? {};
  if (typeof given !== 'object') throw invalidArgType('options', 'Object', given);
  Object.assign(this, { _connections: 0, _handle: null, _unref: false });
  for (const name of ['allowHalfOpen', 'pauseOnConnect', 'noDelay', 'keepAlive']) this[name] = !!given[name];
  this.keepAliveInitialDelay = Math.max(0, Math.trunc((given.keepAliveInitialDelay ?? 0) / 1000));
  this.highWaterMark = given.highWaterMark ?? 16384;
  hidden(this, state, { isClosing: false, starting: 0 });
  if (typeof heard === 'function') this.on('connection', heard);
}

const neither = (options) => invalidArgValue('options', options, 'must have the property "port" or "path"');

const methods = {
  listen(...args) {
    const [options, callback] = normalized(args);
    const own = this[state];
    const isOpen = !!this._handle || own.starting > 0;
    if (isOpen) throw coded(Error, 'ERR_SERVER_ALREADY_LISTEN',
      'Listen method has been called more than once without closing.');
    if (callback) this.once('listening', callback);
    const backlog = [options.backlog, args[1], args[2]].map(Number).find((number) => number > 0) ?? 511;
    if (options instanceof Server) throw unsupported('Sharing what a server listens at');
    const { signal, fd: given } = options;
    if (signal) abortBy(this, signal);
    if (Number.isInteger(given) && given >= 0) {
      start(this, listened(given, backlog), undefined, 'fd', given);
      return this;
    }
    const [first] = args;
    const isNothing = first == null || typeof first === 'function' || (Object.hasOwn(options, 'port') &&
      options.port == null);
    const wanted = isNothing && options.path === undefined ? 0 : options.port;
    if (['number', 'string'].includes(typeof wanted)) {
      const port = portOf(wanted, 'options.port');
      if (options.host) listenAtHost(this, options, port, backlog);
      else listenAnywhere(this, port, backlog, options);
      return this;
    }
    if (options.path && isPath(options.path)) {
      const [fd] = opened(1, options.path, -1, backlog);
      if (fd >= 0 && (options.readableAll || options.writableAll)) native.chmod(options.path, 0o777);
      start(this, fd, options.path, options.path, -1);
      return this;
    }
    if (!('port' in options || 'path' in options)) throw neither(options);
    throw invalidArgValue('options', options);
  },

  address() { return this._handle ? placeOf(this._handle) : null; },

  getConnections(callback) {
    process.nextTick(callback, null, this._connections);
    return this;
  },

  close(callback) {
    const own = this[state];
    const problem = this._handle ? undefined : coded(Error, 'ERR_SERVER_NOT_RUNNING', 'Server is not running.');
    if (typeof callback === 'function') this.once('close', () => callback(problem));
    this._handle?.close();
    this._handle = null;
    Object.assign(own, { starting: 0, isClosing: true });
    this._emitCloseIfDrained();
    return this;
  },

  _emitCloseIfDrained() {
    if (this._handle || this._connections || !this[state].isClosing) return;
    this[state].isClosing = false;
    process.nextTick(() => this.emit('close'));
  },

  ref() {
    this._unref = false;
    this._handle?.ref();
    return this;
  },

  unref() {
    this._unref = true;
    this._handle?.unref();
    return this;
  },
};
const Server = kind('Server', EventEmitter, init, methods);
getter(Server, 'listening', function() { return !!this._handle; }, undefined, true);
/// The promise of a listener was rejected.
hidden(Server.prototype, Symbol.for('nodejs.rejection'), function(error, event, socket) {
  if (event === 'connection') socket.destroy(error);
  else this.emit('error', error);
});
hidden(Server.prototype, Symbol.asyncDispose, async function() {
  if (!this._handle) return;
  await new Promise((resolve, reject) => this.close((error) => (error ? reject(error) : resolve())));
});

function abortBy(server, signal) {
  check.signal(signal, 'options.signal');
  const stop = () => server.close();
  if (signal.aborted) process.nextTick(stop);
  else {
    signal.addEventListener('abort', stop);
    server.once('close', () => signal.removeEventListener('abort', stop));
  }
}

function listened(fd, backlog) {
  native.nonblocking(fd, true);
  const code = native.listen(fd, backlog);
  return code < 0 ? code : fd;
}

/// A descriptor that listens, or a negative number.
function opened(family, address, port, backlog, only6) {
  const fd = native.socket(family, false);
  if (fd < 0) return [fd];
  if (family !== 1) native.socketOption(fd, 'reuseAddress', 1);
  if (family === 6) native.socketOption(fd, 'only6', only6 ? 1 : 0);
  let code = native.bind(fd, address, port);
  // A directory that is missing is refused in these words.
  if (family === 1 && code === -2) code = -13;
  if (code >= 0) code = native.listen(fd, backlog);
  if (code >= 0) return [fd];
  native.close(fd);
  return [code];
}

function listenAnywhere(server, port, backlog, { ipv6Only }) {
  const [fd] = opened(6, '::', port, backlog, ipv6Only);
  if (fd >= 0 || fd === -98 || fd === -13) return start(server, fd, undefined, '::', port);
  return start(server, opened(4, '0.0.0.0', port, backlog)[0], undefined, '0.0.0.0', port);
}

function listenAtHost(server, options, port, backlog) {
  const own = server[state];
  const turn = ++own.starting;
  require('dns').lookup(options.host, (error, address, family) => {
    if (own.starting !== turn) return;
    own.starting = 0;
    if (error) server.emit('error', error);
    else start(server, opened(family, address, port, backlog, options.ipv6Only)[0], undefined, address, port);
  });
}

/// Begins to accept, or tells why it cannot.
function start(server, fd, path, address, port) {
  if (fd < 0) {
    const error = address === 'fd' ? streamError(fd, 'listen') : listenError(fd, address, port);
    process.nextTick(() => server.emit('error', error));
    return;
  }
  native.closeOnExec(fd);
  server._handle = new Listener(fd, path, (one) => arrived(server, one));
  if (server._unref) server._handle.unref();
  process.nextTick(() => { if (server._handle) server.emit('listening'); });
}

function arrived(server, fd) {
  if (server.maxConnections !== undefined && server._connections >= server.maxConnections) {
    const [mine, other] = [false, true].map((isPeer) => native.socketName(fd, isPeer));
    native.close(fd);
    const told = {};
    for (const [key, name] of [['local', mine], ['remote', other]])
      if (typeof name !== 'number' && name[2] !== 1)
        Object.assign(told, { [`${key}Address`]: name[0], [`${key}Port`]: name[1],
          [`${key}Family`]: FAMILIES[name[2]] });
    server.emit('drop', told);
    return;
  }
  const socket = new Socket({ allowHalfOpen: server.allowHalfOpen, highWaterMark: server.highWaterMark });
  adopt(socket, fd);
  if (server.noDelay) socket.setNoDelay(true);
  if (server.keepAlive) socket.setKeepAlive(true);
  server._connections++;
  socket.server = server;
  socket._server = server;
  // What a program does not wait for is not read before it says so.
  if (server.pauseOnConnect) socket.pause();
  server.emit('connection', socket);
  if (!server.pauseOnConnect && !socket.destroyed) socket.read(0);
}

module.exports = { Server };
