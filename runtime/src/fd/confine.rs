//! Keeps paths below a preopened directory.

use sandshell_vfs::{Context, FileKind, Follow, Location, Namespace};

use crate::error::{Errno, Result};

/// `EPERM` for a path that leads out of `base`, by `..` or through symbolic links.
pub(crate) fn confine(
    namespace: &Namespace,
    cx: &Context,
    base: &Location,
    path: &[u8],
    follow: Follow,
) -> Result<()> {
    let top = namespace.absolute_path(base)?;
    let inside = |at: &Location| {
        let at = namespace.absolute_path(at)?;
        let below = at
            .strip_prefix(&top[..])
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || top.ends_with(b"/"));
        if below { Ok(()) } else { Err(Errno::PERM) }
    };
    let mut from = base.clone();
    let mut path = path.to_vec();
    // As many links in the last component as the resolver itself follows.
    for _ in 0..40 {
        if path.starts_with(b"/") {
            return Err(Errno::PERM);
        }
        lexically_inside(&path)?;
        let trimmed = path.trim_ascii_end();
        let name_at = trimmed.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        let (parent, name) = trimmed.split_at(name_at);
        let directory = match parent {
            [] => from.clone(),
            parent => match namespace.resolve(cx, &from, parent, Follow::Yes) {
                Ok(directory) => directory,
                // The operation itself reports what is missing.
                Err(_) => return Ok(()),
            },
        };
        inside(&directory)?;
        let Ok(last) = namespace.resolve(cx, &directory, name, Follow::No) else { return Ok(()) };
        if last.kind() != FileKind::Symlink || follow == Follow::No {
            return if last.kind() == FileKind::Directory { inside(&last) } else { Ok(()) };
        }
        path = namespace.read_link(cx, &directory, name)?;
        from = directory;
    }
    Err(Errno::LOOP)
}

/// `EPERM` if `..` components lead above the start of the path, ignoring symbolic links.
fn lexically_inside(path: &[u8]) -> Result<()> {
    let mut depth = 0i32;
    for name in path.split(|byte| *byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return Err(Errno::PERM);
        }
    }
    Ok(())
}
