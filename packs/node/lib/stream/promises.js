// `finished` and `pipeline` as promises.

module.exports = require('readable-stream/stream/promises');
