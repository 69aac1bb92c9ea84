// The modules that programs can load by name.

const NAMES = [
  'assert',
  'assert/strict',
  'async_hooks',
  'buffer',
  'child_process',
  'cluster',
  'console',
  'constants',
  'crypto',
  'dgram',
  'diagnostics_channel',
  'dns',
  'dns/promises',
  'domain',
  'events',
  'fs',
  'fs/promises',
  'http',
  'http2',
  'https',
  'inspector',
  'module',
  'net',
  'os',
  'path',
  'path/posix',
  'path/win32',
  'perf_hooks',
  'process',
  'punycode',
  'querystring',
  'readline',
  'readline/promises',
  'repl',
  'stream',
  'stream/consumers',
  'stream/promises',
  'stream/web',
  'string_decoder',
  'sys',
  'timers',
  'timers/promises',
  'tls',
  'tty',
  'url',
  'util',
  'util/types',
  'v8',
  'vm',
  'wasi',
  'worker_threads',
  'zlib',
];
const ONLY_WITH_SCHEME = ['test', 'test/reporters', 'sea'];

/// The name of a built-in module without its scheme, or undefined.
function builtin(specifier) {
  if (specifier.startsWith('node:')) {
    const name = specifier.slice(5);
    return NAMES.includes(name) || ONLY_WITH_SCHEME.includes(name) ? name : undefined;
  }
  return NAMES.includes(specifier) ? specifier : undefined;
}

/// A built-in module's exports; the library's own `require` loads it.
function load(name) {
  return require(name);
}

module.exports = { NAMES, ONLY_WITH_SCHEME, builtin, load };
