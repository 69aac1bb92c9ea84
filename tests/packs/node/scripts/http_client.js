// What a client sends, and what it makes of answers, right and wrong.
const http = require('http');
const net = require('net');

const OK = 'HTTP/1.1 200 OK\r\n';
const answers = {
  length: `${OK}Content-Length: 3\r\n\r\nabc`, open: `${OK}\r\nabc`, chunks: `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: v\r\n\r\n`,
  short: `${OK}Content-Length: 30\r\n\r\nabc`, shortChunk: `${OK}Transfer-Encoding: chunked\r\n\r\n30\r\nabc`,
  extra: `${OK}Content-Length: 3\r\n\r\nabcdef`, nothing: '', words: 'hello\r\n\r\n', part: 'HTTP/1.1 200',
  noReason: 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', emptyReason: 'HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n',
  status: 'HTTP/1.1 20 OK\r\n\r\n', longStatus: 'HTTP/1.1 2000 OK\r\n\r\n', lines: 'HTTP/1.1 200 OK\nContent-Length: 0\n\n',
  noContent: 'HTTP/1.1 204 No\r\n\r\n', notModified: 'HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n',
  goOn: `HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 3\r\n\r\nabc`, hints: `HTTP/1.1 103 Early\r\nLink: x\r\n\r\n${OK}Content-Length: 3\r\n\r\nabc`,
  gzip: `${OK}Transfer-Encoding: gzip\r\n\r\nabc`, both: `${OK}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  both2: `${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  lengths: `${OK}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc`, big: `${OK}A: ${'b'.repeat(20000)}\r\n\r\n`, old: 'HTTP/1.0 200 OK\r\n\r\nabc',
  fold: `${OK}A: b\r\n c\r\nContent-Length: 0\r\n\r\n`, control: `${OK}A: b\x01\r\nContent-Length: 0\r\n\r\n`,
  repeated: `${OK}Set-Cookie: a\r\nSet-Cookie: b\r\nX: 1\r\nX: 2\r\nETag: 1\r\nETag: 2\r\nVary: a\r\nVary: b\r\nContent-Length: 0\r\n\r\n`,
  before: `\r\n${OK}Content-Length: 0\r\n\r\n`, shell: 'SSH-2.0-x\r\n', size: `${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
};
const requests = {
  plain: [{}], own: [{ agent: false }], post: [{ method: 'POST' }], postBody: [{ method: 'POST' }, (request) => request.end('abc')],
  postParts: [{ method: 'POST' }, (request) => { request.write('abc'); request.end('de'); }], getBody: [{}, (request) => request.end('abc')],
  remove: [{ method: 'DELETE' }], put: [{ method: 'PUT' }], patch: [{ method: 'PATCH' }, (request) => request.end('x')], options: [{ method: 'OPTIONS' }],
  headers: [{ headers: { 'X-A': '1', 'Set-Cookie': ['a', 'b'], 'x-b': ['1', '2'], Cookie: ['c', 'd'] } }],
  length: [{ headers: { 'Content-Length': 3 }, method: 'POST' }, (request) => { request.write('abc'); request.end(); }],
  coding: [{ headers: { 'Transfer-Encoding': 'chunked' } }, (request) => { request.write('abc'); request.end(); }],
  auth: [{ auth: 'u:p' }], noHost: [{ setHost: false }], host: [{ headers: { Host: 'x' } }], path: [{ path: '/x?y=1#z' }], list: [{ headers: ['A', '1', 'B', '2'] }],
  trailers: [{ method: 'POST' }, (request) => { request.setHeader('Trailer', 'T'); request.write('a'); request.addTrailers({ T: 'v' }); request.end(); }],
  flush: [{ method: 'POST' }, (request) => { request.flushHeaders(); request.end('a'); }], close: [{ headers: { Connection: 'close' } }],
  small: [{ method: 'post' }], other: [{ method: 'FOO' }], removed: [{ method: 'POST' }, (request) => { request.removeHeader('transfer-encoding'); request.write('a'); request.end(); }],
};

const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

async function sent() {
  const server = net.createServer((socket) => {
    let got = '';
    let timer;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      got += data.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(() => {
        console.log(got.replace(/:\d{4,}/g, ':PORT'));
        got = '';
        socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      }, 30);
    });
  });
  const port = await listen(server);
  for (const [name, [options, send = (request) => request.end()]] of Object.entries(requests)) {
    console.log(`# ${name}`);
    await new Promise((resolve) => {
      const request = http.request({ port, host: '127.0.0.1', ...options }, (response) => response.resume().on('end', resolve));
      request.on('error', (error) => resolve(console.log(error.message)));
      send(request);
    });
  }
  server.close();
}

async function received() {
  for (const [name, text] of Object.entries(answers)) {
    const log = [];
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(Buffer.from(text, 'latin1')));
    });
    const port = await listen(server);
    await new Promise((resolve) => {
      const request = http.request({ port, host: '127.0.0.1', agent: false });
      request.on('continue', () => log.push('continue'));
      request.on('information', (told) => log.push(JSON.stringify(told)));
      request.on('error', (error) => log.push(`error ${error.code} ${error.message} ${error.reason}`));
      request.on('close', () => { log.push('close'); server.close(resolve); });
      request.on('response', (response) => {
        log.push(`${response.statusCode} ${response.statusMessage} ${response.httpVersion} ${JSON.stringify(response.headers)}`);
        let body = '';
        response.on('data', (data) => { body += data; });
        response.on('end', () => log.push(`end ${body} ${response.complete} ${JSON.stringify(response.trailers)}`));
        response.on('error', (error) => log.push(`response error ${error.code} ${error.message} ${response.complete}`));
        response.on('aborted', () => log.push('aborted'));
        response.on('close', () => log.push('response close'));
      });
      request.end();
    });
    await new Promise(setImmediate);
    console.log(`# ${name}\n  ${log.join('\n  ')}`);
  }
}

function attempt(what, make) {
  try {
    make().on('error', (error) => console.log(what, error.code, error.message)).destroy();
  } catch (error) {
    console.log(what, error.name, error.code, error.message);
  }
}

async function refused() {
  for (const options of [{ path: '/a b' }, { method: 'a b' }, 'https://a/', { headers: { 'a b': 1 } }, { headers: { a: 'x\ny' } }, { headers: { a: undefined } },
    { host: 5 }, { agent: 5 }, { protocol: 'ftp:' }, 'nourl', { method: 5 }, { timeout: 'x' }, { maxHeaderSize: 'x' }, { insecureHTTPParser: 1 }])
    attempt(JSON.stringify(options), () => http.request(options));
  const request = http.get({ port: 1, host: '127.0.0.1' });
  await new Promise((resolve) => request.on('error', (error) => {
    console.log(error.message, JSON.stringify(error));
    request.on('close', () => resolve(console.log('closed', request.destroyed, request.reusedSocket)));
  }));
  const stopped = http.get({ port: 1, signal: AbortSignal.abort() });
  await new Promise((resolve) => stopped.on('error', (error) => resolve(console.log(error.name, error.code))));
  const early = http.request({ port: 1 });
  early.on('error', (error) => console.log(error.code, error.message)).on('abort', () => console.log('abort')).on('close', () => console.log('close'));
  early.abort();
  console.log(early.aborted, early.destroyed);
  await new Promise((resolve) => setTimeout(resolve, 20));
}

(async () => {
  for (const part of [sent, received, refused]) {
    console.log(`## ${part.name}`);
    await part();
  }
})();
