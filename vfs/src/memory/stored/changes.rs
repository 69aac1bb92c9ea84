//! How two states differ.

use super::super::Snapshot;
use super::super::inode::{Body, Inode, metadata};
use super::super::store::ROOT;
use super::Value;
use crate::{Change, ChangeKind, Errno, FileKind, MAX_PATH, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most bytes of all paths together: a guest can make many files with long paths at little cost.
const MAX_NAMES: usize = 256 << 20;

/// A path that is still to be compared, with its inodes.
struct Pending {
    path: Vec<u8>,
    before: Option<u64>,
    after: Option<u64>,
}

/// The inodes of a name before and after.
type Both = (Option<u64>, Option<u64>);

impl Snapshot {
    /// Every path that differs from `before`, sorted by its bytes: what is new, gone, or has other bytes, another link
    /// target or other mode bits. Both must be [stored](Self::is_stored). A renamed file is removed and added.
    ///
    /// # Errors
    /// Those of reading what is stored; `EIO` if one of them is not stored, `ENAMETOOLONG` for a path of more than 4095
    /// bytes, `E2BIG` if all paths have more than 256 MiB.
    pub fn changes(&self, before: &Self) -> Result<Vec<Change>> {
        let mut found = Vec::new();
        let mut pending = vec![Pending { path: Vec::new(), before: Some(ROOT), after: Some(ROOT) }];
        let mut size = 0;
        while let Some(next) = pending.pop() {
            let old = next.before.map(|ino| before.store().get(ino).map(|inode| (ino, inode))).transpose()?;
            let new = next.after.map(|ino| self.store().get(ino).map(|inode| (ino, inode))).transpose()?;
            if !next.path.is_empty() {
                let before = found.len();
                compare(&next.path, old, new, &mut found)?;
                size += (found.len() - before) * next.path.len();
                if size > MAX_NAMES {
                    return Err(Errno::TooBig);
                }
            }
            let mut below: BTreeMap<Arc<[u8]>, Both> = BTreeMap::new();
            for (name, ino) in names(old)? {
                below.entry(name).or_default().0 = Some(ino);
            }
            for (name, ino) in names(new)? {
                below.entry(name).or_default().1 = Some(ino);
            }
            for (name, (before, after)) in below {
                let mut path = next.path.clone();
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.extend_from_slice(&name);
                if path.len() > MAX_PATH {
                    return Err(Errno::NameTooLong);
                }
                pending.push(Pending { path, before, after });
            }
        }
        found.sort_by(|one, two| one.path.cmp(&two.path));
        Ok(found)
    }
}

type Found<'a> = Option<(u64, &'a Inode)>;

fn names(inode: Found<'_>) -> Result<Vec<(Arc<[u8]>, u64)>> {
    match inode {
        Some((_, inode)) if inode.kind() == FileKind::Directory => {
            Ok(inode.names()?.iter().map(|(name, entry)| (Arc::clone(name), entry.ino)).collect())
        }
        _ => Ok(Vec::new()),
    }
}

fn compare(path: &[u8], old: Found<'_>, new: Found<'_>, found: &mut Vec<Change>) -> Result<()> {
    let mut note = |change, (ino, inode): (u64, &Inode), old_mode| {
        let metadata = metadata(ino, inode);
        let (kind, mode, size) = (metadata.kind, metadata.mode, metadata.size);
        found.push(Change { path: path.to_vec(), change, kind, mode, old_mode, size });
    };
    match (old, new) {
        (Some(old), Some(new)) if old.1.kind() == new.1.kind() => {
            if old.1.mode != new.1.mode || body(old.1)? != body(new.1)? {
                note(ChangeKind::Changed, new, Some(old.1.mode));
            }
        }
        (old, new) => {
            if let Some(old) = old {
                note(ChangeKind::Removed, old, None);
            }
            if let Some(new) = new {
                note(ChangeKind::Added, new, None);
            }
        }
    }
    Ok(())
}

/// What stands for the contents: equal if they are stored as the same pieces.
fn body(inode: &Inode) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match &inode.body {
        Body::File(super::super::Content::Small(chunk)) => chunk.encode(&mut bytes)?,
        Body::File(super::super::Content::Large { len, chunks, .. }) => {
            bytes.extend(len.to_le_bytes());
            chunks.encode(&mut bytes)?;
        }
        Body::Symlink(target) => bytes.extend_from_slice(target),
        Body::CharDevice(rdev) => bytes.extend(rdev.to_le_bytes()),
        Body::Directory(_) | Body::Fifo | Body::Socket => {}
    }
    Ok(bytes)
}
