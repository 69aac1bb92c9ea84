// Names of hosts, as promises.

const dns = require('dns');

const out = { getServers: dns.getServers, setServers() {} };
for (const name of Object.keys(dns)) {
  if (!/^(lookup|resolve|reverse)/.test(name)) continue;
  out[name] = (host, options) =>
    new Promise((resolve, reject) => {
      dns[name](host, ...(options === undefined ? [] : [options]), (error, value, family) =>
        error ? reject(error) : resolve(name === 'lookup' && !options?.all ? { address: value, family } : value),
      );
    });
}
module.exports = out;
