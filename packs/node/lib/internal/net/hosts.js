// Names of hosts: numbers, `localhost`, and what /etc/hosts says. There is nobody to ask for others.

const { isIP } = require('internal/net/addresses');

const HOSTS = '/etc/hosts';

/// The lines of /etc/hosts: [address, names…].
function table() {
  let text;
  try {
    text = require('fs').readFileSync(HOSTS, 'latin1');
  } catch {
    return [];
  }
  return text.split('\n').map((line) => line.replace(/#.*/,
    '').trim().split(/\s+/)).filter(([address]) => isIP(address));
}

const isLocalhost = (name) => /^(?:.+\.)?localhost\.?$/i.test(name);
const isLoopback = (address) => address === '::1' || address.startsWith('127.');

/// All addresses of a name, those of one family only if one is asked for (4 or 6, otherwise 0).
function addressesOf(name, family) {
  const own = isIP(name);
  if (own) return [{ address: name, family: own }];
  const wanted = name.toLowerCase();
  const found = new Set();
  for (const [address, ...names] of table())
    if (names.some((word) => word.toLowerCase() === wanted)) found.add(address);
  if (!found.size && isLocalhost(name)) found.add('127.0.0.1');
  // Whoever is this machine is so in both families.
  if (family === 6 && [...found].some(isLoopback)) found.add('::1');
  const all = [...found].map((address) => ({ address, family: isIP(address) }));
  return all.filter((one) => !family || one.family === family);
}

/// The name of an address, or undefined.
function nameOf(address) {
  return table().find(([one]) => one === address)?.[1] ?? (isLoopback(address) ? 'localhost' : undefined);
}

module.exports = { addressesOf, nameOf };
