// HTTPS: refused when it is used.

const http = require('http');

const request = (input, ...rest) =>
  http.request(
    typeof input === 'object' && !(input instanceof URL) ? { protocol: 'https:', ...input } : input,
    ...rest,
  );

module.exports = {
  Agent: http.Agent, globalAgent: http.globalAgent, Server: http.Server, createServer: http.createServer, request,
  get(...args) {
    const made = request(...args);
    made.end();
    return made;
  },
};
