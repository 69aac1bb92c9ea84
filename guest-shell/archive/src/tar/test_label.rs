//! `--test-label`.

use super::archive;
use super::log::{self, Fatal};
use super::options::{Item, Options};
use sandshell_cli::out;

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
