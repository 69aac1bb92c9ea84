// The Web Cryptography API, as far as there are algorithms: digests, HMAC, AES, PBKDF2, HKDF.

const crypto = require('crypto');
const { coded, invalidArgType, unsupported } = require('internal/errors');
const { custom, inspect } = require('internal/inspect');

const DIGESTS = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
const BLOCK_BITS = { 'SHA-1': 512, 'SHA-256': 512, 'SHA-384': 1024, 'SHA-512': 1024 };
const USAGES = {
  HMAC: ['sign', 'verify'],
  'AES-CBC': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
  'AES-CTR': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
  'AES-GCM': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
  PBKDF2: ['deriveKey', 'deriveBits'],
  HKDF: ['deriveKey', 'deriveBits'],
};
/// Algorithms that Node has and this library has not.
const OTHERS = /^(RSA|EC|ED25519|ED448|X25519|X448|AES-KW)/i;

const secrets = new WeakMap(); // of keys

class CryptoKey {
  constructor() { throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor'); }
  get type() { return 'secret'; }
  get extractable() { return secrets.get(this).extractable; }
  get algorithm() { return secrets.get(this).algorithm; }
  get usages() { return [...secrets.get(this).usages]; }
  [custom](depth, options) {
    if (depth < 0) return this;
    const { type, extractable, algorithm, usages } = this;
    const shown = { type, extractable, algorithm, usages };
    return `CryptoKey ${inspect(shown, { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
  }
}

function makeKey(bytes, algorithm, extractable, usages) {
  const key = Object.create(CryptoKey.prototype);
  secrets.set(key, { bytes: Buffer.from(bytes), algorithm, extractable: !!extractable, usages });
  return key;
}

const failure = (name, message) => new DOMException(message, name);
const isBytes = (value) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
const view = (value) =>
  ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.from(value);
const exact = (buffer) => buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);

/// Refuses a call with too few arguments or with something that is no bytes.
function need(args, count, method, places = []) {
  if (args.length < count) {
    throw coded(
      TypeError,
      'ERR_MISSING_ARGS',
      `Failed to execute '${method}' on 'SubtleCrypto': ${count} arguments required, but only ${args.length} present.`,
    );
  }
  for (const at of places) {
    if (isBytes(args[at])) continue;
    const ordinal = ['1st', '2nd', '3rd', '4th'][at];
    throw coded(
      TypeError,
      'ERR_INVALID_ARG_TYPE',
      `Failed to execute '${method}' on 'SubtleCrypto': ${ordinal} argument is not instance of ` +
        'ArrayBuffer, Buffer, TypedArray, or DataView.',
    );
  }
}

/// An algorithm with its name as the standard writes it.
function named(algorithm) {
  const object = typeof algorithm === 'string' ? { name: algorithm } : algorithm;
  const name = `${object?.name}`;
  const known = [...Object.keys(USAGES), ...Object.keys(DIGESTS)].find(
    (each) => each.toUpperCase() === name.toUpperCase(),
  );
  if (known) return { ...object, name: known };
  if (OTHERS.test(name)) throw unsupported(`The algorithm ${name}`);
  throw failure('NotSupportedError', 'Unrecognized algorithm name');
}

function option(algorithm, key, dictionary) {
  if (algorithm[key] !== undefined) return algorithm[key];
  throw coded(
    TypeError,
    'ERR_MISSING_OPTION',
    'Failed to normalize algorithm: passed algorithm can not be converted to ' +
      `'${dictionary}' because '${key}' is required in '${dictionary}'.`,
  );
}

const hashOf = (algorithm, dictionary) => named(option(algorithm, 'hash', dictionary)).name;

/// The key's own bytes, if it is for this.
function use(key, algorithm, usage) {
  const known = secrets.get(key);
  if (!known) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The key is not of type CryptoKey.');
  if (known.algorithm.name !== algorithm.name) throw failure('InvalidAccessError', 'Key algorithm mismatch');
  if (!known.usages.includes(usage)) {
    throw failure(
      'InvalidAccessError',
      ['encrypt', 'decrypt'].includes(usage)
        ? 'The requested operation is not valid for the provided key'
        : `Unable to use this key to ${usage}`,
    );
  }
  return known;
}

function checkUsages(name, usages) {
  const family = name.startsWith('AES') ? 'an AES' : name === 'HMAC' ? 'an HMAC' : `a ${name}`;
  if (usages.some((usage) => !USAGES[name].includes(usage)))
    throw failure('SyntaxError', `Unsupported key usage for ${family} key`);
  return USAGES[name].filter((usage) => usages.includes(usage));
}

function cryptAes(algorithm, key, data, encrypts) {
  const { bytes } = use(key, algorithm, encrypts ? 'encrypt' : 'decrypt');
  const mode = algorithm.name.slice(4).toLowerCase();
  const dictionary = { gcm: 'AesGcmParams', cbc: 'AesCbcParams', ctr: 'AesCtrParams' }[mode];
  const iv = view(option(algorithm, mode === 'ctr' ? 'counter' : 'iv', dictionary));
  if (mode !== 'gcm' && iv.length !== 16) {
    throw failure(
      'OperationError',
      mode === 'ctr' ? 'algorithm.counter must be a 128-bit value' : 'algorithm.iv must contain exactly 16 bytes',
    );
  }
  const tagSize = (algorithm.tagLength ?? 128) / 8;
  const cipher = (encrypts ? crypto.createCipheriv : crypto.createDecipheriv)(
    `aes-${bytes.length * 8}-${mode}`,
    bytes,
    iv,
    mode === 'gcm' ? { authTagLength: tagSize } : undefined,
  );
  if (mode === 'ctr') checkCounter(algorithm, iv, data.length);
  if (mode === 'gcm' && algorithm.additionalData !== undefined) cipher.setAAD(view(algorithm.additionalData));
  try {
    if (mode !== 'gcm') return exact(Buffer.concat([cipher.update(data), cipher.final()]));
    if (encrypts) return exact(Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()]));
    if (data.length < tagSize) throw failure('OperationError', 'The provided data is too small.');
    cipher.setAuthTag(data.subarray(data.length - tagSize));
    return exact(Buffer.concat([cipher.update(data.subarray(0, data.length - tagSize)), cipher.final()]));
  } catch (error) {
    if (error instanceof DOMException) throw error;
    throw failure('OperationError', 'The operation failed for an operation-specific reason');
  }
}

/// The counter is the last `length` bits and must not come round; OpenSSL's is all of the block.
function checkCounter(algorithm, counter, size) {
  const length = option(algorithm, 'length', 'AesCtrParams');
  if (!(length >= 1 && length <= 128))
    throw failure('OperationError', 'AES-CTR algorithm.length must be between 1 and 128');
  const room = 1n << BigInt(length);
  const start = BigInt(`0x${counter.toString('hex')}`) % room;
  if (start + BigInt(Math.ceil(size / 16)) > room) throw unsupported('A counter that comes round');
}

function derive(algorithm, key, bits) {
  const { bytes } = use(key, algorithm, 'deriveBits');
  if (bits === null) throw failure('OperationError', 'length cannot be null');
  if (bits % 8) throw failure('OperationError', 'length must be a multiple of 8');
  const dictionary = algorithm.name === 'PBKDF2' ? 'Pbkdf2Params' : 'HkdfParams';
  const digest = DIGESTS[hashOf(algorithm, dictionary)];
  const salt = view(option(algorithm, 'salt', dictionary));
  if (algorithm.name === 'HKDF') {
    const info = view(option(algorithm, 'info', dictionary));
    return exact(Buffer.from(crypto.hkdfSync(digest, bytes, salt, info, bits / 8)));
  }
  return exact(crypto.pbkdf2Sync(bytes, salt, option(algorithm, 'iterations', dictionary), bits / 8, digest));
}

class SubtleCrypto {
  async digest(algorithm, data) {
    need(arguments, 2, 'digest', [1]);
    const { name } = named(algorithm);
    if (!DIGESTS[name]) throw failure('NotSupportedError', 'Unrecognized algorithm name');
    return exact(crypto.createHash(DIGESTS[name]).update(view(data)).digest());
  }

  async importKey(format, data, algorithm, extractable, usages) {
    need(arguments, 4, 'importKey');
    const normal = named(algorithm);
    const { name } = normal;
    if (!USAGES[name]) throw failure('NotSupportedError', 'Unrecognized algorithm name');
    if (format !== 'raw' && format !== 'jwk')
      throw failure('NotSupportedError', `Unable to import ${name} key with format ${format}`);
    const hash = name === 'HMAC' ? hashOf(normal, 'HmacImportParams') : undefined;
    const allowed = checkUsages(name, usages);
    let bytes;
    if (format === 'raw') {
      if (!isBytes(data)) throw invalidArgType('keyData', ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], data);
      bytes = view(data);
    } else {
      if (data?.kty !== 'oct' || typeof data.k !== 'string') throw failure('DataError', 'Invalid keyData');
      bytes = Buffer.from(data.k, 'base64url');
    }
    let own = { name };
    if (name === 'HMAC') {
      if (bytes.length === 0) throw failure('DataError', 'Zero-length key is not supported');
      own = { name, hash: { name: hash }, length: normal.length ?? bytes.length * 8 };
    } else if (name.startsWith('AES')) {
      if (![16, 24, 32].includes(bytes.length)) throw failure('DataError', 'Invalid key length');
      own = { name, length: bytes.length * 8 };
    } else if (extractable) throw failure('SyntaxError', `${name} keys are not extractable`);
    if (allowed.length === 0) throw failure('SyntaxError', 'Usages cannot be empty when importing a secret key.');
    return makeKey(bytes, own, extractable, allowed);
  }

  async exportKey(format, key) {
    need(arguments, 2, 'exportKey');
    const known = secrets.get(key);
    if (!known) throw invalidArgType('key', 'CryptoKey', key);
    if (!known.extractable) throw failure('InvalidAccessException', 'key is not extractable');
    if (format === 'raw') return exact(Buffer.from(known.bytes));
    if (format !== 'jwk')
      throw failure('NotSupportedError', `Unable to export ${known.algorithm.name} key using ${format} format`);
    const { name, hash, length } = known.algorithm;
    const alg = name === 'HMAC' ? `HS${hash.name.slice(4)}` : `A${length}${name.slice(4)}`;
    return { key_ops: [...known.usages], ext: true, kty: 'oct', k: known.bytes.toString('base64url'), alg };
  }

  async generateKey(algorithm, extractable, usages) {
    need(arguments, 3, 'generateKey');
    const normal = named(algorithm);
    const { name } = normal;
    if (name === 'HMAC') {
      const hash = hashOf(normal, 'HmacKeyGenParams');
      const allowed = checkUsages(name, usages);
      if (allowed.length === 0) throw failure('SyntaxError', 'Usages cannot be empty when creating a key.');
      const length = normal.length ?? BLOCK_BITS[hash];
      const own = { name, length, hash: { name: hash } };
      return makeKey(crypto.randomBytes(Math.ceil(length / 8)), own, extractable, allowed);
    }
    if (!name.startsWith('AES')) throw failure('NotSupportedError', 'Unrecognized algorithm name');
    const length = option(normal, 'length', 'AesKeyGenParams');
    if (![128, 192, 256].includes(length)) throw failure('OperationError', 'Invalid key length');
    const allowed = checkUsages(name, usages);
    if (allowed.length === 0) throw failure('SyntaxError', 'Usages cannot be empty when creating a key.');
    return makeKey(crypto.randomBytes(length / 8), { name, length }, extractable, allowed);
  }

  async sign(algorithm, key, data) {
    need(arguments, 3, 'sign', [2]);
    const { bytes, algorithm: own } = use(key, named(algorithm), 'sign');
    return exact(crypto.createHmac(DIGESTS[own.hash.name], bytes).update(view(data)).digest());
  }

  async verify(algorithm, key, signature, data) {
    need(arguments, 4, 'verify', [2, 3]);
    const { bytes, algorithm: own } = use(key, named(algorithm), 'verify');
    const right = crypto.createHmac(DIGESTS[own.hash.name], bytes).update(view(data)).digest();
    const given = view(signature);
    return given.length === right.length && crypto.timingSafeEqual(given, right);
  }

  async encrypt(algorithm, key, data) {
    need(arguments, 3, 'encrypt', [2]);
    return cryptAes(named(algorithm), key, view(data), true);
  }

  async decrypt(algorithm, key, data) {
    need(arguments, 3, 'decrypt', [2]);
    return cryptAes(named(algorithm), key, view(data), false);
  }

  async deriveBits(algorithm, key, length = null) {
    need(arguments, 2, 'deriveBits');
    return derive(named(algorithm), key, length);
  }

  async deriveKey(algorithm, key, derived, extractable, usages) {
    need(arguments, 5, 'deriveKey');
    const normal = named(algorithm);
    const wanted = named(derived);
    const hash = wanted.name === 'HMAC' ? hashOf(wanted, 'HmacImportParams') : undefined;
    const length = wanted.length ?? BLOCK_BITS[hash];
    const known = secrets.get(key);
    if (known && !known.usages.includes('deriveKey'))
      throw failure('InvalidAccessError', 'baseKey does not have deriveKey usage');
    // A key for deriving keys need not be one for deriving bits.
    const base = makeKey(known?.bytes ?? [], known?.algorithm ?? {}, false, ['deriveBits']);
    return this.importKey('raw', derive(normal, base, length), wanted, extractable, usages);
  }

  async wrapKey() { throw unsupported('crypto.subtle.wrapKey'); }
  async unwrapKey() { throw unsupported('crypto.subtle.unwrapKey'); }
}

class Crypto {
  #subtle = new SubtleCrypto();
  get subtle() { return this.#subtle; }
  getRandomValues(array) {
    if (!ArrayBuffer.isView(array) || !/^(Big)?U?[iI]nt/.test(native.classOf(array)))
      throw failure('TypeMismatchError', 'The data argument must be an integer-type TypedArray');
    if (array.byteLength > 65536) throw failure('QuotaExceededError', 'The requested length exceeds 65,536 bytes');
    return crypto.randomFillSync(array);
  }
  randomUUID(options) { return crypto.randomUUID(options); }
}
for (const Kind of [Crypto, SubtleCrypto, CryptoKey])
  Object.defineProperty(Kind.prototype, Symbol.toStringTag, { value: Kind.name, configurable: true });

const webcrypto = new Crypto();

module.exports = { webcrypto, Crypto, SubtleCrypto, CryptoKey, secretOfKey: (key) => secrets.get(key).bytes };
