//! What a hostile guest, repository, server, web page or process tries against the host and its neighbours; one file for each
//! boundary that `docs/security.md` names.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod memory;
mod neighbours;

#[allow(dead_code, reason = "a bench has a main function")]
#[path = "../../benches/neighbours.rs"]
mod neighbours_bench;

/// The bench of the neighbours, built with the tests: `SANDSHELL_BENCH` filters its rows.
#[test]
#[ignore = "prints times, and asserts nothing"]
fn table_of_neighbours() {
    neighbours_bench::table(std::env::var("SANDSHELL_BENCH").ok());
}
