// FormData, and its form as text.

const { custom, inspect } = require('internal/inspect');
const { PairIterator, need } = require('internal/headers');
const { Blob, File } = require('internal/blob');

class FormData {
  #list = [];
  constructor(form = undefined) {
    if (form !== undefined)
      throw new TypeError('FormData constructor: Argument 1 could not be converted to: undefined.');
  }
  #entry(name, value, args, what) {
    need(args, 2, `FormData.${what}`);
    if (args.length === 3 && !(value instanceof Blob))
      throw new TypeError(`Failed to execute '${what}' on 'FormData': parameter 2 is not of type 'Blob'`);
    name = `${name}`.toWellFormed();
    if (!(value instanceof Blob)) return [name, `${value}`.toWellFormed()];
    if (args.length === 3 || !(value instanceof File)) {
      const title = args.length === 3 ? `${args[2]}`.toWellFormed() : 'blob';
      value = new File([value], title, { type: value.type });
    }
    return [name, value];
  }
  append(name, value) { this.#list.push(this.#entry(name, value, arguments, 'append')); }
  set(name, value) {
    const entry = this.#entry(name, value, arguments, 'set');
    const at = this.#list.findIndex(([key]) => key === entry[0]);
    if (at < 0) this.#list.push(entry);
    else this.#list = this.#list.filter(([key], i) => i <= at || key !== entry[0]).with(at, entry);
  }
  get(name) {
    need(arguments, 1, 'FormData.get');
    return this.#list.find(([key]) => key === `${name}`)?.[1] ?? null;
  }
  getAll(name) {
    need(arguments, 1, 'FormData.getAll');
    return this.#list.filter(([key]) => key === `${name}`).map(([, value]) => value);
  }
  has(name) {
    need(arguments, 1, 'FormData.has');
    return this.#list.some(([key]) => key === `${name}`);
  }
  delete(name) {
    need(arguments, 1, 'FormData.delete');
    this.#list = this.#list.filter(([key]) => key !== `${name}`);
  }
  entries() { return new PairIterator('FormData', () => this.#list, (pair) => [...pair]); }
  keys() { return new PairIterator('FormData', () => this.#list, ([key]) => key); }
  values() { return new PairIterator('FormData', () => this.#list, ([, value]) => value); }
  forEach(callback, self) {
    need(arguments, 1, 'FormData.forEach');
    if (typeof callback !== 'function')
      throw new TypeError("Failed to execute 'forEach' on 'FormData': parameter 1 is not of type 'Function'.");
    for (const [key, value] of this) callback.call(self, value, key, this);
  }
  [custom](depth, options) {
    const shown = {};
    for (const [key, value] of this.#list) {
      if (!Object.hasOwn(shown, key)) shown[key] = value;
      else if (Array.isArray(shown[key])) shown[key].push(value);
      else shown[key] = [shown[key], value];
    }
    return `FormData ${inspect(shown, { ...options, depth: options.depth ?? 0 })}`;
  }
}
FormData.prototype[Symbol.iterator] = FormData.prototype.entries;
Object.defineProperty(FormData.prototype, Symbol.toStringTag, { value: 'FormData', configurable: true });

const quoted = (text) => text.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
const lines = (text) => text.replace(/\r?\n|\r/g, '\r\n');

const newBoundary = () => `----formdata-undici-${`${Math.floor(Math.random() * 1e11)}`.padStart(12, '0')}`;

/// The bytes of a form.
async function encode(form, boundary) {
  const parts = [];
  for (const [name, value] of form) {
    let head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(lines(name))}"`;
    if (typeof value === 'string') parts.push(Buffer.from(`${head}\r\n\r\n${lines(value)}\r\n`));
    else {
      head += `; filename="${quoted(value.name)}"\r\nContent-Type: ${value.type || 'application/octet-stream'}\r\n\r\n`;
      parts.push(Buffer.from(head), Buffer.from(await value.arrayBuffer()), Buffer.from('\r\n'));
    }
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return Buffer.concat(parts);
}

const malformed = () => new TypeError('Failed to parse body as FormData.');

/// Reads what `encode` makes, and others make.
function decode(bytes, boundary) {
  const form = new FormData();
  const mark = Buffer.from(`--${boundary}`);
  let at = bytes.indexOf(mark);
  if (at !== 0) throw malformed();
  for (;;) {
    at += mark.length;
    if (bytes.subarray(at, at + 2).toString() === '--') return form;
    if (bytes.subarray(at, at + 2).toString() !== '\r\n') throw malformed();
    const end = bytes.indexOf('\r\n\r\n', at);
    const next = end < 0 ? -1 : bytes.indexOf(`\r\n--${boundary}`, end + 2);
    if (next < 0) throw malformed();
    const head = bytes.subarray(at + 2, end).toString();
    const disposition = /^content-disposition: *form-data; *name="([^"]*)"(?:; *filename="([^"]*)")?/im.exec(head);
    if (!disposition) throw malformed();
    const plain = (text) => text.replace(/%0A/gi, '\n').replace(/%0D/gi, '\r').replace(/%22/g, '"');
    const content = bytes.subarray(end + 4, next);
    if (disposition[2] === undefined) form.append(plain(disposition[1]), content.toString());
    else {
      const type = /^content-type: *(.*)$/im.exec(head)?.[1] ?? 'text/plain';
      form.append(plain(disposition[1]), new File([content], plain(disposition[2]), { type }));
    }
    at = next + 2;
  }
}

module.exports = { FormData, newBoundary, encode, decode };
