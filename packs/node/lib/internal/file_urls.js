// Paths as URLs and back.

const path = require('path');
const { coded, invalidArgType } = require('internal/errors');

function pathToFileURL(name) {
  if (typeof name !== 'string') throw invalidArgType('path', 'string', name);
  let resolved = path.resolve(name);
  if (name.endsWith('/') && !resolved.endsWith('/')) resolved += '/';
  const escaped = resolved
    .replaceAll('%', '%25')
    .replaceAll('\\', '%5C')
    .replaceAll('\n', '%0A')
    .replaceAll('\r', '%0D')
    .replaceAll('\t', '%09')
    .replaceAll('?', '%3F')
    .replaceAll('#', '%23');
  return new URL(`file://${escaped}`);
}

function fileURLToPath(url) {
  if (typeof url === 'string') url = new URL(url);
  else if (!url || typeof url !== 'object' || !url.href || !url.protocol)
    throw invalidArgType('path', ['string', 'URL'], url);
  if (url.protocol !== 'file:') throw coded(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
  if (url.hostname !== '')
    throw coded(TypeError, 'ERR_INVALID_FILE_URL_HOST', 'File URL host must be "localhost" or empty on linux');
  if (/%2f/i.test(url.pathname))
    throw coded(TypeError, 'ERR_INVALID_FILE_URL_PATH', 'File URL path must not include encoded / characters');
  return url.pathname.includes('%') ? decodeURIComponent(url.pathname) : url.pathname;
}

module.exports = { pathToFileURL, fileURLToPath };
