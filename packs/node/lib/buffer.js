// Buffer: bytes with encodings.

const { inspect, custom } = require('internal/inspect');
const { coded, invalidArgType, invalidArgValue, outOfRange, check, received } = require('internal/errors');

const ENCODINGS = {
  'utf8': 0,
  'utf-8': 0,
  'latin1': 1,
  'binary': 1,
  'ucs2': 2,
  'ucs-2': 2,
  'utf16le': 2,
  'utf-16le': 2,
  'hex': 3,
  'base64': 4,
  'base64url': 5,
  'ascii': 6,
};
const MOST = 2 ** 32;

function encodingOf(name) {
  if (name === undefined || name === null || name === '') return 0;
  const number = ENCODINGS[name] ?? ENCODINGS[String(name).toLowerCase()];
  if (number === undefined) throw coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${name}`);
  return number;
}

class FastBuffer extends Uint8Array {}

const DEPRECATED =
  'Buffer() is deprecated due to security and usability issues. ' +
  'Please use the Buffer.alloc(), Buffer.allocUnsafe(), or Buffer.from() methods instead.';
let isWarned = false;

/// The programs of others are not told.
function warn() {
  if (isWarned || /\/node_modules\//.test(new Error().stack)) return;
  isWarned = true;
  process.emitWarning(DEPRECATED, 'DeprecationWarning', 'DEP0005');
}

function Buffer(value, second, length) {
  warn();
  if (typeof value !== 'number') return Buffer.from(value, second, length);
  if (typeof second === 'string') throw invalidArgType('string', 'string', value);
  return Buffer.alloc(value);
}
Object.defineProperty(Buffer, Symbol.species, { configurable: true, get: () => FastBuffer });
Object.setPrototypeOf(Buffer, Uint8Array);
FastBuffer.prototype.constructor = Buffer;
Buffer.prototype = FastBuffer.prototype;

const wrap = (arrayBuffer) => new FastBuffer(arrayBuffer);

Buffer.poolSize = 8192;

function checkSize(size) {
  if (typeof size !== 'number') throw invalidArgType('size', 'number', size);
  if (!(size >= 0 && size <= MOST)) throw outOfRange('size', `>= 0 && <= ${MOST}`, size);
}

// Memory is zero where nothing was written, so that all of these are safe.
Buffer.allocUnsafe = function allocUnsafe(size) {
  checkSize(size);
  return new FastBuffer(size);
};
Buffer.allocUnsafeSlow = Buffer.allocUnsafe;
Buffer.alloc = function alloc(size, fill, encoding) {
  checkSize(size);
  const zeros = new FastBuffer(size);
  return fill === undefined || fill === 0 || size === 0 ? zeros : zeros.fill(fill, encoding);
};

/// Its second argument is the encoding of text, or where an array buffer's bytes begin.
Buffer.from = function from(value, second, length) {
  if (typeof value === 'string') {
    const encoding = typeof second === 'string' ? second : undefined;
    return wrap(native.encode(value, encodingOf(encoding)));
  }
  const made = typeof value === 'object' && value !== null ? ofObject(value, second, length) : undefined;
  if (made !== undefined) return made;
  const kinds = 'an instance of Buffer, ArrayBuffer, or Array or an Array-like Object';
  const message = `The first argument must be of type string or ${kinds}.${received(value)}`;
  throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', message);
};

/// The bytes of an object, or of what it stands for; undefined if there are none.
function ofObject(value, second, length) {
  const kind = native.classOf(value);
  if (kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer') return window(value, second, length);
  const inner = value.valueOf?.();
  const standsForInner = inner !== value && inner !== null && (typeof inner === 'string' || typeof inner === 'object');
  if (standsForInner) return Buffer.from(inner, second, length);
  const copy = copied(value);
  if (copy !== undefined || typeof value[Symbol.toPrimitive] !== 'function') return copy;
  const text = value[Symbol.toPrimitive]('string');
  return typeof text === 'string' ? Buffer.from(text, second) : undefined;
}

const outside = (name) => coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', `"${name}" is outside of buffer bounds`);

/// A part of an array buffer, without a copy.
function window(whole, start, length) {
  const offset = +start || 0;
  const most = whole.byteLength - offset;
  if (most < 0) throw outside('offset');
  const wanted = length === undefined ? most : Math.max(+length || 0, 0);
  if (wanted > most) throw outside('length');
  return new FastBuffer(whole, offset, wanted);
}

/// A copy of an array's bytes, or of those in what `toJSON` gave.
function copied(value) {
  if (value.length === undefined && !ArrayBuffer.isView(value))
    return value.type === 'Buffer' && Array.isArray(value.data) ? copied(value.data) : undefined;
  if (typeof value.length !== 'number' || value.length <= 0) return new FastBuffer(0);
  const isIterable = Array.isArray(value) || ArrayBuffer.isView(value);
  const out = new FastBuffer(value.length);
  out.set(isIterable ? value : Array.from(value));
  return out;
}

Buffer.of = function of(...items) { return copied(items); };
Buffer.isBuffer = function isBuffer(value) { return value instanceof Buffer; };
Buffer.isEncoding = function isEncoding(name) {
  return typeof name === 'string' && name.length !== 0 && ENCODINGS[name.toLowerCase()] !== undefined;
};

Buffer.byteLength = function byteLength(value, encoding) {
  if (typeof value !== 'string') {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
    throw coded(
      TypeError,
      'ERR_INVALID_ARG_TYPE',
      'The "string" argument must be of type string or an instance of Buffer or ArrayBuffer.' + received(value),
    );
  }
  switch (ENCODINGS[String(encoding ?? 'utf8').toLowerCase()]) {
    case 1: case 6: return value.length;
    case 2: return value.length * 2;
    case 3: return value.length >>> 1;
    case 4: case 5: {
      let size = value.length;
      if (value.endsWith('==')) size -= 2;
      else if (value.endsWith('=')) size -= 1;
      return (size * 3) >>> 2;
    }
    default: return native.utf8Length(value);
  }
};

Buffer.compare = function compare(one, two) {
  if (!(one instanceof Uint8Array)) throw invalidArgType('buf1', ['Buffer', 'Uint8Array'], one);
  if (!(two instanceof Uint8Array)) throw invalidArgType('buf2', ['Buffer', 'Uint8Array'], two);
  return native.compare(one, two);
};

Buffer.concat = function concat(list, length) {
  check.array(list, 'list');
  if (length === undefined) length = list.reduce((sum, item) => sum + (item?.length ?? 0), 0);
  else check.integer(length, 'length', 0);
  const out = Buffer.allocUnsafe(length);
  let at = 0;
  list.forEach((item, i) => {
    if (!(item instanceof Uint8Array)) throw invalidArgType(`list[${i}]`, ['Buffer', 'Uint8Array'], item);
    if (at >= length) return;
    const part = item.length > length - at ? item.subarray(0, length - at) : item;
    out.set(part, at);
    at += part.length;
  });
  return out;
};

Buffer.copyBytesFrom = function copyBytesFrom(view, offset = 0, length) {
  const part = length === undefined ? view.slice(offset) : view.slice(offset, offset + length);
  return Buffer.from(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
};

const proto = Buffer.prototype;

// Old names.
for (const [name, property] of [['parent', 'buffer'], ['offset', 'byteOffset']]) {
  const get = function() { return this instanceof Buffer ? this[property] : undefined; };
  Object.defineProperty(proto, name, { get, enumerable: true });
}

/// A place in bytes: from 0 to their number.
const placeIn = (bytes, value) => Math.min(Math.max(Math.trunc(value) || 0, 0), bytes.length);

proto.toString = function toString(encoding, start, end) {
  const first = start === undefined ? 0 : placeIn(this, start);
  const last = end === undefined ? this.length : placeIn(this, end);
  return first < last ? native.decode(this, first, last, encodingOf(encoding)) : '';
};
proto.toLocaleString = proto.toString;

proto.equals = function equals(other) {
  if (!(other instanceof Uint8Array)) throw invalidArgType('otherBuffer', ['Buffer', 'Uint8Array'], other);
  return this === other || (this.byteLength === other.byteLength && native.compare(this, other) === 0);
};

proto[custom] = function inspect_(depth, context) {
  const most = module.exports.INSPECT_MAX_BYTES;
  const shown = Math.min(most, this.length);
  let text = Array.from(this.subarray(0, shown), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const rest = this.length - most;
  if (rest > 0) text += ` ... ${rest} more byte${rest > 1 ? 's' : ''}`;
  // Properties come after the indices.
  const own = context ? [...Object.keys(this).slice(this.length), ...Object.getOwnPropertySymbols(this)] : [];
  if (own.length > 0) {
    const properties = Object.fromEntries(own.map((key) => [key, this[key]]));
    const all = inspect(properties, { ...context, breakLength: Infinity, compact: true });
    text += `${text && ', '}${all.slice(2, -2)}`;
  }
  return `<${this.constructor?.name ?? 'Buffer'} ${text}>`;
};
Object.defineProperty(proto[custom], 'name', { value: 'inspect' });
proto.inspect = proto[custom];

proto.compare = function compare(target, start = 0, end = target?.length, thisStart = 0, thisEnd = this.length) {
  if (!(target instanceof Uint8Array)) throw invalidArgType('target', ['Buffer', 'Uint8Array'], target);
  check.integer(start, 'targetStart', 0);
  check.integer(end, 'targetEnd', 0, target.length);
  check.integer(thisStart, 'sourceStart', 0);
  check.integer(thisEnd, 'sourceEnd', 0, this.length);
  if (thisStart >= thisEnd) return start >= end ? 0 : -1;
  if (start >= end) return 1;
  return native.compare(this.subarray(thisStart, thisEnd), target.subarray(start, end));
};

function find(buffer, value, offset, encoding, back) {
  if (typeof offset === 'string') {
    encoding = offset;
    offset = undefined;
  }
  offset = +offset;
  if (Number.isNaN(offset)) offset = back ? buffer.length : 0;
  offset = Math.trunc(Math.max(-2147483648, Math.min(2147483647, offset)));
  if (offset < 0) {
    offset += buffer.length;
    if (offset < 0) {
      if (back) return -1;
      offset = 0;
    }
  }
  let step = 1;
  if (typeof value === 'number') value = Uint8Array.of(value);
  else if (typeof value === 'string') {
    const number = encodingOf(encoding);
    if (number === 2) step = 2;
    value = new Uint8Array(native.encode(value, number));
  } else if (!(value instanceof Uint8Array))
    throw invalidArgType('value', ['number', 'string', 'Buffer', 'Uint8Array'], value);
  if (value.length === 0) return back ? Math.min(offset, buffer.length) : Math.min(offset, buffer.length);
  return native.find(buffer, value, offset, step, back);
}
proto.indexOf = function indexOf(value, offset, encoding) { return find(this, value, offset, encoding, false); };
proto.lastIndexOf = function lastIndexOf(value, offset, encoding) { return find(this, value, offset, encoding, true); };
proto.includes = function includes(value, offset, encoding) { return this.indexOf(value, offset, encoding) !== -1; };

proto.fill = function fill(value, offset, end, encoding) {
  // The encoding of text may come first; an end without a beginning does not count.
  const isText = typeof value === 'string';
  if (isText && typeof offset === 'string') [encoding, offset, end] = [offset, 0, undefined];
  else if (offset === undefined) [offset, end] = [0, undefined];
  else if (isText && typeof end === 'string') [encoding, end] = [end, undefined];
  if (end === undefined) end = this.length;
  check.integer(offset, 'offset', 0, MOST);
  check.integer(end, 'end', 0, this.length);
  if (offset >= end) return this;
  if (!isText && !ArrayBuffer.isView(value)) return fillBytes(this, value === true ? 1 : value & 255, offset, end);
  if (isText && encoding != null) check.string(encoding, 'encoding');
  const bytes = isText ? native.encode(value, encodingOf(encoding)) : value;
  if (value === '') return fillBytes(this, 0, offset, end);
  if (bytes.byteLength === 0) throw invalidArgValue('value', value);
  const { buffer = bytes, byteOffset = 0, byteLength } = bytes;
  return repeat(this, new Uint8Array(buffer, byteOffset, byteLength), offset, end);
};
const fillBytes = (bytes, value, start, end) => Uint8Array.prototype.fill.call(bytes, value, start, end);

function repeat(target, bytes, at, end) {
  for (let i = 0; at < end; i = i + 1 === bytes.length ? 0 : i + 1) target[at++] = bytes[i];
  return target;
}

proto.write = function write(text, offset, length, encoding) {
  if (typeof offset === 'string') [encoding, offset, length] = [offset, 0, this.length];
  else if (typeof length === 'string') [encoding, length] = [length, undefined];
  check.string(text, 'argument');
  if (offset === undefined) offset = 0;
  else check.integer(offset, 'offset', 0, this.length);
  const left = this.length - offset;
  if (length === undefined) length = left;
  else {
    check.integer(length, 'length', 0, this.length);
    if (length > left) length = left;
  }
  return native.writeText(this, text, offset, length, encodingOf(encoding));
};
for (const [name, number] of [
  ['utf8', 0],
  ['latin1', 1],
  ['ucs2', 2],
  ['hex', 3],
  ['base64', 4],
  ['base64url', 5],
  ['ascii', 6],
]) {
  proto[`${name}Write`] = function (text, offset = 0, length = this.length - offset) {
    return native.writeText(this, text, offset, length, number);
  };
  proto[`${name}Slice`] = function (start = 0, end = this.length) {
    return native.decode(this, start, end, number);
  };
}

proto.copy = function copy(target, targetStart = 0, start = 0, end = this.length) {
  if (!(target instanceof Uint8Array)) throw invalidArgType('target', ['Buffer', 'Uint8Array'], target);
  targetStart = Math.trunc(targetStart) || 0;
  start = Math.trunc(start) || 0;
  end = Math.trunc(end) || 0;
  if (targetStart < 0) throw outOfRange('targetStart', '>= 0', targetStart);
  if (start < 0 || start > this.length) throw outOfRange('sourceStart', `>= 0 && <= ${this.length}`, start);
  if (end < 0) throw outOfRange('sourceEnd', '>= 0', end);
  if (targetStart >= target.length || start >= end) return 0;
  const count = Math.min(end - start, target.length - targetStart, this.length - start);
  target.set(this.subarray(start, start + count), targetStart);
  return count;
};

proto.slice = proto.subarray = function subarray(start, end) {
  const size = this.length;
  const clamp = (value, otherwise) => {
    value = value === undefined ? otherwise : Math.trunc(+value) || 0;
    return value < 0 ? Math.max(value + size, 0) : Math.min(value, size);
  };
  const from = clamp(start, 0);
  const to = clamp(end, size);
  return new FastBuffer(this.buffer, this.byteOffset + from, Math.max(to - from, 0));
};
Object.defineProperty(proto.slice, 'name', { value: 'subarray' });

proto.toJSON = function toJSON() { return { type: 'Buffer', data: Array.from(this) }; };

for (const size of [2, 4, 8]) {
  proto[`swap${size * 8}`] = function () {
    if (this.length % size !== 0)
      throw coded(RangeError, 'ERR_INVALID_BUFFER_SIZE', `Buffer size must be a multiple of ${size * 8}-bits`);
    for (let i = 0; i < this.length; i += size) Uint8Array.prototype.reverse.call(this.subarray(i, i + size));
    return this;
  };
}

// Numbers: one view for each call would be slow, so that the bytes are put together here.
const scratch = new DataView(new ArrayBuffer(8));

function checkOffset(buffer, offset, size) {
  if (typeof offset !== 'number') throw invalidArgType('offset', 'number', offset);
  if (offset >= 0 && offset + size <= buffer.length && Number.isInteger(offset)) return;
  if (!Number.isInteger(offset)) throw outOfRange('offset', 'an integer', offset);
  if (buffer.length - size < 0)
    throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
  throw outOfRange('offset', `>= 0 and <= ${buffer.length - size}`, offset);
}

function define(name, size, little, method, least, most) {
  const isBig = typeof least === 'bigint';
  const read = function(offset = 0) {
    checkOffset(this, offset, size);
    for (let i = 0; i < size; i++) scratch.setUint8(i, this[offset + i]);
    return scratch[`get${method}`](0, little);
  };
  const write = function(value, offset = 0) {
    if (!isBig) value = +value;
    if (least !== undefined && (value < least || value > most))
      throw outOfRange('value', rangeText(size, least, most), value);
    checkOffset(this, offset, size);
    if (isBig && typeof value !== 'bigint')
      throw new TypeError('Cannot mix BigInt and other types, use explicit conversions');
    scratch[`set${method}`](0, value, little);
    for (let i = 0; i < size; i++) this[offset + i] = scratch.getUint8(i);
    return offset + size;
  };
  for (const alias of new Set([name, name.replace('UInt', 'Uint')])) {
    proto[`read${alias}`] = read;
    proto[`write${alias}`] = write;
  }
}

function rangeText(size, least, most) {
  const n = typeof least === 'bigint' ? 'n' : '';
  // As in Node, only numbers of more than four bytes are told as powers.
  if (size <= 4 && n === '') return `>= ${least} and <= ${most}`;
  const bits = size * 8;
  return least < 0
    ? `>= -(2${n} ** ${bits - 1}${n}) and < 2${n} ** ${bits - 1}${n}`
    : `>= 0${n} and < 2${n} ** ${bits}${n}`;
}

define('UInt8', 1, true, 'Uint8', 0, 255);
define('Int8', 1, true, 'Int8', -128, 127);
for (const [end, little] of [['LE', true], ['BE', false]]) {
  define(`UInt16${end}`, 2, little, 'Uint16', 0, 65535);
  define(`Int16${end}`, 2, little, 'Int16', -32768, 32767);
  define(`UInt32${end}`, 4, little, 'Uint32', 0, 2 ** 32 - 1);
  define(`Int32${end}`, 4, little, 'Int32', -(2 ** 31), 2 ** 31 - 1);
  define(`BigUInt64${end}`, 8, little, 'BigUint64', 0n, 2n ** 64n - 1n);
  define(`BigInt64${end}`, 8, little, 'BigInt64', -(2n ** 63n), 2n ** 63n - 1n);
  define(`Float${end}`, 4, little, 'Float32');
  define(`Double${end}`, 8, little, 'Float64');
  proto[`readUInt${end}`] = proto[`readUint${end}`] = function (offset, size) {
    return readMany(this, offset, size, little, false);
  };
  proto[`readInt${end}`] = function (offset, size) {
    return readMany(this, offset, size, little, true);
  };
  proto[`writeUInt${end}`] = proto[`writeUint${end}`] = function (value, offset, size) {
    return writeMany(this, value, offset, size, little, false);
  };
  proto[`writeInt${end}`] = function (value, offset, size) {
    return writeMany(this, value, offset, size, little, true);
  };
}

function checkCount(size) {
  if (typeof size !== 'number') throw invalidArgType('byteLength', 'number', size);
  if (!Number.isInteger(size)) throw outOfRange('byteLength', 'an integer', size);
  if (size < 1 || size > 6) throw outOfRange('byteLength', '>= 1 and <= 6', size);
}

function readMany(buffer, offset, size, little, isSigned) {
  if (offset === undefined) throw invalidArgType('offset', 'number', offset);
  checkCount(size);
  checkOffset(buffer, offset, size);
  let value = 0;
  for (let i = 0; i < size; i++) value = value * 256 + buffer[little ? offset + size - 1 - i : offset + i];
  return isSigned && value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value;
}

function writeMany(buffer, value, offset, size, little, isSigned) {
  checkCount(size);
  value = +value;
  const [least, most] = isSigned ? [-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1] : [0, 2 ** (8 * size) - 1];
  if (value < least || value > most) throw outOfRange('value', rangeText(size, least, most), value);
  checkOffset(buffer, offset, size);
  let left = Math.trunc(value) + (value < 0 ? 2 ** (8 * size) : 0);
  for (let i = 0; i < size; i++) {
    buffer[little ? offset + i : offset + size - 1 - i] = left % 256;
    left = Math.floor(left / 256);
  }
  return offset + size;
}

for (const key of Object.keys(proto))
  Object.defineProperty(proto, key, { enumerable: key === 'parent' || key === 'offset' || true });

function btoa(input) {
  if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "input" argument must be specified');
  input = `${input}`;
  for (let i = 0; i < input.length; i++)
    if (input.charCodeAt(i) > 255) throw new DOMException('Invalid character', 'InvalidCharacterError');
  return Buffer.from(input, 'latin1').toString('base64');
}

function atob(input) {
  if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "input" argument must be specified');
  const text = `${input}`.replace(/[\t\n\f\r ]/g, '');
  const plain = text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text;
  if (/[^A-Za-z0-9+/]/.test(plain)) throw new DOMException('Invalid character', 'InvalidCharacterError');
  if (plain.length % 4 === 1)
    throw new DOMException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
  return Buffer.from(plain, 'base64').toString('latin1');
}

function bytesOf(input) {
  if (!ArrayBuffer.isView(input) && !(input instanceof ArrayBuffer))
    throw invalidArgType('input', ['ArrayBuffer', 'Buffer', 'TypedArray'], input);
  return new Uint8Array(input.buffer ?? input, input.byteOffset ?? 0, input.byteLength);
}

const TRANSCODED = ['utf8', 'utf16le', 'latin1', 'ascii'];

/// Bytes in another encoding; what has no place there is `?`.
function transcode(source, from, to) {
  if (!(source instanceof Uint8Array)) throw invalidArgType('source', ['Buffer', 'Uint8Array'], source);
  const { StringDecoder } = require('string_decoder');
  const [one, other] = [from, to].map((name) => Buffer.isEncoding(name) && new StringDecoder(name).encoding);
  if (!TRANSCODED.includes(one) || !TRANSCODED.includes(other)) {
    const error = new Error('Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]');
    throw Object.assign(error, { code: 'U_ILLEGAL_ARGUMENT_ERROR', errno: 1 });
  }
  let text = Buffer.from(source.buffer, source.byteOffset, source.byteLength).toString(one);
  if (other === 'latin1') text = text.replace(/[^\0-\xff]/gu, '?');
  if (other === 'ascii') text = text.replace(/[^\0-\x7f]/gu, '?');
  return Buffer.from(text, other);
}

function SlowBuffer(size) { return Buffer.allocUnsafe(size); }

module.exports = {
  Buffer,
  SlowBuffer,
  transcode,
  isUtf8: (input) => native.utf8Valid(bytesOf(input)),
  isAscii: (input) => bytesOf(input).every((byte) => byte < 128),
  kMaxLength: MOST,
  kStringMaxLength: 2 ** 29 - 24,
  constants: { MAX_LENGTH: MOST, MAX_STRING_LENGTH: 2 ** 29 - 24 },
  btoa,
  atob,
  INSPECT_MAX_BYTES: 50,
  resolveObjectURL: (url) => require('internal/blob').objectOf(url),
  get Blob() { return require('internal/blob').Blob; },
  get File() { return require('internal/blob').File; },
};
Object.defineProperty(module.exports, 'encodingOf', { value: encodingOf, enumerable: false });
