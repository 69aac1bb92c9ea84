//! Decides whether an existing file may be overwritten.

use super::options::Options;
use sandshell_cli::bytes;
use sandshell_cli::out;
use sandshell_cli::quote::quoteaf;
use sandshell_posix::mode;
use sandshell_sys::{self as sys, Stat};

/// Asks whether to overwrite.
pub(super) fn ask(o: &Options, to: &[u8], old: &Stat) -> bool {
    out::flush();
    let writable = old.is_symlink() || sys::access(to, 2).is_ok();
    let question = if writable {
        bytes!(o.name, ": overwrite ", quoteaf(to), "? ")
    } else {
        let text = mode::columns(old.mode);
        let octal = format!("{:04o}", old.mode & 0o7777);
        if o.moving || o.remove_destination || o.force {
            bytes!(o.name, ": replace ", quoteaf(to), ", overriding mode ", octal, " (", &text[1..], ")? ")
        } else {
            bytes!(
                o.name,
                ": unwritable ",
                quoteaf(to),
                " (mode ",
                octal,
                ", ",
                &text[1..],
                "); try anyway? "
            )
        }
    };
    let _ = sys::write_all(2, &question);
    sandshell_cli::ask::yes()
}

/// Whether `old` is at least as new as `source`, so that it need not be updated.
pub(super) fn newer_or_same(old: &Stat, source: &Stat) -> bool {
    (old.mtime, old.mtime_nsec) >= (source.mtime, source.mtime_nsec)
}
