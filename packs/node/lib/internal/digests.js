// Digests by the names that programs give them. Those of `src/hashes.c` are fast; the others are the package @noble/hashes.

/// A digest of `src/hashes.c` on its way.
class Native {
  constructor(handle) { this.handle = handle; }
  add(bytes) { native.hashAdd(this.handle, bytes); }
  copy() { return new Native(native.hashCopy(this.handle)); }
  finish() { return Buffer.from(native.hashFinish(this.handle)); }
}

/// One of the package's.
class Packaged {
  constructor(state) { this.state = state; }
  add(bytes) { this.state.update(bytes); }
  copy() { return new Packaged(this.state.clone()); }
  finish(size) { return Buffer.from(size === undefined ? this.state.digest() : this.state.xof(size)); }
}

/// MD5 and SHA-1, one after the other.
class Both {
  constructor(parts) { this.parts = parts; }
  add(bytes) { for (const part of this.parts) part.add(bytes); }
  copy() { return new Both(this.parts.map((part) => part.copy())); }
  finish() { return Buffer.concat(this.parts.map((part) => part.finish())); }
}

/// A digest: how many bytes it works on at once, how many it has, and how it begins. `number` is that of `src/hashes.c`;
/// `anySize` says whether a caller may ask for another size.
class Digest {
  constructor({ block, size, begin, number, anySize = false }) {
    Object.assign(this, { block, size, begin, number, anySize });
  }
  /// The digest of these parts.
  once(...parts) {
    const state = this.begin();
    for (const part of parts) state.add(part);
    return state.finish();
  }
}

const fast = (number, block, size) =>
  new Digest({ block, size, number, begin: () => new Native(native.hashBegin(number)) });
const packaged = (module, name, block, size, more) =>
  new Digest({ block, size, ...more, begin: () => new Packaged(require(`@noble/hashes/${module}`)[name].create()) });

const MD5 = fast(0, 64, 16);
const SHA1 = fast(1, 64, 20);
const SHA3 = 'id-rsassa-pkcs1-v1_5-with-';
/// Each digest, with the names that are listed and those that are only known.
const TABLE = [
  [MD5, ['RSA-MD5', 'md5', 'md5WithRSAEncryption', 'ssl3-md5'], []],
  [SHA1, ['RSA-SHA1', 'RSA-SHA1-2', 'sha1', 'sha1WithRSAEncryption', 'ssl3-sha1'], ['sha-1']],
  [fast(2, 64, 28), ['RSA-SHA224', 'sha224', 'sha224WithRSAEncryption'], ['sha-224', 'sha2-224']],
  [fast(3, 64, 32), ['RSA-SHA256', 'sha256', 'sha256WithRSAEncryption'], ['sha-256', 'sha2-256']],
  [fast(4, 128, 48), ['RSA-SHA384', 'sha384', 'sha384WithRSAEncryption'], ['sha-384', 'sha2-384']],
  [fast(5, 128, 64), ['RSA-SHA512', 'sha512', 'sha512WithRSAEncryption'], ['sha-512', 'sha2-512']],
  [
    fast(6, 128, 28),
    ['RSA-SHA512/224', 'sha512-224', 'sha512-224WithRSAEncryption'],
    ['sha-512/224', 'sha2-512/224'],
  ],
  [
    fast(7, 128, 32),
    ['RSA-SHA512/256', 'sha512-256', 'sha512-256WithRSAEncryption'],
    ['sha-512/256', 'sha2-512/256'],
  ],
  [packaged('sha3', 'sha3_224', 144, 28), ['RSA-SHA3-224', `${SHA3}sha3-224`, 'sha3-224'], []],
  [packaged('sha3', 'sha3_256', 136, 32), ['RSA-SHA3-256', `${SHA3}sha3-256`, 'sha3-256'], []],
  [packaged('sha3', 'sha3_384', 104, 48), ['RSA-SHA3-384', `${SHA3}sha3-384`, 'sha3-384'], []],
  [packaged('sha3', 'sha3_512', 72, 64), ['RSA-SHA3-512', `${SHA3}sha3-512`, 'sha3-512'], []],
  [packaged('sha3', 'shake128', 168, 16, { anySize: true }), ['shake128'], ['shake-128']],
  [packaged('sha3', 'shake256', 136, 32, { anySize: true }), ['shake256'], ['shake-256']],
  [packaged('blake2', 'blake2b', 128, 64), ['blake2b512'], ['blake2b-512']],
  [packaged('blake2', 'blake2s', 64, 32), ['blake2s256'], ['blake2s-256']],
  [
    packaged('legacy', 'ripemd160', 64, 20),
    ['RSA-RIPEMD160', 'ripemd', 'ripemd160', 'ripemd160WithRSA', 'rmd160'],
    ['ripemd-160'],
  ],
  [new Digest({ block: 64, size: 36, begin: () => new Both([MD5.begin(), SHA1.begin()]) }), ['md5-sha1'], []],
];

const byName = new Map();
for (const [digest, listed, known] of TABLE)
  for (const name of [...listed, ...known]) byName.set(name.toLowerCase(), digest);

/// An HMAC (RFC 2104) that has begun: the digest of what is said, and the one that is made of its result.
function beginMac(digest, key) {
  const secret = key.length > digest.block ? digest.once(key) : key;
  return [0x36, 0x5c].map((fill) => {
    const pad = new Uint8Array(digest.block).fill(fill);
    for (let i = 0; i < secret.length; i++) pad[i] ^= secret[i];
    const state = digest.begin();
    state.add(pad);
    return state;
  });
}

/// What `beginMac` began, of these parts; it can be used again.
function finishMac([inner, outer], ...parts) {
  const [within, around] = [inner.copy(), outer.copy()];
  for (const part of parts) within.add(part);
  around.add(within.finish());
  return around.finish();
}

/// PBKDF2 (RFC 8018).
function deriveKey(digest, password, salt, rounds, size) {
  if (digest.number !== undefined) return Buffer.from(native.pbkdf2(digest.number, password, salt, rounds, size));
  const mac = beginMac(digest, password);
  const parts = [];
  for (let number = 1; (number - 1) * digest.size < size; number++) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(number);
    let last = finishMac(mac, salt, counter);
    const sum = Buffer.from(last);
    for (let round = 1; round < rounds; round++) {
      last = finishMac(mac, last);
      for (let i = 0; i < sum.length; i++) sum[i] ^= last[i];
    }
    parts.push(sum);
  }
  return Buffer.concat(parts).subarray(0, size);
}

module.exports = {
  digestNamed: (name) => byName.get(name.toLowerCase()),
  names: () => TABLE.flatMap(([, listed]) => listed).sort(),
  beginMac,
  finishMac,
  deriveKey,
};
