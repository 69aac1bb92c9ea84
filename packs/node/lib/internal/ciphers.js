// Ciphers: AES and ChaCha20-Poly1305, with OpenSSL's errors.

const { Transform } = require('stream');
const { streamKind } = require('internal/stream_kinds');
const { StringDecoder } = require('string_decoder');
const { coded, check, invalidArgType, invalidArgValue } = require('internal/errors');

const MODES = ['cbc', 'ecb', 'ctr', 'cfb', 'cfb8', 'ofb', 'gcm', 'chacha20-poly1305'];
const BLOCK = 16;
const TAG = 16;
const TAG_SIZES = [4, 8, 12, 13, 14, 15, 16];
/// OpenSSL's numbers of ciphers with keys of 128, 192 and 256 bits.
const NUMBERS = {
  ecb: [418, 422, 426], cbc: [419, 423, 427], ofb: [420, 424, 428], cfb: [421, 425, 429], gcm: [895, 898, 901],
  ctr: [904, 905, 906], cfb8: [653, 654, 655],
};

const ciphers = new Map(); // by names in lower case
const names = [];
for (const mode of Object.keys(NUMBERS)) {
  [128, 192, 256].forEach((bits, i) => {
    const keySize = bits / 8;
    const ivSize = mode === 'ecb' ? 0 : mode === 'gcm' ? 12 : BLOCK;
    const name = mode === 'gcm' ? `id-aes${bits}-gcm` : `aes-${bits}-${mode}`;
    const cipher = { mode, keySize, ivSize, name, number: NUMBERS[mode][i], isTagged: mode === 'gcm' };
    const own = [`aes-${bits}-${mode}`];
    if (mode === 'cbc') own.push(`aes${bits}`);
    if (mode === 'gcm') own.push(`id-aes${bits}-GCM`);
    for (const each of own) ciphers.set(each.toLowerCase(), cipher);
    names.push(...own);
  });
}
ciphers.set('chacha20-poly1305', {
  mode: 'chacha20-poly1305', keySize: 32, ivSize: 12, name: 'chacha20-poly1305', number: 1018, isTagged: true,
});
names.push('chacha20-poly1305');
names.sort();

const hidden = new WeakMap(); // what a cipher is made of

const invalidState = (operation) =>
  coded(Error, 'ERR_CRYPTO_INVALID_STATE', operation ? `Invalid state for operation ${operation}` : 'Invalid state');
const invalidTag = (size) =>
  coded(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${size}`);

function providerError(number, reason) {
  const error = new Error(`error:${number}:Provider routines::${reason}`);
  const code = `ERR_OSSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
  return Object.assign(error, { library: 'Provider routines', reason, code });
}

function bytesOf(value, name, kinds) {
  if (typeof value === 'string') return Buffer.from(value);
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  throw invalidArgType(name, kinds, value);
}
const BYTES = ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];

function begin(encrypts, stream, name, key, iv, options) {
  check.string(name, 'cipher');
  const { KeyObject } = require('crypto');
  const secret = key instanceof KeyObject ? key.export() : bytesOf(key, 'key', [...BYTES, 'KeyObject', 'CryptoKey']);
  const vector = iv === null ? null : bytesOf(iv, 'iv', BYTES);
  const tagSize = options?.authTagLength;
  if (tagSize != null && !(Number.isInteger(tagSize) && tagSize >= 0))
    throw invalidArgValue('options.authTagLength', tagSize);
  const cipher = ciphers.get(name.toLowerCase());
  if (!cipher) throw coded(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher');
  if (secret.length !== cipher.keySize)
    throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
  const size = vector?.length ?? 0;
  const isGcm = cipher.mode === 'gcm';
  const fits = isGcm ? size > 0 : size === cipher.ivSize;
  if (!fits || (vector === null && cipher.ivSize > 0))
    throw coded(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector');
  if (tagSize != null && (isGcm ? !TAG_SIZES.includes(tagSize) : cipher.isTagged && (tagSize < 1 || tagSize > TAG)))
    throw invalidTag(tagSize);
  hidden.set(stream, {
    cipher,
    encrypts,
    tagSize,
    state: native.cipherBegin(MODES.indexOf(cipher.mode), encrypts, secret, vector ?? new Uint8Array(0)),
    pads: true,
    isDone: false,
    tag: undefined,
    decoder: undefined,
  });
  return options;
}

/// Bytes as text, where a character may be in two pieces.
function encoded(own, bytes, encoding, isLast) {
  if (!encoding || encoding === 'buffer') return bytes;
  if (!Buffer.isEncoding(encoding)) throw coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
  own.decoder ??= new StringDecoder(encoding);
  const same = new StringDecoder(encoding).encoding === own.decoder.encoding;
  if (!same) {
    throw coded(
      Error,
      'ERR_INTERNAL_ASSERTION',
      'Cannot change encoding\nThis is caused by either a bug in Node.js or incorrect usage of Node.js internals.\n' +
        'Please open an issue with this stack trace at https://github.com/nodejs/node/issues\n',
    );
  }
  return isLast ? own.decoder.end(bytes) : own.decoder.write(bytes);
}

function update(data, inputEncoding, outputEncoding) {
  const own = hidden.get(this);
  if (typeof data !== 'string' && !ArrayBuffer.isView(data))
    throw invalidArgType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
  if (typeof data === 'string' && inputEncoding === 'hex' && data.length % 2)
    throw invalidArgValue('encoding', inputEncoding, `is invalid for data of length ${data.length}`);
  const bytes =
    typeof data === 'string'
      ? Buffer.from(data, Buffer.isEncoding(inputEncoding) ? inputEncoding : 'utf8')
      : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (own.isDone) throw new Error('Trying to add data in unsupported state');
  return encoded(own, Buffer.from(native.cipherAdd(own.state, bytes, own.pads)), outputEncoding, false);
}

function final(encoding) {
  const own = hidden.get(this);
  if (own.isDone) throw invalidState();
  own.isDone = true;
  const rest = native.cipherFinish(own.state, own.pads);
  if (rest === 1) throw providerError('1C80006B', 'wrong final block length');
  if (rest === 2) throw providerError('1C800064', 'bad decrypt');
  if (own.cipher.isTagged) {
    const tag = Buffer.from(native.cipherTag(own.state));
    if (own.encrypts) own.tag = tag.subarray(0, own.tagSize ?? TAG);
    else if (!own.tag || !require('crypto').timingSafeEqual(own.tag, tag.subarray(0, own.tag.length)))
      throw new Error('Unsupported state or unable to authenticate data');
  }
  return encoded(own, Buffer.from(rest), encoding, true);
}

function setAutoPadding(on) {
  const own = hidden.get(this);
  if (own.isDone) throw invalidState('setAutoPadding');
  own.pads = on === undefined || !!on;
  return this;
}

function setAAD(bytes, options) {
  const own = hidden.get(this);
  const encoding = options?.encoding;
  const data = typeof bytes === 'string' ? Buffer.from(bytes, encoding) : bytesOf(bytes, 'aadbuf', BYTES);
  if (own.isDone || !own.cipher.isTagged || !native.cipherAad(own.state, data)) throw invalidState('setAAD');
  return this;
}

function getAuthTag() {
  const { tag } = hidden.get(this);
  if (!tag) throw invalidState('getAuthTag');
  return Buffer.from(tag);
}

function setAuthTag(tag, encoding) {
  const own = hidden.get(this);
  const bytes = typeof tag === 'string' ? Buffer.from(tag, encoding) : bytesOf(tag, 'buffer', BYTES);
  if (!own.cipher.isTagged || own.isDone || own.tag) throw invalidState('setAuthTag');
  const { length } = bytes;
  const isGcm = own.cipher.mode === 'gcm';
  const isSize = isGcm ? TAG_SIZES.includes(length) : length > 0 && length <= TAG;
  if (!isSize || length !== (own.tagSize ?? (isGcm ? length : TAG))) throw invalidTag(length);
  own.tag = Buffer.from(bytes);
  return this;
}

const shared = {
  update,
  final,
  setAutoPadding,
  setAAD,
  _transform(chunk, encoding, done) { done(null, this.update(chunk, encoding)); },
  _flush(done) {
    let rest;
    try {
      rest = this.final();
    } catch (error) {
      return done(error);
    }
    done(null, rest);
  },
};

const Cipheriv = streamKind(
  'Cipheriv', Transform, (stream, cipher, key, iv, options) => begin(true, stream, cipher, key, iv, options),
  { ...shared, getAuthTag },
);
const Decipheriv = streamKind(
  'Decipheriv', Transform, (stream, cipher, key, iv, options) => begin(false, stream, cipher, key, iv, options),
  { ...shared, setAuthTag },
);

/// What is known of a cipher; undefined if the sizes that are asked for do not fit.
function getCipherInfo(name, options) {
  if (typeof name !== 'string' && typeof name !== 'number')
    throw invalidArgType('nameOrNid', ['string', 'number'], name);
  if (typeof name === 'number') check.integer(name, 'nameOrNid');
  const cipher =
    typeof name === 'string'
      ? ciphers.get(name.toLowerCase())
      : [...ciphers.values()].find(({ number }) => number === name);
  if (options !== undefined) check.object(options, 'options');
  const { keyLength, ivLength } = options ?? {};
  for (const [what, size] of Object.entries({ keyLength, ivLength }))
    if (size !== undefined) check.integer(size, `options.${what}`);
  if (!cipher) return undefined;
  if (keyLength !== undefined && keyLength !== cipher.keySize) return undefined;
  const isGcm = cipher.mode === 'gcm';
  if (ivLength !== undefined && (isGcm ? ivLength < 1 : ivLength !== cipher.ivSize)) return undefined;
  const isChaCha = cipher.mode === 'chacha20-poly1305';
  const mode = isChaCha ? 'stream' : cipher.mode.replace('cfb8', 'cfb');
  const info = { mode, name: cipher.name, nid: cipher.number };
  if (!isChaCha) info.blockSize = ['cbc', 'ecb'].includes(cipher.mode) ? BLOCK : 1;
  if (cipher.ivSize > 0) info.ivLength = ivLength ?? cipher.ivSize;
  info.keyLength = cipher.keySize;
  return info;
}

module.exports = { Cipheriv, Decipheriv, getCipherInfo, getCiphers: () => [...names] };
