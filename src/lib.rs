//! sandshell: one trait for sandboxes, local on WebAssembly or in a cloud.
