// `http.Server` and `http.ServerResponse`.

const net = require('net');
const { check, coded, invalidArgType, outOfRange } = require('internal/errors');
const { hidden } = require('internal/hidden');
const { kind } = require('internal/kinds');
const { IncomingMessage, abort, fill, finish, give, isUnread } = require('internal/http/incoming');
const { format } = require('util');
const { MessageParser } = require('internal/http/parser');
const { OutgoingMessage, own: outgoing } = require('internal/http/outgoing');
const { STATUS_CODES, NO_VALUE, endSoon, validateHeaderName, validateHeaderValue,
  wordsOf } = require('internal/http/words');
const { settings } = require('internal/http/settings');

/// An answer to a request: its kind of head depends on what the client understands.
function initResponse(request, options) {
  OutgoingMessage.call(this, options);
  Object.assign(this, { req: request, sendDate: true, _hasBody: request.method !== 'HEAD' });
  hidden(this, expecting, { waits: false, isTold: false });
  const isOld = request.httpVersionMajor < 1 || request.httpVersionMinor < 1;
  if (!isOld) return;
  this.shouldKeepAlive = false;
  this.useChunkedEncodingByDefault = wordsOf(request.headers?.te ?? '').includes('chunked');
}
/// Whether the client waits to be told to go on.
const expecting = Symbol('expecting');

const headersSent = (what) =>
  coded(Error, 'ERR_HTTP_HEADERS_SENT', `Cannot ${what} headers after they are sent to the client`);

const responseMethods = {
  assignSocket(socket) {
    if (socket._httpMessage) throw coded(Error, 'ERR_HTTP_SOCKET_ASSIGNED', 'Socket already assigned');
    this.socket = socket;
    socket._httpMessage = this;
    socket.on('close', endOfSocket);
    this.emit('socket', socket);
    this._flush();
  },

  detachSocket(socket) {
    socket.off('close', endOfSocket);
    [this.socket, socket._httpMessage] = [null, null];
  },

  writeContinue(callback) {
    this._writeRaw('HTTP/1.1 100 Continue\r\n\r\n', 'latin1', callback);
    this[expecting].isTold = true;
  },

  writeProcessing(callback) { this._writeRaw('HTTP/1.1 102 Processing\r\n\r\n', 'latin1', callback); },

  writeEarlyHints(hints, callback) {
    check.object(hints, 'hints');
    const { link } = hints;
    if (link == null || (Array.isArray(link) && !link.length)) return;
    const LINK = /^<[^>]*>(?:\s*;\s*[^;"\s]+(?:=(?:"[^"]*"|[^;"\s]*))?)*(?:\s*,\s*<[^>]*>(?:\s*;\s*[^;"\s]+(?:=(?:"[^"]*"|[^;"\s]*))?)*)*$/;
    const text = [link].flat().join(', ');
    if (!LINK.test(text))
      throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
        `The property 'hints.link' is invalid. Received ${require('internal/inspect').inspect(link)}`);
    let head = `HTTP/1.1 103 Early Hints\r\nLink: ${text}\r\n`;
    for (const [name, value] of Object.entries(hints)) {
      if (name === 'link') continue;
      validateHeaderName(name);
      validateHeaderValue(name, value);
      head += `${name}: ${value}\r\n`;
    }
    this._writeRaw(`${head}\r\n`, 'latin1', callback);
  },

  _implicitHeader() { this.writeHead(this.statusCode); },

  writeHead(status, reason, headers) {
    if (this._header) throw headersSent('write');
    const code = status | 0;
    if (code < 100 || code > 999)
      throw coded(RangeError, 'ERR_HTTP_INVALID_STATUS_CODE', `Invalid status code: ${format('%s', status)}`);
    if (typeof reason === 'string') this.statusMessage = reason;
    else {
      this.statusMessage ||= STATUS_CODES[code] || 'unknown';
      headers ??= reason;
    }
    this.statusCode = code;
    let list = headers;
    if (this[outgoing].headers) {
      // What was set goes with what is given here.
      if (Array.isArray(headers)) {
        const pairs = Array.isArray(headers[0]) ? headers
          : Array.from({ length: headers.length >> 1 }, (_, i) => [headers[2 * i], headers[2 * i + 1]]);
        if (!Array.isArray(headers[0]) && headers.length % 2) throw oddHeaders(headers);
        for (const [name] of pairs) if (name) this.removeHeader(name);
        for (const [name, value] of pairs) if (name) this.appendHeader(name, value);
      } else for (const name of Object.keys(headers ?? {})) if (name) this.setHeader(name, headers[name]);
      list = this[outgoing].headers;
    } else if (Array.isArray(headers) && !Array.isArray(headers[0]) && headers.length % 2) throw oddHeaders(headers);
    if (NO_VALUE.test(this.statusMessage))
      throw coded(TypeError, 'ERR_INVALID_CHAR', 'Invalid character in statusMessage');
    if (code === 204 || code === 304 || code < 200) this._hasBody = false;
    if (this[expecting].waits && !this[expecting].isTold) this.shouldKeepAlive = false;
    this._storeHeader(`HTTP/1.1 ${code} ${this.statusMessage}\r\n`, list);
    return this;
  },

  writeHeader(...args) { return this.writeHead(...args); },
};
const ServerResponse = kind('ServerResponse', OutgoingMessage, initResponse, responseMethods);
Object.assign(ServerResponse.prototype, { statusCode: 200, statusMessage: undefined });

const oddHeaders = (headers) => coded(TypeError, 'ERR_INVALID_ARG_VALUE',
  `The argument 'headers' is invalid. Received ${require('internal/inspect').inspect(headers)}`);

function endOfSocket() { this._httpMessage?.[closing](); }
const closing = Symbol('closing');
hidden(ServerResponse.prototype, closing, function() {
  if (this._closed) return;
  this.destroyed = true;
  this._closed = true;
  this.emit('close');
});

const limits = Symbol('limits');
const open = Symbol('connections');

function init(options, listener) {
  const given = typeof options === 'function' ? {} : options ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) throw invalidArgType('options', 'object', given);
  const heard = typeof options === 'function' ? options : listener;
  take(this, given);
  const { noDelay = true, keepAlive, keepAliveInitialDelay, highWaterMark } = given;
  net.Server.call(this, { allowHalfOpen: true, noDelay, keepAlive, keepAliveInitialDelay, highWaterMark });
  Object.assign(this, { httpAllowHalfOpen: false, timeout: 0, maxHeadersCount: null, maxRequestsPerSocket: 0 });
  hidden(this, open, new Set());
  if (heard) this.on('request', heard);
  this.on('connection', connectionListener);
  this.on('listening', () => watchTimes(this));
}

/// The options of a server, checked.
function take(server, options) {
  const { maxHeaderSize, insecureHTTPParser, joinDuplicateHeaders } = options;
  if (maxHeaderSize !== undefined) check.integer(maxHeaderSize, 'maxHeaderSize', 0);
  if (insecureHTTPParser !== undefined) check.boolean(insecureHTTPParser, 'options.insecureHTTPParser');
  if (joinDuplicateHeaders !== undefined) check.boolean(joinDuplicateHeaders, 'options.joinDuplicateHeaders');
  const times = { requestTimeout: 300000, headersTimeout: 60000, keepAliveTimeout: 5000,
    connectionsCheckingInterval: 30000 };
  for (const name of Object.keys(times)) {
    if (options[name] === undefined) continue;
    check.integer(options[name], name, 0);
    times[name] = options[name];
  }
  if (options.headersTimeout === undefined && times.requestTimeout > 0)
    times.headersTimeout = Math.min(times.headersTimeout, times.requestTimeout);
  if (times.requestTimeout > 0 && times.headersTimeout > 0 && times.headersTimeout > times.requestTimeout)
    throw outOfRange('headersTimeout', '<= requestTimeout', times.headersTimeout);
  for (const name of ['requireHostHeader', 'rejectNonStandardBodyWrites'])
    if (options[name] !== undefined) check.boolean(options[name], `options.${name}`);
  Object.assign(server, {
    maxHeaderSize, insecureHTTPParser, ...times,
    requireHostHeader: options.requireHostHeader ?? true,
    joinDuplicateHeaders,
    rejectNonStandardBodyWrites: options.rejectNonStandardBodyWrites ?? false,
  });
  hidden(server, limits, {
    Request: options.IncomingMessage ?? IncomingMessage, Response: options.ServerResponse ?? ServerResponse,
    unique: new Set((options.uniqueHeaders ?? []).flat().map((name) => name.toLowerCase())), timer: undefined,
  });
}

/// Connections that are too slow with their requests are ended from time to time.
function watchTimes(server) {
  const own = server[limits];
  clearInterval(own.timer);
  if (!server.connectionsCheckingInterval) return;
  own.timer = setInterval(() => {
    const now = performance.now();
    for (const connection of server[open]) connection.checkTime(now);
  }, server.connectionsCheckingInterval).unref();
}

const serverMethods = {
  close(...args) {
    clearInterval(this[limits].timer);
    net.Server.prototype.close.apply(this, args);
    this.closeIdleConnections();
    return this;
  },
  closeAllConnections() { for (const { socket } of [...this[open]]) socket.destroy(); },
  closeIdleConnections() { for (const one of [...this[open]]) if (one.isIdle) one.socket.destroy(); },
  setTimeout(milliseconds, callback) {
    Object.assign(this, { timeout: milliseconds });
    return callback ? this.on('timeout', callback) : this;
  },
};
const Server = kind('Server', net.Server, init, serverMethods);

/// The promise of a listener was rejected: whoever asked gets an error.
hidden(Server.prototype, Symbol.for('nodejs.rejection'), function(error, event, ...args) {
  const response = args[1];
  if (event !== 'request' || !(response instanceof ServerResponse)) {
    net.Server.prototype[Symbol.for('nodejs.rejection')].call(this, error, event, ...args);
    return;
  }
  if (response.headersSent || response.writableEnded) {
    response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  response.statusCode = 500;
  response.end(STATUS_CODES[500]);
});

/// So many requests of one connection may wait for their answers before it is read on.
const MOST_WAITING = 64;

/// One connection: its parser, the request that is read, and the answers in their order.
class Connection {
  #server;
  #parser;
  #incoming = null;
  #answers = [];
  #count = 0;
  #began;
  #headed = true;
  #isHeld = false;
  #isResting = false; // between two requests
  #listeners;
  constructor(server, socket) {
    this.#server = server;
    this.socket = socket;
    this.#parser = new MessageParser(true, server.maxHeaderSize || settings.maxHeaderSize, {
      head: (info) => this.#head(info),
      body: (chunk) => { if (this.#incoming) give(this.#incoming, chunk); },
      end: (trailers) => this.#whole(trailers),
    });
    this.#began = performance.now();
    this.#headed = false;
    this.#listeners = {
      data: (chunk) => this.#data(chunk),
      end: () => this.#end(),
      close: () => this.#close(),
      error: (error) => this.#fail(error),
      drain: () => socket._httpMessage?._flush?.(),
      timeout: () => this.#timeout(),
    };
    for (const [name, listener] of Object.entries(this.#listeners)) socket.on(name, listener);
    if (server.timeout) socket.setTimeout(server.timeout);
    server[open].add(this);
  }

  get isIdle() { return !this.#incoming && !this.#answers.length && !this.#parser.isWithin && this.#count > 0; }

  #data(chunk) {
    if (this.#isResting) {
      this.#isResting = false;
      this.#began = performance.now();
      this.#headed = false;
      this.socket.setTimeout(this.#server.timeout);
    }
    const got = this.#parser.execute(chunk);
    if (got instanceof Error) {
      got.rawPacket = chunk;
      this.#fail(got);
    } else if (this.#parser.isStopped && this.#upgrade) {
      this.#hand(chunk.subarray(got));
    }
  }

  /// A request's head has been read.
  #head(info) {
    const server = this.#server;
    const { socket } = this;
    const { Request, Response } = server[limits];
    if (server.maxHeadersCount > 0) info.fields.length = Math.min(info.fields.length, 2 * server.maxHeadersCount);
    else info.fields.length = Math.min(info.fields.length, 4000);
    const request = fill(new Request(socket), info);
    request.joinDuplicateHeaders = !!server.joinDuplicateHeaders;
    this.#headed = true;
    if (info.wantsUpgrade) {
      const name = info.method === 'CONNECT' ? 'connect' : 'upgrade';
      request.upgrade = info.method === 'CONNECT' || server.listenerCount('upgrade') > 0;
      if (request.upgrade) {
        this.#upgrade = { name, request };
        return 'stop';
      }
    }
    this.#incoming = request;
    const response = new Response(request, { highWaterMark: socket.writableHighWaterMark });
    const own = response[outgoing];
    if (own) {
      own.keepAlive = { timeout: server.keepAliveTimeout, most: server.maxRequestsPerSocket };
      own.refusesBody = server.rejectNonStandardBodyWrites;
    }
    response.shouldKeepAlive = info.keepsAlive && ['1.0', '1.1'].includes(info.version);
    this.#count++;
    if (server.maxRequestsPerSocket > 0) {
      if (this.#count >= server.maxRequestsPerSocket) response[outgoing].isLastRequest = true;
      if (this.#count > server.maxRequestsPerSocket) {
        this.#answer(request, response);
        server.emit('dropRequest', request, socket);
        response.writeHead(503);
        response.end();
        return undefined;
      }
    }
    this.#answer(request, response);
    this.#tell(request, response);
    return undefined;
  }
  #upgrade;

  /// Puts an answer into its place in the order of the requests.
  #answer(request, response) {
    this.#answers.push(response);
    if (this.#answers.length === 1) response.assignSocket(this.socket);
    response.on('prefinish', () => {
      // Nobody will read what has not been read.
      if (isUnread(request)) request._dump();
    });
    response.on('finish', () => this.#answered(request, response));
    if (this.#answers.length >= MOST_WAITING && !this.#isHeld) {
      this.#isHeld = true;
      this.socket.pause();
    }
  }

  #tell(request, response) {
    const server = this.#server;
    if (server.requireHostHeader && request.httpVersion === '1.1' && request.headers.host === undefined) {
      response.writeHead(400, ['Connection', 'close']);
      response.end();
      return;
    }
    const wish = request.httpVersion === '1.1' ? request.headers.expect : undefined;
    const waits = wish !== undefined && /\b100-continue\b/i.test(wish);
    const event = wish === undefined ? 'request' : waits ? 'checkContinue' : 'checkExpectation';
    if (waits && response[expecting]) response[expecting].waits = true;
    if (server.emit(event, request, response) || wish === undefined) return;
    // Nobody else decides about it.
    if (waits) {
      response.writeContinue();
      server.emit('request', request, response);
    } else response.writeHead(417).end();
  }

  #whole(trailers) {
    const request = this.#incoming;
    this.#incoming = null;
    this.#began = undefined;
    this.#headed = true;
    if (request) finish(request, trailers);
    this.#began = undefined;
  }

  /// An answer has gone out: the next one may, or the connection ends.
  #answered(request, response) {
    const { socket } = this;
    const server = this.#server;
    if (this.#incoming === request) this.#incoming = request.complete ? null : request;
    if (isUnread(request)) request._dump();
    this.#answers.shift();
    response.detachSocket(socket);
    process.nextTick(() => {
      if (response._closed) return;
      response.destroyed = true;
      response._closed = true;
      response.emit('close');
    });
    if (response._last) {
      endSoon(socket);
      return;
    }
    const [next] = this.#answers;
    if (next) next.assignSocket(socket);
    else if (server.keepAliveTimeout && !socket.destroyed) {
      socket.setTimeout(server.keepAliveTimeout);
      this.#isResting = true;
    }
    if (this.#isHeld && this.#answers.length < MOST_WAITING / 2) {
      this.#isHeld = false;
      socket.resume();
    }
    if (!server.listening && !this.#answers.length && this.isIdle) socket.destroySoon();
    this.#began = performance.now();
    this.#headed = !this.#parser.isWithin;
  }

  /// The client sends no more.
  #end() {
    const { socket } = this;
    const error = this.#parser.finish();
    if (error) {
      this.#fail(error);
      return;
    }
    if (!this.#server.httpAllowHalfOpen) {
      this.#cutOff();
      socket.end();
    } else if (this.#answers.length) this.#answers.at(-1)._last = true;
    else if (socket._httpMessage) socket._httpMessage._last = true;
    else socket.end();
  }

  /// Requests without an answer, whole or not, are told that nobody waits for one.
  #cutOff() {
    const request = this.#incoming;
    this.#incoming = null;
    if (request) abort(request);
    for (const { req } of [...this.#answers]) if (req && !req.destroyed && !req.readableEnded) abort(req);
  }

  #close() {
    this.#server[open].delete(this);
    this.#parser.stop();
    this.#cutOff();
    for (const answer of this.#answers) answer[closing]?.();
  }

  #fail(error) {
    const { socket } = this;
    const server = this.#server;
    socket.removeListener('error', this.#listeners.error);
    if (!socket.listenerCount('error')) socket.on('error', () => {});
    if (server.listenerCount('clientError') > 0) {
      server.emit('clientError', error, socket);
      return;
    }
    const answer = socket._httpMessage;
    if (socket.writable && (!answer || !answer._headerSent)) {
      const status = { HPE_HEADER_OVERFLOW: 431, HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
        ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code] ?? 400;
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
    }
    this.#cutOff();
    socket.destroy(error);
  }

  #timeout() {
    const { socket } = this;
    const request = this.#incoming;
    const [response] = this.#answers;
    const isHeard = [request?.complete ? null : request, response, this.#server].map((one) => one?.emit('timeout',
      socket));
    if (!isHeard.includes(true)) socket.destroy();
  }

  checkTime(now) {
    if (this.#began === undefined || this.#answers.length && this.#headed && !this.#incoming) return;
    if (this.#count && !this.#parser.isWithin) return; // between two requests another limit counts
    const { headersTimeout, requestTimeout } = this.#server;
    const passed = now - this.#began;
    const isLate = (!this.#headed && headersTimeout > 0 && passed > headersTimeout) || (requestTimeout > 0 &&
      passed > requestTimeout);
    if (isLate) this.#fail(coded(Error, 'ERR_HTTP_REQUEST_TIMEOUT', 'Request timeout'));
  }

  /// Gives the socket to whoever speaks another protocol on it.
  #hand(rest) {
    const { socket } = this;
    const { name, request } = this.#upgrade;
    const server = this.#server;
    for (const [event, listener] of Object.entries(this.#listeners)) socket.removeListener(event, listener);
    server[open].delete(this);
    if (server.listenerCount(name) > 0) {
      socket.pause();
      socket.readableFlowing = null;
      if (socket._readableState) socket._readableState.flowing = null;
      server.emit(name, request, socket, Buffer.from(rest));
    } else socket.destroy();
  }
}

function connectionListener(socket) { new Connection(this, socket); }

module.exports = { Server, ServerResponse, connectionListener };
