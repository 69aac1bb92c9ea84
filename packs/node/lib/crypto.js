// Digests, keys derived from passwords, random numbers.

const { Transform } = require('stream');
const { coded, invalidArgType, outOfRange, check, unsupported } = require('internal/errors');
const { complete } = require('internal/loop');

const KINDS = { 'md5': 0, 'sha1': 1, 'sha224': 2, 'sha256': 3, 'sha384': 4, 'sha512': 5 };
const BLOCK = [64, 64, 64, 64, 128, 128];
const SIZE = [16, 20, 28, 32, 48, 64];

function kindOf(name, what = 'algorithm') {
  check.string(name, what);
  return KINDS[name.toLowerCase().replace(/^rsa-/, '').replace(/^sha-/, 'sha')];
}

function bytesOf(data, encoding, name = 'data') {
  if (typeof data === 'string') return Buffer.from(data, encoding === 'buffer' ? 'utf8' : encoding);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (data instanceof KeyObject) return data.export();
  throw invalidArgType(name, ['string', 'Buffer', 'TypedArray', 'DataView'], data);
}

const encoded = (buffer, encoding) => (encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer);

function Hash(algorithm, options) {
  if (!(this instanceof Hash)) return new Hash(algorithm, options);
  let state = options?.state;
  if (!state) {
    const kind = kindOf(algorithm);
    if (kind === undefined) {
      const error = new Error('Digest method not supported');
      error.code = 'ERR_CRYPTO_INVALID_DIGEST';
      delete error.code;
      throw error;
    }
    state = native.hashBegin(kind);
  }
  Object.defineProperty(this, 'state', { value: state, writable: true, enumerable: false });
  Object.defineProperty(this, 'done', { value: false, writable: true, enumerable: false });
  Transform.call(this, options?.state ? undefined : options);
}
Object.setPrototypeOf(Hash.prototype, Transform.prototype);
Object.setPrototypeOf(Hash, Transform);

const finalized = () => coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');

Hash.prototype.update = function(data, encoding) {
  if (this.done) throw finalized();
  if (typeof data !== 'string' && !ArrayBuffer.isView(data))
    throw invalidArgType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
  native.hashAdd(this.state, bytesOf(data, encoding));
  return this;
};
Hash.prototype.digest = function(encoding) {
  if (this.done) throw finalized();
  this.done = true;
  return encoded(Buffer.from(native.hashFinish(this.state)), encoding);
};
Hash.prototype.copy = function() {
  if (this.done) throw finalized();
  return new Hash(undefined, { state: native.hashCopy(this.state) });
};
Hash.prototype._transform = function(chunk, encoding, callback) {
  this.update(chunk, encoding);
  callback();
};
Hash.prototype._flush = function(callback) {
  this.push(this.digest());
  callback();
};

function hmacPads(kind, key) {
  if (key.length > BLOCK[kind]) key = hashOnce(kind, key);
  const pads = [Buffer.alloc(BLOCK[kind], 0x36), Buffer.alloc(BLOCK[kind], 0x5c)];
  for (const pad of pads) for (let i = 0; i < key.length; i++) pad[i] ^= key[i];
  return pads;
}

function hashOnce(kind, ...parts) {
  const state = native.hashBegin(kind);
  for (const part of parts) native.hashAdd(state, part);
  return Buffer.from(native.hashFinish(state));
}

const hmacOnce = (kind, key, ...parts) => {
  const [inner, outer] = hmacPads(kind, key);
  return hashOnce(kind, outer, hashOnce(kind, inner, ...parts));
};

function Hmac(algorithm, key, options) {
  if (!(this instanceof Hmac)) return new Hmac(algorithm, key, options);
  const kind = kindOf(algorithm, 'hmac');
  const bytes = bytesOf(key, options?.encoding, 'key');
  if (kind === undefined) {
    const error = new Error(`Invalid digest: ${algorithm}`);
    error.code = 'ERR_CRYPTO_INVALID_DIGEST';
    throw error;
  }
  const [inner, outer] = hmacPads(kind, bytes);
  const state = native.hashBegin(kind);
  native.hashAdd(state, inner);
  for (const [name, value] of Object.entries({ state, outer, kind, done: false }))
    Object.defineProperty(this, name, { value, writable: true, enumerable: false });
  Transform.call(this, options);
}
Object.setPrototypeOf(Hmac.prototype, Transform.prototype);
Object.setPrototypeOf(Hmac, Transform);
Hmac.prototype.update = Hash.prototype.update;
Hmac.prototype.digest = function(encoding) {
  if (this.done) return encoding && encoding !== 'buffer' ? '' : Buffer.alloc(0);
  this.done = true;
  return encoded(hashOnce(this.kind, this.outer, new Uint8Array(native.hashFinish(this.state))), encoding);
};
Hmac.prototype._transform = Hash.prototype._transform;
Hmac.prototype._flush = Hash.prototype._flush;

class KeyObject {
  #bytes;
  constructor(bytes) {
    this.#bytes = bytes;
  }
  get type() {
    return 'secret';
  }
  get symmetricKeySize() {
    return this.#bytes.length;
  }
  export(options) {
    return options?.format === 'jwk' ? { kty: 'oct', k: this.#bytes.toString('base64url') } : Buffer.from(this.#bytes);
  }
  equals(other) {
    return this.#bytes.equals(other.export());
  }
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

function randomFillSync(buffer, offset = 0, size = buffer.byteLength - offset) {
  native.randomFill(new Uint8Array(buffer.buffer ?? buffer, (buffer.byteOffset ?? 0) + offset, size));
  return buffer;
}

function randomFill(buffer, offset, size, callback) {
  if (typeof offset === 'function') [callback, offset, size] = [offset, 0, undefined];
  else if (typeof size === 'function') [callback, size] = [size, undefined];
  randomFillSync(buffer, offset, size);
  complete(callback, null, buffer);
}

function randomInt(least, most, callback) {
  if (most === undefined || typeof most === 'function') [callback, most, least] = [most, least, 0];
  if (!Number.isSafeInteger(least)) throw invalidArgType('min', 'a safe integer', least);
  if (!Number.isSafeInteger(most)) throw invalidArgType('max', 'a safe integer', most);
  if (most <= least) throw outOfRange('max', `greater than the value of "min" (${least})`, most);
  const range = most - least;
  if (range > 281474976710655) throw outOfRange(least === 0 ? 'max' : 'max - min', '<= 281474976710655', range);
  const limit = 281474976710656 - (281474976710656 % range);
  return maybeLater(callback, () => {
    for (;;) {
      const value = randomBytes(6).readUIntBE(0, 6);
      if (value < limit) return least + (value % range);
    }
  });
}

function randomUUID() {
  const bytes = randomBytes(16);
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function pbkdf2Sync(password, salt, rounds, size, digest) {
  check.string(digest, 'digest');
  const kind = KINDS[digest.toLowerCase().replace('sha-', 'sha')];
  check.integer(rounds, 'iterations', 1, 2147483647);
  check.integer(size, 'keylen', 0, 2147483647);
  if (kind === undefined) throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${digest}`);
  return Buffer.from(
    native.pbkdf2(kind, bytesOf(password, undefined, 'password'), bytesOf(salt, undefined, 'salt'), rounds, size),
  );
}

function hkdfSync(digest, key, salt, info, size) {
  const kind = kindOf(digest, 'digest');
  if (kind === undefined) throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${digest}`);
  const pseudo = hmacOnce(kind, bytesOf(salt), bytesOf(key));
  let block = Buffer.alloc(0);
  const parts = [];
  for (let i = 1; parts.length * SIZE[kind] < size; i++)
    parts.push((block = hmacOnce(kind, pseudo, block, bytesOf(info), Uint8Array.of(i))));
  const all = Buffer.concat(parts).subarray(0, size);
  return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength);
}

/// scrypt, from RFC 7914.
function scryptSync(password, salt, size, options = {}) {
  const N = options.N ?? options.cost ?? 16384;
  const r = options.r ?? options.blockSize ?? 8;
  const p = options.p ?? options.parallelization ?? 1;
  const most = options.maxmem ?? 32 * 1024 * 1024;
  if (N < 2 || (N & (N - 1)) !== 0 || 128 * N * r > most)
    throw coded(RangeError, 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS', 'Invalid scrypt params: memory limit exceeded');
  const secret = bytesOf(password);
  const all = native.pbkdf2(3, secret, bytesOf(salt), 1, p * 128 * r);
  const words = new Uint32Array(all);
  const length = 32 * r;
  for (let i = 0; i < p; i++) mixBlocks(words.subarray(i * length, (i + 1) * length), N, r);
  return Buffer.from(native.pbkdf2(3, secret, new Uint8Array(all), 1, size));
}

function mixBlocks(block, N, r) {
  const length = 32 * r;
  const kept = new Uint32Array(N * length);
  const other = new Uint32Array(length);
  for (let i = 0; i < N; i++) {
    kept.set(block, i * length);
    shuffle(block, other, r);
  }
  for (let i = 0; i < N; i++) {
    const from = (block[(2 * r - 1) * 16] & (N - 1)) * length;
    for (let k = 0; k < length; k++) block[k] ^= kept[from + k];
    shuffle(block, other, r);
  }
}

function shuffle(block, out, r) {
  const x = block.slice((2 * r - 1) * 16, 2 * r * 16);
  for (let i = 0; i < 2 * r; i++) {
    for (let k = 0; k < 16; k++) x[k] ^= block[i * 16 + k];
    salsa(x);
    out.set(x, ((i >> 1) + (i & 1) * r) * 16);
  }
  block.set(out);
}

const QUARTERS = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
];
function salsa(x) {
  const w = new Uint32Array(x);
  const turn = (value, by) => (value << by) | (value >>> (32 - by));
  for (let round = 0; round < 4; round++) {
    for (const [a, b, c, d] of QUARTERS) {
      w[b] ^= turn(w[a] + w[d], 7);
      w[c] ^= turn(w[b] + w[a], 9);
      w[d] ^= turn(w[c] + w[b], 13);
      w[a] ^= turn(w[d] + w[c], 18);
    }
  }
  for (let k = 0; k < 16; k++) x[k] += w[k];
}

function timingSafeEqual(one, two) {
  const [a, b] = [bytesOf(one, undefined, 'buf1'), bytesOf(two, undefined, 'buf2')];
  if (a.length !== b.length)
    throw coded(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i] ^ b[i];
  return difference === 0;
}

const refuse = (name) => Object.defineProperty(() => { throw unsupported(`crypto.${name}`); }, 'name', { value: name });

class SubtleCrypto {
  async digest(algorithm, data) {
    const kind = kindOf(typeof algorithm === 'string' ? algorithm : algorithm.name);
    if (kind === undefined || kind === 0) throw new DOMException('Unrecognized algorithm name', 'NotSupportedError');
    const out = hashOnce(kind, bytesOf(data));
    return out.buffer.slice(out.byteOffset, out.byteOffset + out.byteLength);
  }
}
for (const name of [
  'encrypt',
  'decrypt',
  'sign',
  'verify',
  'generateKey',
  'importKey',
  'exportKey',
  'deriveKey',
  'deriveBits',
  'wrapKey',
  'unwrapKey',
]) {
  SubtleCrypto.prototype[name] = async () => {
    throw unsupported(`crypto.subtle.${name}`);
  };
}

class Crypto {
  subtle = new SubtleCrypto();
  getRandomValues(array) {
    if (array.byteLength > 65536)
      throw new DOMException(`The requested length exceeds 65,536 bytes`, 'QuotaExceededError');
    return randomFillSync(array);
  }
  randomUUID() { return randomUUID(); }
}
const webcrypto = new Crypto();

const ciphers = require('internal/ciphers');

module.exports = {
  createHash: (algorithm, options) => new Hash(algorithm, options),
  createHmac: (algorithm, key, options) => new Hmac(algorithm, key, options),
  hash: (algorithm, data, encoding = 'hex') => new Hash(algorithm).update(data).digest(encoding),
  getHashes: () => [
    'RSA-MD5',
    'RSA-SHA1',
    'RSA-SHA224',
    'RSA-SHA256',
    'RSA-SHA384',
    'RSA-SHA512',
    'md5',
    'sha1',
    'sha224',
    'sha256',
    'sha384',
    'sha512',
  ],
  createCipheriv: (cipher, key, iv, options) => new ciphers.Cipheriv(cipher, key, iv, options),
  createDecipheriv: (cipher, key, iv, options) => new ciphers.Decipheriv(cipher, key, iv, options),
  ...ciphers,
  getCurves: () => [],
  createSecretKey: (key, encoding) => new KeyObject(Buffer.from(bytesOf(key, encoding, 'key'))),
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
  pbkdf2(...args) { const callback = args.pop(); complete(callback, null, pbkdf2Sync(...args)); },
  hkdfSync,
  hkdf(...args) { const callback = args.pop(); complete(callback, null, hkdfSync(...args)); },
  scryptSync,
  scrypt(...args) { const callback = args.pop(); complete(callback, null, scryptSync(...args)); },
  timingSafeEqual,
  webcrypto,
  subtle: webcrypto.subtle,
  getRandomValues: (array) => webcrypto.getRandomValues(array),
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
  'generateKey',
  'generateKeySync',
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
