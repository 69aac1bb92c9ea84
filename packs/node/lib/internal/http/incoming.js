// `http.IncomingMessage`: a request at the server, an answer at the client.

const { Readable } = require('stream');
const { hungUp } = require('internal/http/words');
const { hidden } = require('internal/hidden');
const { kind, getter } = require('internal/kinds');

/// Headers that are there once: of several, the first counts.
const SINGLE = new Set(`user-agent server retry-after referer proxy-authorization max-forwards location last-modified
  if-unmodified-since if-modified-since host from expires etag content-type content-length authorization age`.split(/\s+/));

const facts = Symbol('message facts');

/// What is not known before a parser has told it.
const UNKNOWN = ['httpVersionMajor', 'httpVersionMinor', 'httpVersion', 'method', 'statusCode', 'statusMessage',
  'upgrade'];

function init(socket) {
  Readable.call(this, { highWaterMark: socket?.readableHighWaterMark });
  hidden(this, facts, { headers: undefined, trailers: undefined });
  for (const name of UNKNOWN) this[name] = null;
  Object.assign(this, {
    complete: false, aborted: false, url: '', rawHeaders: [], rawTrailers: [], joinDuplicateHeaders: false,
      client: socket, socket,
    _consumed: false, _dumped: false,
  });
}

/// Adds a header to an object of them.
function add(object, name, value, joins) {
  const key = name.toLowerCase();
  if (key === '__proto__') return;
  const known = Object.hasOwn(object, key) ? object[key] : undefined;
  if (key === 'set-cookie') {
    if (known) known.push(value);
    else object[key] = [value];
  } else if (known === undefined) object[key] = value;
  else if (key === 'cookie') object[key] = `${known}; ${value}`;
  else if (joins || !SINGLE.has(key)) object[key] = `${known}, ${value}`;
}

function folded(raw, joins) {
  const object = {};
  for (let i = 0; i < raw.length; i += 2) add(object, raw[i], raw[i + 1], joins);
  return object;
}

function distinct(raw) {
  const object = { __proto__: null };
  for (let i = 0; i < raw.length; i += 2) (object[raw[i].toLowerCase()] ??= []).push(raw[i + 1]);
  return object;
}

const methods = {
  setTimeout(milliseconds, callback) {
    this.socket.setTimeout(milliseconds);
    return callback ? this.on('timeout', callback) : this;
  },

  _read() {
    this._consumed = true;
    // What was not wanted before is read again.
    goOn(this.socket);
  },

  _destroy(error, callback) {
    const isWhole = this.complete && this.readableEnded;
    if (!isWhole) {
      this.aborted = true;
      this.emit('aborted');
      const { socket } = this;
      if (socket && !socket.destroyed) {
        socket.destroy(error);
        if (!socket.listenerCount('error')) socket.once('error', () => {});
      }
    }
    // An exception that nobody listens for is told by 'aborted'.
    process.nextTick(callback, this.listenerCount('error') ? error : null);
  },

  _addHeaderLines(list, count) {
    const target = this.complete ? 'trailers' : 'headers';
    this[target === 'trailers' ? 'rawTrailers' : 'rawHeaders'] = list.slice(0, count);
    this[facts][target] = undefined;
  },
  _addHeaderLine(name, value, target) { add(target, name, value, this.joinDuplicateHeaders); },
  _addHeaderLineDistinct(name, value, target) { (target[name.toLowerCase()] ??= []).push(value); },

  /// What nobody reads is thrown away.
  _dump() {
    if (this._dumped) return;
    this._dumped = true;
    this.removeAllListeners('data');
    this.resume();
  },
};
const IncomingMessage = kind('IncomingMessage', Readable, init, methods);

/// Properties that are made when they are asked for, and can be set.
function made(name, make) {
  getter(IncomingMessage, name, function() { return this[facts][name] ??= make(this); },
    function(value) { this[facts][name] = value; });
}
made('headers', (message) => folded(message.rawHeaders, message.joinDuplicateHeaders));
made('headersDistinct', (message) => distinct(message.rawHeaders));
made('trailers', (message) => folded(message.rawTrailers, message.joinDuplicateHeaders));
made('trailersDistinct', (message) => distinct(message.rawTrailers));
getter(IncomingMessage, 'connection', function() { return this.socket; }, function(value) { this.socket = value; });

/// Fills in what a parser has read.
function fill(message, info) {
  const [major, minor] = info.version.split('.').map(Number);
  message.httpVersionMajor = major;
  message.httpVersionMinor = minor;
  message.httpVersion = info.version;
  message.rawHeaders = info.fields;
  message.upgrade = info.wantsUpgrade;
  if (info.method !== undefined) {
    message.url = info.url;
    message.method = info.method;
  } else {
    message.statusCode = info.status;
    message.statusMessage = info.reason;
  }
  return message;
}

/// Lets a socket be read again that waited for its message.
function goOn(socket) {
  if (!socket?.[isWaiting]) return;
  socket[isWaiting] = false;
  if (socket.readable) socket.resume();
}
const isWaiting = Symbol('waits for its message');

/// Whether nobody has begun to read a message.
function isUnread(message) {
  return !message._consumed && message.readableFlowing === null && !message.listenerCount('readable');
}

/// Gives a message its next bytes; its socket waits if they are not wanted yet.
function give(message, chunk) {
  if (message._dumped || message.destroyed) return;
  const { socket } = message;
  if (!message.push(chunk) && socket && !socket[isWaiting]) {
    hidden(socket, isWaiting, true);
    socket.pause();
  }
}

/// A message is whole.
function finish(message, trailers) {
  message.complete = true;
  // The connection is the next message's now.
  goOn(message.socket);
  if (trailers.length) message.rawTrailers = trailers;
  message.push(null);
}

/// A message whose connection has ended too early.
function abort(message) {
  if (message.destroyed || message.complete && message.readableEnded) return;
  message.destroy(hungUp('aborted'));
}

module.exports = { IncomingMessage, isUnread, fill, give, finish, abort };
