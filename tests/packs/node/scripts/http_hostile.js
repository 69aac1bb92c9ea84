// What never ends, or is far too large, ends with an error and without using memory for it.
const http = require('http');
const net = require('net');

const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
const CHUNK = Buffer.alloc(65536, 'a');

/// Writes a beginning and then the same again and again, until the other side has enough; how much that was.
function flood(socket, beginning, piece, most = 64e6) {
  let sent = 0;
  socket.on('error', () => {});
  socket.write(beginning, 'latin1');
  const more = () => {
    while (!socket.destroyed && socket.writable && sent < most) {
      sent += piece.length;
      if (!socket.write(piece)) return void socket.once('drain', more);
    }
  };
  more();
  return () => sent;
}

const answers = {
  header: ['HTTP/1.1 200 OK\r\nA: ', CHUNK], headers: ['HTTP/1.1 200 OK\r\n', Buffer.from('A: b\r\n'.repeat(10000))], reason: ['HTTP/1.1 200 ', CHUNK],
  extension: ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', CHUNK],
  trailers: ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', Buffer.from('A: b\r\n'.repeat(10000))],
  informations: ['', Buffer.from('HTTP/1.1 102 Processing\r\nA: b\r\n\r\n'.repeat(100)), 1e6],
};
const requests = {
  url: ['GET /', CHUNK], header: ['GET / HTTP/1.1\r\nA: ', CHUNK], headers: ['GET / HTTP/1.1\r\n', Buffer.from('A: b\r\n'.repeat(10000))], method: ['', CHUNK],
};

async function clients() {
  for (const [name, [beginning, piece, most]] of Object.entries(answers)) {
    let sent;
    const server = net.createServer((socket) => socket.once('data', () => { sent = flood(socket, beginning, piece, most); if (most) socket.end(); }));
    const port = await listen(server);
    const outcome = await new Promise((resolve) => {
      const request = http.get({ port, agent: false }, (response) => {
        response.resume().on('end', () => resolve('end')).on('error', (error) => resolve(error.code));
      });
      request.on('error', (error) => resolve(error.code));
    });
    console.log(name, outcome, sent() < 8e6);
    server.close();
  }
}

async function servers() {
  const server = http.createServer((request, response) => {
    request.on('error', () => {});
    request.resume().on('end', () => response.end('whole'));
  });
  const port = await listen(server);
  for (const [name, [beginning, piece]] of Object.entries(requests)) {
    const socket = net.connect(port, '127.0.0.1');
    let got = '';
    socket.on('data', (data) => { got += data; });
    const sent = flood(socket, beginning, piece);
    await new Promise((resolve) => socket.on('close', resolve));
    console.log(name, sent() < 8e6);
  }
  // Nobody reads what is sent here: the sender has to wait.
  const slow = http.createServer((request, response) => setTimeout(() => response.end(), 100));
  const socket = net.connect(await listen(slow), '127.0.0.1');
  const sent = flood(socket, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000000\r\n\r\n', CHUNK);
  await new Promise((resolve) => setTimeout(resolve, 80));
  console.log('unread', sent() < 16e6);
  socket.destroy();
  // Answers that nobody reads.
  const many = http.createServer((request, response) => response.end('x'.repeat(10000)));
  const greedy = net.connect(await listen(many), '127.0.0.1');
  greedy.pause();
  const asked = flood(greedy, '', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100)));
  await new Promise((resolve) => setTimeout(resolve, 200));
  console.log('pipelined', asked() < 16e6);
  greedy.destroy();
  for (const one of [server, slow, many]) {
    one.close();
    one.closeAllConnections();
  }
}

async function connections() {
  const server = http.createServer((request, response) => response.end('x'));
  const port = await listen(server);
  let count = 0;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 50 });
  await Promise.all(Array.from({ length: 1000 }, () => new Promise((resolve) => {
    http.get({ port, agent }, (response) => response.resume().on('end', () => resolve(count++)));
  })));
  console.log(count, agent.totalSocketCount <= 50);
  agent.destroy();
  const sockets = await Promise.all(Array.from({ length: 100 }, () => new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(socket));
  })));
  console.log(sockets.length, await new Promise((resolve) => setTimeout(() => server.getConnections((error, number) => resolve(number)), 200)));
  for (const socket of sockets) socket.destroy();
  server.close(() => console.log('closed'));
}

(async () => {
  for (const part of [clients, servers, connections]) {
    console.log(`# ${part.name}`);
    await part();
  }
})();
