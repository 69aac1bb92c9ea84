// Exceptions of sockets, in Node's words.

const { coded, lineless, systemError, SYSTEM } = require('internal/errors');

const placeOf = (address, port) => (port > 0 ? `${address}:${port}` : `${address}`);

/// That of a connection that is refused: it names where it should have gone.
function connectError(number, syscall, address, port, local) {
  const error = systemError(number, syscall);
  error.message = `${syscall} ${error.code}`;
  if (address !== undefined) {
    error.message += ` ${placeOf(address, port)}`;
    error.address = address;
  }
  if (port > 0) error.port = port;
  if (local) error.message += ` - Local (${local})`;
  return lineless(error);
}

/// That of a server that cannot listen.
function listenError(number, address, port) {
  const [code, words] = SYSTEM[-number] ?? [`Unknown system error ${number}`, ''];
  const error = new Error(`listen ${code}: ${words} ${placeOf(address, port)}`);
  Object.assign(error, { code, errno: number, syscall: 'listen', address });
  if (port !== 0) error.port = port;
  return error;
}

const closed = () => coded(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed');

module.exports = { connectError, listenError, closed };
