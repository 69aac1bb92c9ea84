// HTTP: refused when it is used.

const { Writable } = require('stream');
const { Readable } = require('stream');
const { Server, refused } = require('internal/no_network');

const STATUS_CODES = {
  100: 'Continue',
  101: 'Switching Protocols',
  102: 'Processing',
  103: 'Early Hints',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  204: 'No Content',
  205: 'Reset Content',
  206: 'Partial Content',
  207: 'Multi-Status',
  208: 'Already Reported',
  226: 'IM Used',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  305: 'Use Proxy',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  418: "I'm a Teapot",
  421: 'Misdirected Request',
  422: 'Unprocessable Entity',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  509: 'Bandwidth Limit Exceeded',
  510: 'Not Extended',
  511: 'Network Authentication Required',
};

const METHODS = ['ACL', 'BIND', 'CHECKOUT', 'CONNECT', 'COPY', 'DELETE', 'GET', 'HEAD', 'LINK', 'LOCK', 'M-SEARCH', 'MERGE', 'MKACTIVITY', 'MKCALENDAR', 'MKCOL', 'MOVE', 'NOTIFY',
  'OPTIONS', 'PATCH', 'POST', 'PROPFIND', 'PROPPATCH', 'PURGE', 'PUT', 'QUERY', 'REBIND', 'REPORT', 'SEARCH', 'SOURCE', 'SUBSCRIBE', 'TRACE', 'UNBIND', 'UNLINK', 'UNLOCK', 'UNSUBSCRIBE'];

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
    if (!/^[\w!#$%&'*+\-.^`|~]+$/.test(name))
      throw require('internal/errors').coded(
        TypeError,
        'ERR_INVALID_HTTP_TOKEN',
        `Header name must be a valid HTTP token ["${name}"]`,
      );
  },
  validateHeaderValue() {},
  setMaxIdleHTTPParsers() {},
};
