// HTTP/2: refused when it is used.

const { unsupported, Server, refused } = require('internal/no_network');

const fail = () => {
  throw unsupported('HTTP/2');
};
module.exports = {
  constants: {},
  createServer: () => new Server(),
  createSecureServer: () => new Server(),
  connect: fail,
  getDefaultSettings: () => ({}),
  sensitiveHeaders: Symbol('nodejs.http2.sensitiveHeaders'),
};
void refused;
