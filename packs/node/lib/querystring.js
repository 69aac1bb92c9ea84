// Query strings.

const { coded } = require('internal/errors');

function escape(text) {
  text = typeof text === 'object' ? String(text) : `${text}`;
  if (!text.isWellFormed()) throw coded(URIError, 'ERR_INVALID_URI', 'URI malformed');
  return encodeURIComponent(text);
}
function unescapeBuffer(text) {
  return Buffer.from(require('internal/whatwg_url').unescapeBytes(text));
}

function unescape(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return unescapeBuffer(text).toString();
  }
}

const primitive = (value) => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  if (typeof value === 'bigint' || typeof value === 'boolean') return `${value}`;
  return '';
};

function stringify(object, separator = '&', equals = '=', options = undefined) {
  separator ||= '&';
  equals ||= '=';
  let encode = api.escape;
  if (typeof options?.encodeURIComponent === 'function') encode = options.encodeURIComponent;
  if (object === null || typeof object !== 'object') return '';
  const parts = [];
  for (const key of Object.keys(object)) {
    const name = encode(primitive(key)) + equals;
    const value = object[key];
    if (Array.isArray(value)) for (const item of value) parts.push(name + encode(primitive(item)));
    else parts.push(name + encode(primitive(value)));
  }
  return parts.join(separator);
}

function parse(text, separator = '&', equals = '=', options = undefined) {
  const out = { __proto__: null };
  if (typeof text !== 'string' || text.length === 0) return out;
  separator = separator ? `${separator}` : '&';
  equals = equals ? `${equals}` : '=';
  let decode = api.unescape;
  if (typeof options?.decodeURIComponent === 'function') decode = options.decodeURIComponent;
  const decodeSafely = (part) => {
    try {
      return decode(part);
    } catch {
      return unescape(part);
    }
  };
  const most = typeof options?.maxKeys === 'number' ? options.maxKeys : 1000;
  let parts = text.split(separator).filter((part) => part !== '');
  if (most > 0) parts = parts.slice(0, most);
  for (const part of parts) {
    const plus = part.replaceAll('+', ' ');
    const at = plus.indexOf(equals);
    const key = decodeSafely(at < 0 ? plus : plus.slice(0, at));
    const value = at < 0 ? '' : decodeSafely(plus.slice(at + equals.length));
    if (out[key] === undefined) out[key] = value;
    else if (Array.isArray(out[key])) out[key].push(value);
    else out[key] = [out[key], value];
  }
  return out;
}

const api = { unescapeBuffer, unescape, escape, stringify, encode: stringify, parse, decode: parse };
module.exports = api;
