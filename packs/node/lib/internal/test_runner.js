// `node --test`: finds files of tests and runs each in a process of its own.

const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');
const reporters = require('internal/test_reporters');

const IS_TEST = /(^|\/)(test\.[cm]?js|test-[^/]*\.[cm]?js|[^/]*[.\-_]test\.[cm]?js)$/;

function find(folder) {
  const out = [];
  const todo = [[folder, false]];
  while (todo.length) {
    const [at, isTestFolder] = todo.pop();
    for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
      if (entry.name === 'node_modules') continue;
      const file = path.join(at, entry.name);
      if (entry.isDirectory()) todo.push([file, isTestFolder || entry.name === 'test']);
      else if (IS_TEST.test(file) || (isTestFolder && /\.[cm]?js$/.test(file))) out.push(file);
    }
  }
  return out.sort();
}

function main(plan) {
  const files = plan.args.length ? plan.args.flatMap((arg) => {
    if (native.kind(arg) === 1) return find(path.resolve(arg));
    if (native.kind(arg) === 0) return [path.resolve(arg)];
    const { matching } = require('internal/glob');
    const found = matching(arg);
    if (found.length) return found;
    native.print(2, `Could not find '${path.resolve(arg)}'\n`);
    process.exitCode = 1;
    return [];
  }) : find(process.cwd());
  if (!files.length && plan.args.length) return;
  const reporter = reporters.create(plan.test.reporter ?? (process.stdout.isTTY ? 'spec' : 'tap'));
  const begin = performance.now();
  const totals = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
  let children = 0;
  reporter.begin();
  const options = plan.execArgv.filter((arg) => arg !== '--test' && !arg.startsWith('--test-reporter'));
  for (const file of files) {
    const since = performance.now();
    const env = { ...process.env, NODE_TEST_CONTEXT: 'child', NODE_TEST_OPTIONS: JSON.stringify(plan.test) };
    const done = spawnSync(process.execPath, [...options, file], {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
      env,
      maxBuffer: 2 ** 30,
    });
    const events = `${done.output[3]}`
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    for (const line of `${done.stdout}`.split('\n').slice(0, -1)) reporter.diagnostic(line);
    let ended;
    for (const [kind, data] of events) {
      if (kind === 'end') ended = data;
      else if (kind === 'result') reporter.result({ ...data, number: data.nesting === 0 ? ++children : data.number });
      else if (kind !== 'begin') reporter[kind](data);
    }
    if (ended) for (const name of Object.keys(totals)) totals[name] += ended.counts[name];
    const failed = done.status !== 0;
    if (failed) process.exitCode = 1;
    if (!ended || (failed && ended.counts.fail === 0 && ended.counts.cancelled === 0)) {
      // A file without tests is one test.
      totals.tests++;
      totals[failed ? 'fail' : 'pass']++;
      reporter.start({ name: file, nesting: 0 });
      reporter.result({
        name: file,
        nesting: 0,
        number: ++children,
        ok: !failed,
        duration: performance.now() - since,
        place: { file, line: 1, column: 1 },
        diagnostics: [],
        children: 0,
        error: failed
          ? { type: 'testCodeFailure', message: 'test failed', code: 'ERR_TEST_FAILURE', own: true }
          : undefined,
      });
    }
  }
  reporter.end({ counts: totals, duration: performance.now() - begin, children });
}

module.exports = { main };
