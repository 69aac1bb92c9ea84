// Threads: there is one.

const { unsupported, coded } = require('internal/errors');
const { MessageChannel, MessagePort, BroadcastChannel, receiveMessageOnPort } = require('internal/messages');

class Worker {
  constructor() {
    throw coded(Error, 'ERR_WORKER_INIT_FAILED', 'Worker initialization failure: this sandbox has no threads');
  }
}
const environment = new Map();

module.exports = {
  isMainThread: true,
  parentPort: null,
  workerData: null,
  threadId: 0,
  resourceLimits: {},
  SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
  Worker, MessageChannel, MessagePort, BroadcastChannel, receiveMessageOnPort,
  markAsUntransferable() {},
  moveMessagePortToContext() { throw unsupported('worker_threads.moveMessagePortToContext'); },
  getEnvironmentData: (key) => environment.get(key),
  setEnvironmentData: (key, value) => { environment.set(key, value); },
};
