// Functions that wait in stacks.
const cut = (e) => e.stack.split('\n').filter((l) => !/node:/.test(l)).join('\n');
const L = (label, e) => console.log(label, cut(e));
const sleep = (n) => new Promise((r) => setTimeout(r, n));
async function a() { await sleep(1); throw new Error('a'); }
async function b() { await a(); }
const o = { async c() { await b(); }, arrow: async () => { await o.c(); } };
class D { async d() { await o.arrow(); } static async s() { await new D().d(); } }
async function pall() { await Promise.all([sleep(1), a()]); }
async function pany() { await Promise.any([a()]); }
async function prace() { await Promise.race([a()]); }
async function psett() { const r = await Promise.allSettled([a()]); throw r[0].reason; }
async function ret() { return a(); }
async function useRet() { await ret(); }
async function then() { await a().then((x) => x); }
async function* ag() { await a(); yield 1; }
async function forAwait() { for await (const x of ag()) ; }
async function tryc() { try { await a(); } catch (e) { throw e; } }
async function fin() { try { await a(); } finally { await 1; } }
async function sync() { throw new Error('sync'); }
async function callsync() { await sync(); }
async function thr() { await 1; await callsync(); }
(async () => {
  for (const f of [a, b, o.c, o.arrow, () => o.c(), () => D.s(), pall, pany, prace, psett, ret, useRet, then, forAwait, tryc, fin, thr, async () => { await thr(); }, () => Promise.resolve().then(() => { throw new Error('then'); }), () => Promise.resolve().then(function named() { return a(); }), async function x() { await Promise.resolve().then(a); }])
    await f().catch((e) => L(f.name || String(f), e.errors ? e.errors[0] : e));
  await new Promise((r) => setTimeout(() => { L('timer', new Error('t')); r(); }));
  await new Promise((r) => process.nextTick(() => { L('tick', new Error('t')); r(); }));
  await new Promise((r) => setImmediate(function imm() { L('imm', new Error('t')); r(); }));
  const E = require('events'); const em = new E(); em.on('x', () => L('ee', new Error('ee'))); em.on('x', function nn() { L('ee2', new Error('ee')); }); em.emit('x');
})();
