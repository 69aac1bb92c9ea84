//! Changes as patches that `git apply` and `patch` understand.

mod binary;

use crate::overlay::DiffError;
use crate::{
    Change, ChangeKind, Context, Errno, FileKind, Follow, Metadata, Namespace, OpenOptions, Opened, Result,
    quoted,
};
use similar::TextDiff;
use std::time::{Duration, Instant};

/// After this time the diff of one file becomes coarser, but stays correct.
const DIFF_TIME: Duration = Duration::from_secs(5);

/// The time for the diffs of all files together; then each is as coarse as that of a file that took too long.
const TOTAL_TIME: Duration = Duration::from_secs(30);

/// The largest file whose contents are shown in a [patch](patch_between), in bytes. Holes count as zeros.
pub const MAX_SHOWN: u64 = 64 << 20;

/// The most contents of all files together, in bytes.
const TOTAL: u64 = 1 << 30;

/// The changes from one tree to another one, in the form of [`Overlay::patch`](crate::Overlay::patch).
///
/// # Errors
/// [`DiffError::Failed`] if a file cannot be read.
pub fn patch_between(
    before: &Namespace,
    after: &Namespace,
    changes: &[Change],
) -> std::result::Result<Vec<u8>, DiffError> {
    let mut patch = Patch::new();
    for change in changes {
        let failed = |errno| DiffError::Failed { path: change.path.clone(), errno };
        let metadata = |tree: &Namespace, there: bool| {
            let at = there
                .then(|| tree.resolve(&Context::ROOT, &tree.root(), &change.path, Follow::No))
                .transpose();
            at.and_then(|at| at.map(|at| at.metadata()).transpose()).map_err(failed)
        };
        let old = metadata(before, change.change != ChangeKind::Added)?;
        let new = metadata(after, change.change != ChangeKind::Removed)?;
        let read = |tree: &Namespace| contents(tree, &change.path);
        patch
            .add(&change.path, old.as_ref(), new.as_ref(), || read(before), || read(after))
            .map_err(failed)?;
    }
    Ok(patch.text)
}

/// The content of a regular file, or the target of a link.
fn contents(tree: &Namespace, path: &[u8]) -> Result<Vec<u8>> {
    let at = tree.resolve(&Context::ROOT, &tree.root(), path, Follow::No)?;
    if at.metadata()?.kind == FileKind::Symlink {
        return at.fs().read_link(&Context::ROOT, at.node());
    }
    let Opened::File { file, .. } = tree.open_location(&Context::ROOT, &at, &OpenOptions::READ)? else {
        return Err(Errno::Io);
    };
    let mut whole = vec![0; usize::try_from(at.metadata()?.size).map_err(|_| Errno::FBig)?];
    let mut read = 0;
    while let Some(rest) = whole.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, read as u64)? {
            0 => break,
            more => read += more,
        }
    }
    whole.truncate(read);
    Ok(whole)
}

/// A patch that is being made.
pub(crate) struct Patch {
    pub(crate) text: Vec<u8>,
    /// How many bytes of contents may still be shown.
    room: u64,
    /// How much time there still is to make diffs fine.
    time: Duration,
}

impl Patch {
    pub(crate) fn new() -> Self {
        Self { text: Vec::new(), room: TOTAL, time: TOTAL_TIME }
    }

    /// Adds what happened to a file. The contents are only read if they are shown.
    pub(crate) fn add(
        &mut self,
        path: &[u8],
        before: Option<&Metadata>,
        after: Option<&Metadata>,
        old: impl FnOnce() -> Result<Vec<u8>>,
        new: impl FnOnce() -> Result<Vec<u8>>,
    ) -> Result<()> {
        let patch = &mut self.text;
        write_modes(path, before, after, patch);
        let size = |metadata: Option<&Metadata>| {
            metadata.filter(|found| is_tracked(found)).map_or(0, |found| found.size)
        };
        let (old_size, new_size) = (size(before), size(after));
        match self
            .room
            .checked_sub(old_size.saturating_add(new_size))
            .filter(|_| old_size.max(new_size) <= MAX_SHOWN)
        {
            Some(left) => self.room = left,
            None => {
                write_large(path, before, after, patch);
                return Ok(());
            }
        }
        let before = match before {
            Some(metadata) if is_tracked(metadata) => Some(Side { mode: git_mode(metadata), bytes: old()? }),
            _ => None,
        };
        let after = match after {
            Some(metadata) if is_tracked(metadata) => Some(Side { mode: git_mode(metadata), bytes: new()? }),
            _ => None,
        };
        match (before, after) {
            (None, None) => {}
            // As in git, a change of the kind of file is a removal and an addition.
            (Some(before), Some(after)) if (before.mode == LINK) != (after.mode == LINK) => {
                self.add_file(path, Some(&before), None);
                self.add_file(path, None, Some(&after));
            }
            (before, after) => self.add_file(path, before.as_ref(), after.as_ref()),
        }
        Ok(())
    }

    fn add_file(&mut self, path: &[u8], before: Option<&Side>, after: Option<&Side>) {
        let patch = &mut self.text;
        let (old_name, new_name) = (named(b"a/", path).into_bytes(), named(b"b/", path).into_bytes());
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
            // An empty file has no lines, so git requires the id of the empty blob.
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
        let started = Instant::now();
        write_hunks(old, new, self.time.min(DIFF_TIME), patch);
        self.time = self.time.saturating_sub(started.elapsed());
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

/// Writes changes of mode bits that a patch cannot express.
fn write_modes(path: &[u8], before: Option<&Metadata>, after: Option<&Metadata>, patch: &mut Vec<u8>) {
    let name = quoted(path);
    let line = match (before, after) {
        (Some(old), Some(new)) if old.kind == new.kind && old.mode != new.mode => {
            let shown = old.kind == FileKind::Regular
                && git_mode(old) != git_mode(new)
                && (old.mode | new.mode) & 0o7000 == 0;
            if shown {
                return;
            }
            format!("# mode {:04o} -> {:04o}: {name}\n", old.mode, new.mode)
        }
        (_, Some(new)) if new.mode & 0o6000 != 0 => format!("# mode {:04o}: {name}\n", new.mode),
        _ => return,
    };
    patch.extend_from_slice(line.as_bytes());
}

/// Shows a file that is too large as git shows binary files without their contents.
fn write_large(path: &[u8], before: Option<&Metadata>, after: Option<&Metadata>, patch: &mut Vec<u8>) {
    let (old_name, new_name) = (named(b"a/", path), named(b"b/", path));
    let sizes =
        |metadata: Option<&Metadata>| metadata.map_or("nothing".to_owned(), |m| format!("{} bytes", m.size));
    let (before, after) =
        (before.filter(|metadata| is_tracked(metadata)), after.filter(|metadata| is_tracked(metadata)));
    let line = format!("# too large to be shown: {} -> {}\n", sizes(before), sizes(after));
    patch.extend_from_slice(line.as_bytes());
    let mut lines = vec![format!("diff --git {old_name} {new_name}")];
    match (before, after) {
        (None, Some(after)) => lines.push(format!("new file mode {:o}", git_mode(after))),
        (Some(before), None) => lines.push(format!("deleted file mode {:o}", git_mode(before))),
        _ => {}
    }
    // There is no `index` line, so no tool considers the patch complete.
    let or_nothing = |name: String, there: bool| if there { name } else { "/dev/null".to_owned() };
    let (old_name, new_name) =
        (or_nothing(old_name, before.is_some()), or_nothing(new_name, after.is_some()));
    lines.push(format!("Binary files {old_name} and {new_name} differ"));
    for line in lines {
        patch.extend_from_slice(line.as_bytes());
        patch.push(b'\n');
    }
}

/// A name in a patch.
fn named(prefix: &[u8], path: &[u8]) -> String {
    quoted(&[prefix, path].concat())
}

/// How two texts differ: the lines of a unified diff with three lines of context, without its head; `None` if one of
/// them is not text, which is UTF-8 without NUL in the first 8000 bytes. After some seconds the diff becomes coarser,
/// but stays correct.
pub fn text_diff(old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    if is_binary(old) || is_binary(new) {
        return None;
    }
    let mut lines = Vec::new();
    write_hunks(old, new, DIFF_TIME, &mut lines);
    Some(lines)
}

fn write_hunks(old: &[u8], new: &[u8], time: Duration, to: &mut Vec<u8>) {
    let diff = TextDiff::configure().timeout(time).diff_lines(old, new);
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        // Writing into a vector does not fail.
        let _ = hunk.to_writer(&mut *to);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Time;

    fn file(size: usize) -> Metadata {
        Metadata {
            dev: 0,
            ino: 1,
            kind: FileKind::Regular,
            mode: 0o644,
            nlink: 1,
            uid: 0,
            gid: 0,
            size: size as u64,
            blocks: 0,
            rdev: 0,
            atime: Time::default(),
            mtime: Time::default(),
            ctime: Time::default(),
        }
    }

    #[test]
    fn without_time_diffs_are_coarse_and_complete() {
        let old: String = (0..400).map(|n| format!("{}\n", n * 7 % 101)).collect();
        let new: String = (0..400).map(|n| format!("{}\n", n * 11 % 101)).collect();
        let made = |time| {
            let mut patch = Patch { time, ..Patch::new() };
            let (before, after) = (file(old.len()), file(new.len()));
            let (old, new) = (old.clone().into_bytes(), new.clone().into_bytes());
            patch.add(b"f", Some(&before), Some(&after), || Ok(old), || Ok(new)).unwrap();
            String::from_utf8(patch.text).unwrap()
        };
        let (fine, coarse) = (made(TOTAL_TIME), made(Duration::ZERO));
        let count =
            |patch: &str, sign: char| patch.lines().skip(3).filter(|line| line.starts_with(sign)).count();
        assert!(count(&fine, '-') < count(&coarse, '-'), "{fine}\n{coarse}");
        for (text, sign) in [(&old, '-'), (&new, '+')] {
            let kept: Vec<&str> = coarse
                .lines()
                .skip(3)
                .filter(|line| line.starts_with([sign, ' ']))
                .filter_map(|line| line.get(1..))
                .collect();
            assert_eq!(kept, text.lines().collect::<Vec<_>>());
        }
    }
}
