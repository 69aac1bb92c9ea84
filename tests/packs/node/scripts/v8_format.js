// The format of v8.serialize, and what is refused by v8.deserialize.
const v8 = require('v8');
const s = (x) => { try { return v8.serialize(x).toString('hex');
  } catch (e) { return `${e.name} ${e.code} ${e.message}`; } };
const o = {}; o.o = o; const sh = [1]; const sparse = [1]; sparse[500000] = 2; const holes = [1, , 3];
  const props = [1, 2]; props.x = 3;
const ex = { undefined, null: null, t: true, f: false, zero: 0, neg0: -0, one: 1, m1: -1, big: 2 ** 30,
  i31: 2 ** 31 - 1, m31: -(2 ** 31), d: 1.5, nan: NaN, inf: Infinity, n53: 2 ** 53, e: '', a: 'abc',
  lat: '\u00e9', two: 'a\u20ac', two3: '\u20ac', two5: {a:'\u20ac'}, b0: 0n, b1: 1n, bm: -5n, bb: 2n ** 64n,
  b70: -(2n ** 70n), obj: {}, o1: { a: 1, b: 'x' }, o2: { 1: 2, 4294967295: 3, [-1]: 3 }, arr: [], a1: [1, 'a',
  null], holes, sparse, props, circ: o, shared: [sh, sh], date: new Date(5), nd: new Date(NaN),
  bo: Object(true), bf: Object(false), no: Object(5), so: Object('x'), bio: Object(7n), re: /a+/gimsuy,
  re2:/x/dv, map: new Map([[1, { a: 1 }], ['x', new Set()]]), set: new Set([1, 'a']), ab: new ArrayBuffer(3),
  u8: new Uint8Array([1, 2, 3]), buf: Buffer.from('hi'), f64: new Float64Array([1.5]),
  dv: new DataView(new ArrayBuffer(4), 1, 2), i8: new Int8Array(1), u8c: new Uint8ClampedArray(1),
  i16: new Int16Array(1), u16: new Uint16Array(1), i32: new Int32Array(1), u32: new Uint32Array(1),
  f32: new Float32Array(1), bi: new BigInt64Array(1), bu: new BigUint64Array(1),
  err: (() => { const e = new Error('m'); e.stack = 'st'; return e; })(),
  terr: (() => { const e = new TypeError('m', { cause: 5 }); e.stack = 'st'; e.x = 1; return e; })(),
  nomsg: (() => { const e = new RangeError(); e.stack = 's'; return e; })(),
  estk: (() => { const e = new SyntaxError('q'); delete e.stack; return e; })(),
  ename: (() => { const e = new Error('q'); e.name='Foo'; e.stack='s'; return e; })(),
  eref: (() => { const e = new ReferenceError('q');e.stack='s'; return e;
  })(),eev: (() => { const e = new EvalError('q');e.stack='s'; return e;
  })(),euri: (() => { const e = new URIError('q');e.stack='s'; return e; })(),
  eagg: (() => { const e = new AggregateError([1],'q');e.stack='s'; return e; })(), dom: new DOMException('x'),
  fn: () => 1, sym: Symbol('q'), cls: new (class A { constructor() { this.x = 1; } }), prom: Promise.resolve(),
  wm: new WeakMap(), proxy: new Proxy({}, {}), args: (function () { return arguments; })(1, 2),
  gen: (function* () { })(), nul: Object.assign(Object.create(null), { a: 1 }), getter: { get a() { return 5;
  } }, symk: { [Symbol('a')]: 1, b: 2 }, url: new URL('http://a'), nested: [[[[]]]], inner: { f() { } },
  sab: new SharedArrayBuffer(2), abshared: (() => { const b = new ArrayBuffer(8); return [new Uint8Array(b, 1,
  2), new Uint16Array(b, 4, 1), b]; })(), objsym: Object(Symbol('x')), glob: globalThis.x, hole2: [, ,],
  undarr: [undefined], longstr: 'x'.repeat(200) , dbls: [1.5, 2.5], mixed: [1, 1.5], dhole: [1.5, , 2.5],
  resz: new ArrayBuffer(2, {maxByteLength: 10}), wr: new WeakRef({})};
for (const k in ex) console.log(k, s(ex[k]).slice(0, 400));
const u = (h) => { try { return require('util').inspect(v8.deserialize(Buffer.from(h, 'hex')), { depth: 5 });
  } catch (e) { return `${e.name} ${e.code} ${e.message}`; } };
for (const h of ['', 'ff', 'ff0f', 'ff0f30', '30', 'ff1030', 'ff0e30', 'ff0d4902', 'ff0c4902', 'ff0fff',
  'ff0f6f', 'ff0f6f7b01', 'ff0f6f49027b00', 'ff0f2205616263', 'ff0f630300', 'ff0f6304ac20ac20', 'ff0f5e00',
  'ff0f41ffffffff0f', 'ff0f4101490224000100', 'ff0f41014902240001', 'ff0f4101490224000000', 'ff0f5a10',
  'ff0f5201610f', 'ff0f522201610f', 'ff0f52220161ff01', 'ff0f3b3a01', 'ff0f3b3a00', 'ff0f5c0000',
  'ff0f5c0103616263', 'ff0f5c630100', 'ff0f4903', 'ff0f0049', 'ff0f000030', 'ff0f4e00',
  'ff0f6f4e000000000000f03f22016161', 'ff0f6f5f', '000000', 'ff0f306161', 'ff0f5501','ff0f5c0a02616263',
  'ff0f4200', 'ff0f420561', 'ff0f420261625642000000','ff0f42026162564200020000', 'ff0f42046162636456570002',
  'ff0f72452e', 'ff0f722e', 'ff0f726d220161730120', 'ff0f4101ff', 'ff0f5300', 'ff0f530161', 'ff0f7901','ff0f78',
  'ff0f6e000000000000f03f', 'ff0f44000000000000f87f', 'ff0f2701', 'ff0f27490249042c02', 'ff0f2749022c02',
  'ff0f49ffffffffff01', 'ff0f55ffffffff0f', 'ff0f6102220130490240010 2']) console.log(h, u(h));
