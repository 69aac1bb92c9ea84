// How a socket is connected: the addresses of a host are tried one after the other.

const { isIP } = require('internal/net/addresses');
const { connectError } = require('internal/net/failures');
const { coded, check, invalidArgType } = require('internal/errors');

const IN_PROGRESS = -115;

/// Connects a socket by itself: `opened` gets an error, or the descriptor and its state (0 or in progress).
function openTo(target, opened) {
  const { address, port, family, localAddress, localPort } = target;
  const fd = native.socket(family, false);
  if (fd < 0) return opened(connectError(fd, 'connect', address, port));
  if (localAddress !== undefined || localPort) {
    const own = localAddress ?? (family === 4 ? '0.0.0.0' : '::');
    const code = native.bind(fd, own, localPort ?? 0);
    if (code < 0) {
      native.close(fd);
      return opened(connectError(code, 'bind', own, localPort));
    }
  }
  const code = native.connect(fd, address, port);
  if (code < 0 && code !== IN_PROGRESS) {
    const local = localAddress === undefined ? undefined : `${localAddress}:${localPort ?? 0}`;
    native.close(fd);
    return opened(connectError(code, 'connect', address, family === 1 ? undefined : port, local));
  }
  return opened(null, fd, code);
}

/// What all attempts came to.
function summary(errors) {
  if (errors.length === 1) return errors[0];
  const error = new AggregateError(errors);
  error.code = errors[0].code;
  return error;
}

/// Looks for a host's addresses; `found` gets an error or a list of { address, family }.
function resolve(socket, host, options, found) {
  const own = isIP(host);
  if (own) return process.nextTick(found, null, [{ address: host, family: own }]);
  const { lookup = require('dns').lookup, family, hints, localAddress } = options;
  check.function(lookup, 'options.lookup');
  if (options.autoSelectFamily != null) check.boolean(options.autoSelectFamily, 'options.autoSelectFamily');
  const one = family === 4 || family === 6 || localAddress !== undefined || options.autoSelectFamily === false;
  const asked = { family: family || undefined, hints: hints || 0, all: !one };
  if (one) delete asked.all;
  lookup(host, asked, (error, address, kind) => {
    const list = Array.isArray(address) ? address : [{ address, family: kind }];
    if (error) {
      socket.emit('lookup', error, undefined, undefined, host);
      return found(error);
    }
    for (const item of list) {
      const real = isIP(item.address);
      if (!real)
        return found(coded(TypeError, 'ERR_INVALID_IP_ADDRESS', `Invalid IP address: ${item.address}`));
      item.family = real;
      socket.emit('lookup', null, item.address, real, host);
    }
    return found(null, list);
  });
  return undefined;
}

function checkLocal({ localAddress, localPort }) {
  if (localAddress !== undefined && !isIP(localAddress))
    throw coded(TypeError, 'ERR_INVALID_IP_ADDRESS', `Invalid IP address: ${localAddress}`);
  if (localPort !== undefined && typeof localPort !== 'number')
    throw invalidArgType('options.localPort', 'number', localPort);
}

module.exports = { checkLocal, openTo, resolve, summary };
