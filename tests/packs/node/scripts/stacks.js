// Lines of stacks: receivers, names, columns.
const show = (label, e) => console.log(label, '|', String(e.stack).split('\n').filter(l => !/node:/.test(l)).join('\n   '));
function plain() { return new Error('x'); }
show('plain', plain());
const o = { m() { return new Error('m'); }, f: function () { return new Error('f'); }, arrow: () => new Error('arrow') };
show('o.m', o.m()); show('o.f', o.f()); show('o.arrow', o.arrow());
const o2 = { alias: o.m }; show('alias', o2.alias());
class Foo { constructor(e) { if (e) this.e = new Error('ctor'); } method() { return new Error('me'); } static st() { return new Error('st'); } get g() { return new Error('g'); } #p() { return new Error('p'); } callp() { return this.#p(); } static { this.blk = new Error('blk'); } field = new Error('field'); af = () => new Error('af'); }
show('ctor', new Foo(1).e); show('method', new Foo().method()); show('static', Foo.st()); show('getter', new Foo().g); show('private', new Foo().callp()); show('blk', Foo.blk); show('af', new Foo().af());
class Bar extends Foo { constructor(e) { super(e); } } show('derived', new Bar(1).e); show('inh', new Bar().method());
show('map', [1].map(() => new Error('x'))[0]); show('map2', [1].map(function named() { return new Error('x'); })[0]);
show('forEach', (() => { let e; [1].forEach((x) => { e = new Error('q'); }); return e; })());
exports.foo = function () { return new Error('exp'); }; show('exports.foo', exports.foo());
module.exports.bar = () => new Error('bar'); show('mod.bar', module.exports.bar());
function Old() { this.e = new Error('old'); } Old.prototype.go = function () { return new Error('go'); }; Old.prototype.named = function nm() { return new Error('nm'); };
show('new Old', new Old().e); show('go', new Old().go()); show('nm', new Old().named());
show('call', plain.call('str')); show('call5', plain.call(5)); show('callarr', plain.call([1])); show('callnull', plain.call(null)); show('callfn', plain.call(plain)); show('callmap', plain.call(new Map())); show('callsym', plain.call(Symbol('x'))); show('callobjnull', plain.call(Object.create(null)));
show('strict', (function s() { 'use strict'; return new Error('s'); }).call(5)); show('bound', plain.bind({})());
show('eval', eval('new Error("e")')); show('eval2', eval('(function ev(){ return new Error("e")})()')); show('ieval', (0, eval)('new Error("e")'));
show('Function', new Function('return new Error("fn")')()); show('Function2', new Function('a', 'b', 'return new Error("fn")').call({}));
show('iife', (function () { return new Error('iife'); })()); show('iife2', (() => new Error('iife'))());
show('JSON', (() => { try { JSON.parse('{x'); } catch (e) { return e; } })());
show('reduce', [1, 2].reduce((a, b) => new Error('r'))); show('sort', (() => { try { [2, 1].sort(() => { throw new Error('s'); }); } catch (e) { return e; } })());
show('Promise', (() => { let e; new Promise((r) => { e = new Error('p'); }); return e; })());
show('from', Array.from([1], () => new Error('f'))[0]); show('replace', (() => { let e; 'a'.replace(/a/, () => { e = new Error('r'); }); return e; })());
show('apply', Reflect.apply(plain, null, [])); show('fapply', plain.apply(o)); show('construct', Reflect.construct(Old, []).e);

show('getter obj', { get x() { return new Error('gx'); } }.x); show('sym', { [Symbol.iterator]() { return new Error('it'); } }[Symbol.iterator]()); show('computed', { ['a b']() { return new Error('ab'); } }['a b']());
function* gen() { yield new Error('g'); } show('gen', gen().next().value); 
show('null.x', (() => { try { null.x; } catch (e) { return e; } })()); show('undef()', (() => { try { o.nope(); } catch (e) { return e; } })());
show('Map.forEach', (() => { let e; new Map([[1, 2]]).forEach(() => { e = new Error('mf'); }); return e; })());

show('proxy', new Proxy({}, { get() { return new Error('pg'); } }).x);
show('named fn expr', (function outer() { const inner = () => new Error('i'); return inner(); })());
const obj3 = {}; obj3.a = {}; obj3.a.b = function () { return new Error('ab'); }; show('a.b', obj3.a.b()); let zz; zz = function () { return new Error('zz'); }; show('zz', zz());
show('arr idx', [function () { return new Error('ai'); }][0]()); show('anon class', new (class { constructor() { this.e = new Error('ac'); } })().e); show('anon class m', new (class { m() { return new Error('ac'); } })().m());
show('default param', ((a = new Error('dp')) => a)()); show('tagged', ((s) => new Error('tg'))`x`);
show('this type', Object.create(Foo.prototype).method()); show('proto mod', Object.setPrototypeOf({ m() { return new Error('x'); } }, null).m());
Object.defineProperty(plain, 'name', { value: 'renamed' }); show('renamed', plain());
