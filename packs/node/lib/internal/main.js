// Starting a program: the command line, what runs, how it ends.

const loop = require('internal/loop');
const process = require('process');
const { inspect } = require('internal/inspect');

const print = (text) => native.print(2, text);

/// The report of an exception that nobody catches ends the process with status 1.
function report(error, origin, isLate = origin === 'unhandledRejection') {
  if (process.captureCallback) {
    process.captureCallback(error);
    return;
  }
  try {
    process.emit('uncaughtExceptionMonitor', error, origin);
    if (process.listenerCount('uncaughtException') > 0) {
      process.emit('uncaughtException', error, origin);
      return;
    }
  } catch (other) {
    error = other;
    process.exitCode = 7;
  }
  print(reportText(error, origin, isLate));
  if (process.exitCode !== 7) process.exitCode = 1;
  try {
    process.leave();
  } catch (other) {
    print(reportText(other));
    native.exit(7);
  }
}

function isError(value) {
  return value !== null && typeof value === 'object' && (native.classOf(value) === 'Error' || value instanceof Error);
}

function reportText(error, origin, isLate) {
  let place = '';
  let text;
  try {
    place = placeOf(error, isLate);
    if (isError(error)) text = errorText(error);
    else if (typeof error === 'string' && origin !== 'unhandledRejection') text = error;
    else text = inspect(error);
  } catch {
    text = 'Uncaught exception';
  }
  const hint =
    error !== null && (typeof error === 'object' || typeof error === 'function')
      ? ''
      : '\n(Use `node --trace-uncaught ...` to show where the exception was thrown)';
  return `${place}${text}${hint}\n\nNode.js ${process.version}\n`;
}

function errorText(error) {
  const colors = native.isatty(2) && !process.env.NO_COLOR;
  const options = { colors, customInspect: false, depth: 5 };
  if (typeof error.stack !== 'string' || /\n {4}at /.test(error.stack)) return inspect(error, options);
  // Its stack has only lines of the library's, which are not shown; it is no exception without a stack.
  const { stack } = error;
  try {
    error.stack = `${stack}\n    at <none>`;
    return inspect(error, options).replace('\n    at <none>', '');
  } finally {
    error.stack = stack;
  }
}

/// The file, the line, and where in it the exception was thrown.
function placeOf(error, isLate) {
  const { headOf, isDecorated } = require('internal/syntax');
  if (isDecorated(error)) return '';
  if (isError(error)) {
    const evaluated = placeInText(error, native.wrongText(error));
    if (evaluated) return evaluated;
    const head = headOf(error);
    if (head) return `${head}\n`;
    if (native.madeByLibrary(error)) return '';
  }
  let found;
  const thrown = native.lastThrow();
  const frame =
    isError(error) && typeof error.stack === 'string'
      ? /\n {4}at (?:(?!\/|file:).*? \()?([^\n]*?):(\d+):(\d+)\)?(?=\n|$)/.exec(error.stack)
      : null;
  const top = frame ? [frame[1], Number(frame[2]), Number(frame[3])] : undefined;
  // A statement that threw is the place; an exception of the engine's own has its place in its stack.
  if (thrown && error !== undefined && error === native.lastThrown) found = thrown;
  else found = top ?? thrown;
  if (!isLate && thrown && top && thrown[0] === top[0] && Math.abs(thrown[1] - top[1]) <= 3)
    found = sourceLine(thrown)?.trimStart().includes('throw') ? thrown : top;
  if (!isError(error)) found = thrown;
  if (!found) return isError(error) ? '' : 'Uncaught:\n';
  const line = sourceLine(found);
  if (line === undefined) return '';
  const text = placed(found[0], found[1], line, found[2]);
  return isError(error) ? `${text}\n` : `\n${text}`;
}

/// The place of an exception in a text that was given to `eval` or `Function`.
function placeInText(error, wrong) {
  if (!wrong) return undefined;
  const [text, wrongLine, wrongColumn] = wrong;
  const stack = typeof error.stack === 'string' ? error.stack : '';
  const top = /\n {4}at [^\n]*\(eval at [^\n]*, <anonymous>:(\d+):(\d+)\)?(?=\n|$)/.exec(stack);
  if (wrongLine === 0 && (!top || stack.indexOf('\n    at ') !== top.index)) return undefined;
  const [line, column] = wrongLine ? [wrongLine, wrongColumn] : [Number(top[1]), Number(top[2])];
  const thrown = wrongLine ? undefined : native.lastThrow();
  const isThrown = thrown?.[0].startsWith('eval at ') && thrown[1] === line;
  return `${placed('<anonymous_script>', line, text.split('\n')[line - 1] ?? '', isThrown ? thrown[2] : column)}\n`;
}

const placed = (file, number, line, column) =>
  `${file}:${number}\n${line}\n${line.slice(0, column - 1).replace(/[^\t]/g, ' ')}^\n`;

function sourceLine([file, line]) {
  let text = native.sources[file];
  if (text === undefined && file.startsWith('/') ) {
    try {
      text = require('fs').readFileSync(file, 'utf8');
    } catch {
      return undefined;
    }
  }
  return text?.split('\n')[line - 1];
}

// Rejections that nobody handles.

const unhandled = new Map();
const toldOf = new WeakSet();
let mode = 'throw';

native.onRejection = (promise, reason, isHandled) => {
  if (!isHandled) {
    unhandled.set(promise, reason);
    return;
  }
  if (unhandled.delete(promise)) return;
  if (toldOf.has(promise)) {
    toldOf.delete(promise);
    process.nextTick(() => process.emit('rejectionHandled', promise));
  }
};

function rejections() {
  if (unhandled.size === 0) return false;
  const batch = [...unhandled];
  unhandled.clear();
  for (const [promise, reason] of batch) {
    toldOf.add(promise);
    if (process.listenerCount('unhandledRejection') > 0) {
      loop.run(() => process.emit('unhandledRejection', reason, promise), undefined, []);
      continue;
    }
    if (mode === 'none') continue;
    if (mode === 'warn') {
      process.emitWarning(`${isError(reason) ? reason.stack : inspect(reason)}`, 'UnhandledPromiseRejectionWarning');
      continue;
    }
    rejected(reason);
  }
  return true;
}

function rejected(reason) {
  let error = reason;
  if (!isError(reason)) {
    const { coded } = require('internal/errors');
    error = coded(
      Error,
      'ERR_UNHANDLED_REJECTION',
      'This error originated either by throwing inside of an async function without a catch block, ' +
        `or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "${shortText(reason)}".`,
    );
    error.name = 'UnhandledPromiseRejection';
    Object.defineProperty(error, 'name', { enumerable: false });
    error.stack = `[UnhandledPromiseRejection: ${error.message}]`.slice(1, -1);
    if (process.captureCallback || process.listenerCount('uncaughtException') > 0)
      return report(error, 'unhandledRejection');
    process.emit('uncaughtExceptionMonitor', error, 'unhandledRejection');
    print(
      `node:internal/process/promises:391\n      triggerUncaughtException(err, true /* fromPromise */);\n      ^\n\nUnhandledPromiseRejection: ${error.message} {\n  code: 'ERR_UNHANDLED_REJECTION'\n}\n\nNode.js ${process.version}\n`,
    );
    process.exitCode = 1;
    process.leave();
    return;
  }
  report(error, 'unhandledRejection');
}

function shortText(reason) {
  if (reason !== null && typeof reason === 'object') return `#<${reason.constructor?.name ?? 'Object'}>`;
  return typeof reason === 'symbol' ? reason.toString() : `${reason}`;
}

loop.handle(report, rejections);

process.on('warning', (warning) => {
  if (process.noWarnings || (warning.name === 'DeprecationWarning' && process.noDeprecation)) return;
  const code = warning.code ? `[${warning.code}] ` : '';
  const trace = process.traceWarnings || (warning.name === 'DeprecationWarning' && process.traceDeprecation);
  const text = trace && warning.stack ? warning.stack : `${warning.name}: ${warning.message}`;
  let out = `(node:${process.pid}) ${code}${text}`;
  if (typeof warning.detail === 'string') out += `\n${warning.detail}`;
  if (!trace && !warned) {
    const option = warning.name === 'DeprecationWarning' ? '--trace-deprecation' : '--trace-warnings';
    out += `\n(Use \`node ${option} ...\` to show where the warning was created)`;
    warned = true;
  }
  print(`${out}\n`);
});
let warned = false;

/// Runs what was asked for; the status of the process.
function main(args) {
  try {
    native.signal(13, 1);
    process.begin(args);
    require('perf_hooks').begin();
    require('module')._initPaths();
    const command = args[0].replace(/^.*\//, '');
    if (command === 'npm' || command === 'npx') {
      process.argv = ['/usr/bin/node', `/usr/bin/${command}`, ...args.slice(1)];
      return require('internal/npm').main(command, args.slice(1));
    }
    const plan = require('internal/options').parse(args.slice(1));
    if (plan.code !== undefined) return plan.code;
    mode = plan.unhandledRejections;
    run(plan);
  } catch (error) {
    report(error, 'uncaughtException');
  }
  return finish();
}

/// Runs the loop until nothing is left, as often as `beforeExit` finds something to do.
function finish() {
  for (;;) {
    loop.loop();
    process.emit('beforeExit', process.exitCode ?? 0);
    loop.drain();
    if (!more()) break;
  }
  if (pendingModule && native.promiseParts(pendingModule)[0] === 0 && process.exitCode === undefined) {
    process.exitCode = 13;
    const where = process.argv[1];
    void where;
    print('Warning: Detected unsettled top-level await at\n' + unsettledPlace());
  }
  process.leave();
  return process.exitCode ?? 0;
}

function unsettledPlace() {
  const { pathToFileURL } = require('internal/file_urls');
  const url = process.argv[1] ? pathToFileURL(process.argv[1]).href : '';
  const text = native.sources[url];
  const lines = text?.split('\n') ?? [];
  const at = lines.findIndex((line) => /\bawait\b/.test(line));
  if (at < 0) return '\n';
  return `${url}:${at + 1}\n${lines[at]}\n${' '.repeat(lines[at].indexOf('await'))}^\n\n\n`;
}

let pendingModule;
function more() { return loop.pending(); }

function run(plan) {
  const Module = require('module');
  Module.extraConditions = plan.conditions;
  process.execArgv = plan.execArgv;
  for (const file of plan.envFiles) {
    if (native.kind(file) !== 0) {
      native.print(2, `node: ${file}: not found\n`);
      native.exit(9);
    }
    require('internal/dotenv').load(file);
  }
  const begin = () => {
    Module._preloadModules(plan.requires);
    const given = process.env.NODE_TEST_OPTIONS ? JSON.parse(process.env.NODE_TEST_OPTIONS) : plan.test;
    if (Object.keys(given).length) require('test').configure(given);
  };
  switch (plan.kind) {
    case 'test':
      process.argv = ['/usr/bin/node'];
      return require('internal/test_runner').main(plan);
    case 'eval':
      process.argv = ['/usr/bin/node', ...plan.args];
      begin();
      return evaluate(plan, plan.text, '[eval]');
    case 'stdin': {
      process.argv = ['/usr/bin/node', ...(plan.dash ? ['-'] : []), ...plan.args];
      begin();
      const text = require('fs').readFileSync(0, 'utf8');
      return evaluate(plan, text, '[stdin]');
    }
    case 'repl':
      process.argv = ['/usr/bin/node', ...plan.args];
      begin();
      return require('internal/repl_main').main(plan);
    case 'check':
      return checkFile(plan);
    default:
      return runFile(plan, begin);
  }
}

function runFile(plan, begin) {
  const Module = require('module');
  const path = require('path');
  const file = path.resolve(plan.file);
  process.argv = ['/usr/bin/node', file, ...plan.args];
  begin();
  const found = Module._findPath(file, null);
  if (found && isModule(found, plan)) {
    process.argv[1] = found;
    return importFile(found);
  }
  Module._load(file, null, true);
}

function importFile(file) {
  const { pathToFileURL } = require('internal/file_urls');
  const esm = require('internal/esm');
  const url = pathToFileURL(file).href;
  pendingModule = esm.importModule(url, url);
  pendingModule.then(undefined, (error) => report(aboutScope(error), 'uncaughtException', true));
}

/// Tells of names that only CommonJS modules have.
function aboutScope(error) {
  const found =
    error instanceof ReferenceError && /^(require|exports|module|__filename|__dirname) is not defined$/.exec(error.message);
  if (!found) return error;
  let words = `${error.message} in ES module scope`;
  if (found[1] === 'require') words += ', you can use import instead';
  const file = /file:\/\/(\/[^\n]*?\.js):\d+/.exec(error.stack)?.[1];
  if (file) {
    const scope = require('internal/packages').scopeOf(require('path').dirname(file));
    if (scope?.[1].type === 'module') {
      words +=
        "\nThis file is being treated as an ES module because it has a '.js' file extension and " +
        `'${require('path').join(scope[0], 'package.json')}' contains "type": "module". ` +
        "To treat it as a CommonJS script, rename it to use the '.cjs' file extension.";
    }
  }
  const { stack } = error;
  error.stack = stack.replace(error.message, () => words);
  error.message = words;
  return error;
}

function isModule(file, plan) {
  const { formatOf, isModuleText } = require('internal/esm');
  const Module = require('module');
  const format = formatOf(file);
  if (format === 'module') return true;
  if (format !== 'unknown' && format !== 'commonjs') return format === undefined && plan.inputType === 'module';
  if (format === 'commonjs') return false;
  return isModuleText(Module.readText(file), file);
}

function checkFile(plan) {
  const Module = require('module');
  const path = require('path');
  const file = plan.file === undefined || plan.file === '-' ? '[stdin]' : path.resolve(plan.file);
  const found = file === '[stdin]' ? file : Module._resolveFilename(file, null, true);
  let text = found === '[stdin]' ? require('fs').readFileSync(0, 'utf8') : Module.readText(found);
  if (text.startsWith('#!')) text = `//${text.slice(2)}`;
  const asModule = found !== '[stdin]' && isModule(found, plan);
  native.sources[found] = text;
  try {
    if (asModule) native.checkSyntax(text, found, true, 1);
    else
      native.checkSyntax(`(function(exports, require, module, __filename, __dirname){\n${text}\n})`, found, false, 0);
  } catch (error) {
    throw require('internal/syntax').explain(error, text, found);
  }
}

function evaluate(plan, text, name) {
  const Module = require('module');
  const path = require('path');
  const { looksLikeModule, isModuleSyntax, evaluate: evaluateModule } = require('internal/esm');
  const { pathToFileURL } = require('internal/file_urls');
  const asModule = () => {
    if (plan.print) {
      const { coded } = require('internal/errors');
      throw coded(Error, 'ERR_EVAL_ESM_CANNOT_PRINT', '--print cannot be used with ESM input');
    }
    const url = pathToFileURL(path.join(process.cwd(), '[eval1]')).href.replace(/%5B/g, '[').replace(/%5D/g, ']');
    pendingModule = evaluateModule(text, url);
    pendingModule.then(undefined, (error) => report(aboutScope(error), 'uncaughtException'));
  };
  if (plan.inputType === 'module') return asModule();
  const module = new Module(name);
  module.filename = path.join(process.cwd(), name);
  module.paths = Module._nodeModulePaths(process.cwd());
  for (const [key, value] of Object.entries({
    module,
    exports: module.exports,
    require: Module.makeRequire(module),
    __filename: name,
    __dirname: '.',
  })) {
    Object.defineProperty(globalThis, key, { value, writable: true, configurable: true, enumerable: true });
  }
  require('internal/builtin_globals').define();
  native.sources[name] = text;
  let value;
  try {
    value = native.evaluate(text, name, 1);
  } catch (error) {
    const mayBe = error instanceof SyntaxError && plan.inputType === undefined;
    if (mayBe && (looksLikeModule(text) || /\bawait\b/.test(text)) && isModuleSyntax(text, name)) return asModule();
    throw require('internal/syntax').explain(error, text, name);
  }
  if (plan.print) console.log(value);
}

module.exports = { main, report, importFile, placeOf };
