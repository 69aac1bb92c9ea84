// HTTPS: refused when it is used, as there is no TLS.

const http = require('http');
const { Server, refused } = require('internal/no_network');

/// Its connections are the ones that are refused.
class Agent extends http.Agent {
  defaultPort = 443;
  protocol = 'https:';
  createSocket(request, options, told) {
    const { host = 'localhost', port = 443 } = options;
    process.nextTick(told, refused('connect', `${host}:${port}`));
  }
}
const globalAgent = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 });

function request(input, options, callback) {
  if (typeof options === 'function') [callback, options] = [options, undefined];
  const own = typeof input === 'string' || input instanceof URL ? options : input;
  const rest = { _defaultAgent: globalAgent, ...own };
  return rest === own || own !== input ? http.request(input, rest, callback) : http.request(rest, callback);
}

module.exports = {
  Agent,
  globalAgent,
  Server,
  createServer: (options, listener) => new Server(options, listener),
  request,
  get(...args) {
    const made = request(...args);
    made.end();
    return made;
  },
};
