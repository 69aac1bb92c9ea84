// Compression.

const { Transform } = require('stream');
const { coded, invalidArgType, outOfRange, check, unsupported } = require('internal/errors');
const { complete } = require('internal/loop');

const constants = {
  __proto__: null,
  Z_NO_FLUSH: 0,
  Z_PARTIAL_FLUSH: 1,
  Z_SYNC_FLUSH: 2,
  Z_FULL_FLUSH: 3,
  Z_FINISH: 4,
  Z_BLOCK: 5,
  Z_OK: 0,
  Z_STREAM_END: 1,
  Z_NEED_DICT: 2,
  Z_ERRNO: -1,
  Z_STREAM_ERROR: -2,
  Z_DATA_ERROR: -3,
  Z_MEM_ERROR: -4,
  Z_BUF_ERROR: -5,
  Z_VERSION_ERROR: -6,
  Z_NO_COMPRESSION: 0,
  Z_BEST_SPEED: 1,
  Z_BEST_COMPRESSION: 9,
  Z_DEFAULT_COMPRESSION: -1,
  Z_FILTERED: 1,
  Z_HUFFMAN_ONLY: 2,
  Z_RLE: 3,
  Z_FIXED: 4,
  Z_DEFAULT_STRATEGY: 0,
  ZLIB_VERNUM: 4880,
  DEFLATE: 1,
  INFLATE: 2,
  GZIP: 3,
  GUNZIP: 4,
  DEFLATERAW: 5,
  INFLATERAW: 6,
  UNZIP: 7,
  BROTLI_DECODE: 8,
  BROTLI_ENCODE: 9,
  Z_MIN_WINDOWBITS: 8,
  Z_MAX_WINDOWBITS: 15,
  Z_DEFAULT_WINDOWBITS: 15,
  Z_MIN_CHUNK: 64,
  Z_MAX_CHUNK: Infinity,
  Z_DEFAULT_CHUNK: 16384,
  Z_MIN_MEMLEVEL: 1,
  Z_MAX_MEMLEVEL: 9,
  Z_DEFAULT_MEMLEVEL: 8,
  Z_MIN_LEVEL: -1,
  Z_MAX_LEVEL: 9,
  Z_DEFAULT_LEVEL: -1,
};
const codes = {};
for (const name of [
  'Z_OK',
  'Z_STREAM_END',
  'Z_NEED_DICT',
  'Z_ERRNO',
  'Z_STREAM_ERROR',
  'Z_DATA_ERROR',
  'Z_MEM_ERROR',
  'Z_BUF_ERROR',
  'Z_VERSION_ERROR',
]) {
  codes[name] = constants[name];
  codes[constants[name]] = name;
}

/// name: [whether it inflates, how window bits are given to zlib]
const KINDS = {
  Deflate: [false, (bits) => bits],
  Inflate: [true, (bits) => bits],
  Gzip: [false, (bits) => bits + 16],
  Gunzip: [true, (bits) => bits + 16],
  DeflateRaw: [false, (bits) => -bits],
  InflateRaw: [true, (bits) => -bits],
  Unzip: [true, (bits) => bits + 32],
};

const GZIP_BEGINS = 0x1f;

function zlibError(code, words) {
  const name = codes[code] ?? 'Z_DATA_ERROR';
  const error = new Error(words);
  error.errno = code;
  error.code = name;
  return error;
}

const WORDS = {
  [constants.Z_BUF_ERROR]: 'unexpected end of file',
  [constants.Z_NEED_DICT]: 'Missing dictionary',
  [constants.Z_DATA_ERROR]: 'Zlib error',
};

/// The work on one stream of data.
class Work {
  constructor(kind, options = {}) {
    const [inflates, bitsOf] = KINDS[kind];
    const number = (name, otherwise, least, most) => {
      if (options?.[name] === undefined) return otherwise;
      const value = options[name];
      check.number(value, `options.${name}`);
      if (!(value >= least && value <= most)) {
        const range = most === Infinity ? `>= ${least}` : `>= ${least} and <= ${most}`;
        throw Number.isFinite(value)
          ? outOfRange(`options.${name}`, range, value)
          : outOfRange(`options.${name}`, 'a finite number', value);
      }
      return options[name];
    };
    this.chunkSize = number('chunkSize', 16384, 64, Infinity);
    this.flush = number('flush', 0, 0, 5);
    this.finishFlush = number('finishFlush', 4, 0, 5);
    this.maxOutputLength = number('maxOutputLength', 2 ** 31 - 1, 1, 2 ** 31 - 1);
    const bits = options?.windowBits === 0 && inflates ? 0 : number('windowBits', 15, 8, 15);
    this.dictionary = options?.dictionary === undefined ? undefined : new Uint8Array(Buffer.from(options.dictionary));
    this.kind = kind;
    this.inflates = inflates;
    const level = number('level', -1, -1, 9);
    this.stream = native.zlibOpen(
      inflates,
      level,
      bitsOf(kind === 'DeflateRaw' && bits === 8 ? 9 : bits),
      number('memLevel', 8, 1, 9),
      number('strategy', 0, 0, 4),
      this.dictionary,
    );
    if (typeof this.stream === 'number') throw coded(Error, 'ERR_ZLIB_INITIALIZATION_FAILED', 'Initialization failed');
    this.ended = false;
    this.hasMembers = kind === 'Gunzip' || undefined;
    this.total = 0;
  }

  /// The output for a piece of input.
  run(input, flush) {
    const parts = [];
    let at = 0;
    if (this.kind === 'Unzip') this.hasMembers ??= input.length > 0 ? input[0] === GZIP_BEGINS : undefined;
    for (;;) {
      if (this.ended) {
        // Members of gzip may follow each other; zeros after the end are ignored.
        if (!this.hasMembers || at >= input.length) break;
        if (input[at] === 0) break;
        native.zlibReset(this.stream);
        this.ended = false;
      }
      const out = Buffer.allocUnsafe(this.chunkSize);
      const [code, inputLeft, room, words] = native.zlibWork(this.stream, input, at, out, 0, flush, this.dictionary);
      at = input.length - inputLeft;
      if (room < out.length) {
        parts.push(out.subarray(0, out.length - room));
        this.total += out.length - room;
        if (this.total > this.maxOutputLength)
          throw coded(
            RangeError,
            'ERR_BUFFER_TOO_LARGE',
            `Cannot create a Buffer larger than ${this.maxOutputLength} bytes`,
          );
      }
      if (code === 1) {
        this.ended = true;
        continue;
      }
      // With its last input zlib says so, too, when there is no room for more.
      if (code === -5 && room === 0) continue;
      if (code === -5) {
        if (flush === 4 && this.inflates) throw zlibError(-5, WORDS[-5]);
        break;
      }
      if (code < 0 || code === 2) throw zlibError(code, code === 2 ? WORDS[2] : words ?? WORDS[code]);
      if (room > 0 && inputLeft === 0) {
        if (flush === 4 && this.inflates) throw zlibError(-5, WORDS[-5]);
        if (flush !== 4) break;
      }
    }
    return Buffer.concat(parts);
  }
}

function inputOf(data) {
  if (typeof data === 'string') return Buffer.from(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw invalidArgType('buffer', ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], data);
}

function once(kind, data, options) {
  const work = new Work(kind, options);
  const out = work.run(inputOf(data), work.finishFlush);
  return options?.info ? { buffer: out, engine: undefined } : out;
}

function define(kind) {
  const Kind = { [kind]: function(options) {
    if (!(this instanceof Kind)) return new Kind(options);
    const work = new Work(kind, options);
    Transform.call(this, { autoDestroy: true, ...options });
    Object.defineProperty(this, 'work', { value: work, writable: true, enumerable: false });
    Object.defineProperty(this, '_handle', { value: { close() {} }, writable: true, enumerable: false });
    this.bytesWritten = 0;
    this._closed = false;
  } }[kind];
  Object.setPrototypeOf(Kind.prototype, Transform.prototype);
  Object.setPrototypeOf(Kind, Transform);
  Kind.prototype._transform = function(chunk, encoding, callback) {
    this.bytesWritten += chunk.length;
    try {
      const out = this.work.run(chunk, this.work.flush);
      for (let at = 0; at < out.length; at += this.work.chunkSize)
        this.push(out.subarray(at, at + this.work.chunkSize));
    } catch (error) {
      return callback(error);
    }
    callback();
  };
  // Packages that compress without waiting (minizlib, and tar with it) work on a piece with this.
  Kind.prototype._processChunk = function(chunk, flush) {
    this.bytesWritten += chunk.length;
    return this.work.run(chunk, flush);
  };
  Kind.prototype._flush = function(callback) {
    try {
      if (!this.work.ended) {
        const out = this.work.run(new Uint8Array(0), this.work.finishFlush);
        for (let at = 0; at < out.length; at += this.work.chunkSize)
          this.push(out.subarray(at, at + this.work.chunkSize));
      }
    } catch (error) {
      return callback(error);
    }
    callback();
  };
  Kind.prototype.flush = function(how, callback) {
    if (typeof how === 'function') [callback, how] = [how, undefined];
    const out = this.work.run(new Uint8Array(0), how ?? constants.Z_FULL_FLUSH);
    if (out.length) this.push(out);
    if (callback) process.nextTick(callback);
  };
  Kind.prototype.params = function(level, strategy, callback) { callback?.(); };
  Kind.prototype.reset = function() { native.zlibReset(this.work.stream); this.work.ended = false; };
  Kind.prototype.close = function(callback) {
    if (callback) require('stream').finished(this, callback);
    this.destroy();
  };
  return Kind;
}

const api = module.exports = { codes: Object.freeze(codes), constants };
for (const kind of Object.keys(KINDS)) {
  const Kind = define(kind);
  const name = kind[0].toLowerCase() + kind.slice(1);
  api[kind] = Kind;
  api[`create${kind}`] = (options) => new Kind(options);
  const sync = api[`${name}Sync`] = { [`${name}Sync`]: (data, options) => once(kind, data, options) }[`${name}Sync`];
  api[name] = { [name](data, options, callback) {
    if (typeof options === 'function') [callback, options] = [options, {}];
    check.function(callback, 'callback');
    let out;
    inputOf(data);
    try {
      out = sync(data, options);
    } catch (error) {
      if (error instanceof TypeError || error.code === 'ERR_OUT_OF_RANGE') throw error;
      return complete(callback, error);
    }
    complete(callback, null, out);
  } }[name];
}
for (const name of [
  'brotliCompress',
  'brotliCompressSync',
  'brotliDecompress',
  'brotliDecompressSync',
  'createBrotliCompress',
  'createBrotliDecompress',
]) {
  api[name] = () => {
    throw unsupported('Brotli');
  };
}
api.crc32 = (data, value = 0) => native.crc32(typeof data === 'string' ? Buffer.from(data) : data, value);
for (const [name, value] of Object.entries(constants))
  if (name.startsWith('Z_') || /^[A-Z]+$/.test(name)) Object.defineProperty(api, name, { value, enumerable: false });
