// Compression.

const { Transform } = require('stream');
const { coded, invalidArgType, outOfRange, check } = require('internal/errors');
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
  BROTLI_OPERATION_PROCESS: 0,
  BROTLI_OPERATION_FLUSH: 1,
  BROTLI_OPERATION_FINISH: 2,
  BROTLI_OPERATION_EMIT_METADATA: 3,
  BROTLI_PARAM_MODE: 0,
  BROTLI_MODE_GENERIC: 0,
  BROTLI_MODE_TEXT: 1,
  BROTLI_MODE_FONT: 2,
  BROTLI_DEFAULT_MODE: 0,
  BROTLI_PARAM_QUALITY: 1,
  BROTLI_MIN_QUALITY: 0,
  BROTLI_MAX_QUALITY: 11,
  BROTLI_DEFAULT_QUALITY: 11,
  BROTLI_PARAM_LGWIN: 2,
  BROTLI_MIN_WINDOW_BITS: 10,
  BROTLI_MAX_WINDOW_BITS: 24,
  BROTLI_LARGE_MAX_WINDOW_BITS: 30,
  BROTLI_DEFAULT_WINDOW: 22,
  BROTLI_PARAM_LGBLOCK: 3,
  BROTLI_MIN_INPUT_BLOCK_BITS: 16,
  BROTLI_MAX_INPUT_BLOCK_BITS: 24,
  BROTLI_PARAM_DISABLE_LITERAL_CONTEXT_MODELING: 4,
  BROTLI_PARAM_SIZE_HINT: 5,
  BROTLI_PARAM_LARGE_WINDOW: 6,
  BROTLI_PARAM_NPOSTFIX: 7,
  BROTLI_PARAM_NDIRECT: 8,
  BROTLI_DECODER_RESULT_ERROR: 0,
  BROTLI_DECODER_RESULT_SUCCESS: 1,
  BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: 2,
  BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: 3,
  BROTLI_DECODER_PARAM_DISABLE_RING_BUFFER_REALLOCATION: 0,
  BROTLI_DECODER_PARAM_LARGE_WINDOW: 1,
  BROTLI_DECODER_NO_ERROR: 0,
  BROTLI_DECODER_SUCCESS: 1,
  BROTLI_DECODER_NEEDS_MORE_INPUT: 2,
  BROTLI_DECODER_NEEDS_MORE_OUTPUT: 3,
  BROTLI_DECODER_ERROR_FORMAT_EXUBERANT_NIBBLE: -1,
  BROTLI_DECODER_ERROR_FORMAT_RESERVED: -2,
  BROTLI_DECODER_ERROR_FORMAT_EXUBERANT_META_NIBBLE: -3,
  BROTLI_DECODER_ERROR_FORMAT_SIMPLE_HUFFMAN_ALPHABET: -4,
  BROTLI_DECODER_ERROR_FORMAT_SIMPLE_HUFFMAN_SAME: -5,
  BROTLI_DECODER_ERROR_FORMAT_CL_SPACE: -6,
  BROTLI_DECODER_ERROR_FORMAT_HUFFMAN_SPACE: -7,
  BROTLI_DECODER_ERROR_FORMAT_CONTEXT_MAP_REPEAT: -8,
  BROTLI_DECODER_ERROR_FORMAT_BLOCK_LENGTH_1: -9,
  BROTLI_DECODER_ERROR_FORMAT_BLOCK_LENGTH_2: -10,
  BROTLI_DECODER_ERROR_FORMAT_TRANSFORM: -11,
  BROTLI_DECODER_ERROR_FORMAT_DICTIONARY: -12,
  BROTLI_DECODER_ERROR_FORMAT_WINDOW_BITS: -13,
  BROTLI_DECODER_ERROR_FORMAT_PADDING_1: -14,
  BROTLI_DECODER_ERROR_FORMAT_PADDING_2: -15,
  BROTLI_DECODER_ERROR_FORMAT_DISTANCE: -16,
  BROTLI_DECODER_ERROR_DICTIONARY_NOT_SET: -19,
  BROTLI_DECODER_ERROR_INVALID_ARGUMENTS: -20,
  BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES: -21,
  BROTLI_DECODER_ERROR_ALLOC_TREE_GROUPS: -22,
  BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MAP: -25,
  BROTLI_DECODER_ERROR_ALLOC_RING_BUFFER_1: -26,
  BROTLI_DECODER_ERROR_ALLOC_RING_BUFFER_2: -27,
  BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES: -30,
  BROTLI_DECODER_ERROR_UNREACHABLE: -31,
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

/// Reads an option that is a number.
function numbersOf(options) {
  return (name, otherwise, least, most) => {
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
}

/// Counts what comes out, which has a limit.
function counted(work, piece) {
  work.total += piece.length;
  if (work.total > work.maxOutputLength)
    throw coded(RangeError, 'ERR_BUFFER_TOO_LARGE', `Cannot create a Buffer larger than ${work.maxOutputLength} bytes`);
  return piece;
}

/// The work on one stream of data.
class Work {
  constructor(kind, options = {}) {
    const [inflates, bitsOf] = KINDS[kind];
    const number = numbersOf(options);
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

  get fullFlush() { return constants.Z_FULL_FLUSH; }

  reset() {
    native.zlibReset(this.stream);
    this.ended = false;
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
        this.reset();
      }
      const out = Buffer.allocUnsafe(this.chunkSize);
      const [code, inputLeft, room, words] = native.zlibWork(this.stream, input, at, out, 0, flush, this.dictionary);
      at = input.length - inputLeft;
      if (room < out.length) parts.push(counted(this, out.subarray(0, out.length - room)));
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

/// Brotli's parameters as a list: number, value, and so on.
function brotliParameters(options) {
  const list = [];
  for (const [key, value] of Object.entries(options?.params ?? {})) {
    const number = +key;
    if (!(number >= 0 && number <= constants.BROTLI_PARAM_NDIRECT))
      throw coded(RangeError, 'ERR_BROTLI_INVALID_PARAM', `${key} is not a valid Brotli parameter`);
    if (typeof value !== 'number' && typeof value !== 'boolean')
      throw invalidArgType('options.params[key]', 'number', value);
    list.push(number, Number(value));
  }
  return list;
}

const BROTLI = ['BrotliCompress', 'BrotliDecompress'];
const BROTLI_WORDS = Object.fromEntries(
  Object.entries(constants)
    .filter(([name]) => name.startsWith('BROTLI_DECODER_ERROR_'))
    .map(([name, code]) => [code, name.replace('BROTLI_DECODER', 'ERR_')]),
);

/// The same with Brotli.
class BrotliWork {
  constructor(kind, options = {}) {
    const number = numbersOf(options);
    this.chunkSize = number('chunkSize', 16384, 64, Infinity);
    this.flush = number('flush', constants.BROTLI_OPERATION_PROCESS, 0, 3);
    this.finishFlush = number('finishFlush', constants.BROTLI_OPERATION_FINISH, 0, 3);
    this.maxOutputLength = number('maxOutputLength', 2 ** 31 - 1, 1, 2 ** 31 - 1);
    this.kind = kind;
    this.decompresses = kind === 'BrotliDecompress';
    this.parameters = brotliParameters(options);
    this.reset();
    this.total = 0;
  }

  get fullFlush() { return constants.BROTLI_OPERATION_FLUSH; }

  reset() {
    this.stream = native.brotliOpen(this.decompresses, this.parameters);
    if (!this.stream) throw coded(Error, 'ERR_ZLIB_INITIALIZATION_FAILED', 'Initialization failed');
    this.ended = false;
  }

  run(input, flush) {
    const parts = [];
    let at = 0;
    while (!this.ended) {
      const out = Buffer.allocUnsafe(this.chunkSize);
      const [says, inputLeft, room] = native.brotliWork(this.stream, input, at, out, flush);
      at = input.length - inputLeft;
      if (room < out.length) parts.push(counted(this, out.subarray(0, out.length - room)));
      if (says <= 0) throw brotliError(this.decompresses, says);
      this.ended = says === constants.BROTLI_DECODER_RESULT_SUCCESS;
      if (says === constants.BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) {
        if (this.decompresses && flush === constants.BROTLI_OPERATION_FINISH)
          throw zlibError(constants.Z_BUF_ERROR, WORDS[constants.Z_BUF_ERROR]);
        break;
      }
    }
    return Buffer.concat(parts);
  }
}

function brotliError(decompresses, code) {
  const error = new Error(decompresses ? 'Decompression failed' : 'Compression failed');
  error.errno = code;
  error.code = decompresses ? BROTLI_WORDS[code] : 'ERR_BROTLI_COMPRESSION_FAILED';
  return error;
}

function workOf(kind, options) {
  return BROTLI.includes(kind) ? new BrotliWork(kind, options) : new Work(kind, options);
}

function inputOf(data) {
  if (typeof data === 'string') return Buffer.from(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw invalidArgType('buffer', ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], data);
}

function once(kind, data, options) {
  const work = workOf(kind, options);
  const out = work.run(inputOf(data), work.finishFlush);
  return options?.info ? { buffer: out, engine: new api[kind](options) } : out;
}

function define(kind) {
  const Kind = { [kind]: function(options) {
    if (!(this instanceof Kind)) return new Kind(options);
    const work = workOf(kind, options);
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
    const out = this.work.run(new Uint8Array(0), how ?? this.work.fullFlush);
    if (out.length) this.push(out);
    if (callback) process.nextTick(callback);
  };
  Kind.prototype.params = function(level, strategy, callback) { callback?.(); };
  Kind.prototype.reset = function() { this.work.reset(); };
  Kind.prototype.close = function(callback) {
    if (callback) require('stream').finished(this, callback);
    this.destroy();
  };
  return Kind;
}

const api = module.exports = { codes: Object.freeze(codes), constants };
for (const kind of [...Object.keys(KINDS), ...BROTLI]) {
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
api.crc32 = (data, value = 0) => native.crc32(typeof data === 'string' ? Buffer.from(data) : data, value);
for (const [name, value] of Object.entries(constants))
  if (name.startsWith('Z_') || /^[A-Z]+$/.test(name)) Object.defineProperty(api, name, { value, enumerable: false });
