//! What a hostile guest, repository, server, web page or process tries against the host and its neighbours; one file for each
//! boundary that `docs/security.md` names.
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
mod memory;
mod mounts;
mod names;
mod neighbours;
mod program;
#[cfg(all(feature = "all-providers", feature = "serve"))]
mod servers;
mod sparse_files;
mod wasm;
