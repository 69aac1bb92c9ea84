// Datagrams: refused when they are used.

const EventEmitter = require('events');
const { refused } = require('internal/no_network');

class Socket extends EventEmitter {
  bind() { process.nextTick(() => this.emit('error', refused('bind'))); return this; }
  send(...args) {
    const callback = args.find((item) => typeof item === 'function');
    process.nextTick(() => (callback ? callback(refused('send')) : this.emit('error', refused('send'))));
  }
  close(callback) { if (callback) process.nextTick(callback); return this; }
  ref() { return this; }
  unref() { return this; }
}

module.exports = { Socket, createSocket: () => new Socket() };
