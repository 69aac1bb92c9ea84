// Questions as promises.

const readline = require('readline');
const { AbortError } = require('internal/errors');

class Interface extends readline.Interface {
  question(query, options) {
    return new Promise((resolve, reject) => {
      const { signal } = options ?? {};
      if (signal?.aborted) return reject(new AbortError(undefined, { cause: signal.reason }));
      signal?.addEventListener('abort', () => reject(new AbortError(undefined, { cause: signal.reason })), {
        once: true,
      });
      try {
        super.question(query, options ?? {}, resolve);
      } catch (error) {
        reject(error);
      }
    });
  }
}

class Readline {
  #stream;
  #todo = [];
  constructor(stream) { this.#stream = stream; }
  #add(name, ...args) {
    let text = '';
    readline[name]({ write: (part) => { text += part; } }, ...args);
    this.#todo.push(text);
    return this;
  }
  clearLine(direction) { return this.#add('clearLine', direction); }
  clearScreenDown() { return this.#add('clearScreenDown'); }
  cursorTo(x, y) { return this.#add('cursorTo', x, y); }
  moveCursor(dx, dy) { return this.#add('moveCursor', dx, dy); }
  commit() { return new Promise((resolve) => this.#stream.write(this.#todo.splice(0).join(''), () => resolve())); }
  rollback() { this.#todo = []; return this; }
}

module.exports = { Interface, Readline, createInterface: (...args) => new Interface(...args) };
