// TLS: refused when it is used.

const { Socket, Server, unsupported } = require('internal/no_network');

module.exports = {
  TLSSocket: class TLSSocket extends Socket {},
  Server,
  createServer: (...args) => new Server(...args),
  connect: (...args) => new Socket().connect(...args),
  createSecureContext() {
    throw unsupported('TLS');
  },
  checkServerIdentity: () => undefined,
  getCiphers: () => [],
  rootCertificates: [],
  DEFAULT_MIN_VERSION: 'TLSv1.2',
  DEFAULT_MAX_VERSION: 'TLSv1.3',
  DEFAULT_ECDH_CURVE: 'auto',
};
