// Timers.

const loop = require('internal/loop');
const { check } = require('internal/errors');

function setTimeout(callback, delay, ...args) {
  check.function(callback, 'callback');
  return new loop.Timer(callback, delay, args, false);
}

function setInterval(callback, delay, ...args) {
  check.function(callback, 'callback');
  return new loop.Timer(callback, delay, args, true);
}

function setImmediate(callback, ...args) {
  check.function(callback, 'callback');
  return new loop.Immediate(callback, args);
}

const custom = Symbol.for('nodejs.util.promisify.custom');
const later = (name) => ({ enumerable: true, get: () => require('timers/promises')[name] });
Object.defineProperty(setTimeout, custom, later('setTimeout'));
Object.defineProperty(setInterval, custom, later('setInterval'));
Object.defineProperty(setImmediate, custom, later('setImmediate'));

function clearTimeout(timer) { loop.clear(timer); }
function clearInterval(timer) { loop.clear(timer); }
function clearImmediate(immediate) { loop.clearImmediate(immediate); }

module.exports = {
  setTimeout,
  clearTimeout,
  setImmediate,
  clearImmediate,
  setInterval,
  clearInterval,
  get promises() {
    return require('timers/promises');
  },
};
