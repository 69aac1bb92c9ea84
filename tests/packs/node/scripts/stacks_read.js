// When a stack is made, and what it begins with.
const l = (label, s) => console.log(label, '|', String(s).split('\n').slice(0, 2).join(' // '));
{ const e = new Error('a'); e.message = 'b'; l('B', e.stack); }
{ const e = new Error('a'); e.name = 'N'; l('B2', e.stack); }
{ const o = { name: 'N', message: 'm' }; Error.captureStackTrace(o); o.message = 'z'; l('A', o.stack); console.log(Object.getOwnPropertyDescriptor(o, 'stack') && Object.keys(Object.getOwnPropertyDescriptor(o, 'stack'))); }
{ const o = {}; Error.captureStackTrace(o); l('A2', o.stack); }
{ const o = { name: 'N' }; Error.captureStackTrace(o); l('A3', o.stack); }
{ const o = { message: 'N' }; Error.captureStackTrace(o); l('A4', o.stack); }
{ const o = function ff() {}; Error.captureStackTrace(o); l('A5', o.stack); }
{ const o = [1, 2]; Error.captureStackTrace(o); l('A6', o.stack); }
{ class Q { } const o = new Q(); Error.captureStackTrace(o); l('A7', o.stack); }
{ class Q { toString() { return 'TS'; } } const o = new Q(); Error.captureStackTrace(o); l('A8', o.stack); }
{ const o = Object.create(null); Error.captureStackTrace(o); l('A9', o.stack); }
function MyError(m) { Error.captureStackTrace(this, MyError); this.message = m; }
MyError.prototype = Object.create(Error.prototype); MyError.prototype.name = 'MyError'; MyError.prototype.constructor = MyError;
l('My', new MyError('m').stack); 
function My2(m) { const e = Error.call(this, m); this.message = e.message; this.stack = e.stack; } My2.prototype = Object.create(Error.prototype); My2.prototype.name = 'My2'; l('My2', new My2('m').stack); l('My2', Object.keys(new My2('m')));
function My3(m) { this.message = m; Error.captureStackTrace(this, this.constructor); } require('util').inherits(My3, Error); My3.prototype.name = 'My3'; l('My3', new My3('m').stack); console.log(new My3('m'));
function My4(m) { this.message = m; } My4.prototype = new Error(); My4.prototype.name = 'My4'; My4.prototype.constructor = My4; l('My4', new My4('m').stack); console.log(new My4('m') + '');
class C1 extends Error { constructor(m) { super(m); this.name = 'C1'; } } l('C1', new C1('m').stack);
class C2 extends Error { get name() { return 'C2n'; } } l('C2', new C2('m').stack);
class C3 extends Error { } C3.prototype.name = 'C3p'; l('C3', new C3('m').stack);
class C4 extends Error { toString() { return 'ts'; } } l('C4', new C4('m').stack);
class C5 extends Error { name = 'C5f'; } l('C5', new C5('m').stack);
class C6 extends TypeError { get message() { return 'gm'; } } l('C6', new C6().stack);
{ const e = new Error('a'); Error.captureStackTrace(e); e.message = 'b'; l('cap', e.stack); }
{ const e = new Error('a'); e.message = 'b'; Error.captureStackTrace(e); l('cap2', e.stack); }
{ let n = 0; Error.prepareStackTrace = (e, s) => { n++; return 'P' + e.message + s.length; }; const e = new Error('a'); console.log(n); e.message = 'b'; console.log(e.stack.replace(/\d+/, ''), n, n); Error.prepareStackTrace = undefined; console.log(new Error('z').stack.split('\n')[0]); }
{ const e = new Error('late'); Error.prepareStackTrace = (e, s) => 'late'; console.log(e.stack); Error.prepareStackTrace = undefined; }
{ Error.prepareStackTrace = (e, s) => { throw new Error('in'); }; try { const e = new Error('x'); console.log('made'); console.log(e.stack); } catch (q) { Error.prepareStackTrace = undefined; console.log('thrown', q.message); } Error.prepareStackTrace = undefined; }
{ Error.prepareStackTrace = (e, s) => e.stack; console.log(new Error('rec').stack); Error.prepareStackTrace = undefined; }
{ const o = {}; Error.prepareStackTrace = (e, s) => s; Error.captureStackTrace(o); Error.prepareStackTrace = undefined; console.log(typeof o.stack, Array.isArray(o.stack)); }
{ const o = {}; Error.prepareStackTrace = (e, s) => s; Error.captureStackTrace(o); console.log(Array.isArray(o.stack)); Error.prepareStackTrace = undefined; }
console.log(Object.getOwnPropertyDescriptor(new Error('x'), 'stack').enumerable, Object.getOwnPropertyNames(new Error('x')));
console.log(Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace'), Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit'));
{ Error.stackTraceLimit = 1; console.log(new Error('l').stack.split('\n').length); Error.stackTraceLimit = 0; console.log(JSON.stringify(new Error('l').stack)); Error.stackTraceLimit = 'x'; console.log(new Error('l').stack); delete Error.stackTraceLimit; console.log(new Error('l').stack); Error.stackTraceLimit = 10; }
{ const e = new Error(''); l('empty', e.stack); const f = new Error(); f.name = ''; l('noname', f.stack); }
{ const e = Object.create(new Error('proto')); l('proto', e.stack); e.stack = 5; console.log(e.stack, Object.keys(e)); }
{ const e = Object.freeze(new Error('fr')); try { Error.captureStackTrace(e); console.log('ok'); } catch (x) { console.log(x.message); } }
try { Error.captureStackTrace(5); } catch (x) { console.log(x.message); }
{ const o = {}; (function a() { (function b() { (function c() { Error.captureStackTrace(o, b); })(); })(); })(); console.log(o.stack.split('\n')[1]); }
{ const o = {}; (function a() { (function b() { Error.captureStackTrace(o, function never() { }); })(); })(); console.log(JSON.stringify(o.stack)); }
{ const e = new Error('has'); e.stack; Error.captureStackTrace(e); l('recap', e.stack); }
{ const o = {}; Error.captureStackTrace(o); o.stack += 'x'; console.log(Object.getOwnPropertyDescriptor(o, 'stack').enumerable); }
{ const e = new RangeError('r', { cause: 1 }); console.log(Object.getOwnPropertyNames(e)); } console.log(Object.getOwnPropertyNames(new AggregateError([], 'x')));
try { new URL('x'); } catch (e) { console.log(e.stack.split('\n')[0]); } try { const [q] = {}; } catch (e) { console.log(e.message); } try { require('assert').fail('f'); } catch (e) { console.log(e.stack.split('\n')[0]); } try { Buffer.alloc('x'); } catch (e) { console.log(e.stack.split('\n')[0]); }
