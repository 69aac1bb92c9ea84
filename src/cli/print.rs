//! What the program itself says on standard output.

use super::characters::Characters;
use super::failure::{Failure, reason};
use super::host_file::nobody_reads;
use std::io::Write;

/// Writes it. It is no error if nobody reads it.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(&Characters::of(&stdout).show(bytes)).and_then(|()| stdout.flush()) {
        Err(error) if !nobody_reads(&error) => Err(Failure::about("cannot write output", reason(&error))),
        _ => Ok(()),
    }
}
