// Digests, keys derived from passwords, random numbers.

const { Transform } = require('stream');
const { coded, invalidArgType, invalidArgValue, outOfRange, check, unsupported } = require('internal/errors');
const { streamKind } = require('internal/stream_kinds');
const { complete } = require('internal/loop');
const digests = require('internal/digests');

const SECRET = ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];
const LARGEST = 2147483647;

function digestNamed(name, what = 'algorithm') {
  check.string(name, what);
  return digests.digestNamed(name);
}

function bytesOf(data, encoding, name = 'data') {
  if (typeof data === 'string') return Buffer.from(data, Buffer.isEncoding(encoding) ? encoding : 'utf8');
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (data instanceof KeyObject) return data.export();
  throw invalidArgType(name, ['string', 'Buffer', 'TypedArray', 'DataView'], data);
}

const encoded = (buffer, encoding) => (Buffer.isEncoding(encoding) ? buffer.toString(encoding) : buffer);

const hidden = new WeakMap(); // what a stream of digests is made of: its state, its digest if that is known, …

const invalidDigest = (name) =>
  Object.assign(new TypeError(`Invalid digest: ${name}`), { code: 'ERR_CRYPTO_INVALID_DIGEST' });
const finalized = () => coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');

/// The methods that hashes and HMACs share; `result` computes the digest of what was added.
const methodsOf = (result) => {
  const finish = (own) => own.digest ??= result(own);
  return {
    update(data, encoding) {
      const own = hidden.get(this);
      if (own.digest) throw finalized();
      if (typeof data !== 'string' && !ArrayBuffer.isView(data))
        throw invalidArgType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
      own.state.add(bytesOf(data, encoding));
      return this;
    },
    digest(encoding) {
      const own = hidden.get(this);
      if (own.digest) return own.again(encoding);
      return encoded(finish(own), encoding);
    },
    // What is written after the digest is known changes nothing.
    _transform(chunk, encoding, done) {
      const own = hidden.get(this);
      if (!own.digest) own.state.add(bytesOf(chunk, encoding));
      done();
    },
    _flush(done) { done(null, finish(hidden.get(this))); },
  };
};

function beginHash(stream, algorithm, options) {
  const kind = digestNamed(algorithm);
  if (!kind) throw new Error('Digest method not supported');
  const size = options?.outputLength;
  if (size !== undefined) check.integer(size, 'options.outputLength', 0, 2 ** 32 - 1);
  if (size !== undefined && size !== kind.size && !kind.anySize) {
    throw Object.assign(new Error('error:030000B2:digital envelope routines::not XOF or invalid length'), {
      library: 'digital envelope routines',
      reason: 'not XOF or invalid length',
      code: 'ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH',
    });
  }
  hidden.set(stream, {
    algorithm,
    state: kind.begin(),
    size: kind.anySize ? size : undefined,
    again() { throw finalized(); },
  });
  return options;
}

const Hash = streamKind('Hash', Transform, beginHash, {
  ...methodsOf((own) => own.state.finish(own.size)),
  copy(options) {
    const own = hidden.get(this);
    if (own.digest) throw finalized();
    const twin = new Hash(own.algorithm, options);
    hidden.get(twin).state = own.state.copy();
    return twin;
  },
});

const isBytes = (value) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer;

function beginHmac(stream, algorithm, key, options) {
  check.string(algorithm, 'hmac');
  if (typeof key !== 'string' && !isBytes(key) && !(key instanceof KeyObject))
    throw invalidArgType('key', [...SECRET, 'KeyObject', 'CryptoKey'], key);
  const secret = bytesOf(key, options?.encoding, 'key');
  const kind = digestNamed(algorithm, 'hmac');
  if (!kind) throw invalidDigest(algorithm);
  if (kind.anySize) throw new Error('error:00000000:lib(0)::reason(0)');
  const [state, outer] = digests.beginMac(kind, secret);
  const again = (encoding) => (encoding && encoding !== 'buffer' ? '' : Buffer.alloc(0));
  hidden.set(stream, { state, outer, again });
  return options;
}

const Hmac = streamKind('Hmac', Transform, beginHmac, methodsOf((own) => {
  own.outer.add(own.state.finish());
  return own.outer.finish();
}));

/// What a key is made of: nobody else can make one.
class Secret {
  constructor(bytes) { this.bytes = bytes; }
}
const secrets = new WeakMap(); // keys to their bytes

class KeyObject {
  constructor(type, handle) {
    if (!['secret', 'public', 'private'].includes(type)) throw invalidArgValue('type', type);
    if (!(handle instanceof Secret)) throw invalidArgType('handle', 'object', handle);
    secrets.set(this, handle.bytes);
    Object.defineProperty(this, Symbol('kKeyType'), { value: type, enumerable: true });
  }
  get type() { return 'secret'; }
  equals(other) {
    if (!(other instanceof KeyObject)) throw invalidArgType('otherKeyObject', 'KeyObject', other);
    return secrets.get(this).equals(secrets.get(other));
  }
  get [Symbol.toStringTag]() { return 'KeyObject'; }
  static from(key) {
    const { CryptoKey, secretOfKey } = require('internal/webcrypto');
    if (!(key instanceof CryptoKey)) throw invalidArgType('key', 'CryptoKey', key);
    return secretKey(secretOfKey(key));
  }
}

class SecretKeyObject extends KeyObject {
  constructor(bytes) { super('secret', new Secret(bytes)); }
  get symmetricKeySize() { return secrets.get(this).length; }
  export(options = {}) {
    if (options === null || typeof options !== 'object') throw invalidArgType('options', 'object', options);
    const bytes = secrets.get(this);
    switch (options.format) {
      case undefined:
      case 'buffer': return Buffer.from(bytes);
      case 'jwk': return { kty: 'oct', k: bytes.toString('base64url') };
      default: throw invalidArgValue('options.format', options.format, "must be one of: undefined, 'buffer', 'jwk'");
    }
  }
}
const secretKey = (bytes) => new SecretKeyObject(Buffer.from(bytes));

function createSecretKey(key, encoding) {
  if (typeof key === 'string') return secretKey(Buffer.from(key, encoding));
  if (!isBytes(key)) throw invalidArgType('key', ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], key);
  return secretKey(bytesOf(key));
}

/// A random key for HMAC or AES.
function generateKeySync(type, options) {
  check.string(type, 'type');
  if (type !== 'hmac' && type !== 'aes') throw invalidArgValue('type', type, 'must be a supported key type');
  check.object(options, 'options');
  if (type === 'hmac') check.integer(options.length, 'options.length', 8, 2 ** 31 - 1);
  else if (![128, 192, 256].includes(options.length))
    throw invalidArgValue('options.length', options.length, 'must be one of: 128, 192, 256');
  return secretKey(randomBytes(Math.floor(options.length / 8)));
}

function generateKey(type, options, callback) {
  check.function(callback, 'callback');
  complete(callback, null, generateKeySync(type, options));
}

/// A call that may be given a callback.
function maybeLater(callback, compute) {
  if (callback === undefined) return compute();
  check.function(callback, 'callback');
  const value = compute();
  complete(callback, null, value);
}

function randomBytes(size, callback) {
  if (typeof size !== 'number') throw invalidArgType('size', 'number', size);
  if (!(size >= 0 && size <= 2147483647)) throw outOfRange('size', '>= 0 && <= 2147483647', size);
  return maybeLater(callback, () => randomFillSync(Buffer.alloc(size)));
}

/// The bytes that are to be filled.
function partOf(buffer, offset = 0, size) {
  if (!ArrayBuffer.isView(buffer) && !(buffer instanceof ArrayBuffer))
    throw invalidArgType('buf', ['ArrayBuffer', 'ArrayBufferView'], buffer);
  const unit = buffer.BYTES_PER_ELEMENT ?? 1;
  const all = buffer.byteLength;
  check.number(offset, 'offset');
  const from = offset * unit;
  if (Number.isNaN(from) || from > all || from < 0) throw outOfRange('offset', `>= 0 && <= ${all}`, from);
  let length = all - from;
  if (size !== undefined) {
    check.number(size, 'size');
    length = size * unit;
    if (Number.isNaN(length) || length > LARGEST || length < 0) throw outOfRange('size', `>= 0 && <= ${LARGEST}`, length);
    if (length + from > all) throw outOfRange('size + offset', `<= ${all}`, length + from);
  }
  return new Uint8Array(buffer.buffer ?? buffer, (buffer.byteOffset ?? 0) + from, length);
}

function randomFillSync(buffer, offset, size) {
  native.randomFill(partOf(buffer, offset, size));
  return buffer;
}

function randomFill(buffer, offset, size, callback) {
  if (typeof offset === 'function') [callback, offset, size] = [offset, undefined, undefined];
  else if (typeof size === 'function') [callback, size] = [size, undefined];
  const part = partOf(buffer, offset, size);
  check.function(callback, 'callback');
  native.randomFill(part);
  complete(callback, null, buffer);
}

function randomInt(least, most, callback) {
  const isFromZero = most === undefined || typeof most === 'function';
  if (isFromZero) [callback, most, least] = [most, least, 0];
  if (!Number.isSafeInteger(least)) throw invalidArgType('min', 'a safe integer', least);
  if (!Number.isSafeInteger(most)) throw invalidArgType('max', 'a safe integer', most);
  if (most <= least) throw outOfRange('max', `greater than the value of "min" (${least})`, most);
  const range = most - least;
  if (range > 281474976710655) throw outOfRange(isFromZero ? 'max' : 'max - min', '<= 281474976710655', range);
  const limit = 281474976710656 - (281474976710656 % range);
  let value;
  do value = randomBytes(6).readUIntBE(0, 6); while (value >= limit);
  const number = least + (value % range);
  if (callback === undefined) return number;
  check.function(callback, 'callback');
  complete(callback, undefined, number);
  return undefined;
}

function randomUUID(options) {
  if (options !== undefined) check.object(options, 'options');
  const bytes = randomBytes(16);
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/// A password or a salt.
function secretOf(value, name) {
  if (typeof value !== 'string' && !ArrayBuffer.isView(value) && !(value instanceof ArrayBuffer))
    throw invalidArgType(name, SECRET, value);
  return bytesOf(value);
}

function digestOf(name) {
  const kind = digestNamed(name, 'digest');
  if (!kind) throw invalidDigest(name);
  return kind;
}

/// A function that computes at once, and one that calls back.
function pair(prepare, compute) {
  return [
    (...args) => compute(...prepare(...args)),
    (...args) => {
      const at = args.findIndex((arg, i) => i > 0 && typeof arg === 'function');
      const callback = at < 0 ? undefined : args[at];
      const prepared = prepare(...(at < 0 ? args : args.slice(0, at)));
      check.function(callback, 'callback');
      complete(callback, null, compute(...prepared));
    },
  ];
}

const [pbkdf2Sync, pbkdf2] = pair(
  (password, salt, rounds, size, digest) => {
    check.string(digest, 'digest');
    const [secret, salted] = [secretOf(password, 'password'), secretOf(salt, 'salt')];
    check.integer(rounds, 'iterations', 1, LARGEST);
    check.integer(size, 'keylen', 0, LARGEST);
    return [digestOf(digest), secret, salted, rounds, size];
  },
  (kind, ...args) => {
    if (kind.anySize) throw new Error('Deriving bits failed');
    return digests.deriveKey(kind, ...args);
  },
);

const [hkdfSync, hkdf] = pair(
  (digest, key, salt, info, size) => {
    check.string(digest, 'digest');
    const secret = key instanceof KeyObject ? key.export() : key;
    if (typeof secret !== 'string' && !ArrayBuffer.isView(secret) && !(secret instanceof ArrayBuffer)) {
      throw invalidArgType('ikm', ['string', 'SecretKeyObject', 'ArrayBuffer', 'TypedArray', 'DataView', 'Buffer'], key);
    }
    const [salted, more] = [secretOf(salt, 'salt'), secretOf(info, 'info')];
    if (more.length > 1024) throw outOfRange('info', 'must not contain more than 1024 bytes', more.length);
    check.integer(size, 'length', 0, LARGEST);
    const kind = digestOf(digest);
    if (size > 255 * kind.size) throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
    return [kind, bytesOf(secret), salted, more, size];
  },
  (kind, key, salt, info, size) => {
    if (kind.anySize) throw new Error('Deriving bits failed');
    const pseudo = digests.finishMac(digests.beginMac(kind, salt), key);
    const mac = digests.beginMac(kind, pseudo);
    let block = Buffer.alloc(0);
    const parts = [];
    for (let i = 1; parts.length * kind.size < size; i++)
      parts.push((block = digests.finishMac(mac, block, info, Uint8Array.of(i))));
    const all = Buffer.concat(parts).subarray(0, size);
    return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength);
  },
);

/// One of two names of an option.
function either(options, one, other, value) {
  if (options[one] !== undefined && options[other] !== undefined)
    throw coded(Error, 'ERR_CRYPTO_SCRYPT_INVALID_PARAMETER', 'Invalid scrypt parameter');
  const name = options[one] !== undefined ? one : other;
  if (options[name] === undefined) return value;
  check.integer(options[name], name, 0, 2 ** 32 - 1);
  return options[name] || value;
}

/// scrypt, from RFC 7914.
const [scryptSync, scrypt] = pair(
  (password, salt, size, options = {}) => {
    const [secret, salted] = [secretOf(password, 'password'), secretOf(salt, 'salt')];
    check.integer(size, 'keylen', 0, LARGEST);
    options ??= {};
    const N = either(options, 'N', 'cost', 16384);
    const r = either(options, 'r', 'blockSize', 8);
    const p = either(options, 'p', 'parallelization', 1);
    const most = options.maxmem || 32 * 1024 * 1024;
    const refuse = (why) => coded(RangeError, 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS', `Invalid scrypt params${why}`);
    if (N < 2 || (N & (N - 1)) !== 0 || p * r > 2 ** 30 - 1) throw refuse('');
    if (128 * r * (N + p + 2) > most) throw refuse(': error:030000AC:digital envelope routines::memory limit exceeded');
    return [secret, salted, size, N, r, p];
  },
  (secret, salt, size, N, r, p) => {
    const sha256 = digests.digestNamed('sha256');
    const all = new Uint8Array(digests.deriveKey(sha256, secret, salt, 1, p * 128 * r));
    if (!native.scryptMix(all, N, r)) throw coded(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Scrypt failed');
    return digests.deriveKey(sha256, secret, all, 1, size);
  },
);

function timingSafeEqual(one, two) {
  for (const [name, value] of [['buf1', one], ['buf2', two]]) {
    if (!ArrayBuffer.isView(value) && !(value instanceof ArrayBuffer)) {
      throw coded(
        TypeError,
        'ERR_INVALID_ARG_TYPE',
        `The "${name}" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.`,
      );
    }
  }
  const [a, b] = [bytesOf(one), bytesOf(two)];
  if (a.length !== b.length)
    throw coded(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i] ^ b[i];
  return difference === 0;
}

const refuse = (name) => Object.defineProperty(() => { throw unsupported(`crypto.${name}`); }, 'name', { value: name });

const ciphers = require('internal/ciphers');

module.exports = {
  createHash: (algorithm, options) => new Hash(algorithm, options),
  createHmac: (algorithm, key, options) => new Hmac(algorithm, key, options),
  hash: (algorithm, data, encoding = 'hex') => new Hash(algorithm).update(data).digest(encoding),
  getHashes: () => digests.names(),
  createCipheriv: (cipher, key, iv, options) => new ciphers.Cipheriv(cipher, key, iv, options),
  createDecipheriv: (cipher, key, iv, options) => new ciphers.Decipheriv(cipher, key, iv, options),
  ...ciphers,
  getCurves: () => [],
  createSecretKey,
  generateKey,
  generateKeySync,
  KeyObject,
  Hash,
  Hmac,
  randomBytes,
  pseudoRandomBytes: randomBytes,
  rng: randomBytes,
  prng: randomBytes,
  randomFill,
  randomFillSync,
  randomInt,
  randomUUID,
  pbkdf2Sync,
  pbkdf2,
  hkdfSync,
  hkdf,
  scryptSync,
  scrypt,
  timingSafeEqual,
  get webcrypto() { return require('internal/webcrypto').webcrypto; },
  get subtle() { return require('internal/webcrypto').webcrypto.subtle; },
  getRandomValues: (array) => require('internal/webcrypto').webcrypto.getRandomValues(array),
  constants: {},
  getFips: () => 0,
};
for (const name of [
  'createSign',
  'createVerify',
  'createPrivateKey',
  'createPublicKey',
  'generateKeyPair',
  'generateKeyPairSync',
  'createDiffieHellman',
  'createECDH',
  'diffieHellman',
  'sign',
  'verify',
  'publicEncrypt',
  'privateDecrypt',
  'privateEncrypt',
  'publicDecrypt',
  'generatePrime',
  'generatePrimeSync',
  'checkPrime',
  'checkPrimeSync',
])
  module.exports[name] = refuse(name);
