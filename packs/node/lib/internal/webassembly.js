// `WebAssembly`: its interface for what `src/wasm.c` does. Messages are V8's.

const { coded, invalidArgType } = require('internal/errors');

const KINDS = ['function', 'table', 'memory', 'global'];
const TYPES = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, anyfunc: 0x70, externref: 0x6f };
const MOST_PAGES = 65536;
const MOST_ELEMENTS = 10_000_000;
const NOT_A_FUNCTION = 'function-typed object must be null (if nullable) or a Wasm function object';

/// A class of errors that can be made without `new`.
function errorClass(name) {
  const Kind = {
    [name]: function (message, options) {
      void options;
      const error = Reflect.construct(Error, arguments, new.target ?? Kind);
      Error.captureStackTrace(error, new.target ?? Kind);
      return error;
    },
  }[name];
  Object.defineProperty(Kind, 'length', { value: 1, configurable: true });
  Object.setPrototypeOf(Kind, Error);
  Kind.prototype = Object.create(Error.prototype, {
    constructor: { value: Kind, writable: true, configurable: true },
    name: { value: name, writable: true, configurable: true },
    message: { value: '', writable: true, configurable: true },
  });
  Object.defineProperty(Kind, 'prototype', { writable: false });
  return Kind;
}

const CompileError = errorClass('CompileError');
const LinkError = errorClass('LinkError');
const RuntimeError = errorClass('RuntimeError');
native.wasmRuntimeError = RuntimeError;
native.wasmList = (value) => {
  if (typeof value?.[Symbol.iterator] !== 'function') throw new TypeError('multi-return value must be iterable');
  return [...value];
};

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

function bytesOf(source, where, words = 'Argument 0 must be a buffer source') {
  let bytes;
  if (ArrayBuffer.isView(source)) bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  else if (source instanceof ArrayBuffer || source instanceof SharedArrayBuffer) bytes = new Uint8Array(source);
  else throw new TypeError(`${where}: ${words}`);
  if (bytes.length === 0) throw new CompileError(`${where}: BufferSource argument is empty`);
  return bytes;
}

function compiled(bytes, where) {
  const made = native.wasmCompile(bytes);
  if (typeof made === 'string') throw new CompileError(`${where}: ${made}`);
  return made;
}

/// A number as an index or a size.
function toSize(value, what, most = 2 ** 32 - 1, least = 0) {
  const number = Number(+value);
  const [where, name] = what;
  if (!Number.isFinite(number)) throw new TypeError(`${where}: ${name} must be convertible to a valid number`);
  if (number <= -1) throw new TypeError(`${where}: ${name} must be non-negative`);
  const size = Math.trunc(number);
  if (size > 2 ** 32 - 1) throw new TypeError(`${where}: ${name} must be in the unsigned long range`);
  const beyond = (words, bound) => new RangeError(`${where}: ${name}: value ${size} is ${words} bound ${bound}`);
  if (size < least) throw beyond('below the lower', least.toString(16));
  if (size > most) throw beyond('above the upper', most);
  return size;
}

/// The sizes that a descriptor has: [at first, at most or -1].
function sizesOf(descriptor, where, most) {
  const { initial } = descriptor;
  if (initial === undefined) throw new TypeError(`${where}: Property 'initial' is required`);
  const least = toSize(initial, [where, "Property 'initial'"], most);
  const { maximum } = descriptor;
  if (maximum === undefined) return [least, -1];
  return [least, toSize(maximum, [where, "Property 'maximum'"], most === MOST_PAGES ? most : undefined, least)];
}

function mustBeNew(target, name) {
  if (!target) throw new TypeError(`WebAssembly.${name}(): WebAssembly.${name} must be invoked with 'new'`);
}

/// An object of the engine's as one of the class that `new` was called with.
function as(target, Kind, object) {
  if (target !== Kind) Object.setPrototypeOf(object, target.prototype);
  return object;
}

function checkReceiver(value, kind, where) {
  if (native.wasmKind(value) !== kind) throw new TypeError(`${where}: Receiver is not a WebAssembly.${kind}`);
}

function checkModule(value, where) {
  if (native.wasmKind(value) !== 'Module')
    throw new TypeError(`${where}: Argument 0 must be a WebAssembly.Module`);
}

function Module(source) {
  const where = 'WebAssembly.Module()';
  mustBeNew(new.target, 'Module');
  return as(new.target, Module, compiled(bytesOf(source, where), where));
}

const ofModules = {
  imports(module) {
    checkModule(module, 'WebAssembly.Module.imports()');
    const [wanted] = native.wasmParts(module);
    const list = [];
    for (let i = 0; i < wanted.length; i += 3)
      list.push({ module: wanted[i], name: wanted[i + 1], kind: KINDS[wanted[i + 2]] });
    return list;
  },
  exports(module) {
    checkModule(module, 'WebAssembly.Module.exports()');
    const [, given] = native.wasmParts(module);
    const list = [];
    for (let i = 0; i < given.length; i += 2) list.push({ name: given[i], kind: KINDS[given[i + 1]] });
    return list;
  },
  customSections(module, name) {
    checkModule(module, 'WebAssembly.Module.customSections()');
    if (name === undefined) throw new TypeError('WebAssembly.Module.customSections(): Argument 1 is required');
    return native.wasmCustomSections(module, `${name}`);
  },
};

/// What a module wants, from the objects that a program gives.
function importsFrom(module, imports, where) {
  const [wanted] = native.wasmParts(module);
  if (wanted.length && !isObject(imports))
    throw new TypeError(`${where}: Imports argument must be present and must be an object`);
  const values = [];
  for (let i = 0; i < wanted.length; i += 3) {
    const from = imports[wanted[i]];
    if (!isObject(from)) {
      const words = 'module is not an object or function';
      throw new TypeError(`${where}: Import #${i / 3} module="${wanted[i]}" error: ${words}`);
    }
    values.push(from[wanted[i + 1]]);
  }
  return [values, wanted];
}

/// Makes an instance's exports.
function link(module, imports, where) {
  const [values, wanted] = importsFrom(module, imports, where);
  const made = native.wasmInstantiate(module, values);
  if (made === null) throw new RangeError(`${where}: Out of memory: Cannot allocate Wasm memory for new instance`);
  if (Array.isArray(made)) {
    const [index, words, isWhole] = made;
    const [from, name] = wanted.slice(index * 3);
    if (isWhole) throw new LinkError(`${where}: ${words}`);
    throw new LinkError(`${where}: Import #${index} module="${from}" function="${name}" error: ${words}`);
  }
  const exports = { __proto__: null };
  native.wasmParts(module)[1].forEach((name, i) => {
    if (i % 2 === 0) Object.defineProperty(exports, name, { value: made.exports[i / 2], enumerable: true });
  });
  const wrong = native.wasmBegin(made.state);
  if (wrong !== undefined) throw new RuntimeError(`${where}: ${wrong}`);
  return Object.freeze(exports);
}

const exportsOf = new WeakMap();

function Instance(module, imports) {
  const where = 'WebAssembly.Instance()';
  mustBeNew(new.target, 'Instance');
  checkModule(module, where);
  if (imports !== undefined && !isObject(imports)) throw new TypeError(`${where}: Argument 1 must be an object`);
  exportsOf.set(this, link(module, imports, where));
}

const ofInstances = {
  get exports() {
    const exports = exportsOf.get(this);
    if (!exports) throw new TypeError('WebAssembly.Instance.exports(): Receiver is not a WebAssembly.Instance');
    return exports;
  },
};

function Memory(descriptor) {
  const where = 'WebAssembly.Memory()';
  mustBeNew(new.target, 'Memory');
  if (!isObject(descriptor)) throw new TypeError(`${where}: Argument 0 must be a memory descriptor`);
  const [least, most] = sizesOf(descriptor, where, MOST_PAGES);
  if (descriptor.shared) {
    if (most < 0) throw new TypeError(`${where}: If shared is true, maximum property should be defined.`);
    throw new TypeError(`${where}: shared memory is not supported`);
  }
  const memory = native.wasmMemory(least, most);
  if (!memory) throw new RangeError(`${where}: could not allocate memory`);
  return as(new.target, Memory, memory);
}

const ofMemories = {
  grow(pages) {
    const where = 'WebAssembly.Memory.grow()';
    checkReceiver(this, 'Memory', where);
    const more = toSize(pages, [where, 'Argument 0']);
    const before = native.wasmMemoryGrow(this, more);
    if (before < 0) throw new RangeError(`${where}: Maximum memory size exceeded`);
    return before;
  },
  get buffer() {
    checkReceiver(this, 'Memory', 'WebAssembly.Memory.buffer');
    return native.wasmMemoryBuffer(this);
  },
};

function referenceType(text) {
  return text === 'anyfunc' || text === 'externref' ? TYPES[text] : undefined;
}

/// What a table has where nothing was said.
const nothing = (type) => (type === TYPES.externref ? undefined : null);

function Table(descriptor, value) {
  const where = 'WebAssembly.Table()';
  mustBeNew(new.target, 'Table');
  if (!isObject(descriptor)) throw new TypeError(`${where}: Argument 0 must be a table descriptor`);
  const type = referenceType(`${descriptor.element}`);
  if (type === undefined)
    throw new TypeError(`${where}: Descriptor property 'element' must be a WebAssembly reference type`);
  const [least, most] = sizesOf(descriptor, where, MOST_ELEMENTS);
  const table = native.wasmTable(type, least, most, value === undefined ? nothing(type) : value);
  if (table === undefined) {
    const words = 'Argument 2 must be undefined or a value of type compatible with the type of the new table';
    throw new TypeError(`${where}: ${words}: ${NOT_A_FUNCTION}.`);
  }
  if (!table) throw new RangeError(`${where}: could not allocate table`);
  return as(new.target, Table, table);
}

function checkIndex(where, index) {
  return toSize(index, [where, 'Argument 0']);
}

function tableKind(table) {
  return native.wasmTableType(table) === TYPES.externref ? 'externref' : 'function';
}

const ofTables = {
  get length() {
    checkReceiver(this, 'Table', 'WebAssembly.Table.length()');
    return native.wasmTableSize(this);
  },
  grow(more, value) {
    const where = 'WebAssembly.Table.grow()';
    checkReceiver(this, 'Table', where);
    const count = checkIndex(where, more);
    const fill = arguments.length > 1 && value !== undefined ? value : nothing(native.wasmTableType(this));
    const before = native.wasmTableGrow(this, count, fill);
    if (before === -2) throw new TypeError(`${where}: Argument 1 is invalid: ${NOT_A_FUNCTION}`);
    if (before < 0) throw new RangeError(`${where}: failed to grow table by ${count}`);
    return before;
  },
  set(index, value) {
    const where = 'WebAssembly.Table.set()';
    checkReceiver(this, 'Table', where);
    const at = checkIndex(where, index);
    const wrong = native.wasmTableSet(this, at, arguments.length > 1 ? value : nothing(native.wasmTableType(this)));
    if (wrong === 1) throw new RangeError(`${where}: invalid index ${at} into ${tableKind(this)} table`);
    if (wrong) throw new TypeError(`${where}: Argument 1 is invalid for table: ${NOT_A_FUNCTION}`);
  },
  get(index) {
    const where = 'WebAssembly.Table.get()';
    checkReceiver(this, 'Table', where);
    const at = checkIndex(where, index);
    const found = native.wasmTableGet(this, at);
    if (!found) throw new RangeError(`${where}: invalid index ${at} into ${tableKind(this)} table`);
    return found[0];
  },
};
Object.defineProperty(ofTables.grow, 'length', { value: 1, configurable: true });
Object.defineProperty(ofTables.set, 'length', { value: 1, configurable: true });

/// What a global has where nothing was said.
function firstValue(type) {
  if (type === TYPES.i64) return 0n;
  return type === TYPES.anyfunc || type === TYPES.externref ? null : 0;
}

function Global(descriptor, value) {
  const where = 'WebAssembly.Global()';
  mustBeNew(new.target, 'Global');
  if (!isObject(descriptor)) throw new TypeError(`${where}: Argument 0 must be a global descriptor`);
  const changes = Boolean(descriptor.mutable);
  const name = `${descriptor.value}`;
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined) throw new TypeError(`${where}: Descriptor property 'value' must be a WebAssembly type`);
  const first = value === undefined && !(type === TYPES.externref && arguments.length > 1) ? firstValue(type) : value;
  const global = native.wasmGlobal(type, changes, first);
  if (!global) throw new TypeError(`${where}: ${NOT_A_FUNCTION}`);
  return as(new.target, Global, global);
}

const ofGlobals = {
  valueOf() {
    checkReceiver(this, 'Global', 'WebAssembly.Global.valueOf()');
    return native.wasmGlobalGet(this);
  },
  get value() {
    checkReceiver(this, 'Global', 'get WebAssembly.Global.value');
    return native.wasmGlobalGet(this);
  },
  set value(value) {
    const where = 'set WebAssembly.Global.value';
    checkReceiver(this, 'Global', where);
    const wrong = native.wasmGlobalSet(this, value);
    if (wrong === 1) throw new TypeError(`${where}: Can't set the value of an immutable global.`);
    if (wrong) throw new TypeError(`${where}: ${NOT_A_FUNCTION}`);
  },
};

/// Does something later, as the work of another thread would be.
function later(work) {
  return new Promise((resolve, reject) => {
    require('timers').setImmediate(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
  });
}

function instantiated(module, imports, where) {
  const instance = Object.create(Instance.prototype);
  exportsOf.set(instance, link(module, imports, where));
  return instance;
}

function compileLater(bytes, where) {
  const own = bytes.slice();
  return later(() => compiled(own, where));
}

/// Compiles and makes an instance: both are the value.
async function bothOf(bytes, imports, where) {
  const module = await compileLater(bytes, where);
  return { module, instance: instantiated(module, imports, where) };
}

function checkImports(imports, where) {
  if (imports !== undefined && !isObject(imports)) throw new TypeError(`${where}: Argument 1 must be an object`);
}

/// The bytes of a response, when they are there.
async function bytesOfResponse(source, where) {
  const response = await source;
  const { Response } = require('internal/fetch_types');
  if (!(response instanceof Response)) {
    const wanted = 'an instance of Response or an Promise resolving to Response';
    const { message } = invalidArgType('source', ['Response'], response);
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', message.replace('an instance of Response', wanted));
  }
  const type = response.headers.get('Content-Type');
  const wrong = (words) => coded(TypeError, 'ERR_WEBASSEMBLY_RESPONSE', words);
  if (type !== 'application/wasm') throw wrong(`WebAssembly response has unsupported MIME type '${type}'`);
  if (!response.ok) throw wrong(`WebAssembly response has status code ${response.status}`);
  if (response.bodyUsed) throw wrong('WebAssembly response body has already been used');
  return bytesOf(await response.arrayBuffer(), where);
}

const asynchronous = {
  async compile(source) {
    const where = 'WebAssembly.compile()';
    return compileLater(bytesOf(source, where), where);
  },
  async instantiate(source, imports) {
    const where = 'WebAssembly.instantiate()';
    const isModule = native.wasmKind(source) === 'Module';
    const words = 'Argument 0 must be a buffer source or a WebAssembly.Module object';
    if (!isModule && !isObject(source)) throw new TypeError(`${where}: ${words}`);
    checkImports(imports, where);
    if (isModule) return instantiated(source, imports, where);
    return bothOf(bytesOf(source, where), imports, where);
  },
  async compileStreaming(source) {
    const where = 'WebAssembly.compileStreaming()';
    return compiled(await bytesOfResponse(source, where), where);
  },
  async instantiateStreaming(source, imports) {
    const where = 'WebAssembly.instantiateStreaming()';
    checkImports(imports, where);
    return bothOf(await bytesOfResponse(source, where), imports, where);
  },
};

/// Those of V8's are plain functions.
const functions = {
  compile(source) { return asynchronous.compile(source); },
  validate(source) {
    const where = 'WebAssembly.validate()';
    try {
      return typeof native.wasmCompile(bytesOf(source, where)) !== 'string';
    } catch (error) {
      if (error instanceof CompileError) return false;
      throw error;
    }
  },
  instantiate(source, imports) { return asynchronous.instantiate(source, imports); },
  compileStreaming(source) { return asynchronous.compileStreaming(source); },
  instantiateStreaming(source, imports) { return asynchronous.instantiateStreaming(source, imports); },
};
for (const name of ['instantiate', 'instantiateStreaming'])
  Object.defineProperty(functions[name], 'length', { value: 1, configurable: true });

/// Puts methods and what else there is onto a prototype.
function complete(Kind, members) {
  Object.defineProperty(Kind, 'length', { value: 1, configurable: true });
  Object.defineProperties(Kind.prototype, Object.getOwnPropertyDescriptors(members));
  Object.defineProperty(Kind.prototype, Symbol.toStringTag, { value: `WebAssembly.${Kind.name}`, configurable: true });
  Object.defineProperty(Kind, 'prototype', { writable: false });
}

complete(Module, {});
complete(Instance, ofInstances);
complete(Table, ofTables);
complete(Memory, ofMemories);
complete(Global, ofGlobals);
Object.defineProperties(Module, Object.getOwnPropertyDescriptors(ofModules));
native.wasmPrototypes(Module.prototype, Memory.prototype, Table.prototype, Global.prototype, Function.prototype);

const WebAssembly = { ...functions };
for (const [name, value] of Object.entries({
  Module,
  Instance,
  Table,
  Memory,
  Global,
  CompileError,
  LinkError,
  RuntimeError,
}))
  Object.defineProperty(WebAssembly, name, { value, writable: true, configurable: true, enumerable: false });
Object.defineProperty(WebAssembly, Symbol.toStringTag, { value: 'WebAssembly', configurable: true });

module.exports = { WebAssembly };
