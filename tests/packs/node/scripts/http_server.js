// Servers: heads of answers, connections that are kept, limits, upgrades, ends, and the agent at the other side.
const http = require('http');
const net = require('net');

const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
const once = (emitter, name) => new Promise((resolve) => emitter.once(name, (...values) => resolve(values)));
const clean = (text) => text.replace(/Date: [^\r\n]*/g, 'Date: now').replace(/\r/g, '');

/// All that comes back for some bytes until the connection ends, or is at rest.
function raw(port, text, wait = 60) {
  return new Promise((resolve) => {
    let got = '';
    const socket = net.connect(port, '127.0.0.1');
    socket.on('data', (data) => { got += data; });
    socket.on('error', (error) => { got += `<${error.code}>`; });
    const patience = setTimeout(() => socket.end(), wait);
    socket.on('close', () => {
      clearTimeout(patience);
      resolve(`${clean(got)}<end>`);
    });
    socket.write(text);
  });
}

function get(port, options = {}, body = undefined) {
  return new Promise((resolve) => {
    const request = http.request({ port, host: '127.0.0.1', ...options }, (response) => {
      let text = '';
      response.on('data', (data) => { text += data; });
      response.on('end', () => resolve([response.statusCode, text, request.reusedSocket, response.headers.connection]));
      response.on('error', (error) => resolve([error.code]));
    });
    request.on('error', (error) => resolve([error.code, error.message]));
    request.end(body);
  });
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n';

async function heads() {
  const answers = {
    empty: (response) => response.end(), text: (response) => response.end('text'),
    parts: (response) => { response.write('a'); response.write('bc'); response.end('d'); },
    head: (response) => response.writeHead(201, 'Made', { 'X-A': 1, 'Set-Cookie': ['a', 'b'] }).end('x'),
    list: (response) => response.writeHead(200, ['A', '1', 'A', '2']).end(), none: (response) => response.writeHead(204).end('ignored'),
    same: (response) => { response.statusCode = 304; response.end(); }, length: (response) => { response.setHeader('Content-Length', 4); response.write('ab'); response.end('cd'); },
    set: (response) => { response.setHeader('A', 'b'); response.writeHead(200, { C: 'd', a: 'e' }); response.end(); },
    closes: (response) => { response.setHeader('Connection', 'close'); response.end('x'); },
    date: (response) => { response.sendDate = false; response.end(); }, removed: (response) => { response.removeHeader('connection'); response.removeHeader('transfer-encoding'); response.write('a'); response.end(); },
    trailers: (response) => { response.setHeader('Trailer', 'T'); response.write('a'); response.addTrailers({ T: 'v' }); response.end(); },
    corked: (response) => { response.cork(); response.write('a'); response.write('b'); response.uncork(); response.end('c'); },
    hints: (response) => { response.writeEarlyHints({ link: '</a>; rel=preload' }); response.writeProcessing(); response.end(); },
    flush: (response) => { response.flushHeaders(); setTimeout(() => response.end('x'), 5); }, code: (response) => response.writeHead(299).end(),
    append: (response) => { response.appendHeader('A', 'b'); response.appendHeader('a', ['c', 'd']); response.end(); },
    headers: (response) => { response.setHeaders(new Map([['a', 'b'], ['c', 'd']])); response.end(response.getRawHeaderNames().join()); },
    bytes: (response) => response.end(new Uint8Array([65, 66])), hex: (response) => response.end('4142', 'hex'), latin: (response) => response.end('\xe4', 'latin1'),
  };
  let answer;
  const server = http.createServer((request, response) => answer(response));
  const port = await listen(server);
  for (const [name, make] of Object.entries(answers)) {
    answer = make;
    console.log(`# ${name}\n${await raw(port, `${REQUEST}\r\n`)}`);
  }
  answer = answers.parts;
  console.log(await raw(port, 'GET / HTTP/1.0\r\n\r\n'));
  console.log(await raw(port, 'HEAD / HTTP/1.1\r\nHost: a\r\n\r\n'));
  server.close();
}

async function calls() {
  const log = [];
  const attempt = (what, make) => {
    try {
      const made = make();
      log.push(`${what} ${made === null || typeof made !== 'object' ? made : made.constructor.name}`);
    } catch (error) {
      log.push(`${what} ${error.name} ${error.code} ${error.message}`);
    }
  };
  const server = http.createServer((request, response) => {
    attempt('status', () => response.writeHead(99));
    attempt('status', () => response.writeHead('x'));
    attempt('reason', () => response.writeHead(200, 'a\nb'));
    response.statusMessage = undefined;
    attempt('name', () => response.setHeader('a b', 'c'));
    attempt('value', () => response.setHeader('a', 'b\n'));
    attempt('undefined', () => response.setHeader('a', undefined));
    attempt('odd', () => response.writeHead(200, ['a']));
    attempt('null', () => response.write(null));
    attempt('number', () => response.write(5));
    attempt('trailer', () => response.addTrailers({ 'a b': 'c' }));
    attempt('set', () => response.setHeader('A', ['1', '2']));
    attempt('get', () => response.getHeader('a').join());
    attempt('names', () => response.getHeaderNames().join());
    attempt('all', () => JSON.stringify(response.getHeaders()));
    attempt('has', () => response.hasHeader('A'));
    attempt('sent', () => response.headersSent);
    attempt('length', () => response.writableLength);
    attempt('write', () => response.write('x'));
    attempt('late', () => response.setHeader('b', 'c'));
    attempt('late', () => response.removeHeader('b'));
    attempt('late', () => response.writeHead(200));
    attempt('late', () => response.appendHeader('b', 'c'));
    attempt('end', () => response.end('y', () => log.push('ended')));
    attempt('state', () => [response.headersSent, response.finished, response.writableEnded, response.destroyed].join());
    response.on('error', (error) => log.push(`error ${error.code} ${error.message}`));
    response.on('finish', () => log.push(`finish ${response.writableFinished}`));
    response.on('close', () => log.push('close'));
    attempt('more', () => response.write('z', (error) => log.push(`written ${error.code}`)));
    attempt('again', () => response.end());
    attempt('again', () => response.end('x'));
  });
  console.log(await get(await listen(server)));
  server.close();
  await once(server, 'close');
  console.log(log.join('\n'));
  for (const [what, make] of Object.entries({
    options: () => http.createServer(5), time: () => http.createServer({ requestTimeout: 'x' }), times: () => http.createServer({ headersTimeout: 9, requestTimeout: 5 }),
    size: () => http.createServer({ maxHeaderSize: -1 }), name: () => http.validateHeaderName('a b'), empty: () => http.validateHeaderName(''),
    label: () => http.validateHeaderName('a b', 'Label'), value: () => http.validateHeaderValue('x', undefined), char: () => http.validateHeaderValue('x', '\u0100'),
    max: () => http.setMaxIdleHTTPParsers(0), host: () => http.createServer({ requireHostHeader: 5 }), scheduling: () => new http.Agent({ scheduling: 'x' }),
  })) {
    try {
      make();
      console.log(what);
    } catch (error) {
      console.log(what, error.name, error.code, error.message);
    }
  }
  console.log(http.METHODS.length, http.STATUS_CODES[418], http.maxHeaderSize, Object.keys(http).length);
  const agent = new http.Agent();
  console.log(agent.getName({ host: 'h', port: 1, localAddress: 'l', family: 4 }), agent.getName({ socketPath: '/x' }), agent.getName());
}

async function kept() {
  let sockets = 0;
  const server = http.createServer((request, response) => response.end(request.url));
  server.on('connection', () => { sockets++; });
  const port = await listen(server);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
  for (let i = 0; i < 3; i++) console.log(await get(port, { agent, path: `/${i}` }));
  console.log(sockets, await Promise.all([1, 2, 3, 4, 5].map((i) => get(port, { agent, path: `/p${i}` }))), sockets);
  const name = Object.keys(agent.freeSockets)[0];
  console.log(Object.keys(agent.sockets).length, agent.freeSockets[name].length, agent.totalSocketCount, Object.keys(agent.requests).length);
  agent.destroy();
  console.log(await get(port, { agent: false }), await get(port), await get(port, { headers: { connection: 'close' } }));
  server.maxRequestsPerSocket = 2;
  console.log(await raw(port, `${REQUEST}\r\n`.repeat(3)));
  const pipelined = await raw(port, `${REQUEST}\r\n`.repeat(2));
  console.log(pipelined.split('HTTP/1.1 200').length - 1);
  server.close();
  await once(server, 'close');
}

async function limits() {
  const server = http.createServer({ keepAliveTimeout: 30, headersTimeout: 60, requestTimeout: 80, connectionsCheckingInterval: 20 }, (request, response) => {
    if (request.url === '/body') request.resume().on('end', () => response.end('whole'));
    else response.end('x');
  });
  const port = await listen(server);
  const started = Date.now();
  console.log(await raw(port, `${REQUEST}\r\n`, 20000), Date.now() - started < 15000);
  console.log(await raw(port, 'GET / HTTP/1.1\r\nHos', 20000), Date.now() - started < 15000);
  console.log(await raw(port, 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab', 20000), Date.now() - started < 15000);
  server.close();
  const slow = http.createServer(() => {});
  slow.setTimeout(30, (socket) => {
    console.log('timeout');
    socket.destroy();
  });
  console.log(await get(await listen(slow)));
  slow.close();
  const late = http.createServer((request, response) => setTimeout(() => response.end('late'), 60));
  const request = http.get({ port: await listen(late), timeout: 20 });
  request.on('error', () => {});
  await once(request, 'timeout');
  request.destroy();
  console.log('request timeout');
  late.close();
}

async function others() {
  const server = http.createServer((request, response) => response.end('plain'));
  server.on('upgrade', (request, socket, head) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n');
    socket.write(`head:${head}|`);
    socket.pipe(socket);
  });
  server.on('connect', (request, socket, head) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${request.url} ${head}`));
  server.on('checkContinue', (request, response) => {
    if (request.headers.no) response.writeHead(417).end();
    else {
      response.writeContinue();
      request.resume().on('end', () => response.end('went on'));
    }
  });
  server.on('checkExpectation', (request, response) => response.writeHead(200).end('other'));
  const port = await listen(server);
  const request = http.get({ port, headers: { Connection: 'Upgrade', Upgrade: 'echo' } });
  const [response, socket, head] = await once(request, 'upgrade');
  let got = `${head}`;
  socket.on('data', (data) => {
    got += data;
    if (got.endsWith('hello')) socket.end();
  });
  socket.write('hello');
  await once(socket, 'close');
  console.log(response.statusCode, response.headers.upgrade, got);
  const tunnel = http.request({ port, method: 'CONNECT', path: 'b:80' }).end();
  const [answer, through, rest] = await once(tunnel, 'connect');
  let text = `${rest}`;
  for await (const chunk of through) text += chunk;
  console.log(answer.statusCode, text);
  for (const headers of [{ Expect: '100-continue' }, { Expect: '100-continue', No: '1' }, { Expect: 'x' }]) {
    const asked = http.request({ port, method: 'POST', headers });
    asked.on('continue', () => asked.end('body'));
    const [told] = await once(asked, 'response');
    let body = '';
    for await (const chunk of told) body += chunk;
    asked.end();
    console.log(told.statusCode, body);
  }
  server.close();
  server.closeAllConnections();
}

async function ends() {
  const log = [];
  const server = http.createServer((request, response) => {
    if (request.url === '/cut') {
      response.write('a');
      setTimeout(() => response.destroy(), 10);
    } else if (request.url === '/die') request.socket.destroy();
    else {
      request.on('aborted', () => log.push('aborted'));
      request.on('error', (error) => log.push(`request ${error.code}`));
      request.on('close', () => log.push('request close'));
      response.on('close', () => log.push(`response close ${response.writableFinished}`));
      request.resume();
    }
  });
  const port = await listen(server);
  console.log(await get(port, { path: '/cut' }), await get(port, { path: '/die' }));
  const request = http.request({ port, method: 'POST', path: '/wait' }).on('error', (error) => log.push(`client ${error.code}`));
  request.write('x');
  await new Promise((resolve) => setTimeout(resolve, 150));
  request.destroy();
  await new Promise((resolve) => setTimeout(resolve, 150));
  console.log(log.sort().join('\n'));
  const idle = net.connect(port, '127.0.0.1');
  await once(idle, 'connect');
  const kept = new http.Agent({ keepAlive: true });
  const waiting = get(port, { agent: kept, path: '/wait' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  server.close(() => console.log('closed', server.listening));
  server.closeAllConnections();
  console.log(await waiting);
  await once(idle, 'close');
  kept.destroy();
}

async function large() {
  const server = http.createServer((request, response) => request.pipe(response));
  const port = await listen(server);
  const body = 'x'.repeat(2000000);
  const [status, text] = await get(port, { method: 'POST' }, body);
  console.log(status, text === body);
  const request = http.request({ port, method: 'POST' });
  let drained = 0;
  request.on('drain', () => { drained++; });
  for (let i = 0; i < 50; i++) request.write('y'.repeat(10000));
  request.end();
  const [response] = await once(request, 'response');
  let size = 0;
  for await (const chunk of response) size += chunk.length;
  console.log(size, drained > 0);
  server.close();
}

(async () => {
  for (const part of [heads, calls, kept, limits, others, ends, large]) {
    console.log(`## ${part.name}`);
    await part();
  }
})();
