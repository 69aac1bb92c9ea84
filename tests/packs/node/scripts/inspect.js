const util = require('util');
class A { constructor() { this.x = 1; } get y() { return 2; } static s = 1; }
class B extends A { #p = 1; }
const circular = { name: 'c' }; circular.self = circular; circular.list = [circular, { circular }];
const long = {}; for (let i = 0; i < 30; i++) long['key' + i] = i * 1000;
const values = [
  1, -0, 1.5, NaN, Infinity, 10n, true, null, undefined, 'text', "it's", 'a"b\'c', 'new\nline', '\x00\x1b\u{1f600}', Symbol('s'), Symbol.iterator, Symbol(),
  [], [1, 2, 3], [1, , 3], [, , ], new Array(5), [undefined, null], [[1, [2, [3, [4]]]]], Array.from({ length: 120 }, (_, i) => i), ['a', 'b'].concat({ length: 1 }),
  {}, { a: 1 }, { a: { b: { c: { d: 1 } } } }, { 'a-b': 1, 2: 3, [Symbol('k')]: 4, valid_id: 5, 'ä': 6 }, Object.create(null), Object.assign(Object.create(null), { a: 1 }),
  new A(), new B(), A, B, class {}, class extends A {}, function f() {}, () => {}, async () => {}, function* g() {}, async function* ag() {}, Object.assign(function h() {}, { a: 1 }), Math.max,
  new Map([[1, 'a'], [{ k: 1 }, [1, 2]]]), new Set([1, 'a', { b: 1 }]), new Map(), new Set(), new WeakMap(), new WeakSet(),
  new Date(0), new Date(NaN), /re/gi, new Error('boom').message, Promise.resolve(5), new Promise(() => {}), 
  new Uint8Array(3), new Float64Array([1.5, 2]), new ArrayBuffer(4), new DataView(new ArrayBuffer(2)), Buffer.from('hello'), Buffer.alloc(60), new BigInt64Array(2),
  Object(1), Object('str'), Object(true), Object(Symbol('b')), Object(1n), new Proxy({ a: 1 }, {}), new Proxy(function p() {}, {}),
  circular, long, { get a() { return 1; }, set a(v) {}, get b() { return 1; }, set c(v) {} }, { f() {}, g: () => {}, h: class Q {} },
  (function () { return arguments; })(1, 2), globalThis === global, JSON, Math, Reflect, new (class Foo { get [Symbol.toStringTag]() { return 'Bar'; } })(),
  { long1: 'x'.repeat(50), long2: 'y'.repeat(50) }, ['x'.repeat(30), 'y'.repeat(30), 'z'.repeat(30)], 'a'.repeat(200), ['multi\nline string that is quite long indeed to be split over\nseveral lines of text'],
  { a: [{ b: 1, c: [1, 2, 3] }, { b: 2, c: [] }], m: new Map([['k', { deep: { deeper: { deepest: 1 } } }]]) },
  ['apple', 'banana', 'cherry', 'date', 'elderberry', 'fig', 'grape', 'honeydew'], [1.5, 22.25, 333.125, 4, 5, 6, 7, 8, 9, 10], Array.from({ length: 30 }, (_, i) => 'item' + i),
  [true, false, true, false, true, false, true], [[1, 2], [3, 4]], [{ a: 1 }, { a: 2 }], { x: undefined, y: null, z: '' }, [function named() {}, class K {}], [new Date(1e12)], [/x/], [Symbol('q')],
  Object.create({ inherited: 1 }), Object.create(A.prototype), new (class extends Array {})(3), new (class M extends Map {})([[1, 2]]), new (class S extends Set {})([1]),
  (function* () {})(), [1, 2][Symbol.iterator](), new URL('http://user:pw@host:8080/p/a?q=1#h'), new URLSearchParams('a=1&b=2'), new AbortController(), new TextEncoder(),
  process.versions.node.split('.').length, new Event('x').type, { __proto__: { a: 1 }, b: 2 }, { constructor: 'x' }, { ['__proto__']: 1 },
];
values.forEach((value, i) => console.log(i, value));
console.log(util.inspect(circular, { depth: 0 }), util.inspect({ a: { b: 1 } }, { compact: false }), util.inspect({ a: { b: { c: {} } } }, { depth: null }));
console.log(util.inspect([1, [2, [3]]], false, null, true), util.inspect({ s: 'x', n: 1, b: true, u: undefined, nl: null, d: new Date(0), r: /x/, sy: Symbol('x') }, { colors: true }));
console.log(util.inspect({ b: 1, a: 2 }, { sorted: true }), util.inspect(new Map([['b', 1], ['a', 2]]), { sorted: true }), util.inspect([1, 2, 3, 4], { maxArrayLength: 2 }), util.inspect('abcdef', { maxStringLength: 3 }));
console.log(util.inspect({ get a() { return { x: 1 }; } }, { getters: true }), util.inspect([1, 2], { showHidden: true }), util.inspect(1234567.891, { numericSeparator: true }));
console.log(util.inspect({ [util.inspect.custom](d, o) { return `custom ${d} ${typeof o.stylize}`; } }), util.inspect({ inspect() { return 1; } }));
console.log(util.format('%s %d %i %f %j %o %O %c %% %x', 'str', '42.5', '42.5', '1.50', { a: 1 }, [1], { a: { b: { c: { d: 1 } } } }, 'css', 'rest'), util.format('%s', null, undefined, 1n, Symbol('a')), util.format('a', 'b', { c: 1 }), util.format(1, 2, '3'), util.format('%s', { a: { b: { c: 1 } } }), util.format('%s', new A()), util.format('%d', '0x10'), util.format('%s', () => 1), util.format('%s', class Z {}), util.format('%i', 1e21), util.format('%%%s', 1), util.format('100%'), util.format('%s', [1, [2, [3]]]), util.format('%s', new Error('x').message), util.format('%s', Object.create(null)), util.format('%s', new Date(0)), util.format('%s', -0));
