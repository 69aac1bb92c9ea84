// What goes with `fetch` and works without a network.

const { custom, inspect } = require('internal/inspect');

class Headers {
  #list = new Map();
  constructor(init) {
    if (init === undefined || init === null) return;
    for (const [name, value] of typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init))
      this.append(name, value);
  }
  #key(name) {
    name = `${name}`.toLowerCase();
    if (!/^[a-z0-9!#$%&'*+\-.^_`|~]+$/.test(name))
      throw new TypeError(`Headers.append: ${name} is an invalid header name.`);
    return name;
  }
  append(name, value) {
    const key = this.#key(name);
    const before = this.#list.get(key);
    this.#list.set(key, before === undefined ? `${value}`.trim() : `${before}, ${`${value}`.trim()}`);
  }
  set(name, value) { this.#list.set(this.#key(name), `${value}`.trim()); }
  get(name) { return this.#list.get(this.#key(name)) ?? null; }
  has(name) { return this.#list.has(this.#key(name)); }
  delete(name) { this.#list.delete(this.#key(name)); }
  getSetCookie() { return this.has('set-cookie') ? [this.get('set-cookie')] : []; }
  forEach(callback, self) { for (const [name, value] of this) callback.call(self, value, name, this); }
  *entries() { for (const key of [...this.#list.keys()].sort()) yield [key, this.#list.get(key)]; }
  *keys() { for (const [key] of this.entries()) yield key; }
  *values() { for (const [, value] of this.entries()) yield value; }
  [Symbol.iterator]() { return this.entries(); }
  [custom](depth, options) { return `Headers ${inspect(Object.fromEntries(this), options)}`; }
}

class FormData {
  #list = [];
  append(name, value) { this.#list.push([`${name}`, typeof value === 'object' ? value : `${value}`]); }
  set(name, value) { this.delete(name); this.append(name, value); }
  get(name) { return this.#list.find(([key]) => key === name)?.[1] ?? null; }
  getAll(name) { return this.#list.filter(([key]) => key === name).map(([, value]) => value); }
  has(name) { return this.#list.some(([key]) => key === name); }
  delete(name) { this.#list = this.#list.filter(([key]) => key !== name); }
  *entries() { yield* this.#list.map((pair) => [...pair]); }
  *keys() { for (const [key] of this.#list) yield key; }
  *values() { for (const [, value] of this.#list) yield value; }
  forEach(callback, self) { for (const [key, value] of this.#list) callback.call(self, value, key, this); }
  [Symbol.iterator]() { return this.entries(); }
}

class Body {
  #bytes;
  #used = false;
  constructor(body) {
    if (body === null || body === undefined) this.#bytes = null;
    else if (typeof body === 'string' || body instanceof URLSearchParams) this.#bytes = Buffer.from(`${body}`);
    else if (body instanceof ArrayBuffer) this.#bytes = Buffer.from(body);
    else if (ArrayBuffer.isView(body)) this.#bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    else this.#bytes = body;
  }
  get bodyUsed() { return this.#used; }
  get body() { return this.#bytes === null ? null : new Blob([this.#bytes]).stream(); }
  async #all() {
    if (this.#used) throw new TypeError('Body is unusable: Body has already been read');
    this.#used = true;
    if (this.#bytes === null) return Buffer.alloc(0);
    if (Buffer.isBuffer(this.#bytes)) return this.#bytes;
    if (this.#bytes instanceof Blob) return Buffer.from(await this.#bytes.arrayBuffer());
    return require('stream/consumers').buffer(this.#bytes);
  }
  async text() {
    return (await this.#all()).toString();
  }
  async json() {
    return JSON.parse(await this.text());
  }
  async arrayBuffer() {
    const all = await this.#all();
    return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength);
  }
  async bytes() {
    return new Uint8Array(await this.arrayBuffer());
  }
  async blob() {
    return new Blob([await this.#all()]);
  }
}

class Response extends Body {
  constructor(body, { status = 200, statusText = '', headers } = {}) {
    super(body);
    if (status < 200 || status > 599)
      throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
    Object.assign(this, {
      status,
      statusText,
      headers: new Headers(headers),
      ok: status >= 200 && status < 300,
      redirected: false,
      type: 'default',
      url: '',
    });
    if (typeof body === 'string' && !this.headers.has('content-type'))
      this.headers.set('content-type', 'text/plain;charset=UTF-8');
  }
  clone() {
    return this;
  }
  static json(value, init) {
    return new Response(JSON.stringify(value), {
      ...init,
      headers: { 'content-type': 'application/json', ...init?.headers },
    });
  }
  static error() {
    const made = new Response(null);
    made.status = 0;
    made.ok = false;
    return made;
  }
  static redirect(url, status = 302) {
    return new Response(null, { status, headers: { location: url } });
  }
}

class Request extends Body {
  constructor(input, init = {}) {
    super(init.body);
    Object.assign(this, {
      url: new URL(typeof input === 'string' || input instanceof URL ? `${input}` : input.url).href,
      method: (init.method ?? input.method ?? 'GET').toUpperCase(),
      headers: new Headers(init.headers ?? input.headers),
      signal: init.signal ?? new AbortController().signal,
    });
  }
}

module.exports = { Headers, FormData, Response, Request };
