//! Listing a directory.

use sandshell_vfs::{Context, DirEntry, Errno, Follow, Location, Namespace, OpenOptions, Opened, Result};

/// The entries of a directory that the user may both read and search. `path` is relative to `base`; empty means
/// `base` itself.
pub(super) fn entries(
    namespace: &Namespace,
    cx: &Context,
    base: &Location,
    path: &[u8],
) -> Result<Vec<DirEntry>> {
    let path = if path.is_empty() { &b"."[..] } else { path };
    namespace.access(cx, base, path, Follow::Yes, 0o5)?;
    let how = OpenOptions { directory: true, ..OpenOptions::READ };
    let Opened::Directory { file, .. } = namespace.open(cx, base, path, &how)? else {
        return Err(Errno::NotDir);
    };
    let mut entries: Vec<DirEntry> = Vec::new();
    loop {
        let batch = file.read_dir(cx, entries.last().map_or(0, |last| last.next))?;
        if batch.is_empty() {
            return Ok(entries);
        }
        entries.extend(batch);
    }
}
