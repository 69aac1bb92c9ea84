// The format in which V8 writes values, as `v8.serialize` makes it and messages between processes use it.

const { coded, invalidArgType } = require('internal/errors');
const { inspect } = require('internal/inspect');
const { cloneRefusal } = require('internal/structured_clone');

const VERSION = 15;
const OLDEST = 13;
const LARGEST_INDEX = 4294967294;
const VIEWS = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  DataView,
  Buffer,
  BigInt64Array,
  BigUint64Array,
];
const FLAGS = 'gimyus dv'; // the first has the value 1, the next 2; one is V8's own
const ERRORS = { E: EvalError, R: RangeError, F: ReferenceError, S: SyntaxError, T: TypeError, U: URIError };
const number = new DataView(new ArrayBuffer(8));
const own = Function.call.bind(Object.prototype.hasOwnProperty);

const isInteger32 = (value) => value === (value | 0) && !Object.is(value, -0);
const isNumbers = (list) => list.every((value) => typeof value === 'number');
const malformed = () => new Error('Unable to deserialize cloned data.');

class Serializer {
  #bytes = Buffer.allocUnsafeSlow(64);
  #size = 0;
  #numbers = new Map(); // of objects that were written
  #viewsAreOurs = this instanceof DefaultSerializer;
  #moved = new Map();

  #space(count) {
    const at = this.#size;
    this.#size += count;
    if (this.#size > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#size, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    return at;
  }
  #tag(letter) {
    const at = this.#space(1);
    this.#bytes[at] = letter.charCodeAt(0);
  }
  #number(value) {
    for (; value > 127; value = Math.floor(value / 128)) {
      const at = this.#space(1);
      this.#bytes[at] = value % 128 | 128;
    }
    const at = this.#space(1);
    this.#bytes[at] = value;
  }

  writeHeader() {
    const at = this.#space(2);
    this.#bytes[at] = 255;
    this.#bytes[at + 1] = VERSION;
  }
  writeUint32(value) { this.#number(value >>> 0); }
  writeUint64(high, low) { this.#number64((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)); }
  #number64(value) {
    for (; value > 127n; value >>= 7n) {
      const at = this.#space(1);
      this.#bytes[at] = Number(value & 127n) | 128;
    }
    this.#number(Number(value));
  }
  writeDouble(value) {
    number.setFloat64(0, value, true);
    this.writeRawBytes(number);
  }
  writeRawBytes(source) {
    if (!ArrayBuffer.isView(source)) throw invalidArgType('source', ['Buffer', 'TypedArray', 'DataView'], source);
    const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    const at = this.#space(bytes.length);
    this.#bytes.set(bytes, at);
  }
  releaseBuffer() {
    const all = this.#bytes.subarray(0, this.#size);
    [this.#bytes, this.#size] = [Buffer.allocUnsafeSlow(64), 0];
    return all;
  }
  transferArrayBuffer(id, buffer) { this.#moved.set(buffer, id >>> 0); }
  _setTreatArrayBufferViewsAsHostObjects(on) { this.#viewsAreOurs = !!on; }
  _getDataCloneError(message) { return new Error(message); }

  writeValue(value) {
    switch (typeof value) {
      case 'undefined':
        return this.#tag('_');
      case 'boolean':
        return this.#tag(value ? 'T' : 'F');
      case 'number':
        if (!isInteger32(value)) {
          this.#tag('N');
          return this.writeDouble(value);
        }
        this.#tag('I');
        return this.#number(((value << 1) ^ (value >> 31)) >>> 0);
      case 'bigint':
        this.#tag('Z');
        return this.#bigint(value);
      case 'string':
        return this.#string(value);
      case 'object':
        return value === null ? this.#tag('0') : this.#object(value);
      default:
        throw this._getDataCloneError(cloneRefusal(value));
    }
  }

  #bigint(value) {
    const digits = [];
    for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= 64n) digits.push(BigInt.asUintN(64, rest));
    this.#number(digits.length * 16 + (value < 0n ? 1 : 0));
    for (const digit of digits) {
      number.setBigUint64(0, digit, true);
      this.writeRawBytes(number);
    }
  }

  #string(text) {
    const bytes = Buffer.from(text, 'latin1');
    if (bytes.latin1Slice() === text) {
      this.#tag('"');
      this.#number(bytes.length);
      return this.writeRawBytes(bytes);
    }
    const size = text.length * 2;
    // The characters begin at an even place.
    if ((this.#size + 1 + lengthOf(size)) % 2) this.#tag('\0');
    this.#tag('c');
    this.#number(size);
    this.writeRawBytes(Buffer.from(text, 'utf16le'));
  }

  #object(value) {
    const known = this.#numbers.get(value);
    if (known !== undefined) {
      this.#tag('^');
      return this.#number(known);
    }
    // A view is written after the bytes that it is of, and these have the lower number.
    const isView = ArrayBuffer.isView(value);
    if (isView && !this.#viewsAreOurs && !this.#numbers.has(value.buffer)) this.#object(value.buffer);
    this.#numbers.set(value, this.#numbers.size);
    if (native.proxyParts(value)) throw this._getDataCloneError(cloneRefusal(value));
    if (isView) return this.#view(value);
    if (Array.isArray(value)) return this.#array(value);
    switch (native.classOf(value)) {
      case 'Boolean':
        return this.#tag(Boolean.prototype.valueOf.call(value) ? 'y' : 'x');
      case 'Number':
        this.#tag('n');
        return this.writeDouble(Number.prototype.valueOf.call(value));
      case 'BigInt':
        this.#tag('z');
        return this.#bigint(BigInt.prototype.valueOf.call(value));
      case 'String':
        this.#tag('s');
        return this.#string(String.prototype.valueOf.call(value));
      case 'Date':
        this.#tag('D');
        return this.writeDouble(Date.prototype.getTime.call(value));
      case 'RegExp': {
        this.#tag('R');
        this.#string(value.source);
        return this.#number([...value.flags].reduce((sum, flag) => sum + 2 ** FLAGS.indexOf(flag), 0));
      }
      case 'Map': {
        const entries = [...Map.prototype.entries.call(value)];
        this.#tag(';');
        for (const [key, item] of entries) {
          this.writeValue(key);
          this.writeValue(item);
        }
        this.#tag(':');
        return this.#number(entries.length * 2);
      }
      case 'Set': {
        const items = [...Set.prototype.values.call(value)];
        this.#tag("'");
        for (const item of items) this.writeValue(item);
        this.#tag(',');
        return this.#number(items.length);
      }
      case 'Error':
        if (!(value instanceof DOMException)) return this.#error(value);
        return this.#plain(value);
      case 'ArrayBuffer':
        return this.#buffer(value);
      case 'Object':
        return this.#plain(value);
      default:
        throw this._getDataCloneError(cloneRefusal(value));
    }
  }

  #plain(value) {
    this.#tag('o');
    const count = this.#properties(value, Object.keys(value));
    this.#tag('{');
    this.#number(count);
  }

  #properties(value, keys) {
    let count = 0;
    for (const key of keys) {
      if (!own(value, key)) continue; // taken away while others were written
      this.writeValue(isIndex(key) ? Number(key) : key);
      this.writeValue(value[key]);
      count++;
    }
    return count;
  }

  #array(value) {
    const { length } = value;
    let isDense = true;
    const keys = Object.keys(value);
    const indexes = keys.findIndex((key) => !isIndex(key));
    isDense = (indexes < 0 ? keys.length : indexes) === length;
    this.#tag(isDense ? 'A' : 'a');
    this.#number(length);
    let rest = keys;
    if (isDense) {
      // V8 keeps numbers as fractions if one of them is one.
      const areFractions = isNumbers(value) && !value.every(isInteger32);
      for (let i = 0; i < length; i++) {
        if (areFractions) {
          this.#tag('N');
          this.writeDouble(value[i]);
        } else if (i in value) this.writeValue(value[i]);
        else this.#tag('-');
      }
      rest = keys.slice(length);
    }
    const count = this.#properties(value, rest);
    this.#tag(isDense ? '$' : '@');
    this.#number(count);
    this.#number(length);
  }

  #error(value) {
    this.#tag('r');
    const letter = Object.keys(ERRORS).find((key) => ERRORS[key].name === `${value.name}`);
    if (letter) this.#tag(letter);
    if (own(value, 'message')) {
      this.#tag('m');
      this.#string(`${value.message}`);
    }
    if (own(value, 'cause')) {
      this.#tag('c');
      this.writeValue(value.cause);
    }
    const { stack } = value;
    if (own(value, 'stack') && typeof stack === 'string') {
      this.#tag('s');
      this.#string(stack);
    }
    this.#tag('.');
  }

  #buffer(value) {
    const moved = this.#moved.get(value);
    if (moved !== undefined) {
      this.#tag('t');
      return this.#number(moved);
    }
    this.#tag(value.resizable ? '~' : 'B');
    this.#number(value.byteLength);
    if (value.resizable) this.#number(value.maxByteLength);
    this.writeRawBytes(new Uint8Array(value));
  }

  #view(value) {
    if (this.#viewsAreOurs) {
      this.#tag('\\');
      return this._writeHostObject(value);
    }
    const Kind = VIEWS.find((View) => View !== Buffer && native.classOf(value) === View.name);
    this.#tag('V');
    this.#tag('bBCwWdDfF?'[VIEWS.indexOf(Kind)] ?? (Kind === BigInt64Array ? 'q' : 'Q'));
    this.#number(value.byteOffset);
    this.#number(value.byteLength);
    this.#number(0);
  }

  _writeHostObject(value) {
    throw this._getDataCloneError(cloneRefusal(value));
  }
}

/// Writes views in Node's own way: the kind's place in `VIEWS`, how many bytes, the bytes.
class DefaultSerializer extends Serializer {
  _writeHostObject(view) {
    const name = view.constructor === Buffer ? 'Buffer' : native.classOf(view);
    const kind = VIEWS.findIndex((View) => View.name === name);
    if (kind < 0) throw this._getDataCloneError(`Unserializable host object: ${inspect(view)}`);
    for (const number of [kind, view.byteLength]) this.writeUint32(number);
    this.writeRawBytes(view);
  }
}

/// Reads for a program, which is told the method's name if that fails.
function failingAs(name, read) {
  try {
    return read();
  } catch {
    throw new Error(`${name}() failed`);
  }
}

class Deserializer {
  #bytes;
  #at = 0;
  #version = 0;
  #objects = [];
  #moved = new Map();

  constructor(bytes) {
    if (!ArrayBuffer.isView(bytes))
      throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'buffer must be a TypedArray or a DataView');
    this.buffer = bytes;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #byte() {
    if (this.#at >= this.#bytes.length) throw malformed();
    return this.#bytes[this.#at++];
  }
  #take(count) {
    if (!(count >= 0 && count <= this.#bytes.length - this.#at)) throw malformed();
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
  #double() {
    this.#take(8);
    return this.#bytes.readDoubleLE(this.#at - 8);
  }
  /// The high and the low half of a number with 64 bits.
  #longNumber() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#byte();
      if (shift < 64n) value |= BigInt(byte & 127) << shift;
      if (byte < 128) return [Number((value >> 32n) & 0xffffffffn), Number(value & 0xffffffffn)];
    }
  }
  #number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#byte();
      if (shift < 32) value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  }
  /// The next byte that means something, without taking it.
  #peek() {
    while (this.#bytes[this.#at] === 0) this.#at++;
    return this.#at < this.#bytes.length ? String.fromCharCode(this.#bytes[this.#at]) : undefined;
  }
  #letter() {
    const letter = this.#peek();
    if (letter === undefined) throw malformed();
    this.#at++;
    return letter;
  }

  readHeader() {
    if (this.#bytes[this.#at] === 255) {
      this.#at++;
      if (this.#at < this.#bytes.length) this.#version = this.#number();
      if (this.#version >= OLDEST && this.#version <= VERSION) return true;
    }
    throw new Error('Unable to deserialize cloned data due to invalid or unsupported version.');
  }
  getWireFormatVersion() { return this.#version; }
  transferArrayBuffer(id, buffer) { this.#moved.set(id >>> 0, buffer); }
  readUint32() { return failingAs('ReadUint32', () => this.#number()); }
  readUint64() { return failingAs('ReadUint64', () => this.#longNumber()); }
  readDouble() { return failingAs('ReadDouble', () => this.#double()); }
  _readRawBytes(count) {
    this.#take(count);
    return this.#at - count;
  }
  readRawBytes(count) {
    failingAs('ReadRawBytes', () => this.#take(count));
    const { buffer, byteOffset } = this.#bytes;
    return Buffer.from(buffer, byteOffset + this.#at - count, count);
  }

  readValue() {
    const letter = this.#letter();
    switch (letter) {
      case '_':
        return undefined;
      case '0':
        return null;
      case 'T':
        return true;
      case 'F':
        return false;
      case 'I': {
        const value = this.#number();
        return (value >>> 1) ^ -(value & 1);
      }
      case 'U':
        return this.#number();
      case 'N':
        return this.#double();
      case 'Z':
        return this.#bigint();
      case '"':
      case 'c':
      case 'S':
        return this.#text(letter);
      case '^': {
        const place = this.#number();
        if (place >= this.#objects.length) throw malformed();
        return this.#viewOf(this.#objects[place]);
      }
      case '?': // a count that older versions wrote
        this.#number();
        return this.readValue();
      default:
        return this.#object(letter);
    }
  }

  #object(letter) {
    const place = this.#objects.length;
    const keep = (value) => {
      this.#objects[place] = value;
      return value;
    };
    this.#objects.push(undefined);
    switch (letter) {
      case 'y':
      case 'x':
        return keep(Object(letter === 'y'));
      case 'n':
        return keep(Object(this.#double()));
      case 'z':
        return keep(Object(this.#bigint()));
      case 's':
        return keep(Object(this.#string()));
      case 'D':
        return keep(new Date(this.#double()));
      case 'R':
        return keep(this.#pattern());
      case 'o': {
        const made = keep({});
        if (this.#properties(made, '{') !== this.#number()) throw malformed();
        return made;
      }
      case 'A':
      case 'a':
        return this.#array(letter, keep);
      case ';': {
        const made = keep(new Map());
        let count = 0;
        while (this.#peek() !== ':') {
          made.set(this.readValue(), this.readValue());
          count += 2;
        }
        this.#at++;
        if (count !== this.#number()) throw malformed();
        return made;
      }
      case "'": {
        const made = keep(new Set());
        let count = 0;
        while (this.#peek() !== ',') {
          made.add(this.readValue());
          count++;
        }
        this.#at++;
        if (count !== this.#number()) throw malformed();
        return made;
      }
      case 'r':
        return this.#error(keep);
      case 'B':
      case '~': {
        const size = this.#number();
        const options = letter === '~' ? { maxByteLength: this.#number() } : undefined;
        if (options && options.maxByteLength < size) throw malformed();
        const bytes = this.#take(size);
        const made = keep(new ArrayBuffer(size, options));
        new Uint8Array(made).set(bytes);
        return this.#viewOf(made);
      }
      case 't': {
        const made = this.#moved.get(this.#number());
        if (made === undefined) throw malformed();
        keep(made);
        return this.#viewOf(made);
      }
      case '\\':
        return keep(this._readHostObject());
      default:
        throw malformed();
    }
  }

  /// A view may follow the bytes that it is of.
  #viewOf(buffer) {
    if (!(buffer instanceof ArrayBuffer) || this.#peek() !== 'V') return buffer;
    this.#at++;
    const kind = 'bBCwWdDfF?'.indexOf(this.#letter());
    const letter = String.fromCharCode(this.#bytes[this.#at - 1]);
    const Kind = kind >= 0 ? VIEWS[kind] : { q: BigInt64Array, Q: BigUint64Array }[letter];
    const offset = this.#number();
    const size = this.#number();
    if (this.#version >= 14) this.#number();
    const unit = Kind?.BYTES_PER_ELEMENT ?? 1;
    if (!Kind || offset + size > buffer.byteLength || offset % unit || size % unit) throw malformed();
    const made = new Kind(buffer, offset, size / unit);
    this.#objects.push(made);
    return made;
  }

  #bigint() {
    const head = this.#number();
    const size = head >>> 1;
    if (size % 8) throw malformed();
    const bytes = this.#take(size);
    const digits = Buffer.from(bytes).reverse().toString('hex');
    const value = digits ? BigInt(`0x${digits}`) : 0n;
    return head & 1 ? -value : value;
  }

  #string() {
    const letter = this.#letter();
    if (!['"', 'c', 'S'].includes(letter)) throw malformed();
    return this.#text(letter);
  }
  #text(letter) {
    const size = this.#number();
    if (letter === 'c' && size % 2) throw malformed();
    return this.#take(size).toString({ '"': 'latin1', c: 'utf16le', S: 'utf8' }[letter]);
  }

  #pattern() {
    const source = this.#string();
    const bits = this.#number();
    if (bits >= 2 ** FLAGS.length || bits & 64) throw malformed();
    try {
      return new RegExp(source, [...FLAGS].filter((flag, i) => bits & (1 << i)).join(''));
    } catch {
      throw malformed();
    }
  }

  #properties(made, end) {
    let count = 0;
    while (this.#peek() !== end) {
      const key = this.readValue();
      if (typeof key !== 'string' && typeof key !== 'number') throw malformed();
      const value = this.readValue();
      Object.defineProperty(made, key, { value, writable: true, enumerable: true, configurable: true });
      count++;
    }
    this.#at++;
    return count;
  }

  #array(letter, keep) {
    const length = this.#number();
    const isDense = letter === 'A';
    if (isDense && length > this.#bytes.length - this.#at) throw malformed();
    const made = keep([]);
    made.length = length;
    if (isDense) {
      for (let i = 0; i < length; i++) {
        if (this.#peek() === '-') this.#at++;
        else made[i] = this.readValue();
      }
    }
    if (this.#properties(made, isDense ? '$' : '@') !== this.#number()) throw malformed();
    if (this.#number() !== length) throw malformed();
    return made;
  }

  #error(keep) {
    const made = keep(new Error());
    delete made.stack;
    const define = (key, value) =>
      Object.defineProperty(made, key, { value, writable: true, enumerable: false, configurable: true });
    for (;;) {
      const letter = this.#letter();
      if (ERRORS[letter]) Object.setPrototypeOf(made, ERRORS[letter].prototype);
      else if (letter === 'm') define('message', this.#string());
      else if (letter === 'c') define('cause', this.readValue());
      else if (letter === 's') define('stack', this.#string());
      else if (letter === '.') break;
      else throw malformed();
    }
    if (!own(made, 'stack')) define('stack', undefined);
    return made;
  }

  _readHostObject() {
    throw malformed();
  }
}

class DefaultDeserializer extends Deserializer {
  _readHostObject() {
    const Kind = VIEWS[this.readUint32()];
    const size = this.readUint32();
    // As in Node, a kind that there is not is noticed at its first use.
    const unit = Kind === DataView || Kind === Buffer ? 1 : Kind.BYTES_PER_ELEMENT;
    if (size % unit) throw malformed();
    const bytes = this.readRawBytes(size);
    if (Kind === Buffer) return bytes;
    const { buffer, byteOffset } = bytes.byteOffset % unit ? new Uint8Array(bytes) : bytes;
    return new Kind(buffer, byteOffset, size / unit);
  }
}

/// How many bytes a number takes.
function lengthOf(value) {
  let count = 1;
  for (; value > 127; value = Math.floor(value / 128)) count++;
  return count;
}

function isIndex(key) {
  const value = Number(key);
  return value >= 0 && value <= LARGEST_INDEX && String(value >>> 0) === key;
}

function serialize(value) {
  const serializer = new DefaultSerializer();
  serializer.writeHeader();
  serializer.writeValue(value);
  return serializer.releaseBuffer();
}

function deserialize(bytes) {
  const deserializer = new DefaultDeserializer(bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}

module.exports = { Serializer, Deserializer, DefaultSerializer, DefaultDeserializer, serialize, deserialize };
