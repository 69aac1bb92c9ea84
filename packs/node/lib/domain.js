// Domains, in their simplest form.

const EventEmitter = require('events');

class Domain extends EventEmitter {
  members = [];
  run(callback, ...args) {
    try {
      return callback(...args);
    } catch (error) {
      this.emit('error', error);
      return undefined;
    }
  }
  add(emitter) { this.members.push(emitter); emitter.on('error', (error) => this.emit('error', error)); }
  remove(emitter) { this.members = this.members.filter((member) => member !== emitter); }
  bind(callback) { return (...args) => this.run(callback, ...args); }
  intercept(callback) { return (error, ...args) => (error ? this.emit('error', error) : this.run(callback, ...args)); }
  enter() {}
  exit() {}
}

module.exports = { Domain, create: () => new Domain(), createDomain: () => new Domain(), active: null };
