// What kind a value is, by what the engine knows of it and not by its properties.

const is = (...names) => (value) => names.includes(native.classOf(value));
const typed = (name) => (value) => native.classOf(value) === name;

const TYPED_NAMES = [
  'Uint8Array',
  'Uint8ClampedArray',
  'Uint16Array',
  'Uint32Array',
  'Int8Array',
  'Int16Array',
  'Int32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
];

const types = {
  isExternal: () => false,
  isDate: is('Date'),
  isArgumentsObject: is('Arguments', 'Mapped Arguments'),
  isBigIntObject: is('BigInt'),
  isBooleanObject: is('Boolean'),
  isNumberObject: is('Number'),
  isStringObject: is('String'),
  isSymbolObject: is('Symbol'),
  isBoxedPrimitive: is('BigInt', 'Boolean', 'Number', 'String', 'Symbol'),
  isNativeError: is('Error'),
  isRegExp: is('RegExp'),
  isAsyncFunction: is('AsyncFunction', 'AsyncGeneratorFunction'),
  isGeneratorFunction: is('GeneratorFunction', 'AsyncGeneratorFunction'),
  isGeneratorObject: is('Generator', 'AsyncGenerator'),
  isPromise: is('Promise'),
  isMap: is('Map'),
  isSet: is('Set'),
  isMapIterator: is('Map Iterator'),
  isSetIterator: is('Set Iterator'),
  isWeakMap: is('WeakMap'),
  isWeakSet: is('WeakSet'),
  isArrayBuffer: is('ArrayBuffer'),
  isDataView: is('DataView'),
  isSharedArrayBuffer: is('SharedArrayBuffer'),
  isAnyArrayBuffer: is('ArrayBuffer', 'SharedArrayBuffer'),
  isProxy: (value) => native.proxyParts(value) !== undefined,
  isModuleNamespaceObject: is('Module', 'module'),
  isArrayBufferView: ArrayBuffer.isView,
  isTypedArray: (value) => TYPED_NAMES.includes(native.classOf(value)),
  isKeyObject: () => false,
  isCryptoKey: () => false,
};
for (const name of TYPED_NAMES) types[`is${name}`] = typed(name);
module.exports = types;
