// `http.ClientRequest`.

const net = require('net');
const url = require('url');
const { check, coded, invalidArgType, received } = require('internal/errors');
const { hidden } = require('internal/hidden');
const { kind } = require('internal/kinds');
const { Agent, shared } = require('internal/http/agent');
const { IncomingMessage, fill, finish, give } = require('internal/http/incoming');
const { MessageParser } = require('internal/http/parser');
const { OutgoingMessage, own: outgoing } = require('internal/http/outgoing');
const { endSoon, isToken, hungUp, validateHeaderName } = require('internal/http/words');
const { settings } = require('internal/http/settings');

const NO_PATH = /[^\u0021-\u00ff]/;
/// Methods whose requests have a body only if it is said.
const BODILESS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

const parts = Symbol('request parts');

/// (url | options [, options] [, callback]) as one object and a callback.
function planOf(input, options, callback) {
  if (typeof options === 'function') [callback, options] = [options, undefined];
  if (typeof input === 'string') input = url.urlToHttpOptions(new URL(input));
  else if (input instanceof URL) input = url.urlToHttpOptions(input);
  else [input, options] = [undefined, input ?? options];
  return [{ __proto__: null, ...input, ...options }, callback];
}

function agentOf(agent, fallback) {
  if (agent === false) return new Agent();
  if (agent === undefined || agent === null) return fallback;
  if (typeof agent.addRequest === 'function') return agent;
  throw coded(TypeError, 'ERR_INVALID_ARG_TYPE',
    `The "options.agent" property must be one of Agent-like Object, undefined, or false.${received(agent)}`);
}

function checkHost(host, name) {
  if (host !== undefined && host !== null && typeof host !== 'string')
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE',
      `The "options.${name}" property must be of type string or one of undefined or null.${received(host)}`);
  return host;
}

/// What has to be of a type if it is given.
const CHECKS = {
  maxHeaderSize: (value, name) => check.integer(value, name, 0),
  insecureHTTPParser: (value, name) => check.boolean(value, `options.${name}`),
  joinDuplicateHeaders: (value, name) => check.boolean(value, `options.${name}`),
};

/// The method of a request, or an exception.
function methodOf(method) {
  if (method == null) return 'GET';
  if (typeof method !== 'string') throw invalidArgType('options.method', 'string', method);
  if (method && !isToken(method)) validateHeaderName(method, 'Method');
  return method.toUpperCase() || 'GET';
}

function init(input, given, callback) {
  OutgoingMessage.call(this);
  const [options, told] = planOf(input, given, callback);
  const fallback = options._defaultAgent ?? shared.agent;
  this.agent = options.createConnection && options.agent === undefined ? undefined : agentOf(options.agent, fallback);
  const { agent } = this;
  const expected = agent?.protocol ?? fallback.protocol;
  const { protocol = expected, path } = options;
  if (path && NO_PATH.test(`${path}`))
    throw coded(TypeError, 'ERR_UNESCAPED_CHARACTERS', 'Request path contains unescaped characters');
  if ((protocol || expected) !== expected)
    throw coded(TypeError, 'ERR_INVALID_PROTOCOL', `Protocol "${protocol}" not supported. Expected "${expected}"`);
  options.port ||= options.defaultPort || agent?.defaultPort || 80;
  options.host = checkHost(options.hostname, 'hostname') || checkHost(options.host, 'host') || 'localhost';
  if (options.timeout !== undefined) this.timeout = timeOf(options.timeout);
  this.method = methodOf(options.method);
  for (const [name, verify] of Object.entries(CHECKS)) {
    if (options[name] !== undefined) verify(options[name], name);
    this[name] = options[name];
  }
  Object.assign(this, {
    host: options.host, protocol: protocol || expected, path: path || '/', socketPath: options.socketPath, res: null,
      aborted: false,
    reusedSocket: false, maxHeadersCount: null, useChunkedEncodingByDefault: !BODILESS.includes(this.method),
  });
  hidden(this, parts, { parser: undefined, listeners: undefined, whenLate: undefined, closes: false, isOver: false });
  // A connection is kept if the agent keeps connections, or has so few that others wait for this one.
  this.shouldKeepAlive = !!agent && (!!agent.keepAlive || Number.isFinite(agent.maxSockets));
  this._last = !this.shouldKeepAlive;
  if (told) this.once('response', told);
  setHeaders(this, options, options.host, options.port);
  if (options.signal) require('stream').addAbortSignal(options.signal, this);
  connect(this, options);
}

/// Asks the agent for a connection, or makes one.
function connect(request, options) {
  const { agent, socketPath } = request;
  if (socketPath) options.path = socketPath;
  if (agent) {
    if (request.timeout !== undefined) options.timeout = request.timeout;
    agent.addRequest(request, options);
    return;
  }
  if (!socketPath) delete options.path;
  let isMade = false;
  const made = (error, socket) => {
    if (isMade) return;
    isMade = true;
    if (error) process.nextTick(() => fail(request, error));
    else request.onSocket(socket);
  };
  const socket = (options.createConnection ?? net.createConnection)(options, made);
  if (socket) made(null, socket);
}

function timeOf(value) {
  check.number(value, 'timeout');
  return value;
}

/// Sets what was given, and adds whom the request is for and who asks.
function setHeaders(request, options, host, port) {
  const { headers } = options;
  const isList = Array.isArray(headers);
  if (!isList && Array.isArray(headers?.host)) throw invalidArgType('options.headers.host', 'String', headers.host);
  if (!isList) {
    for (const [name, value] of Object.entries(headers ?? {})) request.setHeader(name, value);
    const setsHost = options.setHost === undefined ? true : !!options.setHost;
    if (host && !request.getHeader('host') && setsHost) {
      const name = host.includes(':') && !host.startsWith('[') && net.isIPv6(host) ? `[${host}]` : host;
      const isDefault = +port === (options.defaultPort || request.agent?.defaultPort || 80);
      request.setHeader('Host', port && !isDefault ? `${name}:${port}` : name);
    }
    if (options.auth && !request.getHeader('Authorization'))
      request.setHeader('Authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`);
  }
  if (isList) request._storeHeader(lineOf(request), headers);
  else if (request.getHeader('expect')) request._implicitHeader();
}

const lineOf = (request) => `${request.method} ${request.path} HTTP/1.1\r\n`;

const methods = {
  _implicitHeader() {
    if (this._header)
      throw coded(Error, 'ERR_HTTP_HEADERS_SENT', 'Cannot render headers after they are sent to the client');
    this._storeHeader(lineOf(this), this[outgoing].headers);
  },

  abort() {
    if (this.aborted) return;
    this.aborted = true;
    process.nextTick(() => this.emit('abort'));
    this.destroy();
  },

  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.res?._dump();
    const own = this[parts];
    own.error = error;
    if (this.socket) {
      if (this.socket._httpMessage === this || !this.agent) this.socket.destroy(error);
    } else process.nextTick(() => end(this, error ?? (this.aborted ? null : hungUp())));
    return this;
  },

  onSocket(socket, error) {
    process.nextTick(() => begin(this, socket, error));
  },

  setTimeout(milliseconds, callback) {
    if (this[parts].isOver) return this;
    this.timeout = timeOf(milliseconds);
    if (callback) this.once('timeout', callback);
    if (this.socket) arm(this, this.socket);
    return this;
  },

  setNoDelay(on) { withSocket(this, (socket) => socket.setNoDelay(on)); },
  setSocketKeepAlive(on, delay) { withSocket(this, (socket) => socket.setKeepAlive(on, delay)); },
  clearTimeout(callback) { this.setTimeout(0, callback); },
  _deferToConnect(method, args) { withSocket(this, (socket) => socket[method]?.(...args)); },
};
const ClientRequest = kind('ClientRequest', OutgoingMessage, init, methods);

function withSocket(request, use) {
  const go = (socket) => (socket.connecting ? socket.once('connect', () => use(socket)) : use(socket));
  if (request.socket) go(request.socket);
  else request.once('socket', go);
}

/// The limit of time counts from the connection on, and is told once.
function arm(request, socket) {
  const own = request[parts];
  if (own.whenLate) socket.removeListener('timeout', own.whenLate);
  own.whenLate = () => request.emit('timeout');
  socket.once('timeout', own.whenLate);
  const set = () => socket.setTimeout(request.timeout);
  if (socket.connecting) socket.once('connect', set);
  else set();
}

function begin(request, socket, error) {
  const own = request[parts];
  if (error) return fail(request, error);
  if (request.destroyed) {
    // Nobody asks any more: the connection is as good as before.
    if (request.agent && !socket.destroyed && !own.error && request.shouldKeepAlive) {
      end(request, own.error ?? (request.aborted ? null : hungUp()));
      socket.emit('free');
    } else {
      socket.on('error', () => {});
      socket.destroy(own.error);
      end(request, own.error ?? (request.aborted ? null : hungUp()));
    }
    return undefined;
  }
  request.socket = socket;
  socket._httpMessage = request;
  own.parser = new MessageParser(false, request.maxHeaderSize || settings.maxHeaderSize, {
    head: (info) => headed(request, info),
    body: (chunk) => { if (request.res) give(request.res, chunk); },
    end: (trailers) => whole(request, trailers),
  });
  own.listeners = {
    data: (chunk) => arrived(request, chunk),
    end: () => ended(request),
    error: (problem) => {
      own.error = problem;
      socket._hadError = true;
      emitError(request, problem);
      own.parser.finish();
      socket.destroy();
    },
    close: () => closed(request),
    drain: () => drained(request),
    timeout: () => { if (request.res && !request.res.complete) request.res.emit('timeout', socket); },
  };
  for (const [name, listener] of Object.entries(own.listeners)) socket.on(name, listener);
  if (request.timeout !== undefined) arm(request, socket);
  request.emit('socket', socket);
  request._flush();
  return undefined;
}

function emitError(request, error) {
  const own = request[parts];
  if (own.isTold) return;
  own.isTold = true;
  request.emit('error', error);
}

function drained(request) {
  const own = request[outgoing];
  if (!own.needsDrain || request.finished) return;
  own.needsDrain = false;
  request.emit('drain');
}

/// A request that never had a connection.
function fail(request, error) {
  request.destroyed = true;
  end(request, error);
}

function end(request, error) {
  if (request._closed) return;
  if (error) emitError(request, error);
  request._closed = true;
  request.emit('close');
}

function arrived(request, chunk) {
  const own = request[parts];
  const { socket } = request;
  const got = own.parser.execute(chunk);
  if (got instanceof Error) {
    got.rawPacket = chunk;
    release(request);
    socket._hadError = true;
    const error = got;
    socket.destroy();
    emitError(request, error);
  } else if (own.upgrade) hand(request, chunk.subarray(got));
}

/// The head of an answer.
function headed(request, info) {
  const own = request[parts];
  const { socket } = request;
  if (request.aborted || request.destroyed && !request.res) {
    own.parser.stop();
    return 'skip';
  }
  if (request.res) {
    // A second answer that nobody asked for.
    socket.destroy();
    return 'skip';
  }
  const limit = request.maxHeadersCount > 0 ? 2 * request.maxHeadersCount : 4000;
  if (info.fields.length > limit) info.fields.length = limit;
  const isConnect = request.method === 'CONNECT';
  if (info.status === 101 || (isConnect && info.status >= 200 && info.status < 300)) {
    info.wantsUpgrade = true;
    own.upgrade = { name: isConnect ? 'connect' : 'upgrade', response: fill(new IncomingMessage(socket), info) };
    own.upgrade.response.req = request;
    request.upgradeOrConnect = true;
    return 'stop';
  }
  if (info.status < 200) {
    if (info.status === 100) request.emit('continue');
    const told = fill(new IncomingMessage(socket), info);
    const { statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders } = told;
    request.emit('information', { statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers,
      rawHeaders });
    return 'skip';
  }
  const response = fill(new IncomingMessage(socket), info);
  response.joinDuplicateHeaders = !!request.joinDuplicateHeaders;
  response.req = request;
  request.res = response;
  const hasNoBody = request.method === 'HEAD' || info.status === 204 || info.status === 304;
  if (!info.keepsAlive || (info.isOpen && !hasNoBody)) request.shouldKeepAlive = false;
  response.on('end', () => answered(request));
  // What nobody listens for is not kept.
  if (request.listenerCount('response') === 0 || !request.emit('response', response)) response._dump();
  return request.method === 'HEAD' ? 'skip' : undefined;
}

function whole(request, trailers) {
  if (!request.res || request.res.complete) return;
  finish(request.res, trailers);
}

/// The answer has been read: the connection is free if the request has gone out, too.
function answered(request) {
  const own = request[parts];
  if (request.timeout !== undefined && request.socket && own.whenLate)
    request.socket.removeListener('timeout', own.whenLate);
  own.isOver = true;
  if (!request.shouldKeepAlive) {
    if (request.socket?.writable) endSoon(request.socket);
    return;
  }
  if (request.finished && !own.isFree) free(request);
  else request.once('finish', () => free(request));
}

function free(request) {
  const own = request[parts];
  const { socket } = request;
  if (own.isFree || own.closes || !socket || socket.destroyed) return;
  own.isFree = true;
  request.destroyed = true;
  release(request);
  if (request.timeout !== undefined) socket.setTimeout(0);
  process.nextTick(() => {
    end(request);
    socket.emit('free');
  });
}

/// Takes the request's listeners off its socket.
function release(request) {
  const { socket } = request;
  const own = request[parts];
  for (const name of Object.keys(own.listeners))
    if (name !== 'close' || own.isFree || own.upgrade) socket.removeListener(name, own.listeners[name]);
  if (own.whenLate) socket.removeListener('timeout', own.whenLate);
  if (!own.isFree && !own.upgrade) socket.on('error', () => {});
}

function ended(request) {
  const own = request[parts];
  const { socket } = request;
  if (own.isFree) return;
  const problem = own.parser.finish();
  if (!request.res && !own.isTold) {
    socket._hadError = true;
    own.error = hungUp();
    emitError(request, own.error);
  } else if (problem && request.res && !request.res.complete) own.isCut = true;
  socket.end();
  if (own.isCut) socket.destroy();
}

function closed(request) {
  const own = request[parts];
  const { res } = request;
  own.parser?.finish();
  own.closes = true;
  request.destroyed = true;
  if (own.isFree) return;
  if (res) {
    if (!res.complete) {
      // It tells that it was cut off.
      res.destroy(hungUp('aborted'));
    }
    request._closed = true;
    request.emit('close');
  } else {
    if (!own.isTold && !own.upgrade) emitError(request, own.error ?? hungUp());
    if (!request._closed) {
      request._closed = true;
      request.emit('close');
    }
  }
}

/// Gives the connection to whoever asked for another protocol.
function hand(request, rest) {
  const own = request[parts];
  const { socket } = request;
  const { name, response } = own.upgrade;
  release(request);
  socket.removeListener('close', own.listeners.close);
  request.res = response;
  if (request.listenerCount(name) === 0) {
    socket.destroy();
    request.destroyed = true;
    end(request);
    return;
  }
  socket.emit('agentRemove');
  socket._httpMessage = null;
  socket.pause();
  socket._readableState.flowing = null;
  if (request.timeout !== undefined) socket.setTimeout(0);
  request.emit(name, response, socket, Buffer.from(rest));
  request.destroyed = true;
  process.nextTick(() => end(request));
}

module.exports = { ClientRequest };
