// HTTP/1.1 over loopback.

const { Agent, shared } = require('internal/http/agent');
const { ClientRequest } = require('internal/http/client');
const { IncomingMessage } = require('internal/http/incoming');
const { OutgoingMessage } = require('internal/http/outgoing');
const { Server, ServerResponse, connectionListener } = require('internal/http/server');
const { settings } = require('internal/http/settings');
const { METHODS, STATUS_CODES, validateHeaderName, validateHeaderValue } = require('internal/http/words');
const { check } = require('internal/errors');

const request = (input, options, callback) => new ClientRequest(input, options, callback);

module.exports = {
  _connectionListener: connectionListener,
  METHODS,
  STATUS_CODES,
  Agent,
  ClientRequest,
  IncomingMessage,
  OutgoingMessage,
  Server,
  ServerResponse,
  createServer: (options, listener) => new Server(options, listener),
  validateHeaderName,
  validateHeaderValue,
  get(input, options, callback) {
    const made = request(input, options, callback);
    made.end();
    return made;
  },
  request,
  setMaxIdleHTTPParsers(max) { check.integer(max, 'max', 1); },
};
Object.defineProperties(module.exports, {
  maxHeaderSize: { configurable: true, enumerable: true, get: () => settings.maxHeaderSize },
  globalAgent: {
    configurable: true, enumerable: true,
    get: () => shared.agent,
    set(agent) { shared.agent = agent; },
  },
});
