// Names of hosts: only those that need no network.

const net = require('net');
const { complete } = require('internal/loop');

function notFound(syscall, name) {
  const error = new Error(`${syscall} ENOTFOUND ${name}`);
  return Object.assign(error, { errno: -3008, code: 'ENOTFOUND', syscall, hostname: name });
}

function lookup(name, options, callback) {
  if (typeof options === 'function') [callback, options] = [options, {}];
  if (typeof options === 'number') options = { family: options };
  const family = net.isIP(name);
  const address = family ? name : name === 'localhost' ? '127.0.0.1' : undefined;
  if (address === undefined) complete(callback, notFound('getaddrinfo', name));
  else if (options?.all) complete(callback, null, [{ address, family: family || 4 }]);
  else complete(callback, null, address, family || 4);
}

const api = (module.exports = {
  lookup,
  getServers: () => [],
  setServers() {},
  setDefaultResultOrder() {},
  getDefaultResultOrder: () => 'verbatim',
  ADDRCONFIG: 32,
  V4MAPPED: 8,
  ALL: 16,
  NOTFOUND: 'ENOTFOUND',
});
for (const name of [
  'resolve',
  'resolve4',
  'resolve6',
  'resolveAny',
  'resolveCname',
  'resolveMx',
  'resolveNs',
  'resolvePtr',
  'resolveSoa',
  'resolveSrv',
  'resolveTxt',
  'reverse',
  'lookupService',
]) {
  api[name] = (host, ...rest) => complete(rest.at(-1), notFound(`query${name.slice(7) || 'A'}`, host));
}
api.Resolver = class Resolver {};
for (const name of Object.keys(api)) if (name.startsWith('resolve')) api.Resolver.prototype[name] = api[name];
Object.defineProperty(api, 'promises', { enumerable: true, configurable: true, get: () => require('dns/promises') });
