// `fetch` from a server of this machine.
const http = require('http');
const net = require('net');
const zlib = require('zlib');

const pages = {
  '/loop': (response) => response.writeHead(302, { Location: '/loop' }).end(),
  '/nowhere': (response) => response.writeHead(302).end('x'),
  '/ftp': (response) => response.writeHead(302, { Location: 'ftp://x/' }).end('x'),
  '/gzip': (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(zlib.gzipSync('zipped')),
  '/br': (response) => response.writeHead(200, { 'Content-Encoding': 'br' }).end(zlib.brotliCompressSync('zipped')),
  '/deflate': (response) => response.writeHead(200, { 'Content-Encoding': 'deflate' }).end(zlib.deflateSync('zipped')),
  '/wrong': (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('nothing zipped'),
  '/empty': (response) => response.writeHead(204).end(),
  '/cut': (response) => { response.writeHead(200, { 'Content-Length': '100' }); response.write('abc'); setTimeout(() => response.destroy(), 20); },
  '/die': (response) => response.req.socket.destroy(),
  '/slow': (response) => { response.write('a'); setTimeout(() => response.end('b'), 300); },
  '/cookies': (response) => { response.setHeader('Set-Cookie', ['a=1', 'b=2']); response.end(); },
  '/json': (response) => { response.setHeader('content-type', 'application/json'); response.end('{"a":[1]}'); },
  '/big': (response) => response.end('x'.repeat(300000)),
};
const server = http.createServer((request, response) => {
  let body = '';
  request.setEncoding('latin1').on('data', (data) => { body += data; });
  request.on('end', () => {
    const redirect = /^\/to(\d+)(.*)/.exec(request.url);
    if (redirect) return response.writeHead(+redirect[1], { Location: redirect[2] || '/echo' }).end('moved');
    if (pages[request.url]) return pages[request.url](response);
    const fields = request.rawHeaders.join('|').replace(/localhost:\d+/g, 'HOST').replace(/boundary=[^|]*/, 'boundary=B');
    return response.end(JSON.stringify([request.method, request.url, fields, body.replace(/------?formdata-undici-\d+/g, 'B').slice(0, 400)]));
  });
});

const url = (path) => `http://localhost:${server.address().port}${path}`;
async function go(path, options) {
  const response = await fetch(url(path), options);
  const text = await response.text();
  const headers = [...response.headers].filter(([name]) => !['date', 'content-length'].includes(name));
  console.log(response.status, response.statusText, response.ok, response.type, response.redirected,
    response.url.replace(/:\d{4,}/, ':PORT'), JSON.stringify(headers), text.slice(0, 500));
}
const stream = () => new ReadableStream({
  start(controller) {
    for (const part of ['s1', 's2']) controller.enqueue(new TextEncoder().encode(part));
    controller.close();
  },
});
const form = new FormData();
form.append('a', 'b');
form.append('f', new Blob(['xx'], { type: 'text/css' }), 'n.css');

const requests = {
  get: ['/echo'], post: ['/echo', { method: 'POST', body: 'abc' }], params: ['/echo', { method: 'POST', body: new URLSearchParams({ a: 'b c' }) }],
  json: ['/echo', { method: 'PUT', body: '{"a":1}', headers: { 'Content-Type': 'application/json', 'X-Y': 'z' } }], form: ['/echo', { method: 'POST', body: form }],
  blob: ['/echo', { method: 'POST', body: new Blob(['q'], { type: 'x/y' }) }], bytes: ['/echo', { method: 'POST', body: new Uint8Array([65, 66]) }],
  stream: ['/echo', { method: 'POST', duplex: 'half', body: stream() }], nothing: ['/echo', { method: 'POST' }], remove: ['/echo', { method: 'DELETE' }],
  head: ['/echo', { method: 'HEAD' }], options: ['/echo', { method: 'OPTIONS' }], own: ['/echo', { headers: { 'User-Agent': 'me', Accept: 'a/b', 'Accept-Encoding': 'identity', Connection: 'close' } }],
  manual: ['/to302', { redirect: 'manual' }], error: ['/to302', { redirect: 'error' }], loop: ['/loop'], nowhere: ['/nowhere'], ftp: ['/ftp'], hash: ['/to302/echo?x#hash'],
  gzip: ['/gzip'], br: ['/br'], deflate: ['/deflate'], wrong: ['/wrong'], empty: ['/empty'], cut: ['/cut'], die: ['/die'], diePost: ['/die', { method: 'POST', body: 'x' }],
  aborted: ['/echo', { signal: AbortSignal.abort() }],
};
for (const status of [301, 302, 303, 307, 308]) {
  requests[`get${status}`] = [`/to${status}`];
  requests[`post${status}`] = [`/to${status}`, { method: 'POST', body: 'b', headers: { 'content-type': 'x/y', authorization: 'a' } }];
}
const others = {
  abort() {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    return go('/slow', { signal: controller.signal });
  },
  reason() {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('why')), 20);
    return go('/slow', { signal: controller.signal });
  },
  late: () => go('/slow', { signal: AbortSignal.timeout(30) }),
  badPort: () => fetch('http://localhost:9/'), refused: () => fetch('http://127.0.0.1:59999/'), scheme: () => fetch('ftp://localhost/'), about: () => fetch('about:blank'),
  async cookies() { console.log((await fetch(url('/cookies'))).headers.getSetCookie()); },
  async json() { console.log(await (await fetch(url('/json'))).json()); },
  async big() {
    let size = 0;
    const response = await fetch(url('/big'));
    for await (const chunk of response.body) size += chunk.length;
    console.log(size, response.bodyUsed);
  },
  async fixed() { (await fetch(url('/json'))).headers.set('a', 'b'); },
  async clone() {
    const response = await fetch(url('/json'));
    const copy = response.clone();
    console.log(await response.text(), await copy.json(), response.bodyUsed);
  },
  async twice() {
    const response = await fetch(url('/json'));
    await response.text();
    await response.text();
  },
  async request() { await fetch(new Request(url('/echo'), { method: 'POST', body: 'rq', headers: { a: 'b' } })).then(async (response) => console.log(await response.text())); },
  async parallel() {
    const texts = await Promise.all([1, 2, 3, 4, 5].map((i) => fetch(url(`/echo?${i}`)).then((response) => response.text())));
    console.log(texts.map((text) => JSON.parse(text)[1]).join());
  },
  async cancel() {
    const response = await fetch(url('/big'));
    await response.body.cancel();
    console.log(response.bodyUsed);
  },
  async kinds() { console.log((await (await fetch(url('/json'))).blob()).type, (await (await fetch(new URL(url('/json')))).arrayBuffer()).byteLength); },
  async words() {
    const other = net.createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end('words\r\n\r\n')));
    await new Promise((resolve) => other.listen(0, resolve));
    try {
      await fetch(`http://127.0.0.1:${other.address().port}`);
    } finally {
      other.close();
    }
  },
};

server.listen(0, async () => {
  const all = { ...Object.fromEntries(Object.entries(requests).map(([name, args]) => [name, () => go(...args)])), ...others };
  for (const [name, run] of Object.entries(all)) {
    console.log(`# ${name}`);
    try {
      await run();
    } catch ({ name: kind, message, cause }) {
      console.log(kind, message, cause && `${cause.name} ${cause.code} ${cause.message}`);
    }
  }
  server.close();
  server.closeAllConnections();
});
