// Names that need nobody to ask.
const dns = require('dns');
const attempt = (what, make) => {
  try {
    console.log(what, make());
  } catch (error) {
    console.log(what, error.name, error.code, error.message);
  }
};
const lookup = (...args) => new Promise((resolve) => dns.lookup(...args, (...values) => resolve(values)));

(async () => {
  console.log(await lookup('127.0.0.1'), await lookup('::1'), await lookup('127.0.0.1', { all: true }));
  console.log(await lookup('localhost', 4), await lookup('localhost', { family: 'IPv4', all: true }));
  const [error] = await lookup('nowhere.invalid');
  console.log(error.message, JSON.stringify(error), Object.keys(error));
  console.log(await dns.promises.lookup('127.0.0.1'), await dns.promises.lookup('::1', { all: true }));
  await dns.promises.lookup('nowhere.invalid').catch((problem) => console.log(problem.code));
  console.log(await require('util').promisify(dns.lookup)('localhost', 4));
  attempt('callback', () => dns.lookup('a'));
  attempt('name', () => dns.lookup(5, () => {}));
  attempt('options', () => dns.lookup('a', 'x', () => {}));
  attempt('family', () => dns.lookup('a', 5, () => {}));
  attempt('family', () => dns.lookup('a', { family: 5 }, () => {}));
  attempt('all', () => dns.lookup('a', { all: 5 }, () => {}));
  attempt('service', () => dns.lookupService('a', 1, () => {}));
  attempt('service', () => dns.lookupService('127.0.0.1', 70000, () => {}));
  attempt('service', () => dns.lookupService('127.0.0.1', 1));
  attempt('order', () => dns.setDefaultResultOrder('x'));
  console.log(dns.getDefaultResultOrder(), dns.NOTFOUND, dns.promises === require('dns/promises'));
})();
