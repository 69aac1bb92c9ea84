// URLs: the standard's, and the older functions.

const { URL, URLSearchParams } = require('internal/whatwg_url');
const { pathToFileURL, fileURLToPath } = require('internal/file_urls');
const { invalidArgType, coded } = require('internal/errors');
const punycode = require('punycode');
const querystring = require('querystring');

function Url() {
  for (const key of ['protocol', 'slashes', 'auth', 'host', 'port', 'hostname', 'hash', 'search', 'query', 'pathname', 'path', 'href']) this[key] = null;
}

const SLASHED = new Set(['http:', 'https:', 'ftp:', 'gopher:', 'file:', 'ws:', 'wss:']);

let isWarned = false; // of a port that is none

function urlParse(text, parseQuery, slashesDenoteHost) {
  if (text instanceof Url) return text;
  const url = new Url();
  url.parse(text, parseQuery, slashesDenoteHost);
  return url;
}

const escapeRest = (text) =>
  text.replace(/[\t\n\r "'<>\\^`{|}]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

Url.prototype.parse = function(text, parseQuery, slashesDenoteHost) {
  if (typeof text !== 'string') throw invalidArgType('url', 'string', text);
  let rest = text.trim();
  const query = rest.search(/[?#]/);
  rest = (query < 0 ? rest : rest.slice(0, query)).replaceAll('\\', '/') + (query < 0 ? '' : rest.slice(query));
  const scheme = /^([a-zA-Z0-9.+-]+:)/.exec(rest);
  let lower = '';
  if (scheme) {
    lower = scheme[1].toLowerCase();
    this.protocol = lower;
    rest = rest.slice(scheme[1].length);
  }
  const isScript = lower === 'javascript:';
  let slashes = false;
  if ((slashesDenoteHost || scheme || /^\/\/[^@/]+@[^@/]+/.test(rest)) && rest.startsWith('//') && !isScript) {
    slashes = true;
    this.slashes = true;
    rest = rest.slice(2);
  }
  if (!isScript && (slashes || (scheme && !SLASHED.has(lower)))) {
    // What comes before the last @ may have characters that end a host.
    const most = rest.search(/[/?#]/);
    const sign = (most < 0 ? rest : rest.slice(0, most)).lastIndexOf('@');
    const stop = rest.slice(sign + 1).search(/[\t\n\r "%'/;<>?#\\^`{|}]/);
    const end = stop < 0 ? -1 : stop + sign + 1;
    let authority = end < 0 ? rest : rest.slice(0, end);
    rest = end < 0 ? '' : rest.slice(end);
    const at = authority.lastIndexOf('@');
    if (at >= 0) {
      this.auth = unescapeSafely(authority.slice(0, at));
      authority = authority.slice(at + 1);
    }
    const port = /:([0-9]*)$/.exec(authority);
    if (port) {
      if (port[1] !== '') this.port = port[1];
      authority = authority.slice(0, port.index);
    }
    const isLiteral = authority.startsWith('[') && authority.endsWith(']');
    const bad = isLiteral ? -1 : authority.search(/[^a-zA-Z0-9.\-_+\u0080-\uffff]/);
    if (bad >= 0) {
      if (authority[bad] === ':' && !isWarned) {
        isWarned = true;
        const words = `The URL ${text} is invalid. Future versions of Node.js will throw an error.`;
        process.emitWarning(words, 'DeprecationWarning', 'DEP0170');
      }
      rest = `/${authority.slice(bad)}${rest}`;
      authority = authority.slice(0, bad);
    }
    this.hostname = authority.length > 255 ? '' : authority.toLowerCase();
    if (!isLiteral && this.hostname !== '') {
      this.hostname = punycode.toASCII(this.hostname);
      if (/[\0\t\n\r #%/:<>?@[\\\]^|]/.test(this.hostname))
        throw coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL', { input: text });
    }
    if (this.hostname.startsWith('[')) {
      this.host = this.hostname + (this.port ? `:${this.port}` : '');
      this.hostname = this.hostname.slice(1, -1);
    } else this.host = this.hostname + (this.port ? `:${this.port}` : '');
  }
  if (!isScript) rest = escapeRest(rest);
  const hash = rest.indexOf('#');
  if (hash >= 0) {
    this.hash = rest.slice(hash);
    rest = rest.slice(0, hash);
  }
  const mark = rest.indexOf('?');
  if (mark >= 0) {
    this.search = rest.slice(mark);
    this.query = rest.slice(mark + 1);
    if (parseQuery) this.query = querystring.parse(this.query);
    rest = rest.slice(0, mark);
  } else if (parseQuery) {
    this.search = null;
    this.query = { __proto__: null };
  }
  if (rest) this.pathname = rest;
  if (SLASHED.has(lower) && this.hostname !== null && !this.pathname) this.pathname = '/';
  if (this.pathname || this.search) this.path = (this.pathname || '') + (this.search || '');
  this.href = this.format();
  return this;
};

function unescapeSafely(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

Url.prototype.format = function() {
  let auth = this.auth ? `${encodeURIComponent(this.auth).replace(/%3A/i, ':')}@` : '';
  let protocol = this.protocol || '';
  let pathname = this.pathname || '';
  let hash = this.hash || '';
  let host = '';
  if (this.host) host = auth + this.host;
  else if (this.hostname)
    host =
      auth + (this.hostname.includes(':') ? `[${this.hostname}]` : this.hostname) + (this.port ? `:${this.port}` : '');
  let query = '';
  if (this.query !== null && typeof this.query === 'object') query = querystring.stringify(this.query);
  let search = this.search || (query && `?${query}`) || '';
  if (protocol && !protocol.endsWith(':')) protocol += ':';
  pathname = pathname.replaceAll('?', '%3F').replaceAll('#', '%23');
  if (this.slashes || SLASHED.has(protocol)) {
    if (this.slashes || host) {
      if (pathname && !pathname.startsWith('/')) pathname = `/${pathname}`;
      host = `//${host}`;
    } else if (protocol.startsWith('file')) host = '//';
  }
  search = search.replaceAll('#', '%23');
  if (hash && !hash.startsWith('#')) hash = `#${hash}`;
  if (search && !search.startsWith('?')) search = `?${search}`;
  auth = '';
  return protocol + host + pathname + search + hash;
};

Url.prototype.resolve = function(relative) { return this.resolveObject(urlParse(relative, false, true)).format(); };
Url.prototype.resolveObject = function(relative) {
  if (typeof relative === 'string') relative = urlParse(relative, false, true);
  const result = new Url();
  Object.assign(result, this);
  result.hash = relative.hash;
  if (relative.href === '') {
    result.href = result.format();
    return result;
  }
  if (relative.slashes && !relative.protocol) {
    for (const key of Object.keys(relative)) if (key !== 'protocol') result[key] = relative[key];
    if (SLASHED.has(result.protocol) && result.hostname && !result.pathname) result.path = result.pathname = '/';
    result.href = result.format();
    return result;
  }
  if (relative.protocol && relative.protocol !== result.protocol) {
    Object.assign(result, relative);
    result.href = result.format();
    return result;
  }
  const isAbsolute = relative.host || relative.pathname?.startsWith('/');
  let parts = (result.pathname ?? '').split('/').filter((part, i) => i > 0 || part !== '');
  const ownAbsolute = !!(result.pathname?.startsWith('/'));
  if (relative.host !== null && relative.host !== undefined && relative.host !== '') {
    for (const key of ['host', 'hostname', 'port', 'auth']) result[key] = relative[key];
  }
  if (isAbsolute || relative.pathname) {
    result.search = relative.search;
    result.query = relative.query;
    const more = (relative.pathname ?? '').split('/');
    if (isAbsolute) parts = more[0] === '' ? more.slice(1) : more;
    else {
      parts.pop();
      parts = [...parts, ...more];
    }
  } else if (relative.search !== null && relative.search !== undefined) {
    result.search = relative.search;
    result.query = relative.query;
  }
  const out = [];
  const last = parts.at(-1);
  const needsSlash = parts.length > 0 && (last === '.' || last === '..' || last === '');
  for (const part of parts) {
    if (part === '..') {
      if (out.length && out.at(-1) !== '..') out.pop();
      else if (!(ownAbsolute || isAbsolute || result.host)) out.push('..');
    } else if (part !== '.') out.push(part);
  }
  if (needsSlash && out.at(-1) !== '') out.push('');
  const absolute = isAbsolute || ownAbsolute || (result.host && (out.length > 0));
  result.pathname = out.length || absolute ? (absolute ? '/' : '') + out.join('/').replace(/^\//, '') : null;
  if (result.pathname !== null || result.search !== null) result.path = (result.pathname ?? '') + (result.search ?? '');
  result.auth = relative.auth || result.auth;
  result.slashes = result.slashes || relative.slashes;
  result.href = result.format();
  return result;
};

function format(object, options) {
  if (typeof object === 'string') object = urlParse(object);
  else if (object === null || typeof object !== 'object')
    throw invalidArgType('urlObject', ['Object', 'string'], object);
  else if (object instanceof URL) {
    const { fragment = true, unicode = false, search = true, auth = true } = options ?? {};
    const copy = new URL(object.href);
    if (!fragment) copy.hash = '';
    if (!search) copy.search = '';
    if (!auth) copy.username = copy.password = '';
    return unicode ? copy.href.replace(copy.hostname, punycode.toUnicode(copy.hostname)) : copy.href;
  }
  return Url.prototype.format.call(object);
}

module.exports = {
  Url,
  parse: urlParse,
  resolve: (from, to) => urlParse(from, false, true).resolve(to),
  resolveObject: (from, to) => (from ? urlParse(from, false, true).resolveObject(to) : to),
  format,
  URL,
  URLSearchParams,
  domainToASCII: (domain) => {
    try {
      return new URL(`ws://${domain}`).hostname;
    } catch {
      return '';
    }
  },
  domainToUnicode: (domain) => {
    try {
      return punycode.toUnicode(new URL(`ws://${domain}`).hostname);
    } catch {
      return '';
    }
  },
  pathToFileURL,
  fileURLToPath,
  urlToHttpOptions: (url) => ({
    __proto__: null,
    ...url,
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    hash: url.hash,
    search: url.search,
    pathname: url.pathname,
    path: `${url.pathname || ''}${url.search || ''}`,
    href: url.href,
    ...(url.port !== '' && { port: Number(url.port) }),
    ...((url.username || url.password) && {
      auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`,
    }),
  }),
};
