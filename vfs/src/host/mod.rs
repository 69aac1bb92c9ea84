//! A directory of the host as a filesystem. Two ways to it have the same interface: Linux's own system calls, and
//! `cap-std` everywhere. Nothing else in this crate knows which host it runs on.

mod budget;
#[cfg(all(target_os = "linux", not(feature = "portable-host")))]
mod linux;
pub mod names;
mod number;
#[cfg(any(not(target_os = "linux"), feature = "portable-host"))]
mod portable;
pub mod private;
mod withheld;

pub use budget::HostBudget;
#[cfg(all(target_os = "linux", not(feature = "portable-host")))]
pub use linux::HostDir;
#[cfg(any(not(target_os = "linux"), feature = "portable-host"))]
pub use portable::HostDir;
pub use withheld::Withheld;

use crate::{Context, DirEntry, Errno, FileKind, FileSystem, Node, Result};
use std::io;
use std::path::{Path, PathBuf};

/// Whether a sandbox may change a [`HostDir`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostAccess {
    /// Every change is `EROFS`.
    ReadOnly,
    /// Changes go to the host at once.
    ReadWrite,
}

/// Why a directory of the host was not opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The host refused.
    #[error(transparent)]
    Host(#[from] io::Error),
    /// A sandbox could change this path, which is [`Withheld`], through the directory.
    #[error(
        "a sandbox that may write here could change {}, which this program trusts; \
         mount a directory beside it, or this one to be read only or as an overlay",
        .0.display()
    )]
    GivesAway(PathBuf),
}

/// Whether a path of the host leads to this directory, whose own path has no links.
///
/// # Errors
/// That links lead to another one, which a guest that may write above it could have put there; those of the host.
pub fn check_leads_to(path: &Path, directory: &Path) -> io::Result<()> {
    let found = std::fs::canonicalize(path)?;
    if found == directory {
        return Ok(());
    }
    let (was, now) = (directory.display(), found.display());
    let why = format!("it was {was}, but links lead from there to {now} now; if that is meant, mount {now}");
    Err(io::Error::other(why))
}

/// Opens a path that must have no links where the host has no call for that. It is looked at before and after, so only
/// links that come and go twice meanwhile are followed.
fn open_between_looks<T, E: From<io::Error>>(
    path: &Path,
    open: impl FnOnce() -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    check_leads_to(path, path)?;
    let opened = open()?;
    check_leads_to(path, path)?;
    Ok(opened)
}

/// The user and group that this program's own files appear with.
const OWN: u32 = 1000;

/// The user and group that all other files appear with, where files have owners.
#[cfg(unix)]
const OTHERS: u32 = 65534;

/// Removing more bytes than this can take long.
const LARGE: u64 = 64 << 20;

/// The directory above what is at a path of a filesystem.
fn above(filesystem: &impl FileSystem, path: &[u8]) -> Result<Node> {
    let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).collect();
    let root = filesystem.root();
    let above = match names.split_last() {
        Some((_, above)) if !above.is_empty() => above,
        _ => return Ok(root),
    };
    let walk = filesystem.walk(&Context::ROOT, &root, above, &[])?;
    if walk.consumed == above.len() && walk.node.kind() == FileKind::Directory {
        Ok(walk.node)
    } else {
        Err(Errno::NoEnt)
    }
}

/// A directory's entries by name, each with the place of the next one.
fn in_order(mut entries: Vec<DirEntry>) -> Vec<DirEntry> {
    entries.sort_unstable_by(|one, two| one.name.cmp(&two.name));
    for (next, entry) in (1..).zip(&mut entries) {
        entry.next = next;
    }
    entries
}
