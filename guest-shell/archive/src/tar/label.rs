//! The volume label: `-V` when reading.

use super::log::{self, Fatal};
use super::options::Options;
use super::reader::Archive;
use sandshell_cli::quote::quote;
use sandshell_posix::pattern;

/// Fails if the archive's label does not match the option.
pub(crate) fn check(options: &Options, archive: &mut Archive<'_>) -> Result<(), Fatal> {
    let Some(pattern) = &options.label else { return Ok(()) };
    match archive.first()?.filter(|e| e.kind == b'V') {
        None => Err(log::fatal([&b"Archive not labeled to match "[..], &quote(pattern)].concat())),
        Some(entry) if pattern::matches(pattern, &entry.name) => Ok(()),
        Some(entry) => {
            let (label, pattern) = (quote(&entry.name), quote(pattern));
            Err(log::fatal([&b"Volume "[..], &label, b" does not match ", &pattern].concat()))
        }
    }
}
