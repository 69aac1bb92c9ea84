//! Attacks of hostile guests, repositories, servers, web pages and processes on the host and on neighbours, with
//! one file for each boundary in `docs/security.md`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod apply;
mod archives;
mod background;
#[cfg(all(feature = "all-providers", feature = "serve"))]
#[path = "../clients/mod.rs"]
#[allow(dead_code, reason = "what a client speaks is of interest elsewhere")]
mod clients;
#[cfg(all(feature = "all-providers", feature = "serve"))]
mod clouds;
mod compiled;
mod deep_trees;
#[cfg(feature = "command")]
mod liars;
#[cfg(target_os = "linux")]
mod locks;
mod memory;
mod mounts;
mod names;
mod neighbours;
mod program;
#[cfg(all(feature = "all-providers", feature = "serve"))]
mod servers;
#[cfg(unix)]
mod sockets;
mod sparse_files;
mod wasm;
