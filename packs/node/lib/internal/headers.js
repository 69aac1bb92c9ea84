// Headers, from the Fetch standard.

const { coded } = require('internal/errors');
const { custom, inspect } = require('internal/inspect');

const NAME = /^[a-zA-Z0-9!#$%&'*+\-.^_`|~]+$/;
// eslint-disable-next-line no-control-regex
const VALUE = /^[^\0\r\n]*$/;
const SPACE = /^[\t\n\r ]+|[\t\n\r ]+$/g;

/// A text whose characters are bytes.
function byteText(value) {
  const text = `${value}`;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 255) {
      throw new TypeError(
        'Cannot convert argument to a ByteString because the character at ' +
          `index ${i} has a value of ${code} which is greater than 255.`,
      );
    }
  }
  return text;
}

/// Refuses a call with too few arguments.
function need(args, count, what) {
  if (args.length >= count) return;
  const plural = count === 1 ? 'argument' : 'arguments';
  const found = args.length === 0 ? '0 found' : `only ${args.length} found`;
  throw new TypeError(`${what}: ${count} ${plural} required, but ${found}.`);
}

class Headers {
  #list = new Map(); // lower name to [name as given, values]
  #isFixed = false;
  /// Nothing can be changed any more.
  static fix(headers) { headers.#isFixed = true; }
  #change() { if (this.#isFixed) throw new TypeError('immutable'); }
  constructor(init = undefined) {
    if (init === undefined) return;
    if (init === null || (typeof init !== 'object' && typeof init !== 'function')) {
      throw new TypeError(
        'Headers constructor: Argument 1 could not be converted to one of: ' +
          'sequence<sequence<ByteString>>, record<ByteString, ByteString>.',
      );
    }
    if (typeof init[Symbol.iterator] !== 'function') {
      for (const [name, value] of Object.entries(init)) this.append(name, value);
      return;
    }
    let i = 0;
    for (const pair of init) {
      if (pair === null || typeof pair !== 'object' || typeof pair[Symbol.iterator] !== 'function')
        throw new TypeError(`Headers contructor: init[${i}] (${inspect(pair).replaceAll("'", '"')}) is not iterable.`);
      const both = [...pair];
      if (both.length !== 2)
        throw new TypeError(`Headers constructor: expected name/value pair to be length 2, found ${both.length}.`);
      this.append(...both);
      i++;
    }
  }
  #key(name, what) {
    if (!NAME.test(name)) throw new TypeError(`Headers.${what}: "${name}" is an invalid header name.`);
    return name.toLowerCase();
  }
  #value(value, what) {
    value = value.replace(SPACE, '');
    if (!VALUE.test(value)) throw new TypeError(`Headers.${what}: "${value}" is an invalid header value.`);
    return value;
  }
  append(name, value) {
    need(arguments, 2, 'Headers.append');
    [name, value] = [byteText(name), byteText(value)];
    const key = this.#key(name, 'append');
    value = this.#value(value, 'append');
    this.#change();
    const known = this.#list.get(key);
    if (known) known[1].push(value);
    else this.#list.set(key, [name, [value]]);
  }
  set(name, value) {
    need(arguments, 2, 'Headers.set');
    [name, value] = [byteText(name), byteText(value)];
    const key = this.#key(name, 'set');
    value = this.#value(value, 'set');
    this.#change();
    this.#list.set(key, [name, [value]]);
  }
  get(name) {
    need(arguments, 1, 'Headers.get');
    if (!(#list in this)) throw coded(TypeError, 'ERR_INVALID_THIS', 'Illegal invocation');
    return this.#list.get(this.#key(byteText(name), 'get'))?.[1].join(', ') ?? null;
  }
  has(name) {
    need(arguments, 1, 'Headers.has');
    return this.#list.has(this.#key(byteText(name), 'has'));
  }
  delete(name) {
    need(arguments, 1, 'Headers.delete');
    const key = this.#key(byteText(name), 'delete');
    this.#change();
    this.#list.delete(key);
  }
  getSetCookie() { return [...this.#list.get('set-cookie')?.[1] ?? []]; }
  forEach(callback, self) {
    need(arguments, 1, 'Headers.forEach');
    if (typeof callback !== 'function')
      throw new TypeError("Failed to execute 'forEach' on 'Headers': parameter 1 is not of type 'Function'.");
    for (const [name, value] of this) callback.call(self, value, name, this);
  }
  #pairs() {
    const out = [];
    for (const key of [...this.#list.keys()].sort()) {
      const values = this.#list.get(key)[1];
      if (key === 'set-cookie') for (const value of values) out.push([key, value]);
      else out.push([key, values.join(', ')]);
    }
    return out;
  }
  entries() { return new PairIterator('Headers', () => this.#pairs(), (pair) => pair); }
  keys() { return new PairIterator('Headers', () => this.#pairs(), ([key]) => key); }
  values() { return new PairIterator('Headers', () => this.#pairs(), ([, value]) => value); }
  /// Names as they were given, with each value by itself.
  static raw(headers) {
    return [...headers.#list.values()].flatMap(([name, values]) => values.map((value) => [name, value]));
  }
  [custom](depth, options) {
    const shown = [...this.#list].map(([key, [name, values]]) => [name, values.join(', ')]);
    return `Headers ${inspect(Object.fromEntries(shown), { ...options, depth: options.depth })}`;
  }
}

/// What goes through pairs that may change meanwhile.
class PairIterator {
  #pairs;
  #pick;
  #at = 0;
  constructor(name, pairs, pick) {
    this.#pairs = pairs;
    this.#pick = pick;
    Object.defineProperty(this, Symbol.toStringTag, { value: `${name} Iterator`, configurable: true });
  }
  next() {
    const pairs = this.#pairs();
    if (this.#at >= pairs.length) return { value: undefined, done: true };
    return { value: this.#pick(pairs[this.#at++]), done: false };
  }
  [custom]() { return `Object [${this[Symbol.toStringTag]}] {}`; }
}
Object.setPrototypeOf(
  PairIterator.prototype,
  Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())),
);

Headers.prototype[Symbol.iterator] = Headers.prototype.entries;
Object.defineProperty(Headers.prototype, Symbol.toStringTag, { value: 'Headers', configurable: true });

module.exports = { Headers, PairIterator, need };
