// What `stat` tells.

const FORMAT = 0o170000;
const KINDS = {
  isDirectory: 0o040000,
  isFile: 0o100000,
  isBlockDevice: 0o060000,
  isCharacterDevice: 0o020000,
  isSymbolicLink: 0o120000,
  isFIFO: 0o010000,
  isSocket: 0o140000,
};
const NAMES = ['dev', 'mode', 'nlink', 'uid', 'gid', 'rdev', 'blksize', 'ino', 'size', 'blocks'];
const TIMES = ['atime', 'mtime', 'ctime', 'birthtime'];

function date(milliseconds) {
  return new Date(Math.trunc(Number(milliseconds) + 0.5));
}

function Stats(numbers) {
  NAMES.forEach((name, i) => { this[name] = numbers[i]; });
  TIMES.forEach((name, i) => {
    const at = 10 + 2 * Math.min(i, 2);
    this[`${name}Ms`] = numbers[at] * 1000 + numbers[at + 1] / 1e6;
  });
  for (const name of TIMES) this[name] = date(this[`${name}Ms`]);
}

function BigIntStats(numbers) {
  NAMES.forEach((name, i) => { this[name] = BigInt(numbers[i]); });
  TIMES.forEach((name, i) => {
    const at = 10 + 2 * Math.min(i, 2);
    this[`${name}Ms`] = BigInt(numbers[at]) * 1000n + BigInt(Math.trunc(numbers[at + 1] / 1e6));
  });
  TIMES.forEach((name, i) => {
    const at = 10 + 2 * Math.min(i, 2);
    this[`${name}Ns`] = BigInt(numbers[at]) * 1000000000n + BigInt(numbers[at + 1]);
  });
  for (const name of TIMES) this[name] = date(this[`${name}Ms`]);
}

for (const [name, kind] of Object.entries(KINDS)) {
  const is = { [name]() { return (Number(this.mode) & FORMAT) === kind; } }[name];
  Stats.prototype[name] = is;
  BigIntStats.prototype[name] = is;
}

module.exports = { Stats, BigIntStats };
