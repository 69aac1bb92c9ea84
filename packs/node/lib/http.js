// HTTP: refused when it is used.

const { Readable, Writable } = require('stream');
const { Server, refused } = require('internal/no_network');

/// What codes of status are called, from the first of each row on.
const STATUS = `
  100 Continue, Switching Protocols, Processing, Early Hints
  200 OK, Created, Accepted, Non-Authoritative Information, No Content, Reset Content, Partial Content
  207 Multi-Status, Already Reported
  226 IM Used
  300 Multiple Choices, Moved Permanently, Found, See Other, Not Modified, Use Proxy
  307 Temporary Redirect, Permanent Redirect
  400 Bad Request, Unauthorized, Payment Required, Forbidden, Not Found, Method Not Allowed, Not Acceptable
  407 Proxy Authentication Required, Request Timeout, Conflict, Gone, Length Required, Precondition Failed
  413 Payload Too Large, URI Too Long, Unsupported Media Type, Range Not Satisfiable, Expectation Failed
  418 I'm a Teapot
  421 Misdirected Request, Unprocessable Entity, Locked, Failed Dependency, Too Early, Upgrade Required
  428 Precondition Required, Too Many Requests
  431 Request Header Fields Too Large
  451 Unavailable For Legal Reasons
  500 Internal Server Error, Not Implemented, Bad Gateway, Service Unavailable, Gateway Timeout
  505 HTTP Version Not Supported, Variant Also Negotiates, Insufficient Storage, Loop Detected
  509 Bandwidth Limit Exceeded, Not Extended, Network Authentication Required
`;
const STATUS_CODES = {};
for (const [, first, row] of STATUS.matchAll(/(\d+) (.+)/g))
  row.split(', ').forEach((words, i) => { STATUS_CODES[Number(first) + i] = words; });

const METHODS = `
  ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY
  OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK
  UNLOCK UNSUBSCRIBE
`.trim().split(/\s+/);

class OutgoingMessage extends Writable {
  #headers = new Map();
  constructor() { super({ write(chunk, encoding, callback) { callback(); } }); }
  setHeader(name, value) { this.#headers.set(name.toLowerCase(), [name, value]); return this; }
  getHeader(name) { return this.#headers.get(name.toLowerCase())?.[1]; }
  getHeaderNames() { return [...this.#headers.keys()]; }
  getHeaders() { return Object.fromEntries([...this.#headers].map(([key, [, value]]) => [key, value])); }
  hasHeader(name) { return this.#headers.has(name.toLowerCase()); }
  removeHeader(name) { this.#headers.delete(name.toLowerCase()); }
  flushHeaders() {}
  setTimeout() { return this; }
}

class ClientRequest extends OutgoingMessage {
  constructor(input, options, callback) {
    super();
    if (typeof options === 'function') [callback, options] = [options, {}];
    const url = typeof input === 'string' ? new URL(input) : input instanceof URL ? input : { ...input, ...options };
    if (callback) this.once('response', callback);
    process.nextTick(() =>
      this.destroy(
        refused(
          'connect',
          `${url.hostname ?? url.host ?? 'localhost'}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`,
        ),
      ),
    );
  }
  abort() { this.destroy(); }
  setNoDelay() {}
  setSocketKeepAlive() {}
}

class IncomingMessage extends Readable {}
class ServerResponse extends OutgoingMessage {
  statusCode = 200;
  writeHead(status, headers) {
    this.statusCode = status;
    for (const [name, value] of Object.entries(headers ?? {})) this.setHeader(name, value);
    return this;
  }
}
class Agent { constructor(options) { this.options = { ...options }; } destroy() {} }
class HttpServer extends Server {
  constructor(options, listener) {
    super();
    if (typeof options === 'function') listener = options;
    if (listener) this.on('request', listener);
  }
}
Object.defineProperty(HttpServer, 'name', { value: 'Server' });

const request = (...args) => new ClientRequest(...args);

module.exports = {
  METHODS, STATUS_CODES, Agent, ClientRequest, IncomingMessage, OutgoingMessage, ServerResponse, Server: HttpServer,
  createServer: (options, listener) => new HttpServer(options, listener),
  globalAgent: new Agent(), maxHeaderSize: 16384,
  request,
  get(...args) {
    const made = request(...args);
    made.end();
    return made;
  },
  validateHeaderName(name) {
    if (typeof name !== 'string' || !/^[\w!#$%&'*+\-.^`|~]+$/.test(name))
      throw require('internal/errors').coded(
        TypeError,
        'ERR_INVALID_HTTP_TOKEN',
        `Header name must be a valid HTTP token ["${name}"]`,
      );
  },
  validateHeaderValue() {},
  setMaxIdleHTTPParsers() {},
};
