// What a server makes of requests byte by byte: right ones, wrong ones, and such as are meant to be understood in two ways.
const http = require('http');
const net = require('net');

const HOST = 'Host: a\r\n';
const get = (rest) => `GET / HTTP/1.1\r\n${HOST}${rest}\r\n`;
const post = (headers, body) => `POST / HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const chunked = (body) => post('Transfer-Encoding: chunked\r\n', body);
const cases = {
  simple: get(''), close: get('Connection: close\r\n'), old: 'GET / HTTP/1.0\r\n\r\n',
  oldKept: 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', noHost: 'GET / HTTP/1.1\r\n\r\n', hosts: get('Host: b\r\n'),
  lines: 'GET / HTTP/1.1\nHost: a\n\n', line: 'GET / HTTP/1.1\r\nHost: a\n\r\n', emptyLines: `\r\n\r\n${get('')}`,
  method: `GOT / HTTP/1.1\r\n${HOST}\r\n`, small: `get / HTTP/1.1\r\n${HOST}\r\n`, bytes: '\x16\x03\x01\x02\r\n\r\n',
  version: `GET / HTTP/1.2\r\n${HOST}\r\n`, protocol: `GET / HTPP/1.1\r\n${HOST}\r\n`, two: `GET / HTTP/2.0\r\n${HOST}\r\n`,
  spaces: `GET  /  HTTP/1.1\r\n${HOST}\r\n`, after: `GET / HTTP/1.1 \r\n${HOST}\r\n`,
  control: `GET /\x01 HTTP/1.1\r\n${HOST}\r\n`, tab: `GET /\t HTTP/1.1\r\n${HOST}\r\n`, high: `GET /\xe4 HTTP/1.1\r\n${HOST}\r\n`,
  whole: `GET http://x/y HTTP/1.1\r\n${HOST}\r\n`, star: `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, word: `GET x HTTP/1.1\r\n${HOST}\r\n`,
  query: `GET ?x HTTP/1.1\r\n${HOST}\r\n`, hash: `GET /a#b HTTP/1.1\r\n${HOST}\r\n`, signs: `GET /"<>\\^\`{|} HTTP/1.1\r\n${HOST}\r\n`,
  nameSpace: get('A : b\r\n'), nameBefore: get(' A: b\r\n'), noName: get(': b\r\n'), noColon: get('Abc\r\n'), nameSign: get('A(b: c\r\n'),
  nameHigh: get('A\xe4: c\r\n'), value: get('A:  b  c \t \r\n'), noValue: get('A:\r\nB: \r\n'), valueControl: get('A: b\x01c\r\n'),
  valueZero: get('A: b\0c\r\n'), valueDelete: get('A: b\x7fc\r\n'), valueHigh: get('A: b\xe4c\r\n'), valueReturn: get('A: b\rc\r\n'),
  valueReturns: get('A: b\r\r\n'), fold: get('A: b\r\n c\r\n'), firstFold: 'GET / HTTP/1.1\r\n A: b\r\n\r\n',
  length: post('Content-Length: 3\r\n', 'abc'), pipelined: post('Content-Length: 3\r\n', `abc${get('')}`),
  plus: post('Content-Length: +3\r\n', 'abc'), minus: post('Content-Length: -3\r\n', 'abc'), hex: post('Content-Length: 0x3\r\n', 'abc'),
  lengthSpace: post('Content-Length: 3 \r\n', 'abc'), lengthSpaces: post('Content-Length: 1 1\r\n', 'abc'),
  noLength: post('Content-Length: \r\n', ''), list: post('Content-Length: 3, 3\r\n', 'abc'),
  twice: post('Content-Length: 3\r\nContent-Length: 3\r\n', 'abc'), both: post('Content-Length: 3\r\nContent-Length: 4\r\n', 'abc'),
  huge: post('Content-Length: 99999999999999999999999\r\n', 'abc'),
  chunks: chunked('3\r\nabc\r\n0\r\n\r\n'), extension: chunked('3;a=b\r\nabc\r\n0;x\r\n\r\n'), quoted: chunked('3;a="b c"\r\nabc\r\n0\r\n\r\n'),
  extensionLine: chunked('3;a\nabc\r\n0\r\n\r\n'), extensionControl: chunked('3;a\x01\r\nabc\r\n0\r\n\r\n'),
  sizeSpace: chunked('3 \r\nabc\r\n0\r\n\r\n'), trailers: chunked('3\r\nabc\r\n0\r\nT: u\r\nV: w\r\n\r\n'),
  coding: post('Transfer-Encoding: CHUNKED\r\n', 'A\r\n0123456789\r\n0\r\n\r\n'), sizeWord: chunked('x\r\nabc\r\n0\r\n\r\n'),
  sizeRest: chunked('3x\r\nabc\r\n0\r\n\r\n'), sizeHex: chunked('0x3\r\nabc\r\n0\r\n\r\n'), sizeMinus: chunked('-3\r\nabc\r\n0\r\n\r\n'),
  sizeHuge: chunked('fffffffffffffffff\r\nabc\r\n0\r\n\r\n'), longer: chunked('3\r\nabcd\r\n0\r\n\r\n'), sizeLine: chunked('3\nabc\r\n0\r\n\r\n'),
  chunkLine: chunked('3\r\nabc\n0\r\n\r\n'), lastLine: chunked('3\r\nabc\r\n0\n\r\n'), noSize: chunked('\r\nabc\r\n0\r\n\r\n'),
  codingLength: post('Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', '3\r\nabc\r\n0\r\n\r\n'),
  lengthCoding: post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\n\r\n'),
  gzip: post('Transfer-Encoding: gzip\r\n', 'abc'), gzipChunked: post('Transfer-Encoding: gzip, chunked\r\n', '3\r\nabc\r\n0\r\n\r\n'),
  chunkedGzip: post('Transfer-Encoding: chunked, gzip\r\n', 'abc'), identity: post('Transfer-Encoding: identity\r\n', 'abc'),
  codings: post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\n\r\n'),
  nearly: post('Transfer-Encoding: xchunked\r\n', 'abc'), codingControl: post('Transfer-Encoding: \x0bchunked\r\n', 'abc'),
  oldChunks: 'POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n', body: `${get('')}abc`,
  afterClose: get('Connection: close\r\n') + get(''), expect: post('Expect: 100-continue\r\nContent-Length: 3\r\n', 'abc'),
  expectOther: post('Expect: other\r\nContent-Length: 3\r\n', 'abc'), upgrade: get('Connection: Upgrade\r\nUpgrade: x\r\n'),
  bigHeader: get(`A: ${'b'.repeat(17000)}\r\n`), bigUrl: `GET /${'b'.repeat(17000)} HTTP/1.1\r\n${HOST}\r\n`,
  bigEnough: get(`A: ${'b'.repeat(16200)}\r\n`), repeated: get('Cookie: a\r\nCookie: b\r\nX: 1\r\nX: 2\r\nAccept: a\r\naccept: b\r\nUser-Agent: 1\r\nUser-Agent: 2\r\n'),
  part: 'GET / HTTP/1.1\r\nHost: a', bigExtension: chunked(`3;${'a'.repeat(20000)}\r\nabc\r\n0\r\n\r\n`),
  bigTrailer: chunked(`3\r\nabc\r\n0\r\nT: ${'u'.repeat(20000)}\r\n\r\n`), head: `HEAD / HTTP/1.1\r\n${HOST}\r\n`,
  proxy: get('Proxy-Connection: close\r\n'), closes: get('Connection: foo, close\r\n'), source: `SOURCE / HTTP/1.1\r\n${HOST}\r\n`,
  preface: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
};

let asked = [];
const server = http.createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => { body += chunk; });
  request.on('end', () => {
    response.end(JSON.stringify([request.method, request.url, request.httpVersion, request.headers, body, request.trailers]));
  });
  request.on('error', (error) => asked.push(`${error.code} ${error.message}`));
});
let answer = true;
server.on('clientError', (error, socket) => {
  asked.push(`${error.code} ${error.message} ${error.reason} ${Object.keys(error)} ${error.rawPacket?.length}`);
  if (socket.writable && answer) socket.end('HTTP/1.1 400 Bad\r\n\r\n');
  else socket.destroy();
});

/// What comes back until the connection is at rest.
function exchange(port, text, pieces) {
  return new Promise((resolve) => {
    let got = '';
    const socket = net.connect(port, '127.0.0.1');
    const rest = setTimeout(() => socket.destroy(), 1000);
    socket.on('data', (data) => {
      got += data.toString('latin1');
      rest.refresh();
      clearTimeout(socket.soon);
      socket.soon = setTimeout(() => socket.end(), 40);
    });
    socket.on('error', (error) => { got += `<${error.code}>`; });
    socket.on('close', () => {
      clearTimeout(rest);
      clearTimeout(socket.soon);
      resolve(`${got.replace(/Date: [^\r]*/g, 'Date: now').replace(/(.)\1{100,}/g, '$1...')}<end>`);
    });
    if (!pieces) socket.write(Buffer.from(text, 'latin1'));
    else {
      // Each byte by itself.
      const bytes = Buffer.from(text, 'latin1');
      for (let i = 0; i < bytes.length; i++) setImmediate(() => socket.writable && socket.write(bytes.subarray(i, i + 1)));
    }
    if (text === cases.part || text === cases.hugeBody) setTimeout(() => socket.end(), 20);
  });
}

(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  const all = Object.entries(cases);
  for (const [name, text] of all) {
    asked = [];
    const got = await exchange(port, text, false);
    console.log(`# ${name}\n${got}`);
    const wrong = asked.filter((line) => line.startsWith('HPE'));
    if (wrong.length) console.log(wrong.at(-1).replace(/(.)\1{100,}/g, '$1...'));
  }
  answer = false;
  for (const name of ['simple', 'pipelined', 'trailers', 'extension', 'fold', 'both', 'sizeRest', 'longer', 'lengthCoding', 'value']) {
    asked = [];
    console.log(`# ${name}, byte by byte\n${await exchange(port, cases[name], true)}\n${asked.filter((line) => line.startsWith('HPE')).map((line) => line.split(' ')[0])}`);
  }
  server.removeAllListeners('clientError');
  for (const name of ['method', 'bigHeader', 'bigExtension', 'fold']) console.log(`# ${name}, by itself\n${await exchange(port, cases[name], false)}`);
  server.close();
  server.closeAllConnections();
})();
