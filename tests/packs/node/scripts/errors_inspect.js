const e = new Error('boom'); e.stack = 'Error: boom\n    at somewhere (file.js:1:2)';
console.log(e, [e], { e });
e.code = 'X'; e.extra = { a: 1 }; console.log(e);
class MyError extends Error { constructor(m) { super(m); this.name = 'MyError'; this.info = 1; } }
const m = new MyError('mine'); m.stack = m.stack.split('\n')[0] + '\n    at x (y.js:1:1)'; console.log(m);
const c = new Error('outer', { cause: Object.assign(new TypeError('inner'), { stack: 'TypeError: inner\n    at a (b.js:1:1)' }) }); c.stack = 'Error: outer\n    at q (r.js:1:1)'; console.log(c);
const a = new AggregateError([1, 'two'], 'many'); a.stack = 'AggregateError: many\n    at q (r.js:1:1)'; console.log(a);
const n = new Error('nostack'); n.stack = undefined; console.log(n, [n]);
const l = new Error(''); l.stack = 'Error\n    at z (z.js:1:1)'; console.log(l);
const x = new RangeError('multi\nline'); x.stack = 'RangeError: multi\nline\n    at z (z.js:1:1)'; console.log({ x });
class Plain extends Error {} const p = new Plain('p'); p.stack = p.stack.split('\n')[0]; console.log(p, p.name, String(p));
try { null.foo; } catch (err) { console.log(err.message, err.name, err instanceof TypeError, Object.keys(err), Object.getOwnPropertyNames(err)); }
try { undefinedName; } catch (err) { console.log(err.message); }
try { (void 0)(); } catch (err) { console.log(err.name); }
try { let o = {}; o.method(); } catch (err) { console.log(err.message); }
try { let o = { a: {} }; o.a.b.c(); } catch (err) { console.log(err.message); }
try { const q = 1; q = 2; } catch (err) { console.log(err.message); }
try { new (class { constructor() { this.z(); } })(); } catch (err) { console.log(err.message); }
try { JSON.parse('{"a":'); } catch (err) { console.log(err.name, err.message); }
for (const text of ['', '{', '[1,]', '{"a" 1}', 'tru', '{"a":1,}', '"abc', '01', '-', '1.', '1e', 'undefined', '{a:1}', '[1 2]', '{"a":1} x', '"\u0001"', '"\\x"', 'nul', 'abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz', '<!DOCTYPE html>', "{'a':1}", '["a"', '{"a":"b"', '{"a"', '{"a":1 "b":2}']) { try { console.log(JSON.parse(text)); } catch (err) { console.log(JSON.stringify(text), err.message); } }
const o = {}; o.o = { p: [o] }; try { JSON.stringify(o); } catch (err) { console.log(err.message); }
function rec() { return rec() + 1; } try { rec(); } catch (err) { console.log(err instanceof RangeError, err.message); }
console.log(Object.prototype.toString.call(e), e instanceof Error, typeof Error.captureStackTrace, Error.stackTraceLimit);
const holder = {}; Error.captureStackTrace(holder); console.log(typeof holder.stack, holder.stack.split('\n')[0]);
console.log(new Error('a').stack.split('\n')[0], new TypeError('b', { cause: 1 }).cause);
Error.prepareStackTrace = (err, sites) => `${err.message} ${typeof sites[0].getFileName()} ${sites[0].getLineNumber()}`; console.log(new Error('prep').stack); Error.prepareStackTrace = undefined;
