//! What a hostile guest, repository, server, web page or process tries against the host and its neighbours; one file for each
//! boundary that `docs/security.md` names.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod memory;
mod neighbours;
