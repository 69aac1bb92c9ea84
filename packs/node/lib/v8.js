// What programs ask of V8; the engine here is another.

const format = require('internal/v8_format');
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
  ...format,
  getHeapSnapshot() { throw unsupported('v8.getHeapSnapshot'); },
  writeHeapSnapshot() { throw unsupported('v8.writeHeapSnapshot'); },
  takeCoverage() {}, stopCoverage() {},
  startupSnapshot: { isBuildingSnapshot: () => false },
};
