// URL and URLSearchParams, from the URL standard.

const { coded, invalidArgType } = require('internal/errors');
const { custom, inspect } = require('internal/inspect');

const SPECIAL = {
  __proto__: null,
  'http:': '80',
  'https:': '443',
  'ws:': '80',
  'wss:': '443',
  'ftp:': '21',
  'file:': '',
};
const bytesOf = (text) => new Uint8Array(native.encode(text, 0));

/// Percent-encodes what `keep` does not match, byte by byte.
function escaped(text, keep) {
  let out = '';
  for (const char of text) {
    if (keep.test(char)) out += char;
    else for (const byte of bytesOf(char)) out += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}
// eslint-disable-next-line no-control-regex
const KEEP = {
  fragment: /^[\x21\x23-\x3b\x3d\x3f-\x5f\x61-\x7e]$/,
  query: /^[\x21\x24-\x3b\x3d\x3f-\x7e]$/,
  specialQuery: /^[\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e]$/,
  path: /^[\x21\x24-\x3b\x3d\x40-\x5f\x61-\x7a\x7c\x7e]$/,
  user: /^[\x21\x24-\x2e\x30-\x39\x41-\x5a\x5f\x61-\x7a\x7e\x25]$/,
  opaque: /^[\x20-\x7e]$/,
};

class Failure extends Error {}

function parseIpv4(host) {
  const parts = host.split('.');
  if (parts.at(-1) === '' && parts.length > 1) parts.pop();
  if (parts.length > 4) return undefined;
  const last = parts.at(-1);
  if (!/^(0[xX][0-9a-fA-F]*|[0-9]+)$/.test(last)) return undefined;
  const numbers = parts.map((part) => {
    if (!/^(0[xX][0-9a-fA-F]*|[0-9]+)$/.test(part)) throw new Failure();
    const number = /^0[xX]/.test(part)
      ? Number.parseInt(part.slice(2) || '0', 16)
      : part.length > 1 && part[0] === '0'
        ? /[89]/.test(part)
          ? NaN
          : Number.parseInt(part, 8)
        : Number(part);
    if (Number.isNaN(number)) throw new Failure();
    return number;
  });
  if (numbers.slice(0, -1).some((number) => number > 255) || numbers.at(-1) >= 256 ** (5 - numbers.length))
    throw new Failure();
  let value = numbers.at(-1);
  numbers.slice(0, -1).forEach((number, i) => { value += number * 256 ** (3 - i); });
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

function parseIpv6(text) {
  const sides = text.split('::');
  if (sides.length > 2) throw new Failure();
  const pieces = (side) => {
    if (side === '') return [];
    const parts = side.split(':');
    const out = [];
    parts.forEach((part, i) => {
      if (part.includes('.')) {
        if (i !== parts.length - 1) throw new Failure();
        const bytes = part.split('.');
        if (bytes.length !== 4 || bytes.some((byte) => !/^(0|[1-9]\d{0,2})$/.test(byte) || Number(byte) > 255))
          throw new Failure();
        out.push(bytes[0] * 256 + +bytes[1], bytes[2] * 256 + +bytes[3]);
      } else {
        if (!/^[0-9a-fA-F]{1,4}$/.test(part)) throw new Failure();
        out.push(Number.parseInt(part, 16));
      }
    });
    return out;
  };
  const left = pieces(sides[0]);
  const right = sides.length === 2 ? pieces(sides[1]) : [];
  const all =
    sides.length === 2 ? [...left, ...new Array(Math.max(0, 8 - left.length - right.length)).fill(0), ...right] : left;
  if (all.length !== 8 || (sides.length === 2 && left.length + right.length > 7)) throw new Failure();
  let best = { at: -1, size: 1 };
  for (let i = 0; i < 8; i++) {
    let size = 0;
    while (i + size < 8 && all[i + size] === 0) size++;
    if (size > best.size) best = { at: i, size };
  }
  let out = '';
  for (let i = 0; i < 8; i++) {
    if (i === best.at) {
      out += i === 0 ? '::' : ':';
      i += best.size - 1;
    } else out += all[i].toString(16) + (i < 7 ? ':' : '');
  }
  return `[${out}]`;
}

function parseHost(text, special) {
  if (text.startsWith('[')) {
    if (!text.endsWith(']')) throw new Failure();
    return parseIpv6(text.slice(1, -1));
  }
  if (!special) {
    if (/[\0\t\n\r #/:<>?@[\\\]^|]/.test(text)) throw new Failure();
    return escaped(text, KEEP.opaque);
  }
  let host = text;
  if (text.includes('%')) host = Buffer.from(unescapeBytes(text)).toString();
  host = require('internal/idna').toASCII(host);
  // eslint-disable-next-line no-control-regex
  if (!host || /[\x00-\x20#%/:<>?@[\\\]^|\x7f]/.test(host)) throw new Failure();
  return parseIpv4(host) ?? host;
}

function unescapeBytes(text) {
  const bytes = bytesOf(text);
  const out = [];
  for (let i = 0; i < bytes.length; i++) {
    const hex = bytes[i] === 37 ? String.fromCharCode(bytes[i + 1] ?? 0, bytes[i + 2] ?? 0) : '';
    if (/^[0-9a-fA-F]{2}$/.test(hex)) {
      out.push(Number.parseInt(hex, 16));
      i += 2;
    } else out.push(bytes[i]);
  }
  return out;
}

const isDriveLetter = (text) => /^[a-zA-Z][:|]$/.test(text);

function joinPath(base, text, record) {
  const special = record.protocol in SPECIAL;
  const parts = text.split(special ? /[/\\]/ : '/');
  const out = [...base];
  parts.forEach((part, i) => {
    const last = i === parts.length - 1;
    const plain = part.toLowerCase().replaceAll('%2e', '.');
    if (plain === '..') {
      if (!(record.protocol === 'file:' && out.length === 1 && /^[a-zA-Z]:$/.test(out[0]))) out.pop();
      if (last) out.push('');
    } else if (plain === '.') {
      if (last) out.push('');
    } else {
      if (record.protocol === 'file:' && out.length === 0 && isDriveLetter(part)) part = `${part[0]}:`;
      out.push(escaped(part, { test: (char) => char === '%' || KEEP.path.test(char) }));
    }
  });
  return out;
}

function parse(input, base) {
  // eslint-disable-next-line no-control-regex
  let text = input.replace(/^[\x00-\x20]+|[\x00-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
  const record = {
    protocol: '',
    username: '',
    password: '',
    host: null,
    port: '',
    path: [],
    opaque: null,
    query: null,
    fragment: null,
  };
  const hash = text.indexOf('#');
  if (hash >= 0) {
    record.fragment = escaped(text.slice(hash + 1), { test: (char) => char === '%' || KEEP.fragment.test(char) });
    text = text.slice(0, hash);
  }
  const takeQuery = (rest) => {
    const mark = rest.indexOf('?');
    if (mark < 0) return rest;
    const keep = record.protocol in SPECIAL ? KEEP.specialQuery : KEEP.query;
    record.query = escaped(rest.slice(mark + 1), { test: (char) => char === '%' || keep.test(char) });
    return rest.slice(0, mark);
  };
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
  let rest = text;
  let relative = !scheme;
  if (scheme) {
    record.protocol = scheme[0].toLowerCase();
    rest = text.slice(scheme[0].length);
    const special = record.protocol in SPECIAL;
    if (special && base && base.protocol === record.protocol && !/^[/\\]{2}/.test(rest) && record.protocol !== 'file:')
      relative = true;
    else if (record.protocol === 'file:')
      return parseFile(rest, base?.protocol === 'file:' ? base : undefined, record, takeQuery);
    else if (special) return parseAuthority(rest.replace(/^[/\\]*/, ''), record, takeQuery);
    else if (rest.startsWith('//')) return parseAuthority(rest.slice(2), record, takeQuery);
    else if (rest.startsWith('/')) {
      record.path = joinPath([], takeQuery(rest).slice(1), record);
      return record;
    } else {
      rest = takeQuery(rest);
      record.opaque = escaped(rest, KEEP.opaque);
      return record;
    }
  }
  if (!relative) return record;
  if (!base) throw new Failure();
  if (base.opaque !== null) {
    if (text !== '' || record.fragment === null) throw new Failure();
    return { ...base, fragment: record.fragment };
  }
  record.protocol = base.protocol;
  if (record.protocol === 'file:') return parseFile(rest, base, record, takeQuery);
  const slash = record.protocol in SPECIAL ? /^[/\\]/ : /^\//;
  if (slash.test(rest) && slash.test(rest.slice(1)))
    return parseAuthority(rest.slice(2).replace(record.protocol in SPECIAL ? /^[/\\]*/ : /^$/, ''), record, takeQuery);
  Object.assign(record, { username: base.username, password: base.password, host: base.host, port: base.port });
  relativePath(rest, base, record, takeQuery, slash);
  return record;
}

function relativePath(rest, base, record, takeQuery, slash) {
  const query = rest.includes('?');
  rest = takeQuery(rest);
  if (slash.test(rest)) record.path = joinPath([], rest.slice(1), record);
  else if (rest === '') {
    record.path = [...base.path];
    if (!query) record.query = base.query;
  } else record.path = joinPath(base.path.slice(0, -1), rest, record);
}

function parseFile(rest, base, record, takeQuery) {
  record.host = '';
  if (/^[/\\]{2}/.test(rest)) {
    const found = /^([^/\\?]*)([^]*)$/.exec(rest.slice(2));
    let [, host, path] = found;
    if (isDriveLetter(host)) {
      path = `/${host}${path}`;
      host = '';
    }
    if (host !== '') {
      host = parseHost(host, true);
      record.host = host === 'localhost' ? '' : host;
    }
    path = takeQuery(path);
    record.path = joinPath([], path.replace(/^[/\\]/, ''), record);
    return record;
  }
  if (base && !/^[/\\]/.test(rest)) {
    record.host = base.host;
    relativePath(rest, base, record, takeQuery, /^[/\\]/);
    return record;
  }
  if (base) record.host = base.host;
  record.path = joinPath([], takeQuery(rest).replace(/^[/\\]/, ''), record);
  return record;
}

function parseAuthority(rest, record, takeQuery) {
  const special = record.protocol in SPECIAL;
  const end = rest.search(special ? /[/\\?]/ : /[/?]/);
  let authority = end < 0 ? rest : rest.slice(0, end);
  rest = end < 0 ? '' : rest.slice(end);
  const at = authority.lastIndexOf('@');
  if (at >= 0) {
    const user = authority.slice(0, at);
    authority = authority.slice(at + 1);
    const colon = user.indexOf(':');
    record.username = escaped(colon < 0 ? user : user.slice(0, colon), KEEP.user);
    if (colon >= 0) record.password = escaped(user.slice(colon + 1), KEEP.user);
    if (authority === '') throw new Failure();
  }
  const port = /:([^:\]]*)$/.exec(authority);
  if (port) {
    authority = authority.slice(0, port.index);
    if (port[1] !== '') {
      if (!/^\d+$/.test(port[1]) || Number(port[1]) > 65535) throw new Failure();
      record.port = String(Number(port[1]));
      if (record.port === SPECIAL[record.protocol]) record.port = '';
    }
  }
  if (authority === '' && (special || port)) throw new Failure();
  record.host = authority === '' ? '' : parseHost(authority, special);
  rest = takeQuery(rest);
  if (rest === '' && !special) record.path = [];
  else record.path = joinPath([], rest.replace(special ? /^[/\\]/ : /^\//, ''), record);
  return record;
}

function pathText(record) {
  if (record.opaque !== null) return record.opaque;
  return record.path.map((part) => `/${part}`).join('');
}

function textOf(record, withoutHash) {
  let out = record.protocol;
  if (record.host !== null) {
    out += '//';
    if (record.username || record.password) out += `${record.username}${record.password ? `:${record.password}` : ''}@`;
    out += record.host + (record.port ? `:${record.port}` : '');
  } else if (record.opaque === null && record.path.length > 1 && record.path[0] === '') out += '/.';
  out += pathText(record);
  if (record.query !== null) out += `?${record.query}`;
  if (record.fragment !== null && !withoutHash) out += `#${record.fragment}`;
  return out;
}

const paramsOf = new WeakMap();

const PARTS = 'href origin protocol username password host hostname port pathname search searchParams hash'.split(' ');

/// Its code is not in its stack.
const invalid = (properties) => Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' }, properties);

class URL {
  #record;
  #params;
  constructor(input, base = undefined) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
    input = `${input}`;
    if (base !== undefined) base = `${base}`;
    try {
      this.#record = parse(input, base === undefined ? undefined : parse(base));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const failure = invalid({ input });
      if (base !== undefined) failure.base = base;
      delete failure.code;
      failure.code = 'ERR_INVALID_URL';
      delete failure.input;
      failure.input = input;
      throw failure;
    }
  }

  static canParse(input, base = undefined) {
    if (arguments.length === 0)
      throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
    try {
      parse(`${input}`, base === undefined ? undefined : parse(`${base}`));
      return true;
    } catch {
      return false;
    }
  }
  static createObjectURL(blob) { return require('internal/blob').createObjectURL(blob); }
  static revokeObjectURL(url) { require('internal/blob').revokeObjectURL(url); }

  toString() { return textOf(this.#record); }
  toJSON() { return textOf(this.#record); }
  get href() { return textOf(this.#record); }
  set href(value) {
    try {
      this.#record = parse(`${value}`);
    } catch {
      throw invalid({ input: `${value}` });
    }
    this.#refresh();
  }
  get origin() {
    const { protocol, host, port } = this.#record;
    if (protocol === 'blob:') {
      try {
        return new URL(pathText(this.#record)).origin;
      } catch {
        return 'null';
      }
    }
    return protocol in SPECIAL && protocol !== 'file:' ? `${protocol}//${host}${port ? `:${port}` : ''}` : 'null';
  }
  get protocol() { return this.#record.protocol; }
  set protocol(value) {
    const found = /^([a-zA-Z][a-zA-Z0-9+.-]*)/.exec(`${value}`);
    if (!found) return;
    const protocol = `${found[1].toLowerCase()}:`;
    if ((protocol in SPECIAL) !== (this.#record.protocol in SPECIAL)) return;
    this.#record.protocol = protocol;
    if (this.#record.port === SPECIAL[protocol]) this.#record.port = '';
  }
  get username() { return this.#record.username; }
  set username(value) { if (this.#hasAuthority()) this.#record.username = escaped(`${value}`, KEEP.user); }
  get password() { return this.#record.password; }
  set password(value) { if (this.#hasAuthority()) this.#record.password = escaped(`${value}`, KEEP.user); }
  #hasAuthority() { return !!this.#record.host && this.#record.protocol !== 'file:'; }
  get host() { return (this.#record.host ?? '') + (this.#record.port ? `:${this.#record.port}` : ''); }
  set host(value) { this.#setHost(`${value}`, true); }
  get hostname() { return this.#record.host ?? ''; }
  set hostname(value) { this.#setHost(`${value}`, false); }
  #setHost(value, withPort) {
    if (this.#record.opaque !== null) return;
    value = value.split(/[/?#\\]/)[0];
    const found = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?/.exec(value);
    try {
      if (found[1] === '' && this.#record.protocol in SPECIAL) return;
      this.#record.host = parseHost(found[1], this.#record.protocol in SPECIAL);
      if (withPort && found[2]) this.port = found[2];
    } catch {
      // What is no host changes nothing.
    }
  }
  get port() { return this.#record.port; }
  set port(value) {
    if (!this.#hasAuthority()) return;
    value = `${value}`;
    if (value === '') this.#record.port = '';
    const found = /^\d+/.exec(value);
    if (!found || Number(found[0]) > 65535) return;
    const port = String(Number(found[0]));
    this.#record.port = port === SPECIAL[this.#record.protocol] ? '' : port;
  }
  get pathname() { return pathText(this.#record); }
  set pathname(value) {
    if (this.#record.opaque !== null) return;
    this.#record.path = joinPath(
      [],
      `${value}`
        .replaceAll('?', '%3F')
        .replaceAll('#', '%23')
        .replace(this.#record.protocol in SPECIAL ? /^[/\\]/ : /^\//, ''),
      this.#record,
    );
  }
  get search() { return this.#record.query ? `?${this.#record.query}` : ''; }
  set search(value) {
    value = `${value}`;
    const keep = this.#record.protocol in SPECIAL ? KEEP.specialQuery : KEEP.query;
    this.#record.query =
      value === '' ? null : escaped(value.replace(/^\?/, ''), { test: (char) => char === '%' || keep.test(char) });
    this.#refresh();
  }
  get searchParams() {
    if (!this.#params) {
      this.#params = new URLSearchParams(this.#record.query ?? '');
      paramsOf.set(this.#params, (text) => { this.#record.query = text === '' ? null : text; });
    }
    return this.#params;
  }
  get hash() { return this.#record.fragment ? `#${this.#record.fragment}` : ''; }
  set hash(value) {
    value = `${value}`;
    this.#record.fragment =
      value === ''
        ? null
        : escaped(value.replace(/^#/, ''), { test: (char) => char === '%' || KEEP.fragment.test(char) });
  }
  #refresh() {
    if (!this.#params) return;
    const fresh = new URLSearchParams(this.#record.query ?? '');
    lists.set(this.#params, [...fresh]);
  }
  [custom](depth, options) {
    if (typeof depth === 'number' && depth < 0) return this;
    const object = { __proto__: { constructor: this.constructor } };
    for (const key of PARTS) object[key] = this[key];
    return `${this.constructor.name} ${inspect(Object.assign({}, object), options)}`;
  }
}

const pairs = new WeakMap();
/// The pairs of parameters, and a refusal of everything else.
const lists = {
  get(params) {
    const list = pairs.get(params);
    if (!list) throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type URLSearchParams');
    return list;
  },
  set: (params, list) => pairs.set(params, list),
};

class Iterator {
  #params;
  #pick;
  #at = 0;
  constructor(params, pick) {
    this.#params = params;
    this.#pick = pick;
  }
  next() {
    const list = lists.get(this.#params);
    if (this.#at >= list.length) return { value: undefined, done: true };
    return { value: this.#pick(list[this.#at++]), done: false };
  }
  [custom](depth, options) {
    if (depth < 0) return options.stylize('[Object]', 'special');
    const left = lists.get(this.#params).slice(this.#at).map(this.#pick);
    const parts = left.map((item) => inspect(item, options));
    return `URLSearchParams Iterator { ${parts.join(', ')} }`;
  }
}
Object.setPrototypeOf(Iterator.prototype, Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())));
Object.defineProperty(Iterator.prototype, Symbol.toStringTag, {
  value: 'URLSearchParams Iterator',
  configurable: true,
});

function iteratorOf(params, pick) {
  lists.get(params);
  return new Iterator(params, pick);
}

const decodeForm = (text) => {
  text = text.replaceAll('+', ' ');
  return text.includes('%') ? Buffer.from(unescapeBytes(text)).toString() : text;
};
const encodeForm = (text) => {
  // eslint-disable-next-line no-control-regex
  if (/^[A-Za-z0-9*\-._]*$/.test(text)) return text;
  return escaped(text.toWellFormed(), { test: (char) => /^[A-Za-z0-9*\-._ ]$/.test(char) }).replaceAll(' ', '+');
};

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
const wellFormed = (pair) => pair.map((item) => `${item}`.toWellFormed());

function pairsOfText(text) {
  const parts = text.replace(/^\?/, '').split('&').filter(Boolean);
  return parts.map((part) => {
    const [name] = part.split('=', 1);
    return [decodeForm(name), decodeForm(part.slice(name.length + 1))];
  });
}

function pairOf(item) {
  const pair = isObject(item) && typeof item[Symbol.iterator] === 'function' ? [...item] : [];
  if (pair.length === 2) return wellFormed(pair);
  throw coded(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
}

/// The pairs that something stands for: a text, an iterable of pairs, or an object.
function pairsOf(init) {
  if (init == null) return [];
  if (!isObject(init)) return pairsOfText(`${init}`);
  const iterate = init[Symbol.iterator];
  if (typeof iterate === 'function') return Array.from(init, pairOf);
  if (iterate != null) throw coded(TypeError, 'ERR_ARG_NOT_ITERABLE', 'Query pairs must be iterable');
  const keys = Reflect.ownKeys(init).filter((key) => Object.prototype.propertyIsEnumerable.call(init, key));
  return keys.map((key) => wellFormed([key, init[key]]));
}

class URLSearchParams {
  constructor(init = undefined) {
    lists.set(this, pairsOf(init));
  }
  get size() {
    return lists.get(this).length;
  }
  append(name, value) {
    need(arguments, 2);
    lists.get(this).push([`${name}`.toWellFormed(), `${value}`.toWellFormed()]);
    changed(this);
  }
  delete(name, value) {
    need(arguments, 1);
    lists.set(
      this,
      lists.get(this).filter(([key, item]) => !(key === `${name}` && (value === undefined || item === `${value}`))),
    );
    changed(this);
  }
  get(name) {
    need(arguments, 1);
    return lists.get(this).find(([key]) => key === `${name}`)?.[1] ?? null;
  }
  getAll(name) {
    need(arguments, 1);
    return lists
      .get(this)
      .filter(([key]) => key === `${name}`)
      .map(([, value]) => value);
  }
  has(name, value) {
    need(arguments, 1);
    return lists.get(this).some(([key, item]) => key === `${name}` && (value === undefined || item === `${value}`));
  }
  set(name, value) {
    need(arguments, 2);
    const list = lists.get(this);
    const at = list.findIndex(([key]) => key === `${name}`);
    if (at < 0) list.push([`${name}`.toWellFormed(), `${value}`.toWellFormed()]);
    else {
      list[at][1] = `${value}`.toWellFormed();
      lists.set(this, list.filter(([key], i) => i <= at || key !== `${name}`));
    }
    changed(this);
  }
  sort() { lists.get(this).sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)); changed(this); }
  forEach(callback, self) {
    if (typeof callback !== 'function') throw invalidArgType('callback', 'function', callback);
    for (const [key, value] of lists.get(this)) callback.call(self, value, key, this);
  }
  entries() { return iteratorOf(this, (pair) => [...pair]); }
  keys() { return iteratorOf(this, ([key]) => key); }
  values() { return iteratorOf(this, ([, value]) => value); }
  toString() { return lists.get(this).map(([key, value]) => `${encodeForm(key)}=${encodeForm(value)}`).join('&'); }
  [custom](depth, options) {
    if (typeof depth === 'number' && depth < 0) return options.stylize('[Object]', 'special');
    const parts = lists.get(this).map(([key, value]) => `${inspect(key, options)} => ${inspect(value, options)}`);
    if (parts.length === 0) return 'URLSearchParams {}';
    const line = parts.join(', ');
    return line.length <= options.breakLength
      ? `URLSearchParams { ${line} }`
      : `URLSearchParams {\n  ${parts.join(',\n  ')} }`;
  }
}
Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, {
  value: URLSearchParams.prototype.entries,
  writable: true,
  configurable: true,
});
Object.defineProperty(URLSearchParams.prototype, Symbol.toStringTag, { value: 'URLSearchParams', configurable: true });
Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: 'URL', configurable: true });
for (const name of [...PARTS, 'toString', 'toJSON']) {
  Object.defineProperty(URL.prototype, name, { enumerable: true });
}

function need(args, count) {
  if (args.length >= count) return;
  throw coded(
    TypeError,
    'ERR_MISSING_ARGS',
    count === 2 ? 'The "name" and "value" arguments must be specified' : 'The "name" argument must be specified',
  );
}

function changed(params) {
  paramsOf.get(params)?.(params.toString());
}

module.exports = { URL, URLSearchParams, unescapeBytes };
