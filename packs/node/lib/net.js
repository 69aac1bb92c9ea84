// Sockets: streams over loopback, and those that have a name in the file system.

const { BlockList, SocketAddress, isIP, isIPv4, isIPv6 } = require('internal/net/addresses');
const { Server } = require('internal/net/server');
const { Socket, normalized } = require('internal/net/socket');
const { check } = require('internal/errors');

function connect(...args) {
  const [options, callback] = normalized(args);
  const socket = new Socket(options);
  if (options.timeout) socket.setTimeout(options.timeout);
  return socket.connect(options, callback);
}

let isSelecting = true;
let patience = 250;

module.exports = {
  _normalizeArgs: normalized,
  BlockList,
  SocketAddress,
  connect,
  createConnection: connect,
  createServer: (options, listener) => new Server(options, listener),
  isIP,
  isIPv4,
  isIPv6,
  Server,
  Socket,
  Stream: Socket,
  getDefaultAutoSelectFamily: () => isSelecting,
  setDefaultAutoSelectFamily(value) {
    check.boolean(value, 'value');
    isSelecting = value;
  },
  getDefaultAutoSelectFamilyAttemptTimeout: () => patience,
  setDefaultAutoSelectFamilyAttemptTimeout(value) {
    check.integer(value, 'value', 1, 2147483647);
    patience = Math.max(10, value);
  },
};
