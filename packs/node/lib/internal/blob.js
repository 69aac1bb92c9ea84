// Blob and File.

const { coded, invalidArgType, invalidArgValue, received } = require('internal/errors');
const { custom, inspect } = require('internal/inspect');

const refused = (name, what, value) =>
  coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The "${name}" argument must be ${what}.${received(value)}`);

class Blob {
  #bytes;
  #type;
  constructor(sources = [], options = {}) {
    if (sources === null || typeof sources !== 'object' || typeof sources[Symbol.iterator] !== 'function')
      throw refused('sources', 'a sequence', sources);
    if (options != null && typeof options !== 'object' && typeof options !== 'function')
      throw refused('options', 'a dictionary', options);
    const endings = options?.endings;
    if (endings !== undefined && endings !== 'transparent' && endings !== 'native')
      throw invalidArgValue('options.endings', endings);
    const parts = [];
    for (const source of sources) {
      if (source instanceof Blob) parts.push(source.#bytes);
      else if (ArrayBuffer.isView(source)) parts.push(Buffer.from(source.buffer, source.byteOffset, source.byteLength));
      else if (source instanceof ArrayBuffer) parts.push(Buffer.from(source));
      else
        parts.push(Buffer.from(endings === 'native' ? `${source}`.replace(/\r\n?|\n/g, '\n') : `${source}`));
    }
    this.#bytes = Buffer.concat(parts);
    const type = `${options?.type ?? ''}`;
    this.#type = /[^\u0020-\u007e]/.test(type) ? '' : type.toLowerCase();
  }
  get size() {
    return this.#bytes.length;
  }
  get type() {
    return this.#type;
  }
  slice(start = 0, end = this.size, type = '') {
    return new Blob([this.#bytes.subarray(start, end)], { type });
  }
  async arrayBuffer() {
    return this.#bytes.buffer.slice(this.#bytes.byteOffset, this.#bytes.byteOffset + this.#bytes.byteLength);
  }
  async bytes() {
    return new Uint8Array(await this.arrayBuffer());
  }
  async text() {
    return this.#bytes.toString();
  }
  stream() {
    const bytes = this.#bytes;
    return new ReadableStream({
      start(controller) {
        if (bytes.length) controller.enqueue(new Uint8Array(bytes));
        controller.close();
      },
    });
  }
  [custom](depth, options) {
    return depth < 0 ? this : `Blob ${inspect({ size: this.size, type: this.type }, options)}`;
  }
}

/// When a file was changed, in milliseconds; now if nothing is said.
function changeTime(options) {
  const given = options?.lastModified;
  return given === undefined ? Date.now() : +given || 0;
}

class File extends Blob {
  #facts;
  constructor(bits, name, options = undefined) {
    if (arguments.length < 2)
      throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "fileBits" and "fileName" arguments must be specified');
    super(bits, options);
    this.#facts = { name: `${name}`.toWellFormed(), lastModified: changeTime(options) };
  }
  get name() { return this.#facts.name; }
  get lastModified() { return this.#facts.lastModified; }
  [custom](depth, options) {
    const { size, type } = this;
    return depth < 0 ? this : `File ${inspect({ size, type, ...this.#facts }, options)}`;
  }
}
for (const Kind of [Blob, File])
  Object.defineProperty(Kind.prototype, Symbol.toStringTag, { value: Kind.name, configurable: true });

const objects = new Map(); // by addresses that `URL.createObjectURL` made

function createObjectURL(blob) {
  if (!(blob instanceof Blob)) throw invalidArgType('obj', 'Blob', blob);
  const url = `blob:nodedata:${crypto.randomUUID()}`;
  objects.set(url, blob);
  return url;
}

module.exports = {
  Blob,
  File,
  createObjectURL,
  revokeObjectURL: (url) => void objects.delete(`${url}`),
  objectOf: (url) => objects.get(`${url}`),
};
