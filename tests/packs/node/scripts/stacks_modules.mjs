// Stacks in ES modules.
const L = (label, e) => console.log(label, e.stack);
L('top', new Error('x'));
await 1;
L('after', new Error('x'));
async function f() { await 1; throw new Error('f'); }
try { await f(); } catch (e) { L('f', e); }
export default function () { return new Error('def'); }
const m = await import('./stacks/named.mjs'); L('def', m.default()); L('named', m.named()); L('this', (function () { return new Error('t'); })()); L('ns', { ...m }.named());
