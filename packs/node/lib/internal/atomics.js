// `Atomics`. There is one thread, so that everything is atomic. What waits is woken by later work of the same
// program, or by the time.

const KINDS = ['Int8Array', 'Uint8Array', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array'];
KINDS.push('BigInt64Array', 'BigUint64Array');
const WAITING = ['Int32Array', 'BigInt64Array'];

/// Those who wait without blocking, by the block of memory: for each [offset, wake].
const waiting = new WeakMap();

const kindOf = (value) => (ArrayBuffer.isView(value) ? native.classOf(value) : undefined);

function told(value) {
  return typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value);
}

function checkArray(array) {
  if (!KINDS.includes(kindOf(array))) throw new TypeError(`${told(array)} is not an integer typed array.`);
}

function checkWaiting(array) {
  if (!WAITING.includes(kindOf(array))) throw new TypeError(`${told(array)} is not an int32 or BigInt64 typed array.`);
}

function indexIn(array, index) {
  const number = Math.trunc(Number(index)) || 0;
  if (number < 0 || number >= array.length) throw new RangeError('Invalid atomic access index');
  return number;
}

const isBig = (array) => kindOf(array).startsWith('Big');

/// A value as an operand: a whole number, or a BigInt.
function operand(array, value) {
  if (isBig(array)) return BigInt.asIntN(64, typeof value === 'bigint' ? value : toBig(value));
  const number = Number(value);
  return Number.isNaN(number) ? 0 : Math.trunc(number) + 0;
}

/// As the engine converts what is put into an array of BigInts.
function toBig(value) {
  const cell = new BigInt64Array(1);
  cell[0] = value;
  return cell[0];
}

/// What is left of a value in an element of the array.
function wrapped(array, value) {
  const cell = new globalThis[kindOf(array)](1);
  cell[0] = value;
  return cell[0];
}

/// Puts a value that is computed of the old one, which is the result.
function change(array, index, value, compute) {
  checkArray(array);
  const at = indexIn(array, index);
  const by = wrapped(array, operand(array, value));
  const old = array[at];
  array[at] = compute(old, by);
  return old;
}

/// Lets time pass, in milliseconds; nobody can end it.
function pause(time) {
  const now = () => native.now(1) / 1e6;
  for (let end = now() + time, left = time; left > 0; left = end - now())
    native.poll([], Math.min(Math.ceil(left), 2 ** 31 - 1));
}

/// Whether somebody is to wait: [the index, the time in milliseconds], or the outcome.
function toWait(array, index, value, timeout) {
  checkWaiting(array);
  if (!(array.buffer instanceof SharedArrayBuffer)) throw new TypeError(`${told(array)} is not a shared typed array.`);
  const at = indexIn(array, index);
  const expected = isBig(array) ? BigInt.asIntN(64, typeof value === 'bigint' ? value : toBig(value)) : value | 0;
  const number = timeout === undefined ? Infinity : Number(timeout);
  const time = Number.isNaN(number) ? Infinity : Math.max(number, 0);
  return array[at] !== expected ? 'not-equal' : [at, time];
}

const methods = {
  load(array, index) {
    checkArray(array);
    return array[indexIn(array, index)];
  },
  store(array, index, value) {
    checkArray(array);
    const at = indexIn(array, index);
    const put = operand(array, value);
    array[at] = put;
    return isBig(array) && typeof value === 'bigint' ? value : put;
  },
  add(array, index, value) { return change(array, index, value, (old, by) => old + by); },
  sub(array, index, value) { return change(array, index, value, (old, by) => old - by); },
  and(array, index, value) { return change(array, index, value, (old, by) => old & by); },
  or(array, index, value) { return change(array, index, value, (old, by) => old | by); },
  xor(array, index, value) { return change(array, index, value, (old, by) => old ^ by); },
  exchange(array, index, value) { return change(array, index, value, (old, by) => by); },
  compareExchange(array, index, expected, replacement) {
    checkArray(array);
    const at = indexIn(array, index);
    const wanted = wrapped(array, operand(array, expected));
    const put = operand(array, replacement);
    const old = array[at];
    if (old === wanted) array[at] = put;
    return old;
  },
  isLockFree(size) { return [1, 2, 4, 8].includes(Math.trunc(Number(size))); },
  wait(array, index, value, timeout) {
    const found = toWait(array, index, value, timeout);
    if (found === 'not-equal') return found;
    pause(found[1]);
    return 'timed-out';
  },
  waitAsync(array, index, value, timeout) {
    const found = toWait(array, index, value, timeout);
    const outcome = found === 'not-equal' ? found : found[1] === 0 ? 'timed-out' : undefined;
    if (outcome) return { async: false, value: outcome };
    const [at, time] = found;
    const list = waiting.get(array.buffer) ?? [];
    waiting.set(array.buffer, list);
    const promise = new Promise((resolve) => {
      const one = { at: array.byteOffset + at * array.BYTES_PER_ELEMENT };
      one.wake = (outcome) => {
        list.splice(list.indexOf(one), 1);
        if (one.timer) require('timers').clearTimeout(one.timer);
        resolve(outcome);
      };
      if (time !== Infinity) {
        one.timer = require('timers').setTimeout(() => one.wake('timed-out'), time);
        one.timer.unref();
      }
      list.push(one);
    });
    return { async: true, value: promise };
  },
  notify(array, index, count) {
    checkWaiting(array);
    const at = array.byteOffset + indexIn(array, index) * array.BYTES_PER_ELEMENT;
    const most = count === undefined ? Infinity : Math.max(Math.trunc(Number(count)) || 0, 0);
    const woken = (waiting.get(array.buffer) ?? []).filter((one) => one.at === at).slice(0, most);
    for (const one of woken) one.wake('ok');
    return woken.length;
  },
};
Object.defineProperty(methods.wait, 'length', { value: 4, configurable: true });

const Atomics = {};
for (const name of Object.keys(methods))
  Object.defineProperty(Atomics, name, { value: methods[name], writable: true, configurable: true, enumerable: false });
Object.defineProperty(Atomics, Symbol.toStringTag, { value: 'Atomics', configurable: true });

module.exports = { Atomics };
