// Names of hosts, as promises.

const dns = require('dns');

const out = (module.exports = {
  getServers: dns.getServers,
  setServers() {},
  getDefaultResultOrder: dns.getDefaultResultOrder,
  setDefaultResultOrder: dns.setDefaultResultOrder,
});
for (const name of Object.keys(dns)) {
  if (/^[A-Z]/.test(name)) out[name] = dns[name];
  if (!/^(lookup|resolve|reverse)/.test(name)) continue;
  out[name] = (host, ...options) =>
    new Promise((resolve, reject) => {
      const given = options.filter((option) => option !== undefined);
      dns[name](host, ...given, (error, value, second) => {
        if (error) reject(error);
        else if (name === 'lookupService') resolve({ hostname: value, service: second });
        else resolve(name === 'lookup' && !given[0]?.all ? { address: value, family: second } : value);
      });
    });
}
class Resolver extends dns.Resolver {}
for (const name of Object.keys(dns.Resolver.prototype)) Resolver.prototype[name] = out[name];
out.Resolver = Resolver;
