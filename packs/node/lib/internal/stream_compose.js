// Streams and functions joined to one stream.

module.exports = function compose(...parts) {
  const { Duplex, PassThrough } = require('internal/stream_duplex');
  const { connect, isStream } = require('internal/stream_finished');
  parts = parts.filter((part) => part !== undefined && !(part && typeof part === 'object' && part.signal));
  if (parts.length === 1 && isStream(parts[0])) return parts[0];
  const first =
    typeof parts[0] === 'function' || !isStream(parts[0]) ? new PassThrough({ objectMode: true }) : parts[0];
  const chain = first === parts[0] ? parts : typeof parts[0] === 'function' ? [first, ...parts] : parts;
  const tail = new PassThrough({ objectMode: true });
  const duplex = new Duplex({
    objectMode: true,
    write(chunk, encoding, callback) {
      if (first.write(chunk, encoding)) callback();
      else first.once('drain', callback);
    },
    final(callback) {
      first.end();
      callback();
    },
    read() {
      tail.resume();
    },
  });
  connect([...chain, tail], (error) => { if (error) duplex.destroy(error); }, {});
  tail.on('data', (chunk) => { if (!duplex.push(chunk)) tail.pause(); });
  tail.on('end', () => duplex.push(null));
  return duplex;
};
