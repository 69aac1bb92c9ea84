// Prints each name of a property that a program can see on Node's own objects.
const seen = new Set();
const names = new Set();
const look = (value) => {
  const waiting = [value];
  while (waiting.length) {
    const one = waiting.pop();
    if (one === null || (typeof one !== 'object' && typeof one !== 'function') || seen.has(one)) continue;
    seen.add(one);
    waiting.push(Object.getPrototypeOf(one));
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(one))) {
      names.add(name);
      waiting.push(property.value, property.get);
    }
  }
};
process.removeAllListeners('warning');
process.on('warning', () => {});
for (const name of require('module').builtinModules) look(require(name));
const { PassThrough } = require('stream');
const timer = setTimeout(() => {}, 0);
const immediate = setImmediate(() => {});
for (const one of [globalThis, module, timer, immediate, new PassThrough(), new (require('events'))(), require('url').parse('http://a/b?c#d')]) look(one);
look(require('child_process').spawn('true'));
const http = require('http');
const request = http.request({ port: 1 });
request.on('error', () => {});
for (const one of [request, new http.ServerResponse({ method: 'GET' }), new http.IncomingMessage(), http.createServer(), new (require('net').Socket)()])
  look(one);
try { require('assert').strictEqual(1, 2); } catch (error) { look(error); }
try { require('fs').readFileSync('/nowhere'); } catch (error) { look(error); }
Error.prepareStackTrace = (error, sites) => look(sites[0]);
void new Error().stack;
console.log([...names].sort().join('\n'));
process.exit();
