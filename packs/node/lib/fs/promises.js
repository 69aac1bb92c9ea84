// Files, as promises.

const fs = require('fs');
const { complete } = require('internal/loop');
const EventEmitter = require('events');
const { coded, invalidArgType, AbortError } = require('internal/errors');

/// The call that calls back, as a promise; wrong arguments reject too.
function promised(name) {
  return { [name](...args) {
    return new Promise((resolve, reject) => {
      fs.internals.tell(name, args, (error, value) => complete(error ? reject : resolve, error ?? value));
    });
  } }[name];
}

class FileHandle extends EventEmitter {
  constructor(fd) {
    super();
    Object.defineProperty(this, 'number', { value: fd, writable: true, enumerable: false });
  }
  get fd() { return this.number; }
  getAsyncId() { return 0; }
  async read(buffer, offset, length, position) {
    if (buffer === undefined || (buffer !== null && typeof buffer === 'object' && !ArrayBuffer.isView(buffer))) {
      ({ buffer = Buffer.alloc(16384), offset = 0, length, position = null } = buffer ?? {});
    } else if (offset !== null && typeof offset === 'object') ({ offset = 0, length, position = null } = offset);
    return new Promise((resolve, reject) => {
      fs.read(
        this.fd,
        buffer,
        offset ?? 0,
        length ?? buffer.byteLength - (offset ?? 0),
        position ?? null,
        (error, bytesRead) => (error ? reject(error) : resolve({ __proto__: null, bytesRead, buffer })),
      );
    });
  }
  async write(buffer, ...rest) {
    return new Promise((resolve, reject) => {
      fs.write(this.fd, buffer, ...rest, (error, bytesWritten) =>
        error ? reject(error) : resolve({ __proto__: null, bytesWritten, buffer }),
      );
    });
  }
  async readv(buffers, position) {
    return { __proto__: null, bytesRead: fs.readvSync(this.fd, buffers, position), buffers };
  }
  async writev(buffers, position) {
    return { __proto__: null, bytesWritten: fs.writevSync(this.fd, buffers, position), buffers };
  }
  readFile(options) {
    return promises.readFile(this.fd, options);
  }
  writeFile(data, options) {
    return promises.writeFile(this.fd, data, options);
  }
  appendFile(data, options) {
    return promises.writeFile(this.fd, data, options);
  }
  stat(options) {
    return call('fstat', this.fd, options);
  }
  truncate(length) {
    return call('ftruncate', this.fd, length);
  }
  sync() {
    return call('fsync', this.fd);
  }
  datasync() {
    return call('fdatasync', this.fd);
  }
  chmod(mode) {
    return call('fchmod', this.fd, mode);
  }
  chown(uid, gid) {
    return call('fchown', this.fd, uid, gid);
  }
  utimes(atime, mtime) {
    return call('futimes', this.fd, atime, mtime);
  }
  createReadStream(options) {
    return fs.createReadStream(undefined, { ...options, fd: this });
  }
  createWriteStream(options) {
    return fs.createWriteStream(undefined, { ...options, fd: this });
  }
  readLines(options) {
    return require('readline').createInterface({ input: this.createReadStream(options), crlfDelay: Infinity });
  }
  async close() {
    if (this.number === -1) return;
    const fd = this.number;
    this.number = -1;
    await call('close', fd);
    this.emit('close');
  }
  async [Symbol.asyncDispose ?? Symbol.for('asyncDispose')]() { await this.close(); }
}

// A handle that was closed refuses what needs its file.
for (const name of Object.getOwnPropertyNames(FileHandle.prototype)) {
  const { value } = Object.getOwnPropertyDescriptor(FileHandle.prototype, name);
  if (typeof value !== 'function' || /^(constructor|close|getAsyncId|create|readLines)/.test(name)) continue;
  const wrapped = {
    async [name](...args) {
      if (this.number === -1) throw Object.assign(new Error('file closed'), { code: 'EBADF', syscall: name });
      return value.apply(this, args);
    },
  }[name];
  Object.defineProperty(FileHandle.prototype, name, { value: wrapped, writable: true, configurable: true });
}

const call = (name, ...args) => promised(name)(...args.filter((arg, i) => arg !== undefined || i === 0));

const promises = module.exports = {
  constants: fs.constants,
  async open(path, flags, mode) { return new FileHandle(await call('open', path, flags ?? 'r', mode ?? 0o666)); },
  async readFile(path, options) {
    const signal = options?.signal;
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
    return call('readFile', path instanceof FileHandle ? path.fd : path, options);
  },
  async writeFile(path, data, options) { return writeAny('writeFile', path, data, options); },
  async appendFile(path, data, options) { return writeAny('appendFile', path, data, options); },
  async *watch() { throw require('internal/errors').unsupported('fs.watch'); },
};

async function writeAny(name, path, data, options) {
  if (path instanceof FileHandle) path = path.fd;
  const isIterable =
    data &&
    typeof data !== 'string' &&
    !ArrayBuffer.isView(data) &&
    (data[Symbol.asyncIterator] || data[Symbol.iterator]);
  if (!isIterable) return call(name, path, data, options);
  const {
    encoding = 'utf8',
    mode,
    flag = name === 'writeFile' ? 'w' : 'a',
  } = typeof options === 'string' ? { encoding: options } : (options ?? {});
  const fd = typeof path === 'number' ? path : await call('open', path, flag, mode);
  try {
    for await (const chunk of data) fs.internals.writeAll(fd, fs.internals.dataOf(chunk, encoding), null);
  } finally {
    if (typeof path !== 'number') await call('close', fd);
  }
}

for (const name of [
  'access',
  'copyFile',
  'cp',
  'rename',
  'truncate',
  'rm',
  'rmdir',
  'mkdir',
  'readdir',
  'readlink',
  'symlink',
  'lstat',
  'stat',
  'statfs',
  'link',
  'unlink',
  'chmod',
  'lchmod',
  'lchown',
  'chown',
  'utimes',
  'lutimes',
  'mkdtemp',
  'opendir',
]) {
  promises[name] = {
    async [name](...args) {
      return call(name, ...args);
    },
  }[name];
}
promises.realpath = async function realpath(path, options) {
  return fs.realpathSync.native(path, options);
};
void coded, invalidArgType;
