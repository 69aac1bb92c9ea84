// Datagrams over loopback.

const EventEmitter = require('events');
const { check, coded, invalidArgType, systemError } = require('internal/errors');
const { portOf } = require('internal/net/addresses');
const { hidden } = require('internal/hidden');
const { kind } = require('internal/kinds');
const loop = require('internal/loop');

const AGAIN = -11;
const LARGEST = 65536;
const TURN = 32; // datagrams that are read before others have their turn

const state = Symbol('dgram state');

/// The exception of a call that names where a datagram went.
function sendError(number, syscall, address, port) {
  const error = systemError(number, syscall);
  error.message = `${syscall} ${error.code}`;
  if (address === undefined && port === undefined) return error;
  error.message += ` ${address}${port > 0 ? `:${port}` : ''}`;
  error.address = address;
  if (port > 0) error.port = port;
  return error;
}

const notRunning = () => coded(Error, 'ERR_SOCKET_DGRAM_NOT_RUNNING', 'Not running');

function init(type, listener) {
  EventEmitter.call(this);
  let options = {};
  if (type !== null && typeof type === 'object') [options, type] = [type, type.type];
  if (type !== 'udp4' && type !== 'udp6')
    throw coded(TypeError, 'ERR_SOCKET_BAD_TYPE', 'Bad socket type specified. Valid types are: udp4, udp6');
  this.type = type;
  const family = type === 'udp4' ? 4 : 6;
  hidden(this, state, {
    family, options, fd: native.socket(family, true), watcher: undefined, isHeld: true, binding: 'none',
      peer: undefined, queue: [],
    lookup: options.lookup ?? require('dns').lookup,
  });
  if (options.recvBufferSize) this.setRecvBufferSize(options.recvBufferSize);
  if (options.sendBufferSize) this.setSendBufferSize(options.sendBufferSize);
  if (typeof listener === 'function') this.on('message', listener);
  if (options.signal) {
    check.signal(options.signal, 'options.signal');
    const stop = () => { if (this[state].fd >= 0) this.close(); };
    if (options.signal.aborted) process.nextTick(stop);
    else options.signal.addEventListener('abort', stop);
  }
}
function healthy(socket) {
  const own = socket[state];
  if (own.fd < 0) throw notRunning();
  return own;
}

const ownAddress = (family) => (family === 4 ? '127.0.0.1' : '::1');

/// Calls back with the address of a host of the socket's family.
function resolve(socket, host, found) {
  const own = socket[state];
  own.lookup(host || ownAddress(own.family), own.family, found);
}

function receive(socket) {
  const own = socket[state];
  const space = Buffer.allocUnsafeSlow(LARGEST);
  for (let turn = 0; turn < TURN && own.fd >= 0; turn++) {
    const got = native.receive(own.fd, space);
    if (got === AGAIN || got === -4) return;
    if (typeof got === 'number') {
      socket.emit('error', systemError(got, 'recvmsg'));
      return;
    }
    const [address, port, family, size] = got;
    const info = { address, family: family === 6 ? 'IPv6' : 'IPv4', port, size };
    socket.emit('message', Buffer.from(space.subarray(0, size)), info);
  }
}

function bindTo(socket, address, port, done) {
  const own = socket[state];
  if (own.fd < 0) return;
  if (own.options.reuseAddr) native.socketOption(own.fd, 'reuseAddress', 1);
  if (own.family === 6) native.socketOption(own.fd, 'only6', own.options.ipv6Only ? 1 : 0);
  const code = native.bind(own.fd, address, port);
  if (code < 0) {
    own.binding = 'none';
    done(sendError(code, 'bind', address, port));
    return;
  }
  own.binding = 'bound';
  own.watcher = loop.watch(own.fd, 1, () => receive(socket));
  own.watcher.held = own.isHeld;
  done(null);
}

/// Makes sure that a socket has an address, then goes on.
function whenBound(socket, go) {
  const own = socket[state];
  if (own.binding === 'bound') return go();
  own.queue.push(go);
  if (own.binding === 'none') socket.bind({ port: 0, exclusive: true }, undefined);
  return undefined;
}

const methods = {
  bind(port, address, callback) {
    const own = healthy(this);
    if (own.binding !== 'none') throw coded(Error, 'ERR_SOCKET_ALREADY_BOUND', 'Socket is already bound');
    for (const one of [port, address, callback]) if (typeof one === 'function') this.once('listening', one);
    if (port !== null && typeof port === 'object') {
      if (port.fd !== undefined) throw require('internal/errors').unsupported('dgram with fd');
      [port, address] = [port.port, port.address];
    }
    if (typeof address === 'function') address = '';
    const number = typeof port === 'number' || typeof port === 'string' ? portOf(port, 'Port') : 0;
    own.binding = 'starting';
    const any = own.family === 4 ? '0.0.0.0' : '::';
    resolve(this, address || any, (error, ip) => {
      if (own.fd < 0) return;
      if (error) {
        own.binding = 'none';
        this.emit('error', error);
        return;
      }
      bindTo(this, ip, number, (problem) => {
        if (problem) this.emit('error', problem);
        else {
          this.emit('listening');
          for (const go of own.queue.splice(0)) go();
        }
      });
    });
    return this;
  },

  connect(port, address, callback) {
    const own = healthy(this);
    const number = portOf(port, 'Port', false);
    if (typeof address === 'function') [callback, address] = [address, ''];
    if (callback !== undefined) check.function(callback, 'callback');
    if (own.peer) throw coded(Error, 'ERR_SOCKET_DGRAM_IS_CONNECTED', 'Already connected');
    own.peer = 'starting';
    whenBound(this, () => resolve(this, address, (error, ip) => {
      if (own.fd < 0) return;
      const code = error ? 0 : native.connect(own.fd, ip, number);
      const problem = error ?? (code < 0 ? sendError(code, 'connect', ip, number) : null);
      own.peer = problem ? undefined : { address: ip, port: number };
      if (problem) {
        if (callback) callback(problem);
        else this.emit('error', problem);
        return;
      }
      if (callback) this.once('connect', callback);
      process.nextTick(() => this.emit('connect'));
    }));
  },

  disconnect() {
    const own = healthy(this);
    if (!own.peer || own.peer === 'starting') throw coded(Error, 'ERR_SOCKET_DGRAM_NOT_CONNECTED', 'Not connected');
    throw require('internal/errors').unsupported('dgram.disconnect');
  },

  send(message, ...rest) {
    const own = this[state];
    let callback = typeof rest.at(-1) === 'function' ? rest.pop() : undefined;
    const isConnected = own.peer && own.peer !== 'starting';
    // (message, offset, length [, port [, address]]) or (message [, port [, address]])
    const hasPart = typeof rest[0] === 'number' && typeof rest[1] === 'number';
    let part;
    if (hasPart && !(isConnected && rest.length < 2)) part = rest.splice(0, 2);
    let [port, address] = rest;
    if (own.peer) {
      if (address) throw coded(Error, 'ERR_SOCKET_DGRAM_IS_CONNECTED', 'Already connected');
    } else port = portOf(port, 'Port', false);
    if (address !== undefined && address !== null && typeof address !== 'string') {
      if (typeof address === 'function') callback = address;
      else throw invalidArgType('address', ['string', 'falsy'], address);
      address = undefined;
    }
    healthy(this);
    const bytes = datagram(message, part);
    whenBound(this, () => {
      if (own.peer) return transmit(this, bytes, undefined, undefined, callback);
      return resolve(this, address, (error, ip) => {
        if (!error) transmit(this, bytes, ip, port, callback, address);
        else if (callback) callback(error);
        else this.emit('error', error);
      });
    });
  },

  close(callback) {
    if (typeof callback === 'function') this.on('close', callback);
    const own = healthy(this);
    if (own.watcher) loop.unwatch(own.watcher);
    native.close(own.fd);
    own.fd = -1;
    process.nextTick(() => this.emit('close'));
    return this;
  },

  address() { return placeOf(healthy(this).fd, false); },
  remoteAddress() {
    const own = healthy(this);
    if (!own.peer || own.peer === 'starting') throw coded(Error, 'ERR_SOCKET_DGRAM_NOT_CONNECTED', 'Not connected');
    return placeOf(own.fd, true);
  },

  ref() { return hold(this, true); },
  unref() { return hold(this, false); },

  setBroadcast(on) { option(this, 'broadcast', on ? 1 : 0, 'setBroadcast'); },
  setTTL(hops) {
    check.number(hops, 'ttl');
    option(this, 'ttl', hops, 'setTTL');
    return hops;
  },
  setRecvBufferSize(size) { bufferSize(this, 'receiveBuffer', size); },
  setSendBufferSize(size) { bufferSize(this, 'sendBuffer', size); },
  getRecvBufferSize() { return native.socketOption(healthy(this).fd, 'receiveBuffer'); },
  getSendBufferSize() { return native.socketOption(healthy(this).fd, 'sendBuffer'); },
  getSendQueueSize() { return 0; },
  getSendQueueCount() { return 0; },
};
for (const name of ['setMulticastTTL', 'setMulticastLoopback', 'setMulticastInterface', 'addMembership',
  'dropMembership',
  'addSourceSpecificMembership', 'dropSourceSpecificMembership'])
  methods[name] = function() {
    healthy(this);
    throw require('internal/errors').unsupported('Multicast');
  };
const Socket = kind('Socket', EventEmitter, init, methods);
hidden(Socket.prototype, Symbol.asyncDispose, async function() {
  if (this[state].fd >= 0) await new Promise((resolved) => this.close(resolved));
});

function hold(socket, held) {
  const own = socket[state];
  own.isHeld = held;
  if (own.watcher) own.watcher.held = held;
  return socket;
}

function option(socket, name, value, syscall) {
  const code = native.socketOption(healthy(socket).fd, name, value);
  if (code < 0) throw systemError(code, syscall);
}

function bufferSize(socket, name, size) {
  if (size >>> 0 !== size) throw coded(TypeError, 'ERR_SOCKET_BAD_BUFFER_SIZE',
    'Buffer size must be a positive integer');
  option(socket, name, size, `uv_${name === 'receiveBuffer' ? 'recv' : 'send'}_buffer_size`);
}

function placeOf(fd, isPeer) {
  const found = native.socketName(fd, isPeer);
  if (typeof found === 'number') throw systemError(found, isPeer ? 'getpeername' : 'getsockname');
  return { address: found[0], family: found[2] === 6 ? 'IPv6' : 'IPv4', port: found[1] };
}

/// The bytes of a message: of a text, of bytes, or of a list of them; or a part of it.
function datagram(message, part) {
  const one = (item) => {
    if (typeof item === 'string') return Buffer.from(item);
    if (ArrayBuffer.isView(item)) return Buffer.from(item.buffer, item.byteOffset, item.byteLength);
    throw invalidArgType(Array.isArray(message) ? 'buffer list arguments' : 'buffer',
      ['string', 'Buffer', 'TypedArray', 'DataView'], item);
  };
  const bytes = Array.isArray(message) ? Buffer.concat(message.map(one)) : one(message);
  if (!part) return bytes;
  const [offset, length] = part;
  if (offset > bytes.length) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS',
    '"offset" is outside of buffer bounds');
  if (offset + length > bytes.length) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS',
    '"length" is outside of buffer bounds');
  return bytes.subarray(offset, offset + length);
}

/// `name` is what the program called the address.
function transmit(socket, bytes, address, port, callback, name) {
  const own = socket[state];
  if (own.fd < 0) return;
  const sent = native.send(own.fd, bytes, address, port);
  if (sent === AGAIN) {
    // There is no room with whom it is for.
    const watcher = loop.watch(own.fd, 2, () => {
      loop.unwatch(watcher);
      transmit(socket, bytes, address, port, callback, name);
    });
    return;
  }
  const error = sent < 0 ? sendError(sent, 'send', name, port) : null;
  if (callback) loop.complete(callback, error, error ? undefined : bytes.length);
  else if (error) loop.complete(() => socket.emit('error', error));
}

module.exports = { createSocket: (type, listener) => new Socket(type, listener), Socket };
