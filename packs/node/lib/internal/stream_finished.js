// `finished` and `pipeline`.

const { coded, check, invalidArgType, AbortError } = require('internal/errors');

const isReadable = (stream) =>
  !!(
    stream &&
    (stream._readableState || typeof stream.read === 'function' || (typeof stream.on === 'function' && stream.readable))
  );
const isWritable = (stream) =>
  !!(stream && (stream._writableState || (typeof stream.write === 'function' && typeof stream.on === 'function')));
const isStream = (value) => !!(value && typeof value.on === 'function' && (isReadable(value) || isWritable(value)));

function finished(stream, options, callback) {
  if (typeof options === 'function') [callback, options] = [options, {}];
  options ??= {};
  check.function(callback, 'callback');
  if (!isStream(stream)) throw invalidArgType('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
  const r = stream._readableState;
  const w = stream._writableState;
  let readable = (options.readable ?? isReadable(stream)) && (!r || r.readable !== false);
  let writable = (options.writable ?? isWritable(stream)) && (!w || w.writable !== false);
  let told = false;
  const tell = (error) => {
    if (told) return;
    told = true;
    callback.call(stream, error);
  };
  let ended = !readable || !!r?.endEmitted;
  let done = !writable || !!w?.finished;
  const willClose =
    (r?.autoDestroy && r.emitClose && (!r || r.closed === false)) ||
    (w?.autoDestroy && w.emitClose && w.closed === false);
  const onEnd = () => {
    ended = true;
    if (done && !waitsForClose()) tell();
  };
  const onFinish = () => {
    done = true;
    if (ended && !waitsForClose()) tell();
  };
  const waitsForClose = () =>
    willClose &&
    (!writable || stream.writable !== undefined) &&
    isReadable(stream) === readable &&
    isWritable(stream) === writable;
  const onError = (error) => tell(error);
  const onClose = () => {
    const errored = r?.errored ?? w?.errored;
    if (errored && typeof errored !== 'boolean') return tell(errored);
    if (readable && !ended && !r?.endEmitted)
      return tell(coded(Error, 'ERR_STREAM_PREMATURE_CLOSE', 'Premature close'));
    if (writable && !done && !w?.finished) return tell(coded(Error, 'ERR_STREAM_PREMATURE_CLOSE', 'Premature close'));
    tell();
  };
  stream.on('end', onEnd);
  stream.on('finish', onFinish);
  if (options.error !== false) stream.on('error', onError);
  stream.on('close', onClose);
  const clean = () => {
    stream.removeListener('end', onEnd);
    stream.removeListener('finish', onFinish);
    stream.removeListener('error', onError);
    stream.removeListener('close', onClose);
  };
  if (r?.closed || w?.closed) process.nextTick(onClose);
  else if ((r?.errorEmitted || w?.errorEmitted) && !willClose) process.nextTick(onClose);
  else if (!readable && done && (!willClose) && w?.finished) process.nextTick(onClose);
  else if (!writable && ended && (!willClose) && r?.endEmitted) process.nextTick(onClose);
  if (options.signal) {
    const abort = () => {
      const before = callback;
      clean();
      told = true;
      before.call(stream, new AbortError(undefined, { cause: options.signal.reason }));
    };
    if (options.signal.aborted) process.nextTick(abort);
    else options.signal.addEventListener('abort', abort, { once: true });
  }
  return clean;
}

function pipeline(...streams) {
  const callback = streams.pop();
  check.function(callback, 'streams[stream.length - 1]');
  return connect(streams.length === 1 && Array.isArray(streams[0]) ? streams[0] : streams, callback, {});
}

/// Joins streams, generators and iterables; the last one.
function connect(streams, callback, options) {
  const { Readable } = require('internal/stream_readable');
  const { PassThrough } = require('internal/stream_duplex');
  if (streams.length < 2) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "streams" argument must be specified');
  let failure;
  let value;
  let left = 0;
  const all = [];
  const settle = (error, isFinal) => {
    if (error && (!failure || failure.code === 'ERR_STREAM_PREMATURE_CLOSE')) failure = error;
    if (!failure && !isFinal) return;
    if (failure) for (const stream of all.splice(0)) if (!stream.destroyed) stream.destroy?.(failure);
    if (isFinal) process.nextTick(callback, failure, value);
  };
  const watch = (stream, reading, writing, keep) => {
    left++;
    all.push(stream);
    finished(stream, { readable: reading, writable: writing }, (error) => {
      const at = all.indexOf(stream);
      if (at >= 0) all.splice(at, 1);
      if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE' || error) settle(error, --left === 0);
      else settle(undefined, --left === 0);
      void keep;
    });
  };
  const { signal } = options;
  if (signal) {
    const abort = () => settle(new AbortError(undefined, { cause: signal.reason }), false);
    if (signal.aborted) process.nextTick(abort);
    else signal.addEventListener('abort', abort, { once: true });
  }
  let result;
  for (let i = 0; i < streams.length; i++) {
    const stream = streams[i];
    const last = i === streams.length - 1;
    const end = !last || options.end !== false;
    if (isStream(stream)) {
      if (end) watch(stream, i > 0 ? (!last ? true : false) : true, i > 0);
      else if (stream !== process.stdout && stream !== process.stderr)
        stream.on('error', (error) => settle(error, false));
    }
    if (i === 0) {
      if (typeof stream === 'function') {
        result = stream({ signal });
        if (!result?.[Symbol.asyncIterator] && !result?.[Symbol.iterator])
          throw coded(
            TypeError,
            'ERR_INVALID_RETURN_VALUE',
            'Expected Iterable, AsyncIterable or Stream to be returned from the "source" function',
          );
      } else if (isStream(stream)) result = stream;
      else if (stream?.[Symbol.asyncIterator] || stream?.[Symbol.iterator]) result = stream;
      else throw invalidArgType('source', ['Stream', 'Iterable', 'AsyncIterable'], stream);
    } else if (typeof stream === 'function') {
      const input = isStream(result) && !result[Symbol.asyncIterator] ? Readable.from(result) : result;
      result = stream(input, { signal });
      if (last) {
        if (result?.[Symbol.asyncIterator]) {
          left++;
          const through = new PassThrough({ objectMode: true });
          drainInto(result, through).then(
            () => settle(undefined, --left === 0),
            (error) => settle(error, --left === 0),
          );
          result = through;
        } else {
          left++;
          Promise.resolve(result).then(
            (got) => {
              value = got;
              settle(undefined, --left === 0);
            },
            (error) => settle(error, --left === 0),
          );
          const through = new PassThrough({ objectMode: true });
          Promise.resolve(result).then(
            (got) => {
              if (got != null) through.write(got);
              through.end();
            },
            (error) => through.destroy(error),
          );
          through.on('error', () => {});
          result = through;
        }
      }
    } else if (isStream(stream)) {
      if (isStream(result)) {
        result.pipe(stream, { end });
        if (stream === process.stdout || stream === process.stderr) result.on('end', () => {});
      } else {
        left++;
        drainInto(result, stream, end).then(
          () => settle(undefined, --left === 0),
          (error) => settle(error, --left === 0),
        );
      }
      result = stream;
    } else throw invalidArgType('destination', ['Stream', 'Function'], stream);
  }
  return result;
}

async function drainInto(iterable, target, end = true) {
  const { once } = require('events');
  for await (const chunk of iterable) {
    if (target.destroyed) return;
    if (!target.write(chunk)) await once(target, 'drain');
  }
  if (end) {
    target.end();
    if (target !== process.stdout && target !== process.stderr && isReadable(target) === false)
      await new Promise((resolve, reject) => finished(target, (error) => (error ? reject(error) : resolve())));
  }
}

module.exports = { finished, pipeline, connect, isStream, isReadable, isWritable };
