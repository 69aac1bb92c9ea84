// Names of hosts: those of this machine. Servers that know others cannot be asked.

const { isIP } = require('internal/net/addresses');
const { addressesOf, nameOf } = require('internal/net/hosts');
const { check, coded, invalidArgType, invalidArgValue } = require('internal/errors');
const { inspect } = require('internal/inspect');
const { complete } = require('internal/loop');
const { portOf } = require('internal/net/addresses');

const NO_HOST = -3008; // libuv's number

function notFound(syscall, name) {
  const error = new Error(`${syscall} ENOTFOUND ${name}`);
  Object.assign(error, { errno: NO_HOST, code: 'ENOTFOUND', syscall, hostname: name });
  if (!syscall.startsWith('get')) error.errno = undefined;
  return error;
}

let order = 'verbatim';

/// What `lookup` is told, checked: a family and whether all addresses are wanted.
function settings(name, options) {
  if (name) check.string(name, 'hostname');
  const isNumber = typeof options === 'number';
  if (isNumber) options = { family: options };
  if (options !== undefined && options !== null && typeof options !== 'object')
    throw invalidArgType('options', ['integer', 'object'], options);
  let family = options?.family ?? 0;
  if (family === 'IPv4') family = 4;
  else if (family === 'IPv6') family = 6;
  if (![0, 4, 6].includes(family)) {
    const what = isNumber ? "argument 'family'" : "property 'options.family'";
    throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${what} must be one of: 0, 4, 6. Received ${inspect(family)}`);
  }
  if (options?.all !== undefined) check.boolean(options.all, 'options.all');
  if (options?.hints !== undefined) check.number(options.hints, 'options.hints');
  return { family, all: !!options?.all, order: options?.verbatim === false ? 'ipv4first' : options?.order ?? order };
}

/// The addresses of a name in the order that is asked for.
function found(name, { family, order: wish }) {
  const all = addressesOf(name, family);
  if (wish === 'ipv4first') all.sort((a, b) => a.family - b.family);
  if (wish === 'ipv6first') all.sort((a, b) => b.family - a.family);
  return all;
}

function lookup(name, options, callback) {
  if (typeof options === 'function') [callback, options] = [options, undefined];
  check.function(callback, 'callback');
  const asked = settings(name, options);
  if (!name) {
    const nothing = asked.all ? [[]] : [null, asked.family === 6 ? 6 : 4];
    process.nextTick(callback, null, ...nothing);
    return {};
  }
  const all = found(name, asked);
  // A number needs no turn of the loop.
  const tell = isIP(name) ? process.nextTick : complete;
  if (!all.length) tell(callback, notFound('getaddrinfo', name));
  else if (asked.all) tell(callback, null, all);
  else tell(callback, null, all[0].address, all[0].family);
  return {};
}

/// The name and the service of an address.
function lookupService(...args) {
  const missing = 'The "address", "port", and "callback" arguments must be specified';
  if (args.length !== 3) throw coded(TypeError, 'ERR_MISSING_ARGS', missing);
  const [address, port, callback] = args;
  if (!isIP(address)) throw invalidArgValue('address', address);
  const number = portOf(port);
  check.function(callback, 'callback');
  const services = { 22: 'ssh', 25: 'smtp', 53: 'domain', 80: 'http', 443: 'https' };
  complete(callback, null, nameOf(address) ?? address, services[number] ?? `${number}`);
  return {};
}

const SYSCALLS = {
  resolve: 'queryA', resolve4: 'queryA', resolve6: 'queryAaaa', resolveAny: 'queryAny', resolveCaa: 'queryCaa',
  resolveCname: 'queryCname', resolveMx: 'queryMx', resolveNaptr: 'queryNaptr', resolveNs: 'queryNs',
  resolvePtr: 'queryPtr', resolveSoa: 'querySoa', resolveSrv: 'querySrv', resolveTxt: 'queryTxt',
};
const ADDRESSES = { resolve: 4, resolve4: 4, resolve6: 6 };

const queries = {};
for (const [name, syscall] of Object.entries(SYSCALLS)) {
  queries[name] = function(host, ...rest) {
    check.string(host, 'name');
    const callback = rest.at(-1);
    check.function(callback, 'callback');
    const plain = name !== 'resolve' || rest.length === 1 || rest[0] === 'A';
    const all = plain && ADDRESSES[name] ? addressesOf(host, ADDRESSES[name]) : [];
    if (all.length) complete(callback, null, all.map(({ address }) => address));
    else complete(callback, notFound(syscall, host));
    return {};
  };
  Object.defineProperty(queries[name], 'name', { value: syscall });
}
queries.reverse = function reverse(address, callback) {
  check.string(address, 'name');
  check.function(callback, 'callback');
  const known = isIP(address) ? nameOf(address) : undefined;
  if (known) complete(callback, null, [known]);
  else complete(callback, notFound('getHostByAddr', address));
  return {};
};

class Resolver {
  constructor() {}
  cancel() {}
  getServers() { return []; }
  setServers() {}
  setLocalAddress() {}
}
Object.assign(Resolver.prototype, queries);

/// Codes of errors, which have names of their own.
const CODES = `NODATA FORMERR SERVFAIL NOTFOUND NOTIMP REFUSED BADQUERY BADNAME BADFAMILY BADRESP CONNREFUSED TIMEOUT EOF
  FILE NOMEM DESTRUCTION BADSTR BADFLAGS NONAME BADHINTS NOTINITIALIZED LOADIPHLPAPI ADDRGETNETWORKPARAMS CANCELLED`;

module.exports = {
  lookup,
  lookupService,
  Resolver,
  getDefaultResultOrder: () => order,
  setDefaultResultOrder(wish) {
    if (!['verbatim', 'ipv4first', 'ipv6first'].includes(wish))
      throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
        `The argument 'dnsOrder' must be one of: 'verbatim', 'ipv4first', 'ipv6first'. Received ${inspect(wish)}`);
    order = wish;
  },
  setServers() {},
  getServers: () => [],
  ADDRCONFIG: 32,
  ALL: 16,
  V4MAPPED: 8,
  ...Object.fromEntries(CODES.trim().split(/\s+/).map((code) => [code, `E${code}`])),
  ...queries,
};
Object.defineProperty(module.exports, 'promises', {
  enumerable: true, configurable: true, get: () => require('dns/promises'),
});
Object.defineProperty(lookup, require('internal/stream_surroundings').promisify.custom, {
  value: (name, options) => require('dns/promises').lookup(name, options),
});
