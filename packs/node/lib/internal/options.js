// The command line.

const print = (fd, text) => native.print(fd, text);

const FLAGS = new Set([
  '--trace-warnings',
  '--trace-uncaught',
  '--trace-deprecation',
  '--no-warnings',
  '--no-deprecation',
  '--throw-deprecation',
  '--pending-deprecation',
  '--enable-source-maps',
  '--preserve-symlinks',
  '--preserve-symlinks-main',
  '--experimental-vm-modules',
  '--experimental-modules',
  '--experimental-json-modules',
  '--experimental-specifier-resolution',
  '--experimental-import-meta-resolve',
  '--experimental-detect-module',
  '--experimental-require-module',
  '--no-experimental-fetch',
  '--experimental-fetch',
  '--no-experimental-require-module',
  '--no-experimental-detect-module',
  '--experimental-test-coverage',
  '--expose-gc',
  '--expose_gc',
  '--harmony',
  '--abort-on-uncaught-exception',
  '--test-only',
  '--test-force-exit',
  '--insecure-http-parser',
  '--no-addons',
  '--interactive',
  '--experimental-worker',
  '--experimental-wasm-modules',
  '--use-strict',
  '--jitless',
  '--experimental-default-type',
  '--no-opt',
  '--allow-natives-syntax',
  '--experimental-permission',
  '--watch-preserve-output',
  '--experimental-websocket',
  '--experimental-global-webcrypto',
  '--experimental-loader',
  '--experimental-test-module-mocks',
  '--no-node-snapshot',
  '--node-snapshot',
]);
const VALUED = new Set([
  '--max-old-space-size',
  '--max-semi-space-size',
  '--stack-size',
  '--stack_size',
  '--max_old_space_size',
  '--title',
  '--icu-data-dir',
  '--max-http-header-size',
  '--trace-event-categories',
  '--dns-result-order',
  '--disable-warning',
  '--secure-heap',
  '--experimental-default-type',
  '--test-timeout',
  '--diagnostic-dir',
  '--stack-trace-limit',
]);
const MULTIPLE = {
  '--require': 'requires',
  '-r': 'requires',
  '--conditions': 'conditions',
  '-C': 'conditions',
  '--import': 'imports',
  '--env-file': 'envFiles',
};

const HELP = `Usage: node [options] [ script.js ] [arguments]
       node [options] -e text | -p expression
       node [options] --test [files]

  -                      read the program from standard input
  --                     no more options
  -c, --check            check the syntax, do not run
  -C, --conditions=NAME  a further condition of exports and imports
  -e, --eval=TEXT        run this text
  --env-file=FILE        read variables of the environment
  -h, --help             this text
  -i, --interactive      the prompt, also if standard input is no terminal
  --input-type=TYPE      what -e and standard input are: commonjs or module
  -p, --print=TEXT       run this text and print its value
  -r, --require=MODULE   load this first
  --test                 run tests
  --unhandled-rejections=MODE  strict, warn, none, throw, warn-with-error-code
  -v, --version          the version of Node that this is compatible with

The engine is quickjs-ng; it runs in a sandbox without a network.
`;

function parse(args) {
  const plan = {
    kind: undefined,
    args: [],
    requires: [],
    imports: [],
    conditions: [],
    envFiles: [],
    print: false,
    inputType: undefined,
    unhandledRejections: 'throw',
    execArgv: [],
    interactive: false,
    test: {},
  };
  const fromEnvironment = (process.env.NODE_OPTIONS ?? '').split(/\s+/).filter(Boolean);
  const all = [...fromEnvironment, ...args];
  let i = 0;
  let own = fromEnvironment.length;
  const fail = (message) => {
    print(2, `${process.argv0}: ${message}\n`);
    return { code: 9 };
  };
  for (; i < all.length; i++) {
    let arg = all[i];
    if (arg === '-' ) {
      plan.kind ??= 'stdin';
      plan.dash = true;
      i++;
      break;
    }
    if (!arg.startsWith('-')) break;
    if (i >= own) plan.execArgv.push(arg);
    if (arg === '--') {
      plan.execArgv.pop();
      i++;
      break;
    }
    let value;
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    if (equals > 0) [arg, value] = [arg.slice(0, equals), arg.slice(equals + 1)];
    const take = () => {
      if (value !== undefined) return value;
      value = all[++i];
      if (value !== undefined && i >= own) plan.execArgv.push(value);
      return value;
    };
    switch (arg) {
      case '-v': case '--version':
        print(1, `${process.version}\n`);
        return { code: 0 };
      case '-h': case '--help':
        print(1, HELP);
        return { code: 0 };
      case '-e': case '--eval': case '-p': case '--print': case '-pe': {
        const isPrint = arg === '-p' || arg === '--print' || arg === '-pe';
        if (isPrint) plan.print = true;
        const next = all[i + 1];
        if (value === undefined && (next === undefined || /^-./.test(next))) {
          if (arg === '-p' || arg === '--print') break;
          return fail(`${arg === '-pe' ? '--eval' : arg} requires an argument`);
        }
        plan.kind = 'eval';
        plan.text = take();
        break;
      }
      case '-c': case '--check': plan.kind = 'check'; break;
      case '-i': case '--interactive': plan.interactive = true; break;
      case '--test': plan.kind = 'test'; break;
      case '--watch': return fail('--watch is not available in this sandbox');
      case '--inspect': case '--inspect-brk': return fail(`${arg} is not available in this sandbox`);
      case '--input-type':
        plan.inputType = take();
        if (plan.inputType !== 'module' && plan.inputType !== 'commonjs')
          return fail('--input-type must be "module" or "commonjs"');
        break;
      case '--unhandled-rejections':
        plan.unhandledRejections =
          { 'strict': 'throw', 'throw': 'throw', 'warn': 'warn', 'none': 'none', 'warn-with-error-code': 'warn' }[
            take()
          ] ?? 'throw';
        break;
      case '--no-warnings':
        process.noWarnings = true;
        break;
      case '--trace-warnings':
        process.traceWarnings = true;
        break;
      case '--no-deprecation':
        process.noDeprecation = true;
        break;
      case '--throw-deprecation':
        process.throwDeprecation = true;
        break;
      case '--trace-deprecation':
        process.traceDeprecation = true;
        break;
      case '--expose-gc':
      case '--expose_gc':
        globalThis.gc = () => native.collect();
        break;
      case '--test-name-pattern':
        (plan.test.patterns ??= []).push(take());
        break;
      case '--test-skip-pattern':
        (plan.test.skips ??= []).push(take());
        break;
      case '--test-reporter':
        plan.test.reporter = take();
        break;
      case '--test-reporter-destination':
        take();
        break;
      case '--test-concurrency':
        take();
        break;
      case '--test-timeout':
        plan.test.timeout = Number(take());
        break;
      case '--stack-trace-limit':
        Error.stackTraceLimit = Number(take());
        break;
      case '--title':
        process.title = take();
        break;
      default:
        if (MULTIPLE[arg]) {
          const given = take();
          if (given === undefined) return fail(`${arg} requires an argument`);
          plan[MULTIPLE[arg]].push(given);
        } else if (VALUED.has(arg)) take();
        else if (!FLAGS.has(arg)) return fail(`bad option: ${all[i]}`);
    }
  }
  if (plan.imports.length) plan.requires.push(...plan.imports);
  plan.args = all.slice(i);
  if (plan.kind === 'check') plan.file = plan.args[0];
  if (plan.kind !== undefined) return plan;
  if (plan.print && plan.text === undefined) {
    plan.kind = 'stdin';
    return plan;
  }
  if (plan.args.length) {
    plan.kind = 'file';
    plan.file = plan.args.shift();
  } else plan.kind = plan.interactive || native.isatty(0) ? 'repl' : 'stdin';
  return plan;
}

module.exports = { parse };
