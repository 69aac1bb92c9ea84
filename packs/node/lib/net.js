// Sockets: refused when they are used.

const { Socket, Server } = require('internal/no_network');

const ipv4 = (text) => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(`${text}`);

function ipv6(text) {
  text = `${text}`.split('%')[0];
  if (!text.includes(':')) return false;
  try {
    return new URL(`http://[${text}]/`).hostname.length > 0;
  } catch {
    return false;
  }
}

const connect = (...args) => new Socket().connect(...args);

module.exports = {
  Socket, Stream: Socket, Server,
  createServer: (options, listener) => new Server(options, listener),
  connect,
  createConnection: connect,
  isIP: (text) => (ipv4(text) ? 4 : ipv6(text) ? 6 : 0),
  isIPv4: ipv4,
  isIPv6: ipv6,
  getDefaultAutoSelectFamily: () => true,
  setDefaultAutoSelectFamily() {},
  BlockList: class BlockList {
    addAddress() {}
    addRange() {}
    addSubnet() {}
    check() {
      return false;
    }
  },
  SocketAddress: class SocketAddress {
    constructor(options) {
      Object.assign(this, { address: '127.0.0.1', port: 0, family: 'ipv4', flowlabel: 0 }, options);
    }
  },
};
