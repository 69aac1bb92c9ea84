// WASI for WebAssembly modules is not here.

const { unsupported } = require('internal/errors');

module.exports = { WASI: class WASI { constructor() { throw unsupported('WASI'); } } };
