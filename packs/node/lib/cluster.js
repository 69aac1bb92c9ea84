// Clusters of processes: there is this one.

const EventEmitter = require('events');
const { unsupported } = require('internal/errors');

module.exports = Object.assign(new EventEmitter(), {
  isPrimary: true,
  isMaster: true,
  isWorker: false,
  workers: {},
  settings: {},
  schedulingPolicy: 2,
  SCHED_NONE: 1,
  SCHED_RR: 2,
  fork() {
    throw unsupported('cluster.fork');
  },
  setupPrimary() {},
  setupMaster() {},
  disconnect(callback) {
    if (callback) process.nextTick(callback);
  },
});
