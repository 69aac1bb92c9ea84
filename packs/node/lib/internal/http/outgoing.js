// `http.OutgoingMessage`: headers, and a body that goes out in one of the forms of HTTP/1.1.

const Stream = require('stream');
const { check, coded, invalidArgType } = require('internal/errors');
const { hidden } = require('internal/hidden');
const { kind, getter: addGetter } = require('internal/kinds');
const { validateHeaderName, validateHeaderValue, NO_VALUE, isToken, now, wordsOf } = require('internal/http/words');

const own = Symbol('outgoing state');

/// What every message begins with, as programs see it.
const BEGINNING = {
  writable: true, destroyed: false, finished: false, socket: null, sendDate: false, shouldKeepAlive: true,
  useChunkedEncodingByDefault: true, chunkedEncoding: false, strictContentLength: false, _last: false, _hasBody: true,
    _closed: false,
  _header: null, _headerSent: false,
};

function init(options) {
  Stream.call(this, options);
  hidden(this, own, {
    headers: null, // by names in small letters: [name, value]
    removed: new Set(), // names of headers that are not to be added
    waiting: [], // what is written before there is a socket, with its callbacks
    size: 0,
    length: null, // of the body, if it is known
    trailers: '',
    needsDrain: false,
    corked: 0,
    written: 0, // bytes of the body
    errored: null,
    high: options?.highWaterMark ?? 16384,
    keepAlive: undefined, // what a server says of it: { timeout, most }
    isLastRequest: false,
    refusesBody: false,
  });
  Object.assign(this, BEGINNING);
}

const sent = (what) =>
  coded(Error, 'ERR_HTTP_HEADERS_SENT', `Cannot ${what} headers after they are sent to the client`);

function bytesOf(chunk, encoding) {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
}

/// What is written, checked: text or bytes.
function checkChunk(chunk) {
  if (chunk === null) throw coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
  if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
    throw invalidArgType('chunk', ['string', 'Buffer', 'Uint8Array'], chunk);
}

const methods = {
  setHeader(name, value) {
    if (this._header) throw sent('set');
    validateHeaderName(name);
    if (Array.isArray(value)) for (const one of value) validateHeaderValue(name, one);
    else validateHeaderValue(name, value);
    (this[own].headers ??= new Map()).set(name.toLowerCase(), [name, value]);
    return this;
  },

  setHeaders(headers) {
    if (this._header) throw sent('set');
    const isList = ['keys', 'get'].every((name) => typeof headers?.[name] === 'function');
    if (!isList || Array.isArray(headers)) throw invalidArgType('headers', ['Headers', 'Map'], headers);
    const cookies = [];
    for (const [name, value] of headers) {
      if (name === 'set-cookie') cookies.push(...[value].flat());
      else this.setHeader(name, value);
    }
    if (cookies.length) this.setHeader('set-cookie', cookies);
    return this;
  },

  appendHeader(name, value) {
    if (this._header) throw sent('append');
    validateHeaderName(name);
    const known = this[own].headers?.get(name.toLowerCase());
    for (const one of [value].flat()) validateHeaderValue(name, one);
    if (known) known[1] = [known[1], value].flat();
    else this.setHeader(name, value);
    return this;
  },

  getHeader(name) {
    check.string(name, 'name');
    return this[own].headers?.get(name.toLowerCase())?.[1];
  },
  getHeaderNames() { return [...this[own].headers?.keys() ?? []]; },
  getRawHeaderNames() { return [...this[own].headers?.values() ?? []].map(([name]) => name); },
  getHeaders() {
    const all = { __proto__: null };
    for (const [key, [, value]] of this[own].headers ?? []) all[key] = value;
    return all;
  },
  hasHeader(name) {
    check.string(name, 'name');
    return !!this[own].headers?.has(name.toLowerCase());
  },
  removeHeader(name) {
    check.string(name, 'name');
    if (this._header) throw sent('remove');
    const key = name.toLowerCase();
    this[own].removed.add(key);
    if (key === 'date') this.sendDate = false;
    this[own].headers?.delete(key);
  },

  _renderHeaders() {
    if (this._header) throw sent('render');
    return Object.fromEntries([...this[own].headers?.values() ?? []]);
  },

  cork() {
    this[own].corked++;
    this.socket?.cork();
  },

  uncork() {
    const state = this[own];
    if (state.corked > 0) state.corked--;
    this.socket?.uncork();
  },

  setTimeout(milliseconds, callback) {
    if (callback) this.on('timeout', callback);
    if (this.socket) this.socket.setTimeout(milliseconds);
    else this.once('socket', (socket) => socket.setTimeout(milliseconds));
    return this;
  },

  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this[own].errored = error;
    if (this.socket) this.socket.destroy(error);
    else this.once('socket', (socket) => socket.destroy(error));
    return this;
  },

  _implicitHeader() {
    throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _implicitHeader() method is not implemented');
  },

  /// Makes the text of the head of a first line and headers: an object, an array, or what was set.
  _storeHeader(line, headers) {
    const head = new Head(this);
    if (Array.isArray(headers)) {
      if (Array.isArray(headers[0])) for (const [name, value] of headers) head.add(name, value);
      else for (let i = 0; i < headers.length; i += 2) head.add(headers[i], headers[i + 1]);
    } else if (headers === this[own].headers) {
      for (const [name, value] of headers?.values() ?? []) head.add(name, value, true);
    } else for (const [name, value] of Object.entries(headers ?? {})) head.add(name, value);
    this._header = line + head.whole();
    this._headerSent = false;
    // Whoever waits to be told to go on has to be heard first.
    if (head.expects) this._send('');
  },

  _send(data, encoding, callback) {
    if (!this._headerSent) {
      this._headerSent = true;
      const text = Buffer.from(this._header ?? '', 'latin1');
      data = data.length ? Buffer.concat([text, bytesOf(data, encoding)]) : text;
      encoding = undefined;
    }
    return this._writeRaw(data, encoding, callback);
  },

  _writeRaw(data, encoding, callback) {
    const { socket } = this;
    if (socket?.destroyed) return false;
    if (typeof encoding === 'function') [callback, encoding] = [encoding, undefined];
    if (socket && socket._httpMessage === this && socket.writable) {
      if (this[own].waiting.length) this._flushOutput(socket);
      return socket.write(data, encoding, callback);
    }
    this[own].waiting.push({ data, encoding, callback });
    this[own].size += data.length;
    return this[own].size < this[own].high;
  },

  write(chunk, encoding, callback) {
    if (typeof encoding === 'function') [callback, encoding] = [encoding, null];
    const more = put(this, chunk, encoding, callback);
    if (!more) this[own].needsDrain = true;
    return more;
  },

  addTrailers(headers) {
    const pairs = Array.isArray(headers) ? headers : Object.entries(headers ?? {});
    const lines = [];
    for (const [name, value] of pairs) {
      if (!isToken(name)) validateHeaderName(name, 'Trailer name');
      for (const one of [value].flat()) {
        if (NO_VALUE.test(`${one}`))
          throw coded(TypeError, 'ERR_INVALID_CHAR', `Invalid character in trailer content ["${name}"]`);
        lines.push(`${name}: ${one}\r\n`);
      }
    }
    this[own].trailers = lines.join('');
  },

  end(chunk, encoding, callback) {
    if (typeof chunk === 'function') [callback, chunk, encoding] = [chunk, null, null];
    else if (typeof encoding === 'function') [callback, encoding] = [encoding, null];
    const state = this[own];
    if (chunk !== undefined && chunk !== null) {
      if (this.finished) {
        refuse(this, afterEnd(), typeof callback === 'function' ? callback : undefined);
        return this;
      }
      checkChunk(chunk);
      this.socket?.cork();
      if (!this._header) this[own].length = bytesOf(chunk, encoding).length;
      put(this, chunk, encoding, undefined, true);
    } else if (this.finished) {
      if (typeof callback !== 'function') return this;
      const isOver = this.writableFinished;
      if (!isOver) return this.on('finish', callback);
      callback(coded(Error, 'ERR_STREAM_ALREADY_FINISHED', 'Cannot call end after a stream was finished'));
      return this;
    }
    beginEmpty(this);
    if (typeof callback === 'function') this.once('finish', callback);
    checkLength(this, state.written !== state.length);
    const done = () => onFinish(this);
    if (this._hasBody && this.chunkedEncoding) this._send(`0\r\n${state.trailers}\r\n`, 'latin1', done);
    else this._send('', 'latin1', done);
    // All that was held back goes out now.
    const { socket } = this;
    if (socket) {
      while (socket.writableCorked) socket.uncork();
    }
    state.corked = 0;
    this.finished = true;
    if (!state.waiting.length && this.socket?._httpMessage === this) this._finish();
    return this;
  },

  _finish() { this.emit('prefinish'); },

  /// Sends what waited for a socket.
  _flush() {
    const { socket } = this;
    if (!socket?.writable) return;
    const more = this._flushOutput(socket);
    if (this.finished) this._finish();
    else if (more && this[own].needsDrain) {
      this[own].needsDrain = false;
      this.emit('drain');
    }
  },

  _flushOutput(socket) {
    const state = this[own];
    for (let i = state.corked; i > 0; i--) socket.cork();
    const list = state.waiting.splice(0);
    if (!list.length) return true;
    let more;
    socket.cork();
    for (const { data, encoding, callback } of list) more = socket.write(data, encoding, callback);
    socket.uncork();
    state.size = 0;
    return more;
  },

  flushHeaders() {
    if (!this._header) this._implicitHeader();
    this._send('');
  },

  pipe() {
    this.emit('error', coded(Error, 'ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable'));
  },
};
const OutgoingMessage = kind('OutgoingMessage', Stream, init, methods);
hidden(OutgoingMessage.prototype, Symbol.for('nodejs.rejection'), function(error) { this.destroy(error); });

const getter = (name, get, set) => addGetter(OutgoingMessage, name, get, set);
getter('errored', function() { return this[own].errored; });
getter('closed', function() { return this._closed; });
getter('headersSent', function() { return !!this._header; });
getter('writableFinished', function() {
  return this.finished && this.writableLength === 0;
});
getter('writableObjectMode', () => false);
getter('writableLength', function() { return this[own].size + (this.socket ? this.socket.writableLength : 0); });
getter('writableHighWaterMark', function() { return (this.socket ?? {}).writableHighWaterMark ?? this[own].high; });
getter('writableCorked', function() { return this[own].corked; });
getter('writableEnded', function() { return this.finished; });
getter('writableNeedDrain', function() { return !this.destroyed && !this.finished && this[own].needsDrain; });
getter('connection', function() { return this.socket; }, function(value) { this.socket = value; });
getter('_headers', function() { return this.getHeaders(); }, function(headers) {
  const pairs = Object.entries(headers ?? {});
  this[own].headers = new Map(pairs.map(([name, value]) => [name.toLowerCase(), [name, value]]));
});
getter('_headerNames', function() {
  return Object.fromEntries([...this[own].headers ?? []].map(([key, [name]]) => [key, name]));
});
getter('outputData', function() { return this[own].waiting; });
getter('outputSize', function() { return this[own].size; });

const afterEnd = () => coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end');

/// Refuses a body that is not as long as it was said to be, where somebody wants that to be checked.
function checkLength(message, isWrong, written = message[own].written) {
  const { length, removed } = message[own];
  const isChecked = message.strictContentLength && message._hasBody && length !== null;
  const isChunked = message.chunkedEncoding || message.hasHeader('transfer-encoding');
  if (!isWrong || !isChecked || isChunked || removed.has('content-length')) return;
  throw coded(Error, 'ERR_HTTP_CONTENT_LENGTH_MISMATCH',
    `Response body's content-length of ${written} byte(s) does not match the content-length of ${length} byte(s) set in header`);
}

/// An error of writing: told to the callback, then to the message.
function refuse(message, error, callback) {
  process.nextTick(() => {
    if (typeof callback === 'function') callback(error);
    if (!message.destroyed) message.emit('error', error);
  });
}

/// A message without a body has a head all the same.
function beginEmpty(message) {
  if (message._header) return;
  message[own].length = 0;
  message.socket?.cork();
  message._implicitHeader();
}

function onFinish(message) {
  if (message.socket?._hadError) return;
  message.emit('finish');
}

function put(message, chunk, encoding, callback, isLast = false) {
  checkChunk(chunk);
  const state = message[own];
  if (message.finished) {
    refuse(message, afterEnd(), callback);
    return false;
  }
  if (message.destroyed) {
    refuse(message, coded(Error, 'ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed'), callback);
    return false;
  }
  const bytes = typeof chunk === 'string' && encoding && !/^(?:utf-?8|latin1|binary)$/i.test(encoding)
    ? Buffer.from(chunk, encoding) : chunk;
  const size = typeof bytes === 'string' ? Buffer.byteLength(bytes, encoding ?? 'utf8') : bytes.length;
  if (!message._header) {
    if (isLast) state.length = size;
    message._implicitHeader();
  }
  if (!message._hasBody) {
    if (state.refusesBody)
      throw coded(Error, 'ERR_HTTP_BODY_NOT_ALLOWED',
        'Adding content for this request method or response status is not allowed.');
    if (typeof callback === 'function') process.nextTick(callback);
    return true;
  }
  checkLength(message, state.written + size > state.length, state.written + size);
  state.written += size;
  if (!isLast && message.socket && !message.socket.writableCorked) {
    // What is written in one turn goes out together.
    message.socket.cork();
    const { socket } = message;
    process.nextTick(() => socket.uncork());
  }
  if (!(message.chunkedEncoding && size)) return message._send(bytes, encoding, callback);
  return message._send(
    Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), bytesOf(bytes, encoding), Buffer.from('\r\n')]), undefined,
      callback,
  );
}

/// The text of a head as it grows, and what its headers mean for the body.
class Head {
  #message;
  #text = '';
  #has = { connection: false, length: false, coding: false, date: false, alive: false, trailer: false };
  expects = false;
  constructor(message) { this.#message = message; }

  add(name, value, isChecked = false) {
    if (!isChecked) validateHeaderName(name);
    const key = name.toLowerCase();
    if (Array.isArray(value) && key === 'cookie') value = value.join('; ');
    if (Array.isArray(value) && value.length < 2) [value = ''] = value;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!isChecked) validateHeaderValue(name, one);
      this.#text += `${name}: ${one}\r\n`;
      this.#note(key, one);
    }
  }

  #note(key, value) {
    const message = this.#message;
    const has = this.#has;
    switch (key) {
      case 'connection':
        has.connection = true;
        message[own].removed.delete(key);
        if (wordsOf(value).includes('close')) message._last = true;
        else message.shouldKeepAlive = true;
        break;
      case 'transfer-encoding':
        has.coding = true;
        message[own].removed.delete(key);
        if (wordsOf(value).includes('chunked')) message.chunkedEncoding = true;
        break;
      case 'content-length':
        has.length = true;
        message[own].length = +value;
        message[own].removed.delete(key);
        break;
      case 'date':
        has.date = true;
        break;
      case 'expect':
        this.expects = true;
        break;
      case 'keep-alive':
        has.alive = true;
        break;
      case 'trailer':
        has.trailer = true;
        break;
    }
  }

  whole() {
    const message = this.#message;
    const has = this.#has;
    if (message.sendDate && !has.date) this.#text += `Date: ${now()}\r\n`;
    const { statusCode } = message;
    if (message.chunkedEncoding && (statusCode === 204 || statusCode === 304)) {
      message.chunkedEncoding = false;
      message.shouldKeepAlive = false;
    }
    if (message[own].removed.has('connection')) message._last = !message.shouldKeepAlive;
    else if (!has.connection) this.#connection();
    if (!has.length && !has.coding) this.#length();
    // A trailer has no place but after chunks.
    if (message.chunkedEncoding !== true && has.trailer)
      throw coded(Error, 'ERR_HTTP_TRAILER_INVALID', 'Trailers are invalid with this transfer encoding');
    return `${this.#text}\r\n`;
  }

  #connection() {
    const message = this.#message;
    const keeps = message.shouldKeepAlive && (this.#has.length || message.useChunkedEncodingByDefault || message.agent);
    const { isLastRequest, keepAlive } = message[own];
    this.#text += `Connection: ${keeps && !isLastRequest ? 'keep-alive' : 'close'}\r\n`;
    if (!keeps) message._last = true;
    if (!keeps || isLastRequest || !keepAlive?.timeout || this.#has.alive) return;
    const most = keepAlive.most > 0 ? `, max=${keepAlive.most}` : '';
    this.#text += `Keep-Alive: timeout=${Math.floor(keepAlive.timeout / 1000)}${most}\r\n`;
  }

  #length() {
    const message = this.#message;
    const { length, removed } = message[own];
    const isKnown = typeof length === 'number' && !this.#has.trailer && !removed.has('content-length');
    if (!message._hasBody) message.chunkedEncoding = false;
    else if (!message.useChunkedEncodingByDefault) message._last = !message.agent || message._last;
    else if (isKnown) this.#text += `Content-Length: ${length}\r\n`;
    else if (!removed.has('transfer-encoding')) {
      this.#text += 'Transfer-Encoding: chunked\r\n';
      message.chunkedEncoding = true;
    }
  }
}

module.exports = { OutgoingMessage, own };
