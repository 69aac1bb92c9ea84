// What goes with `fetch`: Request, Response, and addresses that have their content in them.

const { custom, inspect } = require('internal/inspect');
const { Headers, need } = require('internal/headers');
const { FormData, newBoundary, encode, decode } = require('internal/form_data');
const { Blob, objectOf } = require('internal/blob');

const NULL_STATUSES = [101, 204, 205, 304];
const REDIRECTS = [301, 302, 303, 307, 308];

/// A body: all its bytes, or a function that promises them, or a stream; and its type if that is known.
function bodyOf(value) {
  if (typeof value === 'symbol')
    throw new TypeError('undefined: undefined is a symbol, which cannot be converted to a DOMString.');
  if (value instanceof URLSearchParams)
    return { all: Buffer.from(`${value}`), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
  if (value instanceof FormData) {
    const boundary = newBoundary();
    return { all: () => encode(value, boundary), type: `multipart/form-data; boundary=${boundary}` };
  }
  if (value instanceof Blob)
    return { all: async () => Buffer.from(await value.arrayBuffer()), type: value.type || undefined };
  if (value instanceof ArrayBuffer) return { all: Buffer.from(value.slice(0)) };
  if (ArrayBuffer.isView(value))
    return { all: Buffer.from(Buffer.from(value.buffer, value.byteOffset, value.byteLength)) };
  if (value instanceof ReadableStream || typeof value?.[Symbol.asyncIterator] === 'function') return { stream: value };
  return { all: Buffer.from(`${value}`), type: 'text/plain;charset=UTF-8' };
}

class Body {
  #content = null;
  #stream = null;
  #isUsed = false;
  constructor(value, headers) {
    if (value === null || value === undefined) return;
    this.#content = bodyOf(value);
    if (this.#content.type && !headers.has('content-type')) headers.append('content-type', this.#content.type);
  }
  get bodyUsed() { return this.#isUsed || !!this.#stream?.state?.disturbed; }
  get body() {
    if (this.#content === null) return null;
    if (this.#stream) return this.#stream;
    const { all, stream } = this.#content;
    if (stream instanceof ReadableStream) return this.#stream = stream;
    if (stream) return this.#stream = ReadableStream.from(stream);
    this.#stream = new ReadableStream({
      type: 'bytes',
      async pull(controller) {
        const bytes = typeof all === 'function' ? await all() : all;
        if (bytes.length) controller.enqueue(new Uint8Array(bytes));
        controller.close();
      },
    });
    return this.#stream;
  }
  async #all() {
    if (this.#isUsed || this.#stream?.locked) throw new TypeError('Body is unusable: Body has already been read');
    if (this.#content === null) return Buffer.alloc(0);
    this.#isUsed = true;
    const { all, stream } = this.#content;
    if (!this.#stream && !stream) return typeof all === 'function' ? all() : all;
    const parts = [];
    for await (const part of this.#stream ?? stream) {
      if (typeof part === 'string' && !(stream instanceof ReadableStream)) parts.push(Buffer.from(part));
      else if (!(part instanceof Uint8Array)) throw new TypeError('Received non-Uint8Array chunk');
      else parts.push(part);
    }
    return Buffer.concat(parts);
  }
  /// The body of a copy; both can be read.
  static share(body, what) {
    if (body.#isUsed || body.#stream?.locked) throw new TypeError(`${what}.clone: Body has already been consumed.`);
    if (body.#content === null) return null;
    if (body.#content.all) return { again: { ...body.#content } };
    const [one, other] = body.body.tee();
    body.#content = { stream: one };
    body.#stream = one;
    return { again: { stream: other } };
  }
  /// What is to be sent: { all, or stream }, or null. It cannot be read again.
  static take(body) {
    if (body.#isUsed || body.#stream?.locked) throw new TypeError('Body is unusable: Body has already been read');
    if (body.#content === null) return null;
    body.#isUsed = true;
    const { all, stream } = body.#content;
    return body.#stream && !all ? { stream: body.#stream } : { all, stream };
  }
  static give(body, shared) { if (shared) body.#content = shared.again; }

  async text() { return new TextDecoder().decode(await this.#all()); }
  async json() { return JSON.parse(await this.text()); }
  async arrayBuffer() {
    const all = await this.#all();
    return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength);
  }
  async bytes() { return new Uint8Array(await this.arrayBuffer()); }
  async blob() {
    const type = this.headers.get('content-type') ?? '';
    return new Blob([await this.#all()], { type });
  }
  async formData() {
    const type = this.headers.get('content-type') ?? '';
    const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(type);
    if (boundary) return decode(await this.#all(), boundary[1]);
    if (!/^application\/x-www-form-urlencoded/i.test(type)) {
      throw new TypeError(
        'Content-Type was not one of "multipart/form-data" or "application/x-www-form-urlencoded".',
      );
    }
    const form = new FormData();
    for (const [name, value] of new URLSearchParams(await this.text())) form.append(name, value);
    return form;
  }
}

/// Options of a constructor.
function optionsOf(init) {
  if (init === undefined || init === null) return {};
  if (typeof init !== 'object' && typeof init !== 'function')
    throw new TypeError(`undefined: Expected ${init} to be one of: Null, Undefined, Object.`);
  return init;
}

/// What `util.inspect` shows: getters of the prototype, in this order.
function shown(object, keys, options) {
  return `${object.constructor.name} ${inspect(Object.fromEntries(keys.map((key) => [key, object[key]])), options)}`;
}

class Response extends Body {
  #state;
  constructor(body = null, init = {}) {
    const { status = 200, statusText = '', headers } = optionsOf(init);
    const code = Number(status);
    const own = new Headers(headers ?? undefined);
    if (!(code >= 200 && code <= 599))
      throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(`${statusText}`)) throw new TypeError('Invalid statusText');
    if (body !== null && NULL_STATUSES.includes(code))
      throw new TypeError(`Response constructor: Invalid response status code ${code}`);
    super(body, own);
    this.#state = { status: code, statusText: `${statusText}`, headers: own };
    Object.assign(this.#state, { type: 'default', url: '', redirected: false });
  }
  get type() { return this.#state.type; }
  get url() { return this.#state.url; }
  get redirected() { return this.#state.redirected; }
  get status() { return this.#state.status; }
  get ok() { return this.status >= 200 && this.status < 300; }
  get statusText() { return this.#state.statusText; }
  get headers() { return this.#state.headers; }
  clone() {
    const shared = Body.share(this, 'Response');
    const copy = new Response();
    copy.#state = { ...this.#state, headers: new Headers(this.headers) };
    Body.give(copy, shared);
    return copy;
  }
  static json(value, init = {}) {
    need(arguments, 1, 'Response.json');
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError('Value is not JSON serializable');
    const { headers, ...rest } = optionsOf(init);
    const own = new Headers(headers ?? undefined);
    if (!own.has('content-type')) own.set('content-type', 'application/json');
    return new Response(text, { ...rest, headers: own });
  }
  static error() {
    const made = new Response();
    Object.assign(made.#state, { type: 'error', status: 0 });
    return made;
  }
  static redirect(url, status = 302) {
    need(arguments, 1, 'Response.redirect');
    let address;
    try {
      address = new URL(`${url}`).href;
    } catch (error) {
      throw new TypeError(`Failed to parse URL from ${url}`, { cause: error });
    }
    if (!REDIRECTS.includes(status)) throw new RangeError(`Invalid status code ${status}`);
    const made = new Response();
    made.#state.status = status;
    made.#state.headers.append('location', address);
    return made;
  }
  static at(url, body, type) {
    const made = new Response(body, { statusText: 'OK', headers: { 'content-type': type } });
    Object.assign(made.#state, { url, type: 'basic' });
    return made;
  }
  /// The answer to a request; its headers stay as they are.
  static received({ fields, body, ...facts }) {
    const made = new Response(body);
    const headers = new Headers();
    for (let i = 0; i < fields.length; i += 2) headers.append(fields[i], fields[i + 1]);
    Headers.fix(headers);
    Object.assign(made.#state, { headers, type: 'basic', ...facts });
    return made;
  }
  [custom](depth, options) {
    const keys = ['status', 'statusText', 'headers', 'body', 'bodyUsed', 'ok', 'redirected', 'type', 'url'];
    return shown(this, keys, { ...options, depth: options.depth ?? 2 });
  }
}

/// What may be asked for, with its default first if it has one.
const CHOICES = {
  referrerPolicy: ['', 'no-referrer', 'no-referrer-when-downgrade', 'same-origin', 'origin', 'strict-origin',
    'origin-when-cross-origin', 'strict-origin-when-cross-origin', 'unsafe-url'],
  mode: ['navigate', 'same-origin', 'no-cors', 'cors'],
  credentials: ['omit', 'same-origin', 'include'],
  cache: ['default', 'no-store', 'reload', 'no-cache', 'force-cache', 'only-if-cached'],
  redirect: ['follow', 'manual', 'error'],
};
const DEFAULTS = { referrerPolicy: '', mode: 'cors', credentials: 'same-origin', cache: 'default', redirect: 'follow' };

class Request extends Body {
  #state;
  constructor(input, init = {}) {
    need(arguments, 1, 'Request constructor');
    const before = input instanceof Request ? input : undefined;
    const options = optionsOf(init);
    const state = before ? { ...before.#state } : { ...DEFAULTS, method: 'GET', integrity: '', keepalive: false };
    if (!before) state.url = addressOf(input);
    for (const [key, values] of Object.entries(CHOICES)) {
      if (options[key] === undefined) continue;
      const value = `${options[key]}`;
      if (!values.includes(value)) {
        throw new TypeError(
          `Request constructor: ${value} is not an accepted type. Expected one of ${values.join(', ')}.`,
        );
      }
      if (key === 'mode' && value === 'navigate')
        throw new TypeError('Request constructor: invalid request mode navigate.');
      state[key] = value;
    }
    if (options.method !== undefined) state.method = methodOf(`${options.method}`);
    if (options.integrity != null) state.integrity = `${options.integrity}`;
    if (options.keepalive !== undefined) state.keepalive = !!options.keepalive;
    const { signal = before?.signal } = options;
    if (signal !== undefined && signal !== null && !('aborted' in Object(signal)))
      throw new TypeError("Failed to construct 'Request': member signal is not of type AbortSignal.");
    state.signal = signal ?? new AbortController().signal;
    state.headers = new Headers(options.headers ?? before?.headers);
    const { body } = options;
    if (body != null && ['GET', 'HEAD'].includes(state.method))
      throw new TypeError('Request with GET/HEAD method cannot have body.');
    if (body instanceof ReadableStream && options.duplex === undefined)
      throw new TypeError('RequestInit: duplex option is required when sending a body.');
    super(body, state.headers);
    this.#state = state;
    if (before && body == null) Body.give(this, Body.share(before, 'Request'));
  }
  get method() { return this.#state.method; }
  get url() { return this.#state.url; }
  get headers() { return this.#state.headers; }
  get destination() { return ''; }
  get referrer() { return 'about:client'; }
  get referrerPolicy() { return this.#state.referrerPolicy; }
  get mode() { return this.#state.mode; }
  get credentials() { return this.#state.credentials; }
  get cache() { return this.#state.cache; }
  get redirect() { return this.#state.redirect; }
  get integrity() { return this.#state.integrity; }
  get keepalive() { return this.#state.keepalive; }
  get isReloadNavigation() { return false; }
  get isHistoryNavigation() { return false; }
  get signal() { return this.#state.signal; }
  get duplex() { return 'half'; }
  clone() {
    const shared = Body.share(this, 'Request');
    const copy = new Request(this.url);
    copy.#state = { ...this.#state, headers: new Headers(this.headers) };
    Body.give(copy, shared);
    return copy;
  }
  [custom](depth, options) {
    const keys = [
      'method', 'url', 'headers', 'destination', 'referrer', 'referrerPolicy', 'mode', 'credentials', 'cache',
      'redirect', 'integrity', 'keepalive', 'isReloadNavigation', 'isHistoryNavigation', 'signal',
    ];
    return shown(this, keys, { ...options, depth: options.depth ?? 2 });
  }
}
for (const Kind of [Response, Request])
  Object.defineProperty(Kind.prototype, Symbol.toStringTag, { value: Kind.name, configurable: true });

function addressOf(input) {
  let url;
  try {
    url = new URL(`${input}`);
  } catch (error) {
    throw new TypeError(`Failed to parse URL from ${input}`, { cause: error });
  }
  if (url.username || url.password)
    throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${url.href}`);
  return url.href;
}

function methodOf(method) {
  if (!/^[a-zA-Z0-9!#$%&'*+\-.^_`|~]+$/.test(method)) throw new TypeError(`'${method}' is not a valid HTTP method.`);
  const upper = method.toUpperCase();
  if (['CONNECT', 'TRACE', 'TRACK'].includes(upper)) throw new TypeError(`'${method}' HTTP method is unsupported.`);
  return ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'].includes(upper) ? upper : method;
}

/// Fetches what needs no network: addresses that have their content in them, and blobs.
async function fetchLocal(request) {
  const { url } = request;
  if (url.startsWith('data:')) {
    const comma = url.indexOf(',');
    if (comma < 0) return undefined;
    let type = url.slice(5, comma).trim();
    const text = url.slice(comma + 1).replace(/#.*/, '');
    let bytes = Buffer.from(require('querystring').unescapeBuffer(text));
    const isBase64 = /; *base64$/i.test(type);
    if (isBase64) {
      type = type.replace(/; *base64$/i, '');
      bytes = Buffer.from(bytes.toString('latin1'), 'base64');
    }
    if (type.startsWith(';')) type = `text/plain${type}`;
    return Response.at(url, bytes, type || 'text/plain;charset=US-ASCII');
  }
  if (url.startsWith('blob:')) {
    const blob = objectOf(url);
    if (blob) return Response.at(url, blob, blob.type);
  }
  return undefined;
}

module.exports = { Body, Headers, FormData, Response, Request, fetchLocal };
