//! Changes as the text of a patch.

use super::diff::Delta;
use super::{Overlay, binary};
use crate::{FileKind, Metadata, Result};
use similar::TextDiff;
use std::time::Duration;

/// After this long the line diff of one file gets coarser (and stays correct).
const DIFF_TIME: Duration = Duration::from_secs(5);

impl Overlay {
    /// The changes as a patch that `git apply` takes, and `patch -p1` but for binary files: unified diffs with three lines
    /// of context.
    ///
    /// Files with a NUL byte in the first 8000, or that are not UTF-8, are in it as git's binary patches, so that the whole
    /// is always UTF-8. Directories and special files are not, of mode bits only whether the owner may execute.
    pub fn patch(&self) -> Result<Vec<u8>> {
        let deltas = self.layers.deltas()?;
        let mut patch = Vec::new();
        for delta in &deltas {
            self.write_delta(delta, &mut patch)?;
        }
        Ok(patch)
    }

    fn write_delta(&self, delta: &Delta, patch: &mut Vec<u8>) -> Result<()> {
        let before = match &delta.before {
            Some(metadata) if is_tracked(metadata) => {
                let node = self.layers.lower_at(&delta.path)?;
                Some(Side { mode: git_mode(metadata), bytes: self.layers.bytes_below(&node)? })
            }
            _ => None,
        };
        let after = match &delta.after {
            Some((source, metadata)) if is_tracked(metadata) => {
                Some(Side { mode: git_mode(metadata), bytes: self.layers.bytes_above(source)? })
            }
            _ => None,
        };
        match (before, after) {
            (None, None) => {}
            // As git has it: another kind of file is a removal and an addition.
            (Some(before), Some(after)) if (before.mode == LINK) != (after.mode == LINK) => {
                write_file(&delta.path, Some(&before), None, patch);
                write_file(&delta.path, None, Some(&after), patch);
            }
            (before, after) => write_file(&delta.path, before.as_ref(), after.as_ref(), patch),
        }
        Ok(())
    }
}

const LINK: u32 = 0o120_000;

struct Side {
    mode: u32,
    bytes: Vec<u8>,
}

fn is_tracked(metadata: &Metadata) -> bool {
    matches!(metadata.kind, FileKind::Regular | FileKind::Symlink)
}

fn git_mode(metadata: &Metadata) -> u32 {
    match metadata.kind {
        FileKind::Symlink => LINK,
        _ if metadata.mode & 0o100 != 0 => 0o100_755,
        _ => 0o100_644,
    }
}

fn write_file(path: &[u8], before: Option<&Side>, after: Option<&Side>, patch: &mut Vec<u8>) {
    let (old_name, new_name) = (quoted(b"a/", path), quoted(b"b/", path));
    let mut head = vec![[b"diff --git ", old_name.as_slice(), b" ", &new_name].concat()];
    let (old_mode, new_mode) = (before.map(|side| side.mode), after.map(|side| side.mode));
    match (old_mode, new_mode) {
        (None, Some(mode)) => head.push(format!("new file mode {mode:o}").into_bytes()),
        (Some(mode), None) => head.push(format!("deleted file mode {mode:o}").into_bytes()),
        (Some(old), Some(new)) if old != new => {
            head.push(format!("old mode {old:o}").into_bytes());
            head.push(format!("new mode {new:o}").into_bytes());
        }
        _ => {}
    }
    let old = before.map(|side| side.bytes.as_slice()).unwrap_or_default();
    let new = after.map(|side| side.bytes.as_slice()).unwrap_or_default();
    if old == new {
        // An empty file: git wants the (fixed) name of the empty blob, there being no lines.
        match (before, after) {
            (None, Some(_)) => head.push(b"index 0000000..e69de29".to_vec()),
            (Some(_), None) => head.push(b"index e69de29..0000000".to_vec()),
            _ if old_mode == new_mode => return,
            _ => {}
        }
        write_lines(&head, patch);
        return;
    }
    if is_binary(old) || is_binary(new) {
        head.push(binary::index(before.map(|_| old), after.map(|_| new)));
        write_lines(&head, patch);
        binary::write(old, new, patch);
        return;
    }
    let old_name = if before.is_some() { old_name } else { b"/dev/null".to_vec() };
    let new_name = if after.is_some() { new_name } else { b"/dev/null".to_vec() };
    // A tab marks the end of a name with spaces, as git and GNU diff do.
    let end: &[u8] = if path.contains(&b' ') { b"\t" } else { b"" };
    head.push([&b"--- "[..], old_name.as_slice(), if before.is_some() { end } else { b"" }].concat());
    head.push([&b"+++ "[..], new_name.as_slice(), if after.is_some() { end } else { b"" }].concat());
    write_lines(&head, patch);
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(old, new);
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        // Writing into a vector does not fail.
        let _ = hunk.to_writer(&mut *patch);
    }
}

fn write_lines(lines: &[Vec<u8>], patch: &mut Vec<u8>) {
    for line in lines {
        patch.extend_from_slice(line);
        patch.push(b'\n');
    }
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8000).any(|byte| *byte == 0) || std::str::from_utf8(bytes).is_err()
}

/// A name as git prints it: in quotes with C escapes when it has bytes that are not plain.
fn quoted(prefix: &[u8], path: &[u8]) -> Vec<u8> {
    let name = [prefix, path].concat();
    if name.iter().all(|byte| matches!(byte, 0x20..0x7f) && *byte != b'"' && *byte != b'\\') {
        return name;
    }
    let mut quoted = vec![b'"'];
    for byte in name {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', byte]),
            b'\n' => quoted.extend(*b"\\n"),
            b'\t' => quoted.extend(*b"\\t"),
            0x20..0x7f => quoted.push(byte),
            _ => quoted.extend(format!("\\{byte:03o}").into_bytes()),
        }
    }
    quoted.push(b'"');
    quoted
}
