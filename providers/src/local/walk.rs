//! Going through a tree of files.

use sandshell_vfs::{
    Context, DirEntry, FileKind, Follow, Location, Metadata, Namespace, OpenOptions, Opened, Result,
};

/// What a walk passes by.
pub(super) struct Walk<'a> {
    pub(super) namespace: &'a Namespace,
    pub(super) cx: &'a Context,
    /// How many names the path of an entry may have.
    pub(super) max_depth: Option<usize>,
    /// Whether to go into this directory, given its path below the start.
    pub(super) enter: &'a dyn Fn(&[u8]) -> bool,
}

impl Walk<'_> {
    /// Shows every entry below `start` to `visit`: its path below and what it is itself. Links are not entered.
    /// Returns whether everything could be read.
    ///
    /// Directories wait as paths, not as open directories: there can be more of them than a process may have open.
    pub(super) fn run(&self, start: &Location, visit: &mut dyn FnMut(&[u8], &Metadata)) -> bool {
        let mut complete = true;
        let mut waiting: Vec<(Vec<u8>, usize)> = vec![(Vec::new(), 1)];
        while let Some((directory, depth)) = waiting.pop() {
            let Ok(entries) = entries(self.namespace, self.cx, start, &directory) else {
                complete = false;
                continue;
            };
            for entry in entries {
                let below = if directory.is_empty() {
                    entry.name.to_vec()
                } else {
                    [&directory[..], b"/", &entry.name].concat()
                };
                let Ok(metadata) = self.namespace.metadata(self.cx, start, &below, Follow::No) else {
                    complete = false;
                    continue;
                };
                visit(&below, &metadata);
                let deeper = self.max_depth.is_none_or(|max| depth < max);
                if metadata.kind == FileKind::Directory && deeper && (self.enter)(&below) {
                    waiting.push((below, depth + 1));
                }
            }
        }
        complete
    }
}

/// The entries of a directory that may be both read and searched; `path` is relative to `base`, empty for itself.
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
        return Err(sandshell_vfs::Errno::NotDir);
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
