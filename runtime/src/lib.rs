//! The wasmtime host of sandshell: processes, pipes, descriptors, WASI, limits.
