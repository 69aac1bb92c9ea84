// Blob and File.

const { custom, inspect } = require('internal/inspect');

class Blob {
  #bytes;
  #type;
  constructor(sources = [], options = {}) {
    const parts = [];
    for (const source of sources) {
      if (source instanceof Blob) parts.push(source.#bytes);
      else if (ArrayBuffer.isView(source)) parts.push(Buffer.from(source.buffer, source.byteOffset, source.byteLength));
      else if (source instanceof ArrayBuffer) parts.push(Buffer.from(source));
      else
        parts.push(Buffer.from(options?.endings === 'native' ? `${source}`.replace(/\r\n?|\n/g, '\n') : `${source}`));
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

class File extends Blob {
  #name;
  #lastModified;
  constructor(sources, name, options = {}) {
    super(sources, options);
    this.#name = `${name}`;
    this.#lastModified = options?.lastModified ?? Date.now();
  }
  get name() { return this.#name; }
  get lastModified() { return this.#lastModified; }
}
for (const Kind of [Blob, File])
  Object.defineProperty(Kind.prototype, Symbol.toStringTag, { value: Kind.name, configurable: true });

module.exports = { Blob, File, createObjectURL: () => `blob:nodedata:${crypto.randomUUID()}` };
