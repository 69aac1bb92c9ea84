// What programs ask of V8; the engine here is another.

const { structuredClone } = require('internal/structured_clone');
const { unsupported } = require('internal/errors');

module.exports = {
  getHeapStatistics() {
    const [total, used] = native.memory();
    return {
      total_heap_size: total,
      total_heap_size_executable: 0,
      total_physical_size: total,
      total_available_size: 2 ** 32 - total,
      used_heap_size: used,
      heap_size_limit: 2 ** 32,
      malloced_memory: used,
      peak_malloced_memory: used,
      does_zap_garbage: 0,
      number_of_native_contexts: 1,
      number_of_detached_contexts: 0,
      total_global_handles_size: 0,
      used_global_handles_size: 0,
      external_memory: 0,
    };
  },
  getHeapSpaceStatistics: () => [],
  getHeapCodeStatistics: () => ({
    code_and_metadata_size: 0,
    bytecode_and_metadata_size: 0,
    external_script_source_size: 0,
    cpu_profiler_metadata_size: 0,
  }),
  setFlagsFromString() {},
  cachedDataVersionTag: () => 0,
  /// Only for `deserialize` of the same program: the bytes are JSON of this library's own, not V8's format.
  serialize(value) {
    structuredClone(value);
    return Buffer.from(JSON.stringify(pack(value)));
  },
  deserialize: (bytes) => unpack(JSON.parse(Buffer.from(bytes).toString())),
  getHeapSnapshot() { throw unsupported('v8.getHeapSnapshot'); },
  writeHeapSnapshot() { throw unsupported('v8.writeHeapSnapshot'); },
  takeCoverage() {}, stopCoverage() {},
  startupSnapshot: { isBuildingSnapshot: () => false },
};

function pack(value) {
  if (value === undefined) return { u: 1 };
  if (typeof value === 'bigint') return { n: `${value}` };
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { f: Object.is(value, -0) ? '-0' : `${value}` };
  if (value === null || typeof value !== 'object') return { v: value };
  if (value instanceof Date) return { d: value.getTime() };
  if (value instanceof RegExp) return { r: [value.source, value.flags] };
  if (value instanceof Map) return { m: [...value].map(([key, item]) => [pack(key), pack(item)]) };
  if (value instanceof Set) return { s: [...value].map(pack) };
  if (Buffer.isBuffer(value) || value instanceof Uint8Array) return { b: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return { a: value.map(pack) };
  return { o: Object.entries(value).map(([key, item]) => [key, pack(item)]) };
}

function unpack(packed) {
  const [[kind, value]] = Object.entries(packed);
  switch (kind) {
    case 'u': return undefined;
    case 'n': return BigInt(value);
    case 'f': return Number(value);
    case 'd': return new Date(value);
    case 'r': return new RegExp(...value);
    case 'm': return new Map(value.map(([key, item]) => [unpack(key), unpack(item)]));
    case 's': return new Set(value.map(unpack));
    case 'b': return Buffer.from(value, 'base64');
    case 'a': return value.map(unpack);
    case 'o': return Object.fromEntries(value.map(([key, item]) => [key, unpack(item)]));
    default: return value;
  }
}
