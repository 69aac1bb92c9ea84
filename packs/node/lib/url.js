// URLs: the standard's, and the older functions.

const { URL, URLSearchParams } = require('internal/whatwg_url');
const { pathToFileURL, fileURLToPath } = require('internal/file_urls');
const { invalidArgType, coded } = require('internal/errors');
const { toASCII } = require('internal/idna');
const punycode = require('punycode');
const querystring = require('querystring');

const PARTS = 'protocol slashes auth host port hostname hash search query pathname path href'.split(' ');

function Url() {
  for (const part of PARTS) this[part] = null;
}

/// Schemes whose addresses have `//`, and a path that is `/` at least.
const SLASHED = new Set(['http:', 'https:', 'ftp:', 'gopher:', 'file:', 'ws:', 'wss:']);
/// What no host's name may have.
const FORBIDDEN = new Set('\0\t\n\r #%/:<>?@[\\]^|');

/// Paths that stay as they are, as those of most requests do.
const PLAIN = /^\/\/?(?!\/)[^\s#@?]*(\?[^\s#]*)?$/;

let isWarned = false; // of a port that is none

function parse(text, parseQuery, slashesDenoteHost) {
  return text instanceof Url ? text : new Url().parse(text, parseQuery, slashesDenoteHost);
}

const escapeRest = (text) =>
  text.replace(/[\t\n\r "'<>\\^`{|}]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/// What is before a place, and what is from it; a place of -1 is the end.
const splitAt = (text, place) => (place < 0 ? [text, ''] : [text.slice(0, place), text.slice(place)]);

/// A part with the sign that it begins with, if it is there.
const led = (sign, part) => (!part || part.startsWith(sign) ? part || '' : sign + part);

/// Splits what follows `//` where the path begins.
function splitAuthority(text) {
  // What comes before the last @ may have characters that end a host.
  const user = splitAt(text, text.search(/[/?#]/))[0].lastIndexOf('@') + 1;
  const length = text.slice(user).search(/[ "%'/;<>?#\\^`{|}]/);
  return splitAt(text, length < 0 ? -1 : user + length);
}

function hostName(name, text) {
  const host = name.length > 255 ? '' : toASCII(name.replace(/[\t\n\r]/g, '').replaceAll('ẞ', 'ß'));
  if (host === undefined || [...host].some((char) => FORBIDDEN.has(char)))
    throw coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL', { input: text });
  return host;
}

/// Reads user, host and port; gives the path with what does not belong to them.
function readAuthority(url, authority, path, text) {
  const user = authority.lastIndexOf('@');
  if (user >= 0) url.auth = decodeURIComponent(authority.slice(0, user));
  const [, all, port] = /^(.*?)(?::([0-9]*))?$/s.exec(authority.slice(user + 1));
  if (port) url.port = port;
  const address = /^\[(.*)\]$/s.exec(all)?.[1].toLowerCase();
  const [name, surplus] = splitAt(all, address === undefined ? all.indexOf(':') : -1);
  if (surplus && !isWarned) {
    isWarned = true;
    const words = `The URL ${text} is invalid. Future versions of Node.js will throw an error.`;
    process.emitWarning(words, 'DeprecationWarning', 'DEP0170');
  }
  url.hostname = address ?? hostName(name, text);
  url.host = (address === undefined ? url.hostname : `[${address}]`) + (url.port ? `:${url.port}` : '');
  if (surplus) return `/${surplus}${path}`;
  return address === undefined ? path : led('/', path || '/');
}

/// Reads path, query and fragment.
function readPath(url, text, parseQuery) {
  const [before, hash] = splitAt(text, text.indexOf('#'));
  const [pathname, search] = splitAt(before, before.indexOf('?'));
  url.hash = hash || null;
  if (search) {
    url.search = search;
    url.query = search.slice(1);
  }
  if (parseQuery) url.query = querystring.parse(url.query);
  url.pathname = pathname || (SLASHED.has(url.protocol) && url.hostname ? '/' : null);
  if (pathname || url.pathname || search) url.path = (url.pathname ?? '') + search;
}

Url.prototype.parse = function(text, parseQuery, slashesDenoteHost) {
  if (typeof text !== 'string') throw invalidArgType('url', 'string', text);
  const trimmed = text.trim();
  const [address, suffix] = splitAt(trimmed, trimmed.search(/[?#]/));
  let rest = address.replaceAll('\\', '/') + suffix;
  const isPlain = !slashesDenoteHost && PLAIN.test(rest);
  const scheme = /^[a-zA-Z0-9.+-]+:/.exec(rest)?.[0];
  if (scheme) {
    this.protocol = scheme.toLowerCase();
    rest = rest.slice(scheme.length);
  }
  if (this.protocol !== 'javascript:') {
    const mayHaveHost = slashesDenoteHost || scheme || /^\/\/[^@/]+@[^@/]+/.test(rest);
    this.slashes = (mayHaveHost && rest.startsWith('//')) || null;
    if (this.slashes) rest = rest.slice(2);
    if (this.slashes || (scheme && !SLASHED.has(scheme))) rest = readAuthority(this, ...splitAuthority(rest), text);
    if (!isPlain) rest = escapeRest(rest);
  }
  readPath(this, rest, parseQuery);
  this.href = this.format();
  return this;
};

/// The host with user and port.
function authorityOf({ auth, host, hostname, port }) {
  const user = auth ? `${encodeURIComponent(auth).replaceAll('%3A', ':')}@` : '';
  if (host) return user + host;
  if (!hostname) return '';
  return user + (hostname.includes(':') ? `[${hostname}]` : hostname) + (port ? `:${port}` : '');
}

Url.prototype.format = function() {
  const protocol = this.protocol ? this.protocol.replace(/:?$/, ':') : '';
  const query = this.query !== null && typeof this.query === 'object' ? querystring.stringify(this.query) : '';
  const search = led('?', this.search || query).replaceAll('#', '%23');
  const path = `${this.pathname || ''}`.replaceAll('?', '%3F').replaceAll('#', '%23');
  const authority = authorityOf(this);
  const end = search + led('#', this.hash);
  if (this.slashes || (authority && SLASHED.has(protocol))) return `${protocol}//${authority}${led('/', path)}${end}`;
  return protocol + (protocol === 'file:' ? '//' : authority) + path + end;
};

Url.prototype.resolve = function(relative) {
  return this.resolveObject(parse(relative, false, true)).format();
};

/// A path without `.`, and without `..` where there is something to leave or nothing above.
function simplified(path, hasTop) {
  const out = [];
  for (const segment of path.split('/').slice(path.startsWith('/') ? 1 : 0)) {
    if (segment !== '..') out.push(...(segment === '.' ? [] : [segment]));
    else if (out.length > 0 && out.at(-1) !== '..') out.pop();
    else if (!hasTop) out.push(segment);
  }
  const text = (path.startsWith('/') ? '/' : '') + out.join('/');
  return out.length > 0 && /\/\.{0,2}$/.test(path) && !text.endsWith('/') ? `${text}/` : text;
}

function setPath(url, path) {
  url.pathname = path || null;
  url.path = path + (url.search ?? '') || null;
}

/// Goes to an address of another scheme.
function leaveScheme(url, relative) {
  const slashes = url.slashes || relative.slashes;
  Object.assign(url, relative);
  if (!SLASHED.has(url.protocol)) return;
  url.slashes = slashes;
  if (url.host) return;
  if (url.protocol === 'file:') url.host = '';
  else {
    // `http:/a/b` is `http://a/b`.
    const [, host, path] = /^\/*([^/]*)\/*(.*)$/s.exec(url.pathname ?? '');
    url.host = url.hostname = host;
    setPath(url, `/${path}`);
  }
}

/// Goes to another path. A scheme that is not `SLASHED` has addresses that are a path, bare: what is called their host
/// is the first segment.
function changePath(url, relative) {
  const isBare = url.protocol && !SLASHED.has(url.protocol);
  const { host, hostname, port, search, query } = relative;
  const [from, to] = [url, relative].map((each) => ((isBare && each.host) || '') + (each.pathname ?? ''));
  const hasHost = typeof host === 'string';
  const isWhole = hasHost || to.startsWith('/');
  const path = isWhole ? to : to ? from.replace(/[^/]*$/, '') + to : from;
  if (isWhole || to) Object.assign(url, { search: search ?? null, query: query ?? null });
  url.slashes ||= relative.slashes;
  if (isBare) {
    const simple = simplified(path, url.host || path.startsWith('/'));
    const [first, others] = splitAt(simple, simple.indexOf('/'));
    const at = first.indexOf('@');
    if (at >= 0) url.auth = decodeURIComponent(first.slice(0, at));
    url.host = url.hostname = first.slice(at + 1);
    url.port = null;
    setPath(url, others);
  } else {
    if (hasHost) Object.assign(url, { host, hostname, port, auth: relative.auth || null });
    const whole = url.host ? led('/', path) : path;
    setPath(url, simplified(whole, whole.startsWith('/')));
  }
}

Url.prototype.resolveObject = function(relative) {
  if (typeof relative === 'string') relative = parse(relative, false, true);
  const result = Object.assign(new Url(), this, { hash: relative.hash });
  const { protocol } = relative;
  if (protocol && protocol !== this.protocol) leaveScheme(result, relative);
  else if (relative.slashes && !protocol) {
    Object.assign(result, relative, { protocol: this.protocol });
    if (SLASHED.has(this.protocol) && result.hostname && !result.pathname) result.path = result.pathname = '/';
  } else if (relative.search && !relative.host && !relative.pathname) {
    const { search, query } = relative;
    Object.assign(result, { search, query, path: (this.pathname ?? '') + search });
  } else if (relative.href !== '') changePath(result, relative);
  result.href = result.format();
  return result;
};

function format(object, options) {
  if (typeof object === 'string') object = parse(object);
  else if (object === null || typeof object !== 'object')
    throw invalidArgType('urlObject', ['Object', 'string'], object);
  else if (object instanceof URL) {
    if (options != null && typeof options !== 'object') throw invalidArgType('options', 'object', options);
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
  parse,
  resolve: (from, to) => parse(from, false, true).resolve(to),
  resolveObject: (from, to) => (from ? parse(from, false, true).resolveObject(to) : to),
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
