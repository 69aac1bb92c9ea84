// The system.

const { systemError, check, unsupported } = require('internal/errors');
const { signals, constants } = require('internal/constants');
void constants;

const text = (value) => Object.assign(() => value, { [Symbol.toPrimitive]: () => value });

module.exports = {
  arch: text('wasm32'),
  availableParallelism: text(1),
  cpus: () => [{ model: 'wasm32', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
  endianness: text('LE'),
  freemem: () => 2 ** 32 - native.memory()[0],
  getPriority(pid = 0) {
    check.integer(pid, 'pid', -(2 ** 31), 2 ** 31 - 1);
    return 0;
  },
  setPriority(pid, priority) {
    if (priority === undefined) [pid, priority] = [0, pid];
    check.integer(pid, 'pid', -(2 ** 31), 2 ** 31 - 1);
    check.integer(priority, 'priority', -20, 19);
    if (priority !== 0) throw unsupported('os.setPriority');
  },
  homedir: text(undefined),
  hostname: () => native.hostname(),
  loadavg: () => [0, 0, 0],
  networkInterfaces: () => ({}),
  platform: text('linux'),
  release: () => '6.1.0',
  tmpdir() {
    const path = process.env.TMPDIR || process.env.TMP || process.env.TEMP || '/tmp';
    return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  },
  totalmem: () => 2 ** 32,
  type: text('Linux'),
  userInfo(options) {
    const [, , uid, , gid] = native.identity();
    const found = native.user(uid);
    if (!found) throw systemError(-2, 'uv_os_get_passwd');
    const as = (value) => (options?.encoding === 'buffer' ? Buffer.from(value) : value);
    return { uid, gid, username: as(found[0]), homedir: as(found[1]), shell: as(found[2]) };
  },
  uptime: () => native.now(1) / 1e9,
  version: () => '#1 SMP',
  machine: () => 'wasm32',
  devNull: '/dev/null',
  EOL: '\n',
  constants: {
    __proto__: null,
    UV_UDP_REUSEADDR: 4,
    errno: Object.fromEntries(
      Object.entries(require('internal/errors').SYSTEM).map(([number, [name]]) => [name, Number(number)]),
    ),
    signals,
    priority: {
      PRIORITY_LOW: 19,
      PRIORITY_BELOW_NORMAL: 10,
      PRIORITY_NORMAL: 0,
      PRIORITY_ABOVE_NORMAL: -7,
      PRIORITY_HIGH: -14,
      PRIORITY_HIGHEST: -20,
    },
    dlopen: { RTLD_LAZY: 1, RTLD_NOW: 2, RTLD_GLOBAL: 256, RTLD_LOCAL: 0 },
  },
};
module.exports.homedir = function homedir() {
  if (process.env.HOME) return process.env.HOME;
  return native.user(native.identity()[2])?.[1] ?? '/';
};
void check;
