// `structuredClone`, from the HTML standard.

const { coded } = require('internal/errors');

const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

/// The words in which a value is refused.
function cloneRefusal(value) {
  let text;
  if (typeof value === 'function') text = Function.prototype.toString.call(value);
  else if (typeof value === 'symbol') text = String(value);
  else {
    const name = value.constructor?.name;
    const isPlain = value.toString === Object.prototype.toString && typeof name === 'string' && name !== '';
    text = isPlain ? `#<${name}>` : Object.prototype.toString.call(value);
  }
  return `${text} could not be cloned.`;
}

function refuse(value) {
  throw new DOMException(cloneRefusal(value), 'DataCloneError');
}

/// Copies a graph of values; a list of what is to be filled in takes the place of recursion.
function clone(root, moved = []) {
  const copies = new Map();
  const todo = [];
  const copy = (value) => {
    if (typeof value === 'symbol' || typeof value === 'function') refuse(value);
    if (value === null || typeof value !== 'object') return value;
    if (copies.has(value)) return copies.get(value);
    const made = empty(value, todo, moved, copy);
    copies.set(value, made);
    return made;
  };
  const result = copy(root);
  while (todo.length) todo.shift()(copy);
  return result;
}

function empty(value, todo, moved, copy) {
  const kind = native.classOf(value);
  if (native.proxyParts(value)) refuse(value);
  if (value instanceof Blob) return value;
  if (value instanceof MessagePort && !moved.includes(value)) {
    throw coded(
      TypeError,
      'ERR_MISSING_TRANSFERABLE_IN_TRANSFER_LIST',
      'Object that needs transfer was found in message but not listed in transferList',
    );
  }
  switch (kind) {
    case 'Date':
      return new Date(value.getTime());
    case 'RegExp':
      return new RegExp(value.source, value.flags);
    case 'Boolean':
    case 'Number':
    case 'String':
    case 'BigInt':
      return Object(value.valueOf());
    case 'Symbol':
    case 'Promise':
    case 'WeakMap':
    case 'WeakSet':
    case 'WeakRef':
    case 'Generator':
    case 'Arguments':
    case 'Mapped Arguments':
      return refuse(value);
    case 'ArrayBuffer':
      return moved.includes(value) ? value.transfer() : value.slice(0);
    case 'SharedArrayBuffer':
      return value;
    case 'Map': {
      const made = new Map();
      todo.push((copy) => { for (const [key, item] of [...value]) made.set(copy(key), copy(item)); });
      return made;
    }
    case 'Set': {
      const made = new Set();
      todo.push((copy) => { for (const item of [...value]) made.add(copy(item)); });
      return made;
    }
    case 'Error': {
      if (value instanceof DOMException) return {};
      const Kind = ERRORS[value.name] ?? Error;
      const made = Object.create(Kind.prototype);
      const real = new Kind();
      Object.setPrototypeOf(real, Kind.prototype);
      void made;
      if (Object.prototype.hasOwnProperty.call(value, 'message'))
        Object.defineProperty(real, 'message', { value: `${value.message}`, writable: true, configurable: true });
      Object.defineProperty(real, 'stack', { value: `${value.stack}`, writable: true, configurable: true });
      if ('cause' in value)
        todo.push((copy) =>
          Object.defineProperty(real, 'cause', { value: copy(value.cause), writable: true, configurable: true }),
        );
      return real;
    }
    default:
  }
  if (ArrayBuffer.isView(value)) {
    // The place in the buffer is asked for first: a buffer that is moved has nothing left.
    const { buffer, byteOffset } = value;
    const size = kind === 'DataView' ? value.byteLength : value.length;
    return new globalThis[kind](copy(buffer), byteOffset, size);
  }
  const made = Array.isArray(value) ? new Array(value.length) : {};
  todo.push((copy) => {
    for (const key of Object.keys(value)) {
      const item = value[key];
      Object.defineProperty(made, key, { value: copy(item), writable: true, enumerable: true, configurable: true });
    }
  });
  return made;
}

function structuredClone(value, options) {
  if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The value argument must be specified');
  const { transfer } = options ?? {};
  if (transfer == null) return clone(value);
  if (typeof transfer !== 'object' || typeof transfer[Symbol.iterator] !== 'function')
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'Optional transferList argument must be an iterable');
  const moved = [...transfer];
  if (moved.some((item) => !(item instanceof ArrayBuffer || item instanceof MessagePort)))
    throw coded(TypeError, 'ERR_INVALID_TRANSFER_OBJECT', 'Found invalid object in transferList');
  return clone(value, moved);
}

module.exports = { structuredClone, cloneRefusal };
