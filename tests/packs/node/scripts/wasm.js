// WebAssembly: `wasm/module.wasm` is `wasm/module.wat` as `wat2wasm --enable-tail-call --debug-names` makes it.
const { readFileSync } = require('fs');

const bytes = readFileSync(`${__dirname}/wasm/module.wasm`);
const text = (work) => work.toString().replace(/^(async )?\(\) => /, '');

function show(work) {
  try {
    console.log(text(work), '=>', work());
  } catch (error) {
    console.log(text(work), '!!', `${error.name}: ${error.message}`);
  }
}

const host = {
  call(x) {
    if (x === 1) throw new Error('of the host');
    if (x === 2) return { valueOf: () => 9.7 };
    if (x === 3) return 5n;
    if (x === 4) return made.exports.inc(40);
    if (x > 100) return made.exports.host(x - 1) + 1;
    return x;
  },
  many(...values) {
    console.log(values);
    return values[0] === 1n ? [1] : values[0] === 2n ? [1, 2] : new Set([7, 8n]);
  },
};

console.log(WebAssembly.validate(bytes), WebAssembly.validate(bytes.subarray(0, 200)));
const module_ = new WebAssembly.Module(bytes);
console.log(module_, WebAssembly.Module.imports(module_), WebAssembly.Module.exports(module_).slice(0, 8));
console.log(WebAssembly.Module.customSections(module_, 'name').map((s) => s.byteLength));
const made = new WebAssembly.Instance(module_, { host });
const w = made.exports;
console.log(made, w, Object.isFrozen(w), w.inc.name, w.inc.length, String(w.inc), Object.prototype.toString.call(w.memory));

show(() => w.inc(41));
show(() => w.inc('41'));
show(() => w.inc());
show(() => w.inc(2 ** 31 - 1));
show(() => new w.inc(1));
show(() => w.fib(15));
show(() => w.sum_to(100000n));
show(() => w.sum_to(-(2n ** 64n) + 4n));
show(() => w.sum_to(3));
show(() => w.sum_to());
show(() => [0, 1, 2, 3, 4, -1].map(w.which));
show(() => [w.values(0), w.values(-3)]);
show(() => w.swap(1, 2));
show(() => w.div(-7, 2));
show(() => w.div(1, 0));
show(() => w.div(-(2 ** 31), -1));
show(() => w.rem(-1n, 10n));
show(() => w.rem(1n, 0n));
show(() => w.trunc(-3.9));
show(() => w.trunc(NaN));
show(() => w.trunc(2 ** 31));
show(() => [w.trunc_sat(NaN), w.trunc_sat(-1), w.trunc_sat(1e30), w.extend(200)]);
show(() => [w.min(0, -0), w.min(NaN, 1), w.min(0.1, 5)]);
show(() => Buffer.from(w.memory.buffer, 16, 5).toString());
show(() => w.load(12).toString(16));
show(() => w.load(65528));
show(() => w.load(65529));
show(() => w.load(-1));
show(() => [w.store(65534, 0x12345n), w.load(65528)]);
show(() => w.store(65535, 1n));
show(() => {
  const before = w.memory.buffer;
  const old = w.grow(1);
  return [old, before.byteLength, w.memory.buffer.byteLength, w.pages(), w.memory.buffer === w.memory.buffer, w.load(12)];
});
show(() => [w.grow(5), w.memory.grow(1), w.grow(1)]);
show(() => w.memory.grow(1));
show(() => [w.fill(32, 65, 4), w.copy(34, 16, 5), w.init(40, 1, 3), Buffer.from(w.memory.buffer, 32, 12).toString('latin1')]);
show(() => w.init(0, 6, 2));
show(() => w.fill(65536 * 3 - 1, 0, 2));
show(() => [w.indirect(7, 1), w.indirect(7, 2)]);
show(() => w.indirect(1, 0));
show(() => w.indirect(1, 9));
show(() => w.void(1));
show(() => [w.elements(0, 0, 1), w.table.get(0) === w.inc, w.table.get(3)]);
show(() => w.elements(3, 0, 2));
show(() => [w.drop(), w.init(0, 0, 0)]);
show(() => w.elements(0, 0, 1));
show(() => [w.table.grow(2), w.table.length, w.table.set(5, w.fib), w.indirect(10, 5)]);
show(() => w.table.grow(9));
show(() => w.table.set(0, () => 1));
show(() => w.table.get(6));
show(() => {
  const thing = { a: 1 };
  w.keep(0, thing);
  return [w.kept(0) === thing, w.kept(1), w.keep(1, undefined), w.kept(1), w.same(thing, w.inc), w.same(null, null)];
});
show(() => [w.more(2, 'x'), w.things.get(3), w.things.length]);
show(() => w.same(1, () => 2));
show(() => [w.host(0), w.host(2), w.host(4), w.host(150)]);
show(() => w.host(1));
show(() => w.host(3));
show(() => w.hosts(0n));
show(() => w.hosts(1n));
show(() => w.hosts(2n));
show(() => [w.count(), w.counter.value, (w.counter.value = 10n), w.count(), w.counter.valueOf(), w.sum.value]);
show(() => { w.sum.value = 1; });
show(() => { w.counter.value = 1; });
show(() => w.unreachable());
show(() => w.deep(1));
show(() => w.down(500000));
show(() => [w.vector(6, 7), w.shuffle().toString(16)]);

// What two instances share.
const leb = (n) => (n < 128 ? [n] : [(n & 127) | 128, n >> 7]);
const named = (name) => [...leb(name.length), ...Buffer.from(name)];
const section = (id, ...content) => [id, ...leb(content.length), ...content];
const wasm = (...sections) => new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()]);
const importing = (...kind) => wasm(section(1, 1, 0x60, 1, 0x7f, 1, 0x7f), section(2, 1, ...named('m'), ...named('x'), ...kind));
const given = (kind, x) => new WebAssembly.Instance(new WebAssembly.Module(importing(...kind)), { m: { x } });

show(() => given([0, 0], w.inc));
show(() => given([0, 0], w.div));
show(() => given([0, 0], 3));
show(() => given([0, 0], (x) => x));
show(() => given([1, 0x70, 0, 1], w.table));
show(() => given([1, 0x6f, 0, 1], w.table));
show(() => given([1, 0x70, 0, 100], w.table));
show(() => given([1, 0x70, 1, 1, 2], w.table));
show(() => given([1, 0x70, 0, 1], {}));
show(() => given([2, 0, 1], w.memory));
show(() => given([2, 0, 9], w.memory));
show(() => given([2, 1, 1, 2], w.memory));
show(() => given([2, 1, 1, 2], new WebAssembly.Memory({ initial: 1 })));
show(() => given([2, 0, 1], new ArrayBuffer(65536)));
show(() => given([3, 0x7f, 0], 5));
show(() => given([3, 0x7f, 0], 5n));
show(() => given([3, 0x7e, 0], 5));
show(() => given([3, 0x7e, 1], w.counter));
show(() => given([3, 0x7e, 0], w.counter));
show(() => given([3, 0x7f, 1], w.counter));
show(() => given([3, 0x7f, 1], 5));
show(() => new WebAssembly.Instance(new WebAssembly.Module(importing(0, 0))));
show(() => new WebAssembly.Instance(new WebAssembly.Module(importing(0, 0)), {}));
show(() => new WebAssembly.Instance(new WebAssembly.Module(importing(0, 0)), 5));

// Modules that are not right.
const type = section(1, 1, 0x60, 0, 1, 0x7f);
const body = (...code) => wasm(type, section(3, 1, 0), section(10, 1, code.length + 1, 0, ...code));
for (const wrong of [
  new Uint8Array(0), Buffer.from('text'), wasm([77]), wasm([77, 0]), wasm([1, 9, 1]), wasm(section(1, 0), section(1, 0)),
  wasm(type, section(3, 1, 0)), wasm(section(5, 1, 1, 2, 1)), wasm(section(7, 1, ...named('a'), 0, 0)),
  body(0x41, 0), body(0x0b), body(0x42, 0, 0x0b), body(0x6a, 0x0b), body(0x41, 0, 0x42, 0, 0x6a, 0x0b), body(0x20, 0, 0x0b),
  body(0x10, 9, 0x0b), body(0x0c, 9, 0x0b), body(0xff, 0x0b), body(0x41, 0, 0x28, 2, 0, 0x0b), body(0x41, 0, 0x41, 0, 0x0b),
])
  show(() => new WebAssembly.Module(wrong));

// The interface.
console.log(WebAssembly.compile, Object.prototype.toString.call(WebAssembly), WebAssembly.Memory.length, WebAssembly.instantiate.length);
for (const work of [
  () => WebAssembly.Module(bytes), () => new WebAssembly.Module(5), () => WebAssembly.validate(3), () => WebAssembly.Module.exports(3),
  () => WebAssembly.Module.customSections(module_), () => new WebAssembly.Memory(), () => new WebAssembly.Memory({}),
  () => new WebAssembly.Memory({ initial: 'x' }), () => new WebAssembly.Memory({ initial: -1 }),
  () => new WebAssembly.Memory({ initial: 1e9 }), () => new WebAssembly.Memory({ initial: 2, maximum: 1 }),
  () => new WebAssembly.Memory({ initial: 1.5 }).buffer.byteLength, () => WebAssembly.Memory.prototype.grow.call({}, 1),
  () => WebAssembly.Memory.prototype.buffer, () => new WebAssembly.Table({ initial: 1 }),
  () => new WebAssembly.Table({ element: 'anyfunc' }), () => new WebAssembly.Table({ element: 'anyfunc', initial: 1 }, 5),
  () => new WebAssembly.Table({ element: 'externref', initial: 2 }, 7).get(1), () => new WebAssembly.Table({ element: 'externref', initial: 2 }).get(1),
  () => new WebAssembly.Global({ value: 'q' }), () => new WebAssembly.Global({ value: 'i64' }, 1), () => new WebAssembly.Global({ value: 'i64' }).value,
  () => new WebAssembly.Global({ value: 'i32' }, 2 ** 33 + 5).value, () => new WebAssembly.Global({ value: 'f32' }, 0.1).value,
  () => new WebAssembly.Global({ value: 'externref' }).value, () => new WebAssembly.Global({ value: 'anyfunc' }, w.inc).value === w.inc,
  () => new WebAssembly.Global({ value: 'anyfunc' }, 3), () => new WebAssembly.Global({ value: 'i32', mutable: true }).valueOf(),
  () => [new WebAssembly.LinkError('a').name, new WebAssembly.RuntimeError('b', { cause: 1 }).cause, WebAssembly.CompileError('c') instanceof Error],
  () => new (class More extends WebAssembly.Memory { twice() { return this.buffer.byteLength * 2; } })({ initial: 1 }).twice(),
])
  show(work);

(async () => {
  for (const work of [
    async () => (await WebAssembly.instantiate(bytes, { host })).instance.exports.inc(1),
    async () => (await WebAssembly.instantiate(module_, { host })).exports.inc(2),
    async () => WebAssembly.Module.exports(await WebAssembly.compile(bytes)).length,
    async () => WebAssembly.compile(wasm([9])),
    async () => WebAssembly.instantiate(wasm([9])),
    async () => WebAssembly.compile(3),
    async () => WebAssembly.instantiate(3),
    async () => WebAssembly.instantiate(module_),
    async () => WebAssembly.instantiate(bytes, {}),
    async () => WebAssembly.instantiate(bytes, 5),
    async () => (await WebAssembly.instantiateStreaming(new Response(bytes, { headers: { 'content-type': 'application/wasm' } }), { host })).instance.exports.inc(3),
    async () => WebAssembly.compileStreaming(new Response(bytes)),
    async () => WebAssembly.compileStreaming(3),
  ])
    try {
      console.log(text(work), '=>', await work());
    } catch (error) {
      console.log(text(work), '!!', `${error.name}: ${error.message}`);
    }
})();
