// `fs.opendir`.

const fs = require('fs');
const { coded } = require('internal/errors');

class Dir {
  #entries;
  #closed = false;
  constructor(path, options) {
    this.path = path;
    Object.defineProperty(this, 'path', { enumerable: true });
    try {
      this.#entries = fs.readdirSync(path, { withFileTypes: true, recursive: options?.recursive });
    } catch (error) {
      error.syscall = 'opendir';
      error.message = error.message.replace('scandir', 'opendir');
      error.stack = error.stack.replace('scandir', 'opendir');
      throw error;
    }
  }
  readSync() {
    if (this.#closed) throw coded(Error, 'ERR_DIR_CLOSED', 'Directory handle was closed');
    return this.#entries.shift() ?? null;
  }
  read(callback) {
    if (callback) return process.nextTick(callback, null, this.readSync());
    return Promise.resolve().then(() => this.readSync());
  }
  closeSync() {
    if (this.#closed) throw coded(Error, 'ERR_DIR_CLOSED', 'Directory handle was closed');
    this.#closed = true;
  }
  close(callback) {
    if (callback) {
      this.closeSync();
      return process.nextTick(callback, null);
    }
    return Promise.resolve().then(() => this.closeSync());
  }
  async *entries() {
    try {
      for (let entry; (entry = this.readSync()) !== null;) yield entry;
    } finally {
      this.#closed = true;
    }
  }
  [Symbol.asyncIterator]() { return this.entries(); }
}

module.exports = { Dir };
