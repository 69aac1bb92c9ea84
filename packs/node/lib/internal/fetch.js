// `fetch` from servers of this machine, as the Fetch standard has it.

const http = require('http');
const zlib = require('zlib');
const { Body, Headers, Response } = require('internal/fetch_types');
const { addressesOf } = require('internal/net/hosts');
const { hidden } = require('internal/hidden');
const { unsupported } = require('internal/errors');

/// Ports that the standard refuses, as other protocols are there.
const BAD_PORTS = new Set(`0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115
  117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990
  993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080`.split(/\s+/));
const MOST_REDIRECTS = 20;
const REDIRECTS = [301, 302, 303, 307, 308];
const BODILESS = [204, 205, 304];

/// Connections are kept for a while, but do not keep the process.
let agent;

/// The exception of a fetch, with what was behind it.
function failed(cause, message = 'fetch failed') {
  const error = new TypeError(message);
  hidden(error, 'cause', cause);
  return error;
}

class SocketError extends Error {}
hidden(SocketError.prototype, 'name', 'SocketError');
class HTTPParserError extends Error {}
hidden(HTTPParserError.prototype, 'name', 'HTTPParserError');

/// What went wrong, as `fetch` says it.
function causeOf(error) {
  if (error?.code === 'ECONNRESET' && error.syscall === undefined)
    return Object.assign(new SocketError('other side closed'), { code: 'UND_ERR_SOCKET' });
  if (`${error?.code}`.startsWith('HPE_')) {
    const isOther = error.code === 'HPE_INVALID_CONSTANT';
    const words = isOther ? 'Response does not match the HTTP/1.1 protocol (Expected HTTP/)' : error.reason;
    return Object.assign(new HTTPParserError(words), { code: error.code });
  }
  return error;
}

const isLoopback = ({ address }) => /^127\./.test(address) || ['::1', '::', '0.0.0.0'].includes(address);

/// Refuses what is not on this machine, and what is no HTTP.
function checkUrl(url) {
  const { protocol } = url;
  if (protocol === 'about:') throw failed(new Error('about scheme is not supported'));
  if (protocol === 'file:') throw failed(new Error('not implemented... yet...'));
  if (protocol !== 'http:' && protocol !== 'https:') throw failed(new Error('unknown scheme'));
  if (BAD_PORTS.has(url.port)) throw failed(new Error('bad port'));
  const addresses = addressesOf(url.hostname.replace(/^\[|\]$/g, ''), 0);
  const isHere = addresses.length > 0 && addresses.every(isLoopback);
  if (!isHere) throw failed(unsupported('The network'));
  if (protocol === 'https:') throw failed(unsupported('TLS'));
}

/// What the connection decides, not the program.
const OWN = ['host', 'connection', 'content-length', 'transfer-encoding'];

/// The headers that go out, in their order.
function fieldsOf(state, url) {
  const { headers, method, size } = state;
  const own = new Map(headers.map(([name]) => [name.toLowerCase(), true]));
  const given = (name) => headers.find(([key]) => key.toLowerCase() === name)?.[1];
  const list = [
    ['host', url.host],
    ['connection', given('connection') ?? (method === 'HEAD' ? 'close' : 'keep-alive')],
    ...headers.filter(([name]) => !OWN.includes(name.toLowerCase())),
  ];
  const defaults = [
    ['accept', '*/*'], ['accept-language', '*'], ['sec-fetch-mode', state.mode], ['user-agent', 'node'],
  ];
  for (const [name, value] of defaults) if (!own.has(name)) list.push([name, value]);
  if (!own.has('accept-encoding')) list.push(['accept-encoding', own.has('range') ? 'identity' : 'gzip, deflate']);
  if (size >= 0) list.push(['content-length', `${size}`]);
  else if (state.body) list.push(['transfer-encoding', 'chunked']);
  return list.flat();
}

/// Sends a request; a promise of the answer.
function exchange(state, url, signal) {
  agent ??= new http.Agent({ keepAlive: true });
  return new Promise((resolve, reject) => {
    const stop = () => {
      request.destroy();
      reject(signal.reason);
    };
    const end = () => signal.removeEventListener('abort', stop);
    const request = http.request({
      agent, method: state.method, hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || 80,
      path: url.pathname + url.search, headers: fieldsOf(state, url), setHost: false,
    });
    signal.addEventListener('abort', stop, { once: true });
    request.on('response', (message) => {
      end();
      resolve(message);
    });
    request.on('error', (error) => {
      end();
      // A connection that was kept may just have been closed by the other side.
      if (request.reusedSocket && error.code === 'ECONNRESET' && (!state.body || state.body.all))
        resolve(exchange(state, url, signal));
      else reject(signal.aborted ? signal.reason : failed(causeOf(error)));
    });
    send(request, state.body).catch((error) => {
      request.destroy();
      reject(error);
    });
  });
}

async function send(request, body) {
  if (!body) return void request.end();
  if (body.all) return void request.end(body.all);
  for await (const part of body.stream) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    if (!(bytes instanceof Uint8Array)) throw failed(new TypeError('Received non-Uint8Array chunk'));
    if (!request.write(bytes)) await new Promise((resolve) => request.once('drain', resolve).once('close', resolve));
    if (request.destroyed) return undefined;
  }
  return void request.end();
}

/// What undoes the encodings of an answer, the last one first; none if one is not known.
function decodersOf(coding) {
  const words = coding ? coding.toLowerCase().split(',').map((word) => word.trim()) : [];
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const makers = {
    gzip: () => zlib.createGunzip(flush), 'x-gzip': () => zlib.createGunzip(flush),
    deflate: () => zlib.createInflate(flush), br: () => zlib.createBrotliDecompress(),
  };
  const known = words.map((word) => makers[word]);
  return known.includes(undefined) ? [] : known.reverse().map((make) => make());
}

/// The body of an answer as a stream, which ends with the reason if the request is given up.
function bodyOf(message, signal) {
  const decoders = decodersOf(message.headers['content-encoding']);
  const source = decoders.length ? require('stream').pipeline(message, ...decoders, () => {}) : message;
  const iterator = source[Symbol.asyncIterator]();
  let control;
  const stop = () => {
    message.destroy();
    try { control.error(signal.reason); } catch { /* it has ended */ }
  };
  const end = () => signal.removeEventListener('abort', stop);
  signal.addEventListener('abort', stop, { once: true });
  return new ReadableStream({
    type: 'bytes',
    start(controller) { control = controller; },
    async pull(controller) {
      try {
        const { value, done } = await iterator.next();
        if (signal.aborted) return;
        if (!done) controller.enqueue(new Uint8Array(value));
        else {
          end();
          controller.close();
        }
      } catch (error) {
        end();
        if (!signal.aborted) controller.error(failed(causeOf(error), 'terminated'));
      }
    },
    cancel() {
      end();
      message.destroy();
    },
  });
}

/// Where an answer points to, with the fragment of where it came from.
function targetOf(message, url) {
  const { location } = message.headers;
  if (!REDIRECTS.includes(message.statusCode) || location === undefined) return undefined;
  let target;
  try {
    target = new URL(location, url);
  } catch (error) {
    throw failed(error);
  }
  if (!target.hash) target.hash = url.hash;
  return target;
}

/// The request that follows a redirection.
function redirect(state, status, url, target) {
  if (!/^https?:$/.test(target.protocol)) throw failed(new Error('URL scheme must be a HTTP(S) scheme'));
  if (target.username || target.password) {
    if (target.origin !== url.origin) throw failed(new Error('cross origin not allowed for request mode "cors"'));
  }
  const drops = status === 303 ? !['GET', 'HEAD'].includes(state.method) : status < 303 && state.method === 'POST';
  if (!drops && state.body?.stream) throw failed(new Error('Request body length does not match content-length header'));
  const gone = [];
  if (drops) gone.push('content-encoding', 'content-language', 'content-location', 'content-type', 'content-length');
  if (target.origin !== url.origin) gone.push('authorization', 'proxy-authorization', 'cookie', 'host');
  const headers = state.headers.filter(([name]) => !gone.includes(name.toLowerCase()));
  return drops ? { ...state, headers, method: 'GET', body: null, size: -1 } : { ...state, headers };
}

async function fetchLoopback(request) {
  const { signal } = request;
  let url = new URL(request.url);
  checkUrl(url);
  const body = Body.take(request);
  if (typeof body?.all === 'function') body.all = await body.all();
  const hasSize = body ? body.all !== undefined : ['POST', 'PUT', 'PATCH'].includes(request.method);
  let state = {
    method: request.method, mode: request.mode, headers: Headers.raw(request.headers), body,
    size: hasSize ? body?.all.length ?? 0 : -1,
  };
  for (let count = 0; ; count++) {
    const message = await exchange(state, url, signal);
    const target = targetOf(message, url);
    if (target && request.redirect !== 'manual') {
      message.on('error', () => {});
      if (request.redirect === 'error') {
        message.destroy();
        throw failed(new Error('unexpected redirect'));
      }
      message.resume();
      if (count === MOST_REDIRECTS) throw failed(new Error('redirect count exceeded'));
      state = redirect(state, message.statusCode, url, target);
      url = target;
      checkUrl(url);
      continue;
    }
    const shown = new URL(url);
    shown.hash = '';
    const isEmpty = state.method === 'HEAD' || BODILESS.includes(message.statusCode);
    if (isEmpty) message.resume();
    return Response.received({
      fields: message.rawHeaders, body: isEmpty ? null : bodyOf(message, signal), status: message.statusCode,
      statusText: message.statusMessage, url: shown.href, redirected: count > 0,
    });
  }
}

module.exports = { fetchLoopback };
