// Messages between a process and its child, over a socket: lines of JSON, or V8's format with its size before it.

const { coded, check, invalidArgType, streamError, unsupported } = require('internal/errors');
const { DefaultSerializer, DefaultDeserializer } = require('internal/v8_format');
const loop = require('internal/loop');
const { Server, Socket } = require('net');

const NEWLINE = 10;
const PIECE = 65536;
const MOST_READS = 32;
/// With so many bytes waiting, `send` says that its caller should wait.
const PATIENCE = 131072;

/// What `channel` is. It holds the process if `ref` was called last; if neither was called, as long as somebody listens.
class ChannelHandle {
  #channel;
  #asked;
  #isHeard = false;
  constructor(channel) { this.#channel = channel; }
  get fd() { return this.#channel.fd; }
  ref() { this.#ask(true); }
  unref() { this.#ask(false); }
  /// Tells whether somebody listens.
  heard(isHeard) {
    this.#isHeard = isHeard;
    this.#hold();
  }
  #ask(hold) {
    this.#asked = hold;
    this.#hold();
  }
  #hold() { this.#channel.hold(this.#asked ?? this.#isHeard); }
}

/// Splits what arrives into lines and parses them.
class Lines {
  #pieces = [];
  encode(message) { return Buffer.from(`${JSON.stringify(message)}\n`); }
  *add(piece) {
    const end = piece.lastIndexOf(NEWLINE);
    if (end < 0) {
      this.#pieces.push(piece);
      return;
    }
    const text = Buffer.concat([...this.#pieces, piece.subarray(0, end)]).toString();
    this.#pieces = end + 1 < piece.length ? [piece.subarray(end + 1)] : [];
    for (const line of text.split('\n')) yield JSON.parse(line);
  }
}

// A word before each view tells that it is one.

class MessageSerializer extends DefaultSerializer {
  _writeHostObject(value) {
    this.writeUint32(0);
    super._writeHostObject(value);
  }
}

class MessageDeserializer extends DefaultDeserializer {
  _readHostObject() {
    return this.readUint32() === 0 ? super._readHostObject() : this.readValue();
  }
}

/// Values after their sizes, which have four bytes.
class Values {
  #pieces = [];
  #size = 0;
  encode(message) {
    const serializer = new MessageSerializer();
    serializer.writeHeader();
    serializer.writeValue(message);
    const value = serializer.releaseBuffer();
    const head = Buffer.alloc(4);
    head.writeUInt32BE(value.length);
    return Buffer.concat([head, value]);
  }
  *add(piece) {
    this.#pieces.push(piece);
    this.#size += piece.length;
    for (;;) {
      if (this.#size < 4) return;
      // The size may lie in several pieces; whole messages are put together only once.
      while (this.#pieces[0].length < 4)
        this.#pieces.splice(0, 2, Buffer.concat(this.#pieces.slice(0, 2)));
      const size = this.#pieces[0].readInt32BE(0);
      if (size >= 0 && this.#size < size + 4) return;
      const all = Buffer.concat(this.#pieces);
      const rest = size < 0 ? Buffer.alloc(0) : all.subarray(size + 4);
      this.#pieces = rest.length ? [rest] : [];
      this.#size = rest.length;
      const deserializer = new MessageDeserializer(all.subarray(4, Math.max(4, size + 4)));
      deserializer.readHeader();
      yield deserializer.readValue();
    }
  }
}

class Channel {
  #target;
  #coder;
  #watcher;
  #writer;
  #waiting = []; // what is still to be written, with its callback
  #size = 0;
  #unheard = []; // messages that came before there was a listener
  #gone;

  constructor(target, fd, mode, gone) {
    this.fd = fd;
    this.#target = target;
    this.#coder = mode === 'advanced' ? new Values() : new Lines();
    this.#gone = gone;
    native.nonblocking(fd, true);
    this.#watcher = loop.watch(fd, 1, () => this.#read());
    target.on('newListener', () => process.nextTick(() => this.#tellUnheard()));
  }

  hold(on) { this.#watcher.held = on; }

  /// Reads what is there, but not for ever: the end of what a child wrote comes before the child's own end.
  #read() {
    for (let turn = 0; turn < MOST_READS && this.fd >= 0; turn++) {
      const piece = Buffer.allocUnsafeSlow(PIECE);
      const got = native.read(this.fd, piece, 0, PIECE, -1);
      if (got === -11 || got === -4) return;
      if (got <= 0) {
        this.#end();
        return;
      }
      for (const message of this.#coder.add(piece.subarray(0, got)))
        process.nextTick(() => this.#receive(message));
    }
  }

  #end() {
    if (this.#target.connected) this.#target.disconnect();
    this.close();
    this.#gone?.();
  }

  #receive(message) {
    const isInternal = message !== null && typeof message === 'object' && `${message.cmd}`.startsWith('NODE_');
    if (isInternal) this.#target.emit('internalMessage', message, undefined);
    else if (this.#target.listenerCount('message')) this.#target.emit('message', message, undefined);
    else if (this.#target.channel) this.#unheard.push(message);
  }

  #tellUnheard() {
    if (!this.#target.channel || !this.#target.listenerCount('message')) return;
    for (const message of this.#unheard.splice(0)) this.#target.emit('message', message, undefined);
  }

  /// Writes at once what there is room for. A negative number if nothing can be written any more.
  write(message, callback) {
    const bytes = this.#coder.encode(message);
    if (this.#waiting.length) {
      this.#keep(bytes, callback);
      return 0;
    }
    const wrote = this.#attempt(bytes);
    if (wrote < 0) return wrote;
    if (wrote < bytes.length) this.#keep(bytes.subarray(wrote), callback);
    else if (callback) process.nextTick(callback, null);
    return 0;
  }

  #attempt(bytes) {
    let at = 0;
    while (at < bytes.length) {
      const wrote = native.write(this.fd, bytes, at, bytes.length - at, -1);
      if (wrote === -4) continue;
      if (wrote === -11) break;
      if (wrote < 0) return wrote;
      at += wrote;
    }
    return at;
  }

  #keep(bytes, callback) {
    this.#waiting.push({ bytes, callback });
    this.#size += bytes.length;
    this.#writer ??= loop.watch(this.fd, 2, () => this.#goOn());
  }

  #goOn() {
    while (this.#waiting.length) {
      const first = this.#waiting[0];
      const wrote = this.#attempt(first.bytes);
      if (wrote < 0) return this.#dropWaiting();
      this.#size -= wrote;
      first.bytes = first.bytes.subarray(wrote);
      if (first.bytes.length) return undefined;
      this.#waiting.shift();
      if (first.callback) process.nextTick(first.callback, null);
    }
    return this.#dropWaiting();
  }

  /// Whoever waits is told; as in Node, not that it was in vain.
  #dropWaiting() {
    if (this.#writer) loop.unwatch(this.#writer);
    this.#writer = undefined;
    const waiting = this.#waiting.splice(0, this.#waiting.length);
    this.#size = 0;
    for (const { callback } of waiting) if (callback) process.nextTick(callback, null);
  }

  get isPatient() { return this.#size < PATIENCE; }

  close() {
    if (this.fd < 0) return;
    loop.unwatch(this.#watcher);
    this.#dropWaiting();
    native.close(this.fd);
    this.fd = -1;
  }
}

/// Gives an emitter what both ends of a channel have. `gone` is called when the other end is closed first.
function join(target, fd, mode, gone) {
  const channel = new Channel(target, fd, mode, gone);
  const own = new ChannelHandle(channel);
  Object.assign(target, { connected: true, channel: own, send, disconnect });

  function send(message, handle, options, callback) {
    if (typeof handle === 'function') [callback, handle, options] = [handle, undefined, undefined];
    else if (typeof options === 'function') [callback, options] = [options, undefined];
    else if (options !== undefined && (options === null || typeof options !== 'object'))
      throw invalidArgType('options', 'object', options);
    if (!target.connected) {
      const error = coded(Error, 'ERR_IPC_CHANNEL_CLOSED', 'Channel closed');
      if (typeof callback === 'function') process.nextTick(callback, error);
      else process.nextTick(() => target.emit('error', error));
      return false;
    }
    if (message === undefined) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "message" argument must be specified');
    if (!['string', 'object', 'number', 'boolean'].includes(typeof message))
      throw invalidArgType('message', ['string', 'object', 'number', 'boolean'], message);
    // A server or a socket that has nothing open goes without saying.
    if (handle && !(handle instanceof Server || handle instanceof Socket))
      throw coded(TypeError, 'ERR_INVALID_HANDLE_TYPE', 'This handle type cannot be sent');
    if (handle?._handle) throw unsupported('Sending of sockets to other processes');
    if (callback !== undefined) check.function(callback, 'callback');
    const code = channel.write(message, callback);
    if (code < 0) {
      if (options?.swallowErrors) return true;
      const error = streamError(code, 'write');
      if (callback) process.nextTick(callback, error);
      else process.nextTick(() => target.emit('error', error));
    }
    return channel.isPatient;
  }

  function disconnect() {
    if (!target.connected) {
      target.emit('error', coded(Error, 'ERR_IPC_DISCONNECTED', 'IPC channel is already disconnected'));
      return;
    }
    target.connected = false;
    target.channel = null;
    process.nextTick(() => {
      channel.close();
      target.emit('disconnect');
    });
  }
  return { channel, own };
}

/// Joins the process with its parent, if that made a channel.
function begin(environment) {
  const { NODE_CHANNEL_FD: place, NODE_CHANNEL_SERIALIZATION_MODE: mode } = environment;
  if (!place) return;
  delete environment.NODE_CHANNEL_FD;
  delete environment.NODE_CHANNEL_SERIALIZATION_MODE;
  const fd = Number.parseInt(place, 10);
  if (!(fd >= 0)) throw coded(Error, 'ERR_INTERNAL_ASSERTION', `NODE_CHANNEL_FD is no descriptor: ${place}`);
  if (native.closeOnExec(fd) < 0) return;
  const { own } = join(process, fd, mode);
  const uses = () => process.listenerCount('message') + process.listenerCount('disconnect');
  const isUse = (name) => name === 'message' || name === 'disconnect';
  own.heard(false);
  // The first is told before the listener is there, the second when it is gone.
  process.on('newListener', (name) => { if (isUse(name)) own.heard(true); });
  process.on('removeListener', (name) => { if (isUse(name)) own.heard(uses() > 0); });
}

module.exports = { begin, join };
