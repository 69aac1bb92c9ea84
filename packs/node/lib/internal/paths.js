// Arguments that are names of files.

const { invalidArgType, invalidArgValue } = require('internal/errors');

function toPath(value, name = 'path') {
  if (value !== null && typeof value === 'object' && value.href && value.protocol)
    value = require('url').fileURLToPath(value);
  if (value instanceof Uint8Array) value = Buffer.from(value).toString();
  if (typeof value !== 'string') throw invalidArgType(name, ['string', 'Buffer', 'URL'], value);
  if (value.includes('\0'))
    throw invalidArgValue(name, value, 'must be a string, Uint8Array, or URL without null bytes');
  return value;
}

module.exports = { toPath };
