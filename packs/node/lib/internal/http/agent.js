// `http.Agent`: keeps connections that can be used again.

const EventEmitter = require('events');
const net = require('net');
const { check, coded } = require('internal/errors');
const { hidden } = require('internal/hidden');
const { inspect } = require('internal/inspect');
const { kind } = require('internal/kinds');

/// What an agent has if it is not told otherwise, in the order in which it shows it.
const DEFAULTS = {
  keepAliveMsecs: 1000, keepAlive: false, maxSockets: Infinity, maxFreeSockets: 256, scheduling: 'lifo',
    maxTotalSockets: Infinity,
};

function init(given) {
  EventEmitter.call(this);
  const own = Object.assign(Object.create(null), given, { noDelay: given?.noDelay ?? true, path: null });
  const { scheduling = 'lifo', maxTotalSockets } = own;
  if (scheduling !== 'fifo' && scheduling !== 'lifo')
    throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
      `The argument 'scheduling' must be one of: 'fifo', 'lifo'. Received ${inspect(scheduling)}`);
  if (maxTotalSockets !== undefined) check.number(maxTotalSockets, 'maxTotalSockets', 1);
  Object.assign(this, { defaultPort: 80, protocol: 'http:', options: own });
  for (const name of ['requests', 'sockets', 'freeSockets']) this[name] = Object.create(null);
  for (const [name, value] of Object.entries(DEFAULTS)) this[name] = own[name] || value;
  this.totalSocketCount = 0;
  this.on('free', (socket, wanted) => freed(this, socket, wanted));
}

function remove(lists, name, item) {
  const at = lists[name]?.indexOf(item) ?? -1;
  if (at < 0) return false;
  lists[name].splice(at, 1);
  if (!lists[name].length) delete lists[name];
  return true;
}

const add = (lists, name, item) => { (lists[name] ??= []).push(item); };

const methods = {
  createConnection(...args) { return net.createConnection(...args); },

  getName(options = {}) {
    const { host = 'localhost', port = '', localAddress = '', family, socketPath } = options;
    const kind = family === 4 || family === 6 ? `:${family}` : '';
    return `${host || 'localhost'}:${port || ''}:${localAddress || ''}${kind}${socketPath ? `:${socketPath}` : ''}`;
  },

  addRequest(request, wish, port, localAddress) {
    const options = merged(this, typeof wish === 'string' ? { localAddress, port, host: wish } : wish);
    const name = this.getName(options);
    let free = this.freeSockets[name];
    while (free?.length) {
      const socket = this.scheduling === 'fifo' ? free[0] : free.at(-1);
      remove(this.freeSockets, name, socket);
      free = this.freeSockets[name];
      if (socket.destroyed || socket.readableEnded || !socket.writable) continue;
      this.reuseSocket(socket, request);
      add(this.sockets, name, socket);
      hand(this, request, socket);
      return;
    }
    const count = this.sockets[name]?.length ?? 0;
    if (count < this.maxSockets && this.totalSocketCount < this.maxTotalSockets) {
      this.createSocket(request, options, (error, socket) => {
        if (error) request.onSocket(socket, error);
        else hand(this, request, socket);
      });
    } else {
      hidden(request, waiting, { options });
      add(this.requests, name, request);
    }
  },

  createSocket(request, options, told) {
    options = merged(this, options);
    const name = this.getName(options);
    Object.assign(options, { encoding: null, _agentKey: name });
    let isDone = false;
    const made = (error, socket) => {
      if (isDone) return;
      isDone = true;
      if (error) return void told(error);
      add(this.sockets, name, socket);
      this.totalSocketCount++;
      install(this, socket, name, options);
      told(null, socket);
    };
    const socket = this.createConnection(options, made);
    if (socket) made(null, socket);
  },

  removeSocket(socket, options) {
    const name = typeof options === 'string' ? options : this.getName(options);
    if (remove(this.sockets, name, socket)) this.totalSocketCount--;
    else if (remove(this.freeSockets, name, socket)) this.totalSocketCount--;
    serveNext(this, name);
  },

  keepSocketAlive(socket) {
    socket.unref().setKeepAlive(true, this.keepAliveMsecs);
    let { timeout: wait = 0 } = this.options;
    const hint = /\btimeout=(\d+)/.exec(socket._httpMessage?.res?.headers['keep-alive'] ?? '')?.[1];
    if (hint !== undefined) {
      // A little earlier than the server, who would close it under the next request.
      const theirs = Number(hint) * 1000 - 1000;
      if (theirs <= 0) return false;
      wait = wait ? Math.min(wait, theirs) : theirs;
    }
    if (wait) socket.setTimeout(wait);
    return true;
  },

  reuseSocket(socket, request) {
    request.reusedSocket = true;
    socket.ref();
  },

  destroy() {
    const all = [this.freeSockets, this.sockets].flatMap((lists) => Object.values(lists).flat());
    for (const socket of all) socket.destroy();
  },
};
const Agent = kind('Agent', EventEmitter, init, methods);
Agent.defaultMaxSockets = Infinity;

/// What is asked for, with what the agent was told for all.
function merged(agent, wish) {
  const all = Object.assign(Object.create(null), wish, agent.options);
  if (all.socketPath) all.path = all.socketPath;
  return all;
}

const waiting = Symbol('waiting request');

/// Lets an agent know what becomes of a socket.
function install(agent, socket, name, options) {
  const isFree = () => agent.freeSockets[name]?.includes(socket);
  const listeners = {
    free: () => agent.emit('free', socket, { ...options, _agentKey: name }),
    close: () => agent.removeSocket(socket, name),
    // One that nobody uses is closed, and may fail without anybody's notice.
    timeout: () => { if (isFree()) socket.destroy(); },
    error: () => { if (isFree()) socket.destroy(); },
    agentRemove: () => {
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener);
      agent.removeSocket(socket, name);
    },
  };
  for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);
  if (options.timeout) socket.setTimeout(options.timeout);
}

function hand(agent, request, socket) {
  const wish = request.timeout ?? agent.options.timeout;
  request.onSocket(socket);
  if (socket.timeout !== wish && request.timeout === undefined) socket.setTimeout(agent.options.timeout || 0);
}

/// Another request gets a connection in the place of one that is gone: to the same host if there is one.
function serveNext(agent, gone) {
  const isRoom = (name) => agent.requests[name]?.length && (agent.sockets[name]?.length ?? 0) < agent.maxSockets;
  const name = [gone, ...Object.keys(agent.requests)].find(isRoom);
  if (name === undefined || agent.totalSocketCount >= agent.maxTotalSockets) return;
  const request = agent.requests[name][0];
  remove(agent.requests, name, request);
  agent.createSocket(request, request[waiting].options, (error, socket) => {
    if (error) request.onSocket(null, error);
    else hand(agent, request, socket);
  });
}

function freed(agent, socket, options) {
  const name = options._agentKey ?? agent.getName(options);
  if (!socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const list = agent.requests[name];
  if (list?.length) {
    const request = list[0];
    remove(agent.requests, name, request);
    hand(agent, request, socket);
    return;
  }
  const request = socket._httpMessage;
  const total = Object.values(agent.freeSockets).reduce((all, some) => all + some.length, 0);
  // Others may wait for the place that it takes.
  const isFull = Object.keys(agent.requests).length > 0 && agent.totalSocketCount >= agent.maxTotalSockets;
  const isKept = !isFull && request?.shouldKeepAlive && agent.keepAlive &&
    (agent.freeSockets[name]?.length ?? 0) < agent.maxFreeSockets &&
    agent.totalSocketCount <= agent.maxTotalSockets && total < agent.maxFreeSockets;
  if (!isKept || !agent.keepSocketAlive(socket)) {
    socket.destroy();
    return;
  }
  remove(agent.sockets, name, socket);
  socket._httpMessage = null;
  add(agent.freeSockets, name, socket);
}

/// The agent of requests that name none; programs may put another in its place.
const shared = { agent: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }) };

module.exports = { Agent, shared };
