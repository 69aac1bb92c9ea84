//! The volume label: `-V` when reading, and `--test-label`.

use super::archive;
use super::log::{self, Fatal};
use super::options::{Item, Options};
use super::reader::Archive;
use sandshell_cli::{out, quote::quote};
use sandshell_posix::pattern;

/// Prints the archive's label, or tests whether it is one of the operands.
pub(crate) fn test(options: &Options) -> Result<(), Fatal> {
    let mut archive = archive::open(options, &options.file)?;
    let label = archive.next()?.filter(|e| e.kind == b'V').map(|e| e.name);
    let wanted = || {
        options.items.iter().filter_map(|i| match i {
            Item::Name(name) => Some(name),
            _ => None,
        })
    };
    if let Some(label) = &label
        && (options.verbose > 0 || wanted().next().is_none())
    {
        out::put([&log::shown(label)[..], b"\n"].concat());
    }
    if wanted().next().is_some() && !wanted().any(|w| Some(w) == label.as_ref()) {
        if options.verbose > 0 {
            out::flush();
            log::warn("Archive label mismatch");
        }
        log::set_status(1);
    }
    Ok(())
}

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
