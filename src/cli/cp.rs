//! `sandshell cp`: files into and out of a sandbox that is kept in a file.

mod inwards;
mod outwards;

use super::args::Cp;
use super::failure::Failure;
use super::{session, state};
use sandshell::LocalOptions;
use std::ffi::OsString;

/// Copies as `cp -R` does and keeps modes and links. If a copy into the sandbox fails, the file that holds the
/// sandbox stays as it was.
pub(crate) fn cp(args: &Cp) -> Result<u8, Failure> {
    let Some((target, sources)) = args.paths.split_last() else {
        return Err(Failure::new("nothing to copy"));
    };
    let inwards = goes_inwards(sources, target)?;
    let Some(kept) = &args.state else {
        return Err(Failure::new("nothing says which sandbox"));
    };
    let sandbox = session::create(LocalOptions::default(), &[])?;
    state::load(&sandbox, kept)?;
    let files = sandbox.namespace();
    if inwards {
        inwards::copy(&files, sources, guest(target)?)?;
        state::save(&sandbox, kept)?;
    } else {
        let sources = sources.iter().map(guest).collect::<Result<Vec<_>, _>>()?;
        outwards::copy(&files, &sources, target)?;
    }
    Ok(0)
}

/// Whether the copy goes into the sandbox rather than out of it.
pub(crate) fn goes_inwards(sources: &[OsString], target: &OsString) -> Result<bool, Failure> {
    let inside = |path: &OsString| path.as_encoded_bytes().first() == Some(&b':');
    let inwards = inside(target);
    if sources.iter().any(|source| inside(source) == inwards) {
        let what = match inwards {
            true => "the target is in the sandbox, so the sources must be on the host",
            false => "nothing is in the sandbox: paths there begin with a colon",
        };
        return Err(Failure::new(what));
    }
    Ok(inwards)
}

/// The path after the colon.
pub(crate) fn guest(path: &OsString) -> Result<&[u8], Failure> {
    match path.as_encoded_bytes().get(1..) {
        Some(inner) if inner.first() == Some(&b'/') => Ok(inner),
        _ => Err(Failure::about(path.display(), "a path in the sandbox is absolute, as in :/workspace/file")),
    }
}

/// The last name of a path.
pub(crate) fn last_name(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |at| at + 1);
    let start = path[..end].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    &path[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name() {
        for (path, name) in [("/a/b", "b"), ("b//", "b"), ("/", ""), ("b", "b"), (".", ".")] {
            assert_eq!(last_name(path.as_bytes()), name.as_bytes(), "{path}");
        }
    }
}
