//! Terminals' capabilities: `tput` and `clear`, as in ncurses 6.4. The terminals are those of Debian's `ncurses-base`
//! that are in use; `entries/` has their descriptions as `infocmp` writes them.

mod clear;
mod entry;
mod names;
mod parameters;
mod tput;

pub use clear::clear_main;
pub use tput::tput_main;

/// What `-V` prints.
const VERSION: &str = "ncurses 6.4.20221231\n";

/// The options' letters.
const INPUT: u32 = b'S' as u32;
const KEEP: u32 = b'x' as u32;
const TERMINAL: u32 = b'T' as u32;
const VERSION_ASKED: u32 = b'V' as u32;

/// A variable of the environment.
fn variable(name: &str) -> Option<Vec<u8>> {
    std::env::var_os(name).map(std::ffi::OsString::into_encoded_bytes)
}
