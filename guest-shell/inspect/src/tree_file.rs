//! The trees of `tree --fromfile`, which reads one path per line.

use crate::tree_entry::Entry;
use sandshell_sys::{self as sys, Stat};

/// The part of a line that is used. No file's path is longer.
const LONGEST: usize = 4096;

/// Builds entries from the lines of a file (`.` is standard input); `None` if it cannot be read.
pub(crate) fn entries(file: &[u8], root: &[u8]) -> Option<Vec<Entry>> {
    let text = if file == b"." { sys::read_to_end(0) } else { sys::read_file(file) }.ok()?;
    let mut top = Vec::new();
    for line in text.split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = line.get(..LONGEST).unwrap_or(line);
        insert(&mut top, line, root);
    }
    Some(top)
}

fn insert(top: &mut Vec<Entry>, line: &[u8], root: &[u8]) {
    let mut parts = line.split(|b| *b == b'/').filter(|part| !part.is_empty()).peekable();
    let mut level = top;
    let mut path = root.to_vec();
    while let Some(part) = parts.next() {
        path = [&path, b"/".as_slice(), part].concat();
        let is_dir = parts.peek().is_some() || line.ends_with(b"/");
        let at = match level.binary_search_by(|entry| entry.name.as_slice().cmp(part)) {
            Ok(at) => at,
            Err(at) => {
                level.insert(at, entry(part, &path));
                at
            }
        };
        let Some(found) = level.get_mut(at) else { return };
        if is_dir && let Some(stat) = &mut found.stat {
            stat.mode = sys::S_IFDIR;
        }
        level = &mut found.entries;
    }
}

// An entry of which only the name is known, and whether it is a directory.
fn entry(name: &[u8], path: &[u8]) -> Entry {
    Entry {
        name: name.to_vec(),
        path: path.to_vec(),
        stat: Some(Stat { mode: sys::S_IFREG, ..Stat::default() }),
        target: None,
        target_stat: None,
        entries: Vec::new(),
        note: None,
    }
}
