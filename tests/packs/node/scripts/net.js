// Sockets: the order of events, addresses, errors, names in the file system, limits.
const net = require('net');
const fs = require('fs');
const show = (error) => {
  const { port, ...rest } = error;
  return `${error.message.replace(/:(\d{4,})/g, ':PORT')} ${JSON.stringify(rest)} ${port > 1024 ? 'PORT' : port}`;
};
const attempt = (what, make) => {
  try {
    console.log(what, make()?.constructor?.name);
  } catch (error) {
    console.log(what, error.name, error.code, error.message);
  }
};
const listen = (server, ...args) => new Promise((resolve, reject) => server.listen(...args, resolve).on('error', reject));
const once = (emitter, name) => new Promise((resolve) => emitter.once(name, resolve));

async function order() {
  const log = [];
  const server = net.createServer((socket) => {
    log.push('connection');
    socket.on('data', (data) => {
      log.push(`server data ${data}`);
      socket.write('pong');
    });
    for (const name of ['end', 'finish', 'close']) socket.on(name, (value) => log.push(`server ${name} ${value}`));
  });
  server.on('close', () => log.push('server closed'));
  server.on('listening', () => log.push('listening'));
  await listen(server, 0, '127.0.0.1');
  const { address, family } = server.address();
  log.push(`${address} ${family} ${server.listening}`);
  const socket = net.connect(server.address().port, '127.0.0.1');
  log.push(`${socket.readyState} ${socket.connecting} ${socket.pending}`);
  for (const name of ['lookup', 'connect', 'ready', 'end', 'finish', 'close', 'drain', 'error', 'timeout'])
    socket.on(name, (value) => log.push(`client ${name} ${value}`));
  socket.on('data', (data) => {
    log.push(`client data ${data}`);
    socket.end();
  });
  socket.on('connect', () => {
    log.push(`${socket.readyState} ${socket.remoteAddress} ${socket.remoteFamily} ${socket.localAddress}`);
    log.push(`${socket.remotePort === server.address().port} ${socket.localPort === socket.address().port}`);
  });
  log.push(`${socket.write('ping', () => log.push('written'))} ${socket.bytesWritten}`);
  await once(socket, 'close');
  log.push(`${socket.readyState} ${socket.bytesRead} ${socket.bytesWritten} ${socket.destroyed}`);
  server.close();
  await once(server, 'close');
  console.log(log.join('\n'));
}

async function refusals() {
  for (const [what, ...args] of [['port', 1, '127.0.0.1'], ['localhost', 1, 'localhost'], ['six', { port: 1, host: '::1' }],
    ['path', '/nowhere'], ['host', 1, 'nowhere.invalid'], ['local', { port: 1, host: '127.0.0.1', localAddress: '1.2.3.4' }]]) {
    const socket = net.connect(...args);
    const error = await once(socket, 'error');
    const hadError = await once(socket, 'close');
    console.log(what, show(error), hadError);
  }
  const server = net.createServer();
  await listen(server, 0);
  for (const args of [[server.address().port], [0, '1.2.3.4'], ['/nowhere/socket'], [0, 'nowhere.invalid']])
    console.log(show(await once(net.createServer().listen(...args), 'error')));
  attempt('again', () => server.listen(0));
  server.close();
  server.close((error) => console.log(error.code, error.message));
  await once(server, 'close');
  for (const args of [[70000], [-1], [{}], [true], [{ port: 'x' }], [{ port: 0, path: '' }], [1.5]])
    attempt(JSON.stringify(args), () => net.createServer().listen(...args).close());
  for (const args of [[], [{}], [{ port: 70000 }], [{ port: 'abc' }], [{ port: true }], [{ port: 1, localAddress: 'x' }], [{ path: 5 }]])
    attempt(JSON.stringify(args), () => net.connect(...args).on('error', () => {}).destroy());
  attempt('options', () => net.createServer(5));
  attempt('option', () => net.createServer({ noDelay: 'x' }));
  attempt('objects', () => new net.Socket({ objectMode: true }));
  attempt('timeout', () => new net.Socket().setTimeout('x'));
  attempt('timeout', () => new net.Socket().setTimeout(-1));
  attempt('call', () => net.Socket());
}

async function names() {
  const path = '/tmp/node-case-socket';
  const server = net.createServer((socket) => socket.end(`hello ${JSON.stringify(socket.address())} ${socket.remoteAddress}`));
  await listen(server, path);
  console.log(server.address(), fs.statSync(path).isSocket());
  let got = '';
  for await (const chunk of net.connect(path)) got += chunk;
  console.log(got);
  console.log(show(await once(net.createServer().listen(path), 'error')));
  server.close();
  await once(server, 'close');
  console.log(fs.existsSync(path));
}

async function much() {
  const size = 3000000;
  const server = net.createServer((socket) => socket.pipe(socket));
  await listen(server, 0);
  const socket = net.connect(server.address().port);
  const sent = Buffer.alloc(size, 'abcdefg');
  socket.end(sent);
  const got = [];
  for await (const chunk of socket) got.push(chunk);
  console.log(Buffer.concat(got).equals(sent), socket.bytesRead, socket.bytesWritten);
  server.close();
}

async function endings() {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('end', () => setTimeout(() => socket.end('late'), 5));
    socket.resume();
  });
  await listen(server, 0);
  const { port } = server.address();
  let text = '';
  for await (const chunk of net.connect({ port, allowHalfOpen: true }).end('x')) text += chunk;
  console.log(text);
  // A reset.
  const other = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.resetAndDestroy());
  });
  await listen(other, 0);
  const socket = net.connect(other.address().port);
  socket.write('x');
  console.log(show(await once(socket, 'error')));
  // Nothing happens for a while.
  const slow = net.connect({ port, timeout: 20 });
  await once(slow, 'timeout');
  console.log('timeout', slow.timeout, slow.destroyed);
  slow.destroy(new Error('enough'));
  console.log((await once(slow, 'error')).message);
  slow.write('x', (error) => console.log(error.code));
  server.close();
  other.close();
}

async function limits() {
  const server = net.createServer((socket) => socket.on('error', () => {}));
  server.maxConnections = 1;
  await listen(server, 0, '127.0.0.1');
  const { port } = server.address();
  const first = net.connect(port, '127.0.0.1');
  await once(first, 'connect');
  const dropped = once(server, 'drop');
  const second = net.connect(port, '127.0.0.1').on('error', () => {});
  const told = await dropped;
  console.log(Object.keys(told).sort().join(), told.localPort === port, told.remoteFamily);
  await once(second, 'close');
  console.log(await new Promise((resolve) => server.getConnections((error, count) => resolve(count))));
  first.destroy();
  server.close();
}

async function signals() {
  const stop = new AbortController();
  const server = net.createServer();
  server.listen({ port: 0, signal: stop.signal });
  await once(server, 'listening');
  stop.abort();
  await once(server, 'close');
  const socket = net.connect({ port: 1, signal: AbortSignal.abort() });
  console.log((await once(socket, 'error')).name);
  const taken = new net.Socket({ onread: null });
  console.log(taken.readyState, taken.pending, taken.address(), taken.remoteAddress);
  taken.on('error', (error) => console.log(error.code)).write('x');
}

function addresses() {
  for (const text of ['127.0.0.1', '::1', '1.2.3', '01.2.3.4', '::ffff:1.2.3.4', 'fe80::1%eth0', '1::2::3', '', 'a', '1.2.3.4.5'])
    console.log(text, net.isIP(text), net.isIPv4(text), net.isIPv6(text));
  const list = new net.BlockList();
  list.addAddress('10.0.0.1');
  list.addRange('10.1.0.1', '10.1.0.9');
  list.addSubnet('192.168.0.0', 16);
  list.addSubnet('fe80::', 10, 'ipv6');
  console.log(list.rules);
  for (const address of ['10.0.0.1', '10.0.0.2', '10.1.0.5', '10.1.0.10', '192.168.3.4', '192.169.0.0', 'x']) console.log(address, list.check(address));
  console.log(list.check('fe80::5', 'ipv6'), list.check('fec0::5', 'ipv6'), list.check('::ffff:10.0.0.1', 'ipv6'));
  attempt('address', () => list.addAddress('x'));
  attempt('range', () => list.addRange('10.0.0.9', '10.0.0.1'));
  attempt('subnet', () => list.addSubnet('10.0.0.0', 33));
  attempt('family', () => list.addAddress('10.0.0.1', 'ipx'));
  console.log(new net.SocketAddress(), new net.SocketAddress({ family: 'ipv6', address: '::1', port: 80 }));
  attempt('socket address', () => new net.SocketAddress({ address: 'x' }));
  attempt('socket port', () => new net.SocketAddress({ port: 70000 }));
  console.log(list);
}

(async () => {
  for (const part of [order, refusals, names, much, endings, limits, signals, addresses]) {
    console.log(`# ${part.name}`);
    await part();
  }
  // It does not keep the process.
  net.createServer().listen(0).unref();
})();
