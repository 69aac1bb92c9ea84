// Many expressions, each on a line of a file of `expressions/`: what each is, or what it throws. A line that begins with `!` has
// statements. Those of `exceptions.txt` are there for the words of their exceptions.
const fs = require('fs');
const path = require('path');
const util = require('util');

globalThis.util = util;
const AsyncFunction = (async () => {}).constructor;
const folder = path.join(__dirname, 'expressions');

const late = () => new Promise((resolve, reject) => setTimeout(reject, 3000, new Error('too late')).unref());

async function valueOf(line) {
  const text = line.startsWith('!') ? line.slice(1) : `return (${line}\n)`;
  try {
    const value = await Promise.race([new AsyncFunction('require', text)(require), late()]);
    return typeof value === 'string' ? JSON.stringify(value) : util.inspect(value, { depth: 6 });
  } catch (error) {
    return error?.message === undefined ? `throws ${util.inspect(error)}` : `throws ${error.name} ${error.code} ${error.message}`;
  }
}

async function wordsOf(line) {
  try {
    const Kind = /\bawait\b/.test(line.replace(/'[^']*'/g, '')) ? AsyncFunction : Function;
    return typeof (await new Kind('require', line).call(globalThis, require));
  } catch (error) {
    return error?.message === undefined ? `throws ${String(error)}` : `${error.name}: ${error.message}`.split('\nRequire')[0];
  }
}

(async () => {
  for (const name of fs.readdirSync(folder).sort()) {
    const lines = fs.readFileSync(path.join(folder, name), 'utf8').split('\n').filter(Boolean);
    for (const line of lines) {
      process.stdout.write(`${line.slice(0, 200)}\n    ${await (name === 'exceptions.txt' ? wordsOf : valueOf)(line)}\n`);
    }
  }
})();
