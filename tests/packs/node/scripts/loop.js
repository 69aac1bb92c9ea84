const log = console.log;
setTimeout(() => log('timeout 0'), 0); setTimeout(() => log('timeout 400'), 400); process.nextTick(() => log('tick')); Promise.resolve().then(() => log('micro')); queueMicrotask(() => log('micro2')); log('sync');
process.nextTick(() => { log('tick2'); Promise.resolve().then(() => log('micro from tick')); process.nextTick(() => log('tick from tick')); });
setTimeout(() => { log('t5'); process.nextTick(() => log('tick in t5')); Promise.resolve().then(() => log('micro in t5')); }, 100); setTimeout(() => log('t5b'), 100);
let n = 0; const i = setInterval(() => { log('interval', ++n); if (n === 3) clearInterval(i); }, 30); const u = setTimeout(() => log('never'), 100000); u.unref(); log(u.hasRef(), typeof u[Symbol.toPrimitive]());
setTimeout((a, b) => log(a, b), 1, 'x', 'y'); const im = setImmediate(() => log('cleared')); clearImmediate(im);
(async () => { log('a1'); await null; log('a2'); await new Promise((r) => setTimeout(r, 250)); log('a3'); const { setTimeout: st, setImmediate: si } = require('timers/promises'); log(await st(2, 'v')); log(await si('w')); for (let k = 0; k < 2; k++) await k; log('end'); })();
process.on('exit', (c) => log('exit', c)); process.on('beforeExit', () => { if (n < 4) { n = 4; setTimeout(() => log('revived'), 1); } });
try { setTimeout('x'); } catch (e) { log(e.code, e.message); }
Promise.all([1, Promise.resolve(2)]).then(log); Promise.allSettled([Promise.reject(new Error('r'))]).then((r) => log(r[0].status)); Promise.race([new Promise((r) => setTimeout(r, 3, 'slow')), 'fast']).then(log); Promise.any([Promise.reject(1), 2]).then(log);
