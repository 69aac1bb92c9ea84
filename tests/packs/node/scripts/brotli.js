// Brotli of zlib: what is compressed has the same bytes.
const zlib = require('zlib');
const { pipeline, Readable } = require('stream');
const { promisify } = require('util');
const { createHash } = require('crypto');

const C = zlib.constants;
console.log(Object.entries(C).filter(([name]) => name.startsWith('BROTLI')).map((pair) => pair.join(' ')).join(', '));

const text = (value) => (Buffer.isBuffer(value) ? value.toString('hex') : value);
const hello = zlib.brotliCompressSync('hello');
for (const work of [
  () => hello,
  () => zlib.brotliCompressSync(''),
  () => zlib.brotliDecompressSync(hello).toString(),
  () => zlib.brotliDecompressSync('xx'),
  () => zlib.brotliDecompressSync('zz'),
  () => zlib.brotliDecompressSync('garbage!'),
  () => zlib.brotliDecompressSync(Buffer.alloc(0)),
  () => zlib.brotliDecompressSync(hello.subarray(0, 5)),
  () => zlib.brotliDecompressSync(hello.subarray(0, 5), { finishFlush: C.BROTLI_OPERATION_FLUSH }).toString(),
  () => zlib.brotliDecompressSync(Buffer.concat([hello, Buffer.from('junk')])).toString(),
  () => zlib.brotliCompressSync('hello', { params: { [C.BROTLI_PARAM_QUALITY]: 4, [C.BROTLI_PARAM_MODE]: 1, [C.BROTLI_PARAM_LGWIN]: 18 } }),
  () => zlib.brotliCompressSync(new Uint16Array([1, 2, 3])),
  () => zlib.createBrotliCompress({ params: { 99: 1 } }),
  () => zlib.createBrotliCompress({ params: { q: 1 } }),
  () => zlib.createBrotliCompress({ params: { 1: 'x' } }),
  () => zlib.createBrotliCompress({ params: { 1: true } }).constructor.name,
  () => zlib.createBrotliCompress({ flush: 9 }),
  () => zlib.createBrotliCompress({ chunkSize: 3 }),
  () => zlib.createBrotliDecompress({ params: { 7: 1 } }),
  () => zlib.brotliCompressSync(5),
  () => zlib.brotliCompress('x'),
  () => zlib.brotliDecompressSync(zlib.brotliCompressSync('a'.repeat(1000)), { maxOutputLength: 64 }),
  () => zlib.brotliDecompressSync(zlib.brotliCompressSync('a'.repeat(1000)), { info: true }).engine.constructor.name,
  () => zlib.BrotliCompress() instanceof zlib.BrotliCompress,
])
  try {
    console.log(work.toString().slice(6), '=>', text(work()));
  } catch (error) {
    console.log(work.toString().slice(6), '!!', error.name, error.code, error.errno, error.message);
  }

const letters = Array.from({ length: 30000 }, (_, i) => String.fromCharCode(97 + ((i * i * 7 + (i >> 3)) % 26))).join('');
for (let quality = 0; quality < 12; quality++) {
  const small = zlib.brotliCompressSync(letters, { params: { [C.BROTLI_PARAM_QUALITY]: quality } });
  console.log(quality, small.length, createHash('md5').update(small).digest('hex'), zlib.brotliDecompressSync(small) == letters);
}

/// What a stream gives for pieces; `null` is a flush.
function through(stream, pieces) {
  return new Promise((resolve) => {
    const parts = [];
    stream.on('data', (part) => parts.push(part));
    stream.on('error', (error) => resolve(`${error.code} ${error.errno} ${error.message}`));
    stream.on('end', () => resolve(Buffer.concat(parts)));
    const next = () => {
      if (!pieces.length) return stream.end();
      const piece = pieces.shift();
      if (piece === null) stream.flush(() => { console.log('flushed', Buffer.concat(parts).toString('hex'), stream.bytesWritten); next(); });
      else stream.write(piece, next);
    };
    next();
  });
}

(async () => {
  const all = await through(zlib.createBrotliCompress({ params: { [C.BROTLI_PARAM_QUALITY]: 5 } }), ['abc', null, 'def', null, 'ghi']);
  console.log(all.toString('hex'));
  console.log(String(await through(zlib.createBrotliDecompress(), [...all].map((byte) => Buffer.from([byte])))));
  console.log(await through(zlib.createBrotliDecompress(), ['garbage!']));
  console.log(await through(zlib.createBrotliDecompress(), [hello.subarray(0, 6)]));
  console.log(await promisify(zlib.brotliCompress)('hi'), String(await promisify(zlib.brotliDecompress)(hello)));
  console.log(await promisify(zlib.brotliDecompress)('zz').catch((error) => [error.code, error.errno]));
  let size = 0;
  await promisify(pipeline)(Readable.from([letters, letters]), zlib.createBrotliCompress(), zlib.createBrotliDecompress(), async (source) => {
    for await (const part of source) size += part.length;
  });
  console.log(size);
})();
