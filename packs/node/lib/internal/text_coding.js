// TextEncoder and TextDecoder.

const { coded, invalidArgType } = require('internal/errors');
const { custom, inspect } = require('internal/inspect');

class TextEncoder {
  get encoding() { return 'utf-8'; }
  encode(text = '') { return new Uint8Array(native.encode(`${text}`, 0)); }
  encodeInto(text, into) {
    if (typeof text !== 'string') throw invalidArgType('src', 'string', text);
    if (!(into instanceof Uint8Array)) throw invalidArgType('dest', 'Uint8Array', into);
    const [read, written] = native.writeText(into, text, 0, into.length, 0, true);
    return { read, written };
  }
  [custom](depth, options) {
    return depth < 0 ? this : inspect({ __proto__: { constructor: TextEncoder }, encoding: 'utf-8' }, options);
  }
}

const LABELS = {
  'utf-8': 'utf-8',
  'utf8': 'utf-8',
  'unicode-1-1-utf-8': 'utf-8',
  'utf-16le': 'utf-16le',
  'utf-16': 'utf-16le',
  'ucs-2': 'utf-16le',
  'iso-8859-1': 'windows-1252',
  'latin1': 'windows-1252',
  'ascii': 'windows-1252',
  'us-ascii': 'windows-1252',
  'windows-1252': 'windows-1252',
  'l1': 'windows-1252',
  'utf-16be': 'utf-16be',
};
const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBom;
  #decoder;
  #began = false;
  constructor(label = 'utf-8', options = {}) {
    const name = LABELS[`${label}`.trim().toLowerCase()];
    if (name === undefined)
      throw coded(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${label}" encoding is not supported`);
    this.#encoding = name;
    this.#fatal = !!options?.fatal;
    this.#ignoreBom = !!options?.ignoreBOM;
  }
  get encoding() { return this.#encoding; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#ignoreBom; }

  decode(input = new Uint8Array(0), options = {}) {
    if (!(ArrayBuffer.isView(input) || input instanceof ArrayBuffer))
      throw invalidArgType('list', ['ArrayBuffer', 'ArrayBufferView'], input);
    const bytes = ArrayBuffer.isView(input)
      ? Buffer.from(input.buffer, input.byteOffset, input.byteLength)
      : Buffer.from(input);
    const stream = !!options?.stream;
    let text;
    if (this.#encoding === 'windows-1252') {
      text = bytes.toString('latin1').replace(/[\x80-\x9f]/g, (char) => HIGH[char.charCodeAt(0) - 128]);
    } else if (this.#encoding === 'utf-16be') {
      text = Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16().toString('utf16le');
    } else {
      const { StringDecoder } = require('string_decoder');
      if (this.#fatal && this.#encoding === 'utf-8' && !stream && !this.#decoder && !native.utf8Valid(bytes)) {
        throw coded(
          TypeError,
          'ERR_ENCODING_INVALID_ENCODED_DATA',
          `The encoded data was not valid for encoding ${this.#encoding}`,
        );
      }
      this.#decoder ??= new StringDecoder(this.#encoding === 'utf-8' ? 'utf8' : 'utf16le');
      text = this.#decoder.write(bytes);
      if (!stream) {
        text += this.#decoder.end();
        this.#decoder = undefined;
      }
      if (this.#fatal && text.includes('\ufffd') && !bytes.includes(Buffer.from([0xef, 0xbf, 0xbd]))) {
        throw coded(
          TypeError,
          'ERR_ENCODING_INVALID_ENCODED_DATA',
          `The encoded data was not valid for encoding ${this.#encoding}`,
        );
      }
    }
    if (!this.#began && !this.#ignoreBom && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    this.#began = stream && (this.#began || text.length > 0);
    return text;
  }
  [custom](depth, options) {
    return depth < 0
      ? this
      : `TextDecoder ${inspect({ ignoreBOM: this.ignoreBOM, fatal: this.fatal, encoding: this.encoding }, options)}`;
  }
}
for (const Kind of [TextEncoder, TextDecoder])
  Object.defineProperty(Kind.prototype, Symbol.toStringTag, { value: Kind.name, configurable: true });

module.exports = { TextEncoder, TextDecoder };
