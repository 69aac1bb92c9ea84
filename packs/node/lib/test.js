// node:test: tests, suites, hooks, mocks.

const { check, AbortError } = require('internal/errors');
const reporters = require('internal/test_reporters');
const { rowsOf } = require('internal/test_values');
const { mock, MockTracker } = require('internal/test_mock');

let options = { patterns: [], skips: [], only: false };
let reporter;
let started = 0;
const counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };

/// Where a test is written: the first frame that is not of the library.
function location() {
  const holder = {};
  Error.captureStackTrace(holder, location);
  const frame = holder.stack
    .split('\n')
    .slice(1)
    .find((line) => !line.includes('node:') && !line.includes('(<anonymous>)'));
  const found = /\(?((?:file:\/\/|\/)[^\n]*?):(\d+):(\d+)\)?$/.exec(frame ?? '');
  return found
    ? { file: found[1].replace('file://', ''), line: Number(found[2]), column: Number(found[3]) }
    : undefined;
}

const failure = (type, message, cause) => ({ type, message, cause });

class Item {
  constructor(parent, kind, args, more) {
    let [name, settings, body] = args;
    if (typeof name === 'function') [name, settings, body] = [undefined, {}, name];
    else if (name !== null && typeof name === 'object') [name, settings, body] = [undefined, name, settings];
    else if (typeof settings === 'function') [settings, body] = [{}, settings];
    settings = { ...settings, ...more };
    Object.assign(this, {
      parent,
      kind,
      name: String(name || body?.name || '<anonymous>'),
      body,
      settings,
      children: [],
      hooks: { before: [], after: [], beforeEach: [], afterEach: [] },
      nesting: parent ? parent.nesting + (parent.parent ? 1 : 0) : -1,
      place: location(),
      diagnostics: [],
      skip: settings.skip,
      todo: settings.todo,
      error: undefined,
      finished: false,
      plan: undefined,
    });
    if (!parent?.parent) this.nesting = 0;
  }

  get label() { return this.parent?.parent ? `${this.parent.label} ${this.name}` : this.name; }

  wanted() {
    const matches = (list) =>
      list.some((pattern) =>
        (/^\/(.*)\/([a-z]*)$/.test(pattern)
          ? new RegExp(...pattern.match(/^\/(.*)\/([a-z]*)$/).slice(1))
          : new RegExp(pattern)
        ).test(this.label),
      );
    if (options.skips.length && matches(options.skips)) return false;
    return !options.patterns.length || this.kind === 'suite' || matches(options.patterns);
  }
}

const root = new Item(undefined, 'suite', ['<root>', {}]);
root.nesting = -1;
let current = root; // the suite whose body runs

class TestContext {
  #item;
  #controller = new AbortController();
  mock = new MockTracker();
  constructor(item) { this.#item = item; }
  get name() { return this.#item.name; }
  get fullName() { return this.#item.label; }
  get filePath() { return this.#item.place?.file; }
  get signal() { return this.#controller.signal; }
  get assert() {
    const assert = require('assert');
    const item = this.#item;
    return new Proxy(assert, {
      get: (target, key) =>
        typeof target[key] === 'function'
          ? (...args) => {
              item.assertions = (item.assertions ?? 0) + 1;
              return target[key](...args);
            }
          : target[key],
    });
  }
  diagnostic(message) { this.#item.diagnostics.push(`${message}`); }
  skip(message) { this.#item.skip = message || true; }
  todo(message) { this.#item.todo = message || true; }
  plan(count) { this.#item.plan = count; }
  runOnly() {}
  test(...args) {
    const item = this.#item;
    const child = new Item(item, 'test', args);
    const number = item.children.push(child);
    const run = async () => {
      try {
        await runItem(child, number);
      } finally {
        item.running--;
      }
    };
    // It begins at once if no other runs.
    const isFree = !item.running;
    item.running = (item.running ?? 0) + 1;
    return (child.promise = item.chain = isFree ? run() : item.chain.then(run));
  }
  before(body, settings) { this.#item.hooks.before.push({ body, settings }); return body(this); }
  after(body, settings) { this.#item.hooks.after.push({ body, settings }); }
  beforeEach(body, settings) { this.#item.hooks.beforeEach.push({ body, settings }); }
  afterEach(body, settings) { this.#item.hooks.afterEach.push({ body, settings }); }
  abort() { this.#controller.abort(new AbortError()); }
}

class SuiteContext {
  #item;
  constructor(item) { this.#item = item; }
  get name() { return this.#item.name; }
  get signal() { return new AbortController().signal; }
}

/// Runs a body that returns, gives a promise or calls back; with a limit of time.
function call(body, context, timeout, useArguments = true) {
  const run = () =>
    new Promise((resolve, reject) => {
      if (useArguments && body.length > 1) {
        let called = false;
        const result = body.call(context, context, (error) => {
          if (called) return reject(failure('multipleCallbackInvocations', 'callback invoked multiple times'));
          called = true;
          error ? reject(error) : resolve();
        });
        if (result && typeof result.then === 'function')
          reject(failure('callbackAndPromisePresent', 'passed a callback but also returned a Promise'));
      } else Promise.resolve(body.call(context, context)).then(resolve, reject);
    });
  if (!Number.isFinite(timeout) || timeout === undefined) return run();
  let timer;
  const limit = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(failure('testTimeoutFailure', `test timed out after ${timeout}ms`)), timeout);
  });
  return Promise.race([run(), limit]).finally(() => clearTimeout(timer));
}

const ancestors = (item) => {
  const out = [];
  for (let at = item.parent; at; at = at.parent) out.unshift(at);
  return out;
};

async function runItem(item, number) {
  const begin = performance.now();
  item.number = number;
  if (!item.wanted()) return;
  if (
    options.only &&
    !item.settings.only &&
    item.kind === 'test' &&
    !ancestors(item).some((parent) => parent.settings.only)
  )
    item.skip ??= "'only' option not set";
  if (item.kind === 'suite') await runSuite(item);
  else await runTest(item);
  item.duration = performance.now() - begin;
  item.finished = true;
  await settle(item);
  report(item);
}

function report(item) {
  const failed = item.error !== undefined;
  if (item.kind === 'suite') counts.suites++;
  else {
    counts.tests++;
    if (item.skip) counts.skipped++;
    else if (item.todo) counts.todo++;
    else if (failed && ['cancelledByParent', 'testTimeoutFailure'].includes(item.error.type)) counts.cancelled++;
    else if (failed) counts.fail++;
    else counts.pass++;
  }
  if (failed && !item.todo) process.exitCode = 1;
  reporter.result({
    name: item.name,
    nesting: item.nesting,
    number: item.number,
    ok: !failed,
    skip: item.skip,
    todo: item.todo,
    suite: item.kind === 'suite',
    duration: item.duration,
    place: item.place,
    error: failed ? described(item.error) : undefined,
    diagnostics: item.diagnostics,
    children: item.children.filter((child) => child.finished).length,
  });
}

/// A failure as data that can be sent to another process.
function described(error) {
  const isOwn =
    error !== null && typeof error === 'object' && 'type' in error && 'message' in error && !(error instanceof Error);
  const { type } = isOwn ? error : { type: 'testCodeFailure' };
  const cause = isOwn ? error.cause : error;
  const { inspect } = require('internal/inspect');
  const { isNativeError } = require('util/types');
  if (cause === undefined) return { type, message: error.message, code: 'ERR_TEST_FAILURE', own: true };
  if (!(cause instanceof Error))
    return { type, message: inspect(cause), code: 'ERR_TEST_FAILURE', text: inspect(cause) };
  const isAssertion = cause.code === 'ERR_ASSERTION';
  return {
    type,
    message: cause.message,
    code: cause.code ?? 'ERR_TEST_FAILURE',
    name: isNativeError(cause) ? cause.name : undefined,
    isAssertion,
    operator: cause.operator,
    values: isAssertion ? [...rowsOf('expected', cause.expected), ...rowsOf('actual', cause.actual)] : [],
    stack: (isNativeError(cause) ? (cause.stack ?? '') : '')
      .split('\n')
      .filter((line) => line.startsWith('    at '))
      .map((line) => line.slice(7)),
    text: inspect(cause),
  };
}

async function hooks(list, context) {
  for (const { body, settings } of list) await call(body, context, settings?.timeout);
}

async function runSuite(item) {
  reporter.start({ name: item.name, nesting: item.nesting, suite: true });
  if (item.skip) return;
  const context = new SuiteContext(item);
  try {
    await item.ready;
    await hooks(item.hooks.before, context);
    let number = 0;
    for (const child of item.children) if (child.wanted()) await runItem(child, ++number);
  } catch (error) {
    item.error = error;
  }
  try {
    await hooks(item.hooks.after, context);
  } catch (error) {
    item.error ??= failure('hookFailed', 'failed running after hook', error);
  }
  countChildren(item);
}

function countChildren(item) {
  const failed = item.children.filter((child) => child.error !== undefined && !child.todo).length;
  if (failed && item.error === undefined)
    item.error = failure('subtestsFailed', `${failed} subtest${failed > 1 ? 's' : ''} failed`);
}

async function runTest(item) {
  if (item.nesting >= 0) reporter.start({ name: item.name, nesting: item.nesting });
  if (item.skip || !item.body) return;
  const context = new TestContext(item);
  const outer = ancestors(item);
  try {
    for (const parent of outer)
      if (parent.hooks.beforeEach.length) await hooks(parent.hooks.beforeEach, context);
    await call(item.body, context, item.settings.timeout ?? options.timeout);
    if (item.plan !== undefined) {
      const got = (item.assertions ?? 0) + item.children.length;
      if (got !== item.plan)
        throw failure('testCodeFailure', `plan expected ${item.plan} assertions but received ${got}`);
    }
  } catch (error) {
    item.error = error === undefined ? failure('testCodeFailure', 'undefined') : error;
  }
  for (const child of item.children) {
    if (!child.finished) await child.promise;
  }
  try {
    await hooks(item.hooks.after, context);
    for (const parent of outer.reverse()) await hooks(parent.hooks.afterEach, context);
  } catch (error) {
    item.error ??= failure('hookFailed', 'failed running afterEach hook', error);
  }
  context.mock.restoreAll();
  countChildren(item);
}

async function settle() {}

// Tests at the top run one after the other, once the file was read.

let queue = Promise.resolve();
let scheduled = false;
let rootBefore = false;

function begin() {
  if (scheduled) return;
  scheduled = true;
  started = performance.now();
  if (!reporter)
    reporter = reporters.create(
      process.env.NODE_TEST_CONTEXT === 'child'
        ? 'events'
        : (options.reporter ?? (process.stdout.isTTY ? 'spec' : 'tap')),
    );
  reporter.begin();
  process.on('exit', finish);
  process.on('uncaughtException', (error) => {
    root.stray = error;
    process.exitCode = 1;
    reporter.diagnostic(`Error: ${error?.message ?? error}`);
  });
  process.on('unhandledRejection', (error) => {
    root.stray = error;
    process.exitCode = 1;
    reporter.diagnostic(`Error: ${error?.message ?? error}`);
  });
}

let ended = false;
function finish() {
  if (ended) return;
  ended = true;
  for (const item of root.children) {
    if (item.finished || !item.wanted()) continue;
    item.error = failure(
      'cancelledByParent',
      'Promise resolution is still pending but the event loop has already resolved',
    );
    item.duration = performance.now() - started;
    item.number ??= root.children.indexOf(item) + 1;
    item.finished = true;
    report(item);
  }
  reporter.end({
    counts,
    duration: performance.now() - started,
    children: root.children.filter((item) => item.finished).length,
  });
}

function schedule(item) {
  begin();
  root.children.push(item);
  queue = queue.then(async () => {
    if (!rootBefore) {
      rootBefore = true;
      await hooks(root.hooks.before, new SuiteContext(root));
    }
    await runItem(item, root.children.filter((other) => other.wanted()).indexOf(item) + 1);
    if (root.children.every((other) => other.finished)) await hooks(root.hooks.after, new SuiteContext(root));
  });
  return queue;
}

function test(...args) { return add('test', args, {}); }
function suite(...args) { return add('suite', args, {}); }

function add(kind, args, more) {
  const item = new Item(current, kind, args, more);
  if (kind === 'suite' && item.body && !item.skip) {
    const before = current;
    current = item;
    try {
      item.ready = item.body.call(new SuiteContext(item), new SuiteContext(item));
      item.ready?.then?.(undefined, (error) => { item.error = error; });
    } catch (error) {
      item.error = error;
    } finally {
      current = before;
    }
  }
  if (current === root) return schedule(item).then(() => undefined);
  current.children.push(item);
  return Promise.resolve();
}

for (const [make, kind] of [[test, 'test'], [suite, 'suite']]) {
  for (const word of ['skip', 'todo', 'only']) make[word] = (...args) => add(kind, args, { [word]: true });
}

function hook(name) {
  return (body, settings) => {
    check.function(body ?? (() => {}), 'fn');
    current.hooks[name].push({ body, settings });
  };
}

const [before, after, beforeEach, afterEach] = ['before', 'after', 'beforeEach', 'afterEach'].map(hook);

module.exports = Object.assign(test, {
  test, it: test, suite, describe: suite, before, after, beforeEach, afterEach, mock,
  run() { throw require('internal/errors').unsupported('test.run'); },
});
Object.defineProperty(module.exports, 'configure', {
  enumerable: false,
  value(given) {
    options = { ...options, ...given, patterns: given.patterns ?? [], skips: given.skips ?? [] };
  },
});
