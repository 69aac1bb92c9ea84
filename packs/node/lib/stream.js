// Streams.

const { Stream, addAbortSignal, defaults } = require('internal/stream_base');
const { Readable } = require('internal/stream_readable');
const { Writable } = require('internal/stream_writable');
const duplex = require('internal/stream_duplex');
const { finished, pipeline } = require('internal/stream_finished');

duplex.complete();
const { Duplex, Transform, PassThrough } = duplex;

module.exports = Object.assign(Stream, {
  Stream, Readable, Writable, Duplex, Transform, PassThrough, finished, pipeline, addAbortSignal,
  compose: (...parts) => require('internal/stream_compose')(...parts),
  destroy: (stream, error) => stream.destroy(error),
  isDisturbed: Readable.isDisturbed,
  isErrored: (stream) => !!(stream._readableState?.errored || stream._writableState?.errored),
  isReadable: (stream) => !!stream?.readable,
  isWritable: (stream) => !!stream?.writable,
  getDefaultHighWaterMark: (objectMode) => (objectMode ? defaults.objects : defaults.bytes),
  setDefaultHighWaterMark(objectMode, value) { defaults[objectMode ? 'objects' : 'bytes'] = value; },
  _uint8ArrayToBuffer: (chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
  _isUint8Array: (value) => value instanceof Uint8Array,
});
Object.defineProperty(Stream, 'promises', {
  configurable: true,
  enumerable: true,
  get: () => require('stream/promises'),
});
const custom = Symbol.for('nodejs.util.promisify.custom');
Object.defineProperty(pipeline, custom, { enumerable: true, get: () => require('stream/promises').pipeline });
Object.defineProperty(finished, custom, { enumerable: true, get: () => require('stream/promises').finished });
