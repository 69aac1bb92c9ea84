//! The targets of `cp`, `mv` and `install`.

use sandshell_cli::options::Spec;
use sandshell_cli::quote::quoteaf;
use sandshell_cli::{bytes, warn};
use sandshell_posix::path;
use sandshell_sys::{self as sys, Errno};

/// The sources, and the directory or file that they are copied to.
pub(super) struct Plan {
    pub(super) sources: Vec<Vec<u8>>,
    pub(super) target: Vec<u8>,
    pub(super) into: bool,
}

/// Parses the operands. `Err` is the exit status, after a message.
pub(super) fn plan(
    spec: &Spec,
    mut operands: Vec<Vec<u8>>,
    directory: Option<Vec<u8>>,
    no_directory: bool,
) -> Result<Plan, i32> {
    if operands.len() < if directory.is_some() { 1 } else { 2 } {
        return Err(match operands.first() {
            None => spec.usage("missing file operand"),
            Some(one) => spec.usage(bytes!("missing destination file operand after ", quoteaf(one))),
        });
    }
    if no_directory {
        if directory.is_some() {
            warn!(spec.name, "cannot combine --target-directory (-t) and --no-target-directory (-T)");
            return Err(1);
        }
        if let Some(extra) = operands.get(2) {
            return Err(spec.usage(bytes!("extra operand ", quoteaf(extra))));
        }
        let target = operands.pop().unwrap_or_default();
        return Ok(Plan { sources: operands, target, into: false });
    }
    if let Some(target) = directory {
        match sys::stat(&target, true) {
            Ok(s) if s.is_dir() => return Ok(Plan { sources: operands, target, into: true }),
            Ok(_) => warn!(spec.name, "target directory ", quoteaf(&target), ": ", Errno::NOTDIR),
            Err(e) => warn!(spec.name, "target directory ", quoteaf(&target), ": ", e),
        }
        return Err(1);
    }
    let target = operands.pop().unwrap_or_default();
    let found = sys::stat(&target, true);
    match found {
        Ok(s) if s.is_dir() => Ok(Plan { sources: operands, target, into: true }),
        _ if operands.len() > 1 => {
            warn!(spec.name, "target ", quoteaf(&target), ": ", found.err().unwrap_or(Errno::NOTDIR));
            Err(1)
        }
        _ => Ok(Plan { sources: operands, target, into: false }),
    }
}

/// The path of `source` in the directory `target`.
pub(super) fn inside(target: &[u8], source: &[u8]) -> Vec<u8> {
    let base = path::base_name(source);
    if base == b".." { target.to_vec() } else { path::join(target, base) }
}
