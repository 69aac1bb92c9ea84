// TextEncoder and TextDecoder.

const { coded, invalidArgType } = require('internal/errors');
const { custom, inspect } = require('internal/inspect');
const { LABELS, TABLES } = require('internal/encodings');

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

const encodings = new Map(); // from labels
for (const [name, labels] of Object.entries(LABELS)) for (const label of labels.split(' ')) encodings.set(label, name);

const NOTHING = '\ufffd';

function decodeTable(bytes, table) {
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, (char) => table[char.charCodeAt(0) - 128]);
}

/// UTF-16 whose bytes come in any pieces; halves wait for the rest.
class Utf16Decoder {
  #isBigEndian;
  #rest = Buffer.alloc(0);
  constructor(isBigEndian) {
    this.#isBigEndian = isBigEndian;
  }
  write(bytes) {
    const all = Buffer.concat([this.#rest, bytes]);
    let whole = all.subarray(0, all.length & ~1);
    if (this.#isBigEndian) whole = Buffer.from(whole).swap16();
    let text = whole.toString('utf16le');
    const isHalf = /[\ud800-\udbff]$/.test(text);
    if (isHalf) text = text.slice(0, -1);
    this.#rest = all.subarray(whole.length - (isHalf ? 2 : 0));
    return text;
  }
  end() {
    const text = this.#rest.length ? NOTHING : '';
    this.#rest = Buffer.alloc(0);
    return text;
  }
}

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBom;
  #decoder;
  #began = false;
  constructor(label = 'utf-8', options = {}) {
    const name = encodings.get(`${label}`.trim().toLowerCase());
    if (options !== null && typeof options !== 'object') throw invalidArgType('options', 'object', options);
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
    if (!(ArrayBuffer.isView(input) || input instanceof ArrayBuffer || input instanceof SharedArrayBuffer)) {
      throw coded(
        TypeError,
        'ERR_INVALID_ARG_TYPE',
        'The "list" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.',
      );
    }
    const bytes = ArrayBuffer.isView(input)
      ? Buffer.from(input.buffer, input.byteOffset, input.byteLength)
      : Buffer.from(input);
    const isLast = !options?.stream;
    let text = this.#text(bytes, isLast);
    if (!this.#began && !this.#ignoreBom && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    this.#began = !isLast && (this.#began || text.length > 0);
    return text;
  }

  #text(bytes, isLast) {
    // As in Node, what is called Latin 1 is that, though the standard means Windows' page.
    if (this.#encoding === 'windows-1252') return bytes.toString('latin1');
    if (TABLES[this.#encoding]) {
      const text = decodeTable(bytes, TABLES[this.#encoding]);
      if (this.#fatal && text.includes(NOTHING)) this.#refuse();
      return text;
    }
    if (this.#encoding === 'utf-8') return this.#utf8(bytes, isLast);
    this.#decoder ??= new Utf16Decoder(this.#encoding === 'utf-16be');
    const text = this.#decoder.write(bytes);
    const rest = isLast ? this.#decoder.end() : '';
    if (this.#fatal && (rest || !text.isWellFormed())) this.#refuse();
    return text.toWellFormed() + rest;
  }

  #utf8(bytes, isLast) {
    if (this.#fatal && isLast && !this.#decoder && !native.utf8Valid(bytes)) this.#refuse();
    const { StringDecoder } = require('string_decoder');
    this.#decoder ??= new StringDecoder('utf8');
    let text = this.#decoder.write(bytes);
    if (isLast) {
      text += this.#decoder.end();
      this.#decoder = undefined;
    }
    if (this.#fatal && text.includes(NOTHING) && !bytes.includes(Buffer.from([0xef, 0xbf, 0xbd]))) this.#refuse();
    return text;
  }

  #refuse() {
    this.#decoder = undefined;
    throw coded(
      TypeError,
      'ERR_ENCODING_INVALID_ENCODED_DATA',
      `The encoded data was not valid for encoding ${this.#encoding}`,
    );
  }

  [custom](depth, options) {
    if (depth < 0) return this;
    return `TextDecoder ${inspect({ encoding: this.encoding, fatal: this.fatal, ignoreBOM: this.ignoreBOM }, options)}`;
  }
}
for (const Kind of [TextEncoder, TextDecoder])
  Object.defineProperty(Kind.prototype, Symbol.toStringTag, { value: Kind.name, configurable: true });

module.exports = { TextEncoder, TextDecoder };
