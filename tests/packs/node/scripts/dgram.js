// Datagrams.
const dgram = require('dgram');
const once = (emitter, name) => new Promise((resolve) => emitter.once(name, (...values) => resolve(values)));
const attempt = (what, make) => {
  try {
    console.log(what, make());
  } catch (error) {
    console.log(what, error.name, error.code, error.message);
  }
};

(async () => {
  const server = dgram.createSocket('udp4');
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const { address, family, port } = server.address();
  console.log(address, family, port > 1024);
  const client = dgram.createSocket('udp4');
  const send = (...args) => new Promise((resolve) => client.send(...args, (error, bytes) => resolve([error?.message, bytes])));
  for (const args of [['text', port], [Buffer.from('bytes'), port, '127.0.0.1'], ['a part of it', 2, 4, port], [['one', Buffer.from('two')], port],
    ['', port], ['x'.repeat(5000), port, 'localhost']]) {
    const arrived = once(server, 'message');
    const sent = await send(...args);
    const [message, from] = await arrived;
    console.log(sent, message.length, message.toString().slice(0, 20), from.address, from.family, from.size, from.port === client.address().port);
  }
  const reply = once(client, 'message');
  server.send('reply', client.address().port);
  console.log((await reply)[0].toString());
  console.log((await send('x'.repeat(70000), port)).join().replace(port, 'PORT'));
  const joined = dgram.createSocket({ type: 'udp4' }, () => {});
  joined.connect(port, '127.0.0.1');
  await once(joined, 'connect');
  console.log(joined.remoteAddress().address, joined.remoteAddress().port === port);
  const arrived = once(server, 'message');
  joined.send('joined');
  console.log((await arrived)[0].toString());
  attempt('again', () => joined.connect(port));
  const six = dgram.createSocket('udp6').bind(0, '::1');
  await once(six, 'listening');
  console.log(six.address().address, six.address().family);
  attempt('bound', () => server.bind(0));
  attempt('type', () => dgram.createSocket('tcp'));
  attempt('port', () => client.send('x', 0));
  attempt('port', () => client.send('x', 70000));
  attempt('message', () => client.send(5, port));
  attempt('offset', () => client.send('abc', 5, 1, port));
  attempt('not connected', () => client.remoteAddress());
  const taken = dgram.createSocket('udp4').bind(port, '127.0.0.1');
  const [error] = await once(taken, 'error');
  console.log(error.code, error.syscall, error.address, error.port === port);
  for (const socket of [server, joined, six, taken]) socket.close();
  client.close(() => console.log('closed'));
  attempt('closed', () => client.send('x', port));
  attempt('closed', () => client.address());
  dgram.createSocket('udp4').bind(0).unref();
})();
