// Files: calls that wait, calls that call back; those that give promises are in `fs/promises`.

const {
  systemError,
  lineless,
  coded,
  invalidArgType,
  invalidArgValue,
  outOfRange,
  check,
  AbortError,
  SystemError,
  received,
} = require('internal/errors');
const { complete } = require('internal/loop');
const { constants } = require('internal/constants');
const { toPath } = require('internal/paths');
const { Stats, BigIntStats } = require('internal/stats');

const done = (result, syscall, path, dest) => {
  if (typeof result === 'number' && result < 0) throw systemError(result, syscall, path, dest);
  return result;
};

const FLAGS = {
  'r': 0,
  'rs': 0o4010000,
  'sr': 0o4010000,
  'r+': 2,
  'rs+': 2 | 0o4010000,
  'sr+': 2 | 0o4010000,
  'w': 0o1101,
  'wx': 0o1301,
  'xw': 0o1301,
  'w+': 0o1102,
  'wx+': 0o1302,
  'xw+': 0o1302,
  'a': 0o2101,
  'ax': 0o2301,
  'xa': 0o2301,
  'as': 0o2101 | 0o4010000,
  'sa': 0o2101 | 0o4010000,
  'a+': 0o2102,
  'ax+': 0o2302,
  'xa+': 0o2302,
  'as+': 0o2102 | 0o4010000,
  'sa+': 0o2102 | 0o4010000,
};

function flagsOf(flags) {
  if (flags == null) return 0;
  if (typeof flags === 'number') {
    check.integer(flags, 'flags', -2147483648, 2147483647);
    return flags;
  }
  const number = FLAGS[flags];
  if (number === undefined) throw invalidArgValue('flags', flags);
  return number;
}

function modeOf(mode, otherwise) {
  if (mode == null) return otherwise;
  if (typeof mode === 'string') {
    if (!/^[0-7]+$/.test(mode))
      throw invalidArgValue('mode', mode, 'must be a 32-bit unsigned integer or an octal string');
    return Number.parseInt(mode, 8);
  }
  check.integer(mode, 'mode', 0, 2 ** 32 - 1);
  return mode;
}

function checkFd(fd) {
  if (typeof fd !== 'number') throw invalidArgType('fd', 'number', fd);
  check.integer(fd, 'fd', 0, 2147483647);
  return fd;
}

function optionsOf(options, defaults) {
  if (options === null || options === undefined || typeof options === 'function') return { ...defaults };
  if (typeof options === 'string') options = { encoding: options };
  else if (typeof options !== 'object') throw invalidArgType('options', ['string', 'Object'], options);
  const encoding = options.encoding;
  if (encoding && encoding !== 'buffer' && !Buffer.isEncoding(encoding))
    throw invalidArgValue('encoding', encoding, 'is invalid encoding');
  if (options.signal !== undefined) check.signal(options.signal, 'options.signal');
  return { ...defaults, ...options };
}

const inEncoding = (text, encoding) =>
  encoding === 'buffer'
    ? Buffer.from(text)
    : encoding && encoding !== 'utf8' && encoding !== 'utf-8'
      ? Buffer.from(text).toString(encoding)
      : text;
const bytesOf = (view) =>
  view instanceof Uint8Array ? view : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
const seconds = (time) => {
  if (typeof time === 'string' && +time == time) return +time;
  if (typeof time === 'number' && Number.isFinite(time)) return time < 0 ? Date.now() / 1000 : time;
  if (time instanceof Date) return time.getTime() / 1000;
  throw coded(
    TypeError,
    'ERR_INVALID_ARG_TYPE',
    `The "time" argument must be an instance of Date or an Time in seconds.${received(time)}`,
  );
};

function checkAccess(mode) {
  check.number(mode, 'mode');
  if (!(mode >= 0 && mode <= 7)) throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'mode is out of range: >= 0 && <= 7');
}

function checkOwner(uid, gid) {
  check.integer(uid, 'uid', -1, 2 ** 32 - 1);
  check.integer(gid, 'gid', -1, 2 ** 32 - 1);
}

function checkBuffers(buffers) {
  if (Array.isArray(buffers) && buffers.every(ArrayBuffer.isView)) return;
  throw coded(
    TypeError,
    'ERR_INVALID_ARG_TYPE',
    `The "buffers" argument must be an ArrayBufferView[].${received(buffers)}`,
  );
}

const isObject = (value) => value !== null && typeof value === 'object';

function checkOptions(options) {
  if (!isObject(options) || Array.isArray(options)) throw invalidArgType('options', 'object', options);
}

const lengthError = (length, room) => outOfRange('length', length < 0 ? '>= 0' : `<= ${room}`, length);

/// Where to read.
function positionOf(position) {
  if (typeof position === 'bigint') {
    const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
    if (position < least || position > most) throw outOfRange('position', `>= ${least} && <= ${most}`, position);
    return Number(position);
  }
  if (typeof position !== 'number') throw invalidArgType('position', ['bigint', 'integer'], position);
  check.integer(position, 'position', -1);
  return position;
}

/// Writes what can be written at once, at a position or where the descriptor is.
function writeOnce(fd, bytes, offset, size, position) {
  const at = Number.isSafeInteger(position) ? position : -1;
  return done(again(() => native.write(fd, bytes, offset, size, at)), 'write');
}

/// The names in a directory, sorted, each with what it is.
function entriesOf(folder) {
  const list = done(native.list(folder), 'scandir', folder);
  const kinds = new Map();
  for (let i = 0; i < list.length; i += 2) kinds.set(list[i], list[i + 1]);
  return [...kinds.keys()].sort().map((name) => [name, kinds.get(name) || kindOf(`${folder}/${name}`)]);
}

/// Whether what is in an entry is listed, too; a list of names follows links.
function isEntered(path, kind, { withFileTypes }) {
  return kind === 2 || (kind === 3 && !withFileTypes && native.kind(path) === 1);
}

const sync = {
  openSync(path, flags = 'r', mode) {
    path = toPath(path);
    return done(native.open(path, flagsOf(flags), modeOf(mode, 0o666)), 'open', path);
  },
  closeSync(fd) { done(native.close(checkFd(fd)), 'close'); },
  readSync(fd, buffer, offset, length, position) {
    checkFd(fd);
    if (!ArrayBuffer.isView(buffer)) throw invalidArgType('buffer', ['Buffer', 'TypedArray', 'DataView'], buffer);
    // (fd, buffer, options), where options may be left out, or (fd, buffer, offset, length, position).
    const isShort = arguments.length < 4;
    if (isShort && offset != null) checkOptions(offset);
    if (isShort || offset === null || (typeof offset !== 'number' && isObject(offset))) ({ offset = 0, length, position } = offset ?? {});
    else {
      offset ??= 0;
      length ??= 0;
    }
    check.integer(offset, 'offset', 0);
    const room = buffer.byteLength - offset;
    const size = length === undefined ? room : length | 0;
    if (size === 0) return 0;
    if (buffer.byteLength === 0) throw invalidArgValue('buffer', buffer, 'is empty and cannot be written');
    if (size < 0 || size > room) throw lengthError(size, room);
    const at = position == null ? -1 : positionOf(position);
    return done(again(() => native.read(fd, bytesOf(buffer), offset, size, at)), 'read');
  },
  writeSync(fd, data, offset, length, position) {
    checkFd(fd);
    if (typeof data === 'string') {
      // The text's own form of the call: (text, position, encoding).
      const bytes = Buffer.from(data, Buffer.isEncoding(length) ? length : 'utf8');
      return writeOnce(fd, bytes, 0, bytes.length, offset);
    }
    if (!ArrayBuffer.isView(data)) throw invalidArgType('buffer', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
    if (typeof offset === 'object') ({ offset, length, position } = offset ?? {});
    offset ??= 0;
    check.integer(offset, 'offset', 0);
    const room = data.byteLength - offset;
    if (room < 0) throw outOfRange('offset', `<= ${data.byteLength}`, offset);
    const size = typeof length === 'number' ? length : room;
    check.integer(size, 'length');
    if (size < 0 || size > room) throw lengthError(size, room);
    return writeOnce(fd, bytesOf(data), offset, size, position);
  },
  readvSync(fd, buffers, position) {
    checkBuffers(buffers);
    let total = 0;
    for (const buffer of buffers) {
      const got = sync.readSync(fd, buffer, 0, buffer.byteLength, position == null ? null : position + total);
      total += got;
      if (got < buffer.byteLength) break;
    }
    return total;
  },
  writevSync(fd, buffers, position) {
    checkBuffers(buffers);
    let total = 0;
    for (const buffer of buffers) total += writeAll(fd, bytesOf(buffer), position == null ? null : position + total);
    return total;
  },
  readFileSync(path, options) {
    options = optionsOf(options, { encoding: null, flag: 'r' });
    const isFd = Number.isInteger(path) && path >= 0;
    const fd = isFd ? path : sync.openSync(path, options.flag, 0o666);
    try {
      const data = done(native.readAll(fd), 'read');
      const buffer = Buffer.from(data);
      return options.encoding && options.encoding !== 'buffer' ? buffer.toString(options.encoding) : buffer;
    } finally {
      if (!isFd) native.close(fd);
    }
  },
  writeFileSync(path, data, options) {
    options = optionsOf(options, { encoding: 'utf8', mode: 0o666, flag: 'w', flush: false });
    const bytes = dataOf(data, options.encoding);
    const isFd = Number.isInteger(path) && path >= 0;
    const fd = isFd ? path : sync.openSync(path, options.flag, options.mode);
    try {
      writeAll(fd, bytes, null);
    } finally {
      if (!isFd) native.close(fd);
    }
  },
  appendFileSync(path, data, options) {
    options = optionsOf(options, { encoding: 'utf8', mode: 0o666, flag: 'a' });
    sync.writeFileSync(path, data, options);
  },
  existsSync(path) {
    try {
      path = toPath(path);
    } catch {
      return false;
    }
    return native.access(path, 0) === 0;
  },
  accessSync(path, mode = 0) {
    path = toPath(path);
    checkAccess(mode);
    done(native.access(path, mode), 'access', path);
  },
  statSync(path, options) { return stats(native.stat, 'stat', toPath(path), options); },
  lstatSync(path, options) { return stats(native.lstat, 'lstat', toPath(path), options); },
  fstatSync(fd, options) {
    const numbers = done(native.fstat(checkFd(fd)), 'fstat');
    return options?.bigint ? new BigIntStats(numbers) : new Stats(numbers);
  },
  statfsSync(path, options) {
    path = toPath(path);
    done(native.access(path, 0), 'statfs', path);
    const big = options?.bigint ? BigInt : Number;
    return {
      type: big(61267),
      bsize: big(4096),
      blocks: big(1048576),
      bfree: big(1048576),
      bavail: big(1048576),
      files: big(1048576),
      ffree: big(1048576),
    };
  },
  readdirSync(path, options) {
    options = optionsOf(options, { encoding: 'utf8' });
    path = toPath(path);
    if (options.recursive != null) check.boolean(options.recursive, 'options.recursive');
    const out = [];
    const folders = [[path, '']];
    for (const [folder, prefix] of folders) {
      for (const [name, kind] of entriesOf(folder)) {
        const shown = inEncoding(options.withFileTypes ? name : prefix + name, options.encoding);
        out.push(options.withFileTypes ? new Dirent(shown, folder, kind) : shown);
        if (!options.recursive || !isEntered(`${folder}/${name}`, kind, options)) continue;
        folders.push([`${folder.replace(/\/$/, '')}/${name}`, `${prefix}${name}/`]);
      }
    }
    return out;
  },
  mkdirSync(path, options) {
    const { recursive = false, mode = 0o777 } =
      typeof options === 'number' || typeof options === 'string' ? { mode: options } : (options ?? {});
    path = toPath(path);
    check.boolean(recursive, 'options.recursive');
    const number = modeOf(mode, 0o777);
    if (!recursive) {
      done(native.mkdir(path, number), 'mkdir', path);
      return undefined;
    }
    return makeAll(path, number);
  },
  mkdtempSync(prefix, options) {
    options = optionsOf(options, { encoding: 'utf8' });
    prefix = toPath(prefix, 'prefix');
    return inEncoding(done(native.mkdtemp(prefix), 'mkdtemp', `${prefix}XXXXXX`), options.encoding);
  },
  rmdirSync(path, options) {
    path = toPath(path);
    if (options?.recursive) return sync.rmSync(path, { recursive: true, force: false });
    done(native.rmdir(path), 'rmdir', path);
  },
  rmSync(path, options = {}) {
    path = toPath(path);
    const { recursive = false, force = false } = options ?? {};
    const about = native.lstat(path);
    if (typeof about === 'number') {
      if (force && about === -2) return;
      done(about, 'lstat', path);
    }
    if ((about[1] & 0o170000) === 0o040000) {
      if (!recursive) {
        throw coded(SystemError, 'ERR_FS_EISDIR', `Path is a directory: rm returned EISDIR (is a directory) ${path}`,
          { errno: 21, syscall: 'rm', path });
      }
      removeTree(path);
    } else done(native.unlink(path), 'unlink', path);
  },
  unlinkSync(path) {
    path = toPath(path);
    done(native.unlink(path), 'unlink', path);
  },
  renameSync(from, to) {
    from = toPath(from, 'oldPath');
    to = toPath(to, 'newPath');
    done(native.rename(from, to), 'rename', from, to);
  },
  linkSync(from, to) {
    from = toPath(from, 'existingPath');
    to = toPath(to, 'newPath');
    done(native.link(from, to), 'link', from, to);
  },
  symlinkSync(target, path) {
    target = toPath(target, 'target');
    path = toPath(path);
    done(native.symlink(target, path), 'symlink', target, path);
  },
  readlinkSync(path, options) {
    options = optionsOf(options, { encoding: 'utf8' });
    path = toPath(path);
    return inEncoding(done(native.readlink(path), 'readlink', path), options.encoding);
  },
  realpathSync(path, options) {
    options = optionsOf(options, { encoding: 'utf8' });
    path = require('path').resolve(toPath(path));
    const real = native.realpath(path);
    if (typeof real === 'number') done(real, ...unresolved(path));
    return inEncoding(real, options.encoding);
  },
  chmodSync(path, mode) {
    path = toPath(path);
    done(native.chmod(path, modeOf(mode)), 'chmod', path);
  },
  fchmodSync(fd, mode) { done(native.fchmod(checkFd(fd), modeOf(mode)), 'fchmod'); },
  lchmodSync(path, mode) { sync.chmodSync(path, mode); },
  chownSync(path, uid, gid) {
    checkOwner(uid, gid);
    path = toPath(path);
    done(native.chown(path, uid, gid, false), 'chown', path);
  },
  lchownSync(path, uid, gid) {
    checkOwner(uid, gid);
    path = toPath(path);
    done(native.chown(path, uid, gid, true), 'lchown', path);
  },
  fchownSync(fd) { checkFd(fd); },
  utimesSync(path, atime, mtime) {
    path = toPath(path);
    done(native.times(path, seconds(atime), seconds(mtime), false), 'utime', path);
  },
  lutimesSync(path, atime, mtime) {
    path = toPath(path);
    done(native.times(path, seconds(atime), seconds(mtime), true), 'lutime', path);
  },
  futimesSync(fd, atime, mtime) {
    done(native.times(checkFd(fd), seconds(atime), seconds(mtime), false), 'futime');
  },
  truncateSync(path, length = 0) {
    if (typeof path === 'number') return sync.ftruncateSync(path, length);
    const fd = sync.openSync(path, 'r+');
    try {
      sync.ftruncateSync(fd, length);
    } finally {
      native.close(fd);
    }
  },
  ftruncateSync(fd, length = 0) {
    check.integer(length, 'len');
    done(native.ftruncate(checkFd(fd), Math.max(0, length)), 'ftruncate');
  },
  fsyncSync(fd) { done(native.fsync(checkFd(fd)), 'fsync'); },
  fdatasyncSync(fd) { done(native.fsync(checkFd(fd)), 'fdatasync'); },
  copyFileSync(from, to, mode = 0) {
    from = toPath(from, 'src');
    to = toPath(to, 'dest');
    checkAccess(mode);
    const source = native.open(from, 0, 0);
    done(source, 'copyfile', from, to);
    try {
      const about = native.fstat(source);
      if ((about[1] & 0o170000) === 0o040000) throw systemError(-21, 'copyfile', from, to);
      const exclusive = mode & constants.COPYFILE_EXCL;
      const same = native.stat(to);
      if (typeof same !== 'number' && same[7] === about[7] && same[0] === about[0] && !exclusive) return;
      const target = done(native.open(to, exclusive ? 0o301 : 0o1101, about[1] & 0o777), 'copyfile', from, to);
      try {
        const chunk = new Uint8Array(65536);
        for (;;) {
          const got = done(native.read(source, chunk, 0, chunk.length, -1), 'copyfile', from, to);
          if (got === 0) break;
          writeAll(target, chunk.subarray(0, got), null);
        }
        native.fchmod(target, about[1] & 0o7777);
      } finally {
        native.close(target);
      }
    } finally {
      native.close(source);
    }
  },
  cpSync(from, to, options = {}) {
    require('internal/copy_tree').copy(toPath(from, 'src'), toPath(to, 'dest'), options);
  },
  opendirSync(path, options) {
    return new (require('internal/dir').Dir)(toPath(path), options);
  },
};
sync.realpathSync.native = function(path, options) {
  options = optionsOf(options, { encoding: 'utf8' });
  path = toPath(path);
  return inEncoding(done(path === '' ? -2 : native.realpath(path), 'realpath', path), options.encoding);
};

function again(call) {
  for (;;) {
    const result = call();
    if (result !== -4) return result;
  }
}

function writeAll(fd, bytes, position) {
  let at = 0;
  while (at < bytes.length) {
    const wrote = again(() => native.write(fd, bytes, at, bytes.length - at, position == null ? -1 : position + at));
    if (wrote === -11) {
      native.poll([fd, 2], -1);
      continue;
    }
    at += done(wrote, 'write');
  }
  return at;
}

function dataOf(data, encoding) {
  if (typeof data === 'string') return Buffer.from(data, encoding || 'utf8');
  if (ArrayBuffer.isView(data)) return bytesOf(data);
  throw invalidArgType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
}

function stats(call, syscall, path, options) {
  const numbers = call(path);
  if (typeof numbers === 'number') {
    if (options?.throwIfNoEntry === false && (numbers === -2 || numbers === -20)) return undefined;
    throw systemError(numbers, syscall, path);
  }
  return options?.bigint ? new BigIntStats(numbers) : new Stats(numbers);
}

function kindOf(path) {
  const about = native.lstat(path);
  if (typeof about === 'number') return 0;
  return (
    { 0o100000: 1, 0o040000: 2, 0o120000: 3, 0o010000: 4, 0o140000: 5, 0o020000: 6, 0o060000: 7 }[
      about[1] & 0o170000
    ] ?? 0
  );
}

/// The call that fails first when an absolute path is followed by its parts, and the part.
function unresolved(path) {
  const parts = path.split('/');
  for (let i = 2; i <= parts.length; i++) {
    const part = parts.slice(0, i).join('/');
    if (typeof native.lstat(part) === 'number') return ['lstat', part];
    if (native.kind(part) === -1) return ['stat', part];
  }
  return ['lstat', path];
}

/// Makes a directory and those above it; the first one that was made.
function makeAll(path, mode) {
  // Not normalized: the answer is a beginning of the path as it was given.
  const dirname = (text) => text.includes('/') ? text.slice(0, text.lastIndexOf('/')) || '/' : '.';
  const missing = [];
  let at = path;
  while (native.kind(at) === -1 && typeof native.lstat(at) === 'number') {
    missing.push(at);
    at = dirname(at);
  }
  if (native.kind(at) !== 1) throw systemError(missing.length ? -20 : -17, 'mkdir', path);
  let first;
  while (missing.length) {
    const next = missing.pop();
    const code = native.mkdir(next, mode);
    if (code !== -17) done(code, 'mkdir', path);
    if (code === 0) first ??= next;
  }
  return first;
}

/// Removes a tree, from its leaves, with a list of what is to be done.
function removeTree(path) {
  const todo = [[path, false]];
  while (todo.length) {
    const [at, emptied] = todo.pop();
    if (emptied) {
      done(native.rmdir(at), 'rmdir', at);
      continue;
    }
    todo.push([at, true]);
    for (const [name, kind] of entriesOf(at)) {
      const child = `${at}/${name}`;
      if (kind === 2) todo.push([child, false]);
      else done(native.unlink(child), 'unlink', child);
    }
  }
}

class Dirent {
  constructor(name, path, type) {
    this.name = name;
    this.parentPath = path;
    this.path = path;
    this[Symbol.for('type')] = type;
    Object.defineProperty(this, Symbol.for('type'), { enumerable: false });
    Object.defineProperty(this, Symbol('type'), { value: type, enumerable: true });
  }
  isFile() { return this[Symbol.for('type')] === 1; }
  isDirectory() { return this[Symbol.for('type')] === 2; }
  isSymbolicLink() { return this[Symbol.for('type')] === 3; }
  isFIFO() { return this[Symbol.for('type')] === 4; }
  isSocket() { return this[Symbol.for('type')] === 5; }
  isCharacterDevice() { return this[Symbol.for('type')] === 6; }
  isBlockDevice() { return this[Symbol.for('type')] === 7; }
}

const fs = (module.exports = { ...sync, constants, Stats, Dirent });
for (const name of ['F_OK', 'R_OK', 'W_OK', 'X_OK'])
  Object.defineProperty(fs, name, { value: constants[name], enumerable: true });

/// What is wrong with arguments is thrown; what fails is told to the callback.
function isArgumentError(error) {
  return (
    (typeof error.code === 'string' && error.code.startsWith('ERR_INVALID_ARG')) || error.code === 'ERR_OUT_OF_RANGE'
  );
}

function callbackOf(args) {
  const callback = args.pop();
  if (typeof callback !== 'function') throw invalidArgType('cb', 'function', args.length ? callback : undefined);
  return callback;
}

const RESULTLESS = new Set([
  'close',
  'writeFile',
  'appendFile',
  'access',
  'rmdir',
  'rm',
  'unlink',
  'rename',
  'link',
  'symlink',
  'chmod',
  'fchmod',
  'lchmod',
  'chown',
  'lchown',
  'fchown',
  'utimes',
  'lutimes',
  'futimes',
  'truncate',
  'ftruncate',
  'fsync',
  'fdatasync',
  'copyFile',
  'cp',
]);

/// The form with a callback of a function that returns its result or throws.
function withCallback(name, call) {
  return { [name](...args) {
    const callback = callbackOf(args);
    tell(name, call, args, (error, ...results) => complete(callback, lineless(error), ...results));
  } }[name];
}

/// Calls, and tells the exception or the result.
function tell(name, call, args, callback) {
  const signal = args.at(-1)?.signal;
  if (signal?.aborted) return callback(new AbortError(undefined, { cause: signal.reason }));
  let result;
  try {
    result = call(...args);
  } catch (error) {
    if (isArgumentError(error)) throw error;
    return callback(error);
  }
  if (RESULTLESS.has(name)) callback(null);
  else callback(null, result);
}

for (const name of ['open', 'close', 'stat', 'lstat', 'fstat', 'statfs', 'readdir', 'mkdir', 'mkdtemp', 'readlink', 'realpath', 'readFile', 'opendir', ...RESULTLESS])
  fs[name] = withCallback(name, sync[`${name}Sync`]);
fs.realpath.native = withCallback('realpath', sync.realpathSync.native);

fs.exists = function exists(path, callback) {
  if (typeof callback !== 'function') throw invalidArgType('cb', 'function', callback);
  complete(callback, sync.existsSync(path));
};
Object.defineProperty(fs.exists, Symbol.for('nodejs.util.promisify.custom'), {
  value: (path) => Promise.resolve(sync.existsSync(path)),
});

for (const [name, many] of [['read', false], ['write', false], ['readv', true], ['writev', true]]) {
  fs[name] = { [name](fd, buffer, ...args) {
    let callback = args.pop();
    if (typeof buffer === 'function') [callback, buffer] = [buffer, Buffer.alloc(16384)];
    else if (name === 'read' && (buffer == null || (typeof buffer === 'object' && !ArrayBuffer.isView(buffer)))) {
      args = [{ ...buffer, offset: buffer?.offset ?? 0 }];
      buffer = buffer?.buffer === undefined ? Buffer.alloc(16384) : buffer.buffer;
    } else if (name === 'read' && args[0] === null && args.length > 1) args[0] = 0;
    else if (name === 'read' && isObject(args[0])) args[0] = { ...args[0], offset: args[0].offset ?? 0 };
    if (typeof callback !== 'function') throw invalidArgType('cb', 'function', callback);
    // A descriptor of a pipe or terminal is read when there is something, so that the loop goes on.
    const attempt = () => {
      let count;
      try {
        count = sync[`${name}Sync`](fd, buffer, ...args);
      } catch (error) {
        if (isArgumentError(error)) throw error;
        return complete(callback, lineless(error), 0, buffer);
      }
      complete(callback, null, count, buffer);
    };
    if (many || name !== 'read') return attempt();
    whenReadable(fd, attempt);
  } }[name];
  Object.defineProperty(fs[name], require('util').customPromisifyArgs, { value: name.startsWith('read') ? ['bytesRead', many ? 'buffers' : 'buffer'] : ['bytesWritten', many ? 'buffers' : 'buffer'] });
}

/// Calls back when reading would not wait; at once for files.
function whenReadable(fd, callback) {
  const about = typeof fd === 'number' ? native.fstat(fd) : -1;
  const type = typeof about === 'number' ? 0 : about[1] & 0o170000;
  if (type !== 0o010000 && type !== 0o020000 && type !== 0o140000) return callback();
  const { watch, unwatch } = require('internal/loop');
  const watcher = watch(fd, 1, () => {
    unwatch(watcher);
    callback();
  });
}
Object.defineProperty(fs, 'whenReadable', { value: whenReadable, enumerable: false });

fs.watch = function watch() { throw require('internal/errors').unsupported('fs.watch'); };
fs.watchFile = function watchFile(path, options, listener) {
  if (typeof options === 'function') [listener, options] = [options, {}];
  return require('internal/stat_watcher').watchFile(toPath(path), options ?? {}, listener);
};
fs.unwatchFile = function unwatchFile(path, listener) {
  require('internal/stat_watcher').unwatchFile(toPath(path), listener);
};

fs.createReadStream = function createReadStream(path, options) {
  return new (require('internal/file_streams').ReadStream)(path, options);
};
fs.createWriteStream = function createWriteStream(path, options) {
  return new (require('internal/file_streams').WriteStream)(path, options);
};
for (const name of ['ReadStream', 'WriteStream']) {
  const get = () => require('internal/file_streams')[name];
  Object.defineProperty(fs, name, {
    enumerable: true,
    configurable: true,
    get,
    set(value) {
      Object.defineProperty(fs, name, { value, writable: true });
    },
  });
  Object.defineProperty(fs, `File${name}`, { enumerable: true, configurable: true, get });
}
fs._toUnixTimestamp = seconds;
fs.openAsBlob = async (path, options) => new (require('internal/blob').Blob)([sync.readFileSync(path)], options);
Object.defineProperty(fs, 'promises', { enumerable: true, configurable: true, get: () => require('fs/promises') });
Object.defineProperty(fs, 'internals', {
  enumerable: false,
  value: { optionsOf, dataOf, writeAll, flagsOf, modeOf, bytesOf, tell: (name, ...rest) => tell(name, sync[`${name}Sync`], ...rest) },
});
