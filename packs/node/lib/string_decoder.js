// Text of bytes that arrive in pieces: characters that are cut wait for the rest.

const { encodingOf } = require('buffer');
const { invalidArgType } = require('internal/errors');

const NAMES = ['utf8', 'latin1', 'utf16le', 'hex', 'base64', 'base64url', 'ascii'];

function StringDecoder(encoding) {
  this.encoding = NAMES[encodingOf(encoding)];
  Object.defineProperty(this, 'left', { value: Buffer.alloc(0), writable: true, enumerable: false });
}

/// How many bytes at the end belong to a character that is not complete.
function incomplete(bytes, encoding) {
  const size = bytes.length;
  if (encoding === 'utf16le') {
    if (size % 2 === 1) return size >= 3 && (bytes[size - 2] & 0xfc) === 0xd8 ? 3 : 1;
    return size >= 2 && (bytes[size - 1] & 0xfc) === 0xd8 ? 2 : 0;
  }
  if (encoding === 'base64' || encoding === 'base64url') return size % 3;
  if (encoding !== 'utf8') return 0;
  for (let back = 1; back <= Math.min(3, size); back++) {
    const byte = bytes[size - back];
    if ((byte & 0xc0) === 0x80) continue;
    const needed =
      byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
    if (needed <= back) return 0;
    // What cannot become a character is no beginning of one.
    const second = bytes[size - back + 1];
    if (
      back > 1 &&
      ((byte === 0xe0 && second < 0xa0) ||
        (byte === 0xed && second > 0x9f) ||
        (byte === 0xf0 && second < 0x90) ||
        (byte === 0xf4 && second > 0x8f))
    )
      return 0;
    return back;
  }
  return 0;
}

StringDecoder.prototype.write = function(bytes) {
  if (typeof bytes === 'string') return bytes;
  if (!ArrayBuffer.isView(bytes)) throw invalidArgType('buf', ['Buffer', 'TypedArray', 'DataView'], bytes);
  let all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (this.left.length) all = Buffer.concat([this.left, all]);
  const rest = incomplete(all, this.encoding);
  this.left = Buffer.from(all.subarray(all.length - rest));
  return all.toString(this.encoding, 0, all.length - rest);
};

StringDecoder.prototype.end = function(bytes) {
  let text = bytes === undefined ? '' : this.write(bytes);
  if (this.left.length) {
    text +=
      this.encoding === 'utf16le'
        ? this.left.toString('utf16le', 0, this.left.length - (this.left.length % 2))
        : this.left.toString(this.encoding);
    this.left = Buffer.alloc(0);
  }
  return text;
};

StringDecoder.prototype.text = function(bytes, offset) {
  this.left = Buffer.alloc(0);
  return this.write(bytes.slice(offset));
};
Object.defineProperty(StringDecoder.prototype, 'lastNeed', {
  enumerable: true,
  get() {
    return this.left.length ? 1 : 0;
  },
});
Object.defineProperty(StringDecoder.prototype, 'lastTotal', {
  enumerable: true,
  get() {
    return this.left.length + this.lastNeed;
  },
});

module.exports = { StringDecoder };
