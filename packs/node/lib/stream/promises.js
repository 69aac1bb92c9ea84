// `finished` and `pipeline` as promises.

const { finished, connect } = require('internal/stream_finished');

module.exports = {
  finished: (stream, options) =>
    new Promise((resolve, reject) => finished(stream, options ?? {}, (error) => (error ? reject(error) : resolve()))),
  pipeline(...streams) {
    const last = streams.at(-1);
    let options = {};
    if (
      last &&
      typeof last === 'object' &&
      typeof last.on !== 'function' &&
      !last[Symbol.asyncIterator] &&
      !last[Symbol.iterator]
    )
      options = streams.pop();
    return new Promise((resolve, reject) => {
      connect(
        streams.length === 1 && Array.isArray(streams[0]) ? streams[0] : streams,
        (error, value) => (error ? reject(error) : resolve(value)),
        options,
      );
    });
  },
};
