// The inspector: there is none.

const { unsupported } = require('internal/errors');

module.exports = {
  open() {
    throw unsupported('The inspector');
  },
  close() {},
  url: () => undefined,
  waitForDebugger() {
    throw unsupported('The inspector');
  },
  console,
  Session: class Session {
    constructor() {
      throw unsupported('The inspector');
    }
  },
};
