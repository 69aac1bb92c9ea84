// WASI for WebAssembly modules: the engine has no WebAssembly.

const { unsupported } = require('internal/errors');

module.exports = { WASI: class WASI { constructor() { throw unsupported('WebAssembly'); } } };
