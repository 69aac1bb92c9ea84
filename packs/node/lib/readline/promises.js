// Questions as promises.

const readline = require('readline');
const { check, invalidArgType } = require('internal/errors');

const ask = readline.Interface.prototype.question[Symbol.for('nodejs.util.promisify.custom')];

class Interface extends readline.Interface {
  question(query, options) { return ask.call(this, query, options); }
}

/// Sequences for a terminal, which are collected until they are committed.
class Readline {
  #stream;
  #isDirect;
  #collected = '';
  constructor(stream, options = undefined) {
    if (typeof stream?.write !== 'function') throw invalidArgType('stream', 'Writable', stream);
    const direct = options?.autoCommit ?? false;
    check.boolean(direct, 'options.autoCommit');
    this.#stream = stream;
    this.#isDirect = direct;
  }
  #add(name, ...args) {
    const write = (text) => {
      if (this.#isDirect) process.nextTick(() => this.#stream.write(text));
      else this.#collected += text;
    };
    readline[name]({ write }, ...args);
    return this;
  }
  cursorTo(x, y = undefined) {
    check.integer(x, 'x');
    if (y !== undefined) check.integer(y, 'y');
    return this.#add('cursorTo', x, y);
  }
  moveCursor(dx, dy) {
    check.integer(dx, 'dx');
    check.integer(dy, 'dy');
    return this.#add('moveCursor', dx, dy);
  }
  clearLine(direction) {
    check.integer(direction, 'dir', -1, 1);
    return this.#add('clearLine', direction);
  }
  clearScreenDown() { return this.#add('clearScreenDown'); }
  commit() {
    const text = this.#collected;
    this.#collected = '';
    return new Promise((resolve) => this.#stream.write(text, resolve));
  }
  rollback() {
    this.#collected = '';
    return this;
  }
}

module.exports = { Interface, Readline, createInterface: (...args) => new Interface(...args) };
