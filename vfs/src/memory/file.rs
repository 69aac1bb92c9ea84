//! Open files and directories of a filesystem in memory.

use super::content::Content;
use super::directory::Entry;
use super::inode::metadata;
use super::live::{Handle, Live};
use super::names::Names;
use crate::time_budget;
use crate::{Context, DirEntry, Errno, File, Metadata, Result, SetAttributes};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Bytes that are allocated at a time while the filesystem's lock is held.
const PIECE: u64 = 1 << 20;

pub(crate) struct MemoryFile {
    handle: Handle,
    /// Whether writing clears set-id bits, as for everyone but the superuser.
    drop_privileges: bool,
}

impl MemoryFile {
    pub(crate) fn new(handle: Handle, cx: &Context) -> Self {
        Self { handle, drop_privileges: cx.uid != 0 }
    }

    fn write(&self, buf: &[u8], offset: Option<u64>) -> Result<(usize, u64)> {
        let live = &self.handle.live;
        let now = live.now();
        fetch(live, self.handle.ino, |content| content.partly_written(offset, buf.len()))?;
        live.write().write(self.handle.ino, buf, offset, self.drop_privileges, now)
    }
}

/// Reads the pieces of a file that a change keeps a part of, if they are stored: nobody waits for a disk or for another
/// machine with the filesystem's lock held. `offsets` are in these pieces.
pub(super) fn fetch(live: &Live, ino: u64, offsets: impl FnOnce(&Content) -> [Option<u64>; 2]) -> Result<()> {
    let (content, offsets) = {
        let store = live.read();
        let Ok(content) = store.get(ino)?.content() else { return Ok(()) };
        if !content.may_be_away() {
            return Ok(());
        }
        let mut offsets = offsets(content);
        for offset in &mut offsets {
            *offset = offset.filter(|offset| content.is_away(*offset, 1));
        }
        if offsets == [None; 2] {
            return Ok(());
        }
        (content.clone(), offsets)
    };
    for offset in offsets.into_iter().flatten() {
        time_budget::spend(1)?;
        // From now on it is in the source's cache.
        content.read(&mut [0], offset)?;
    }
    Ok(())
}

impl File for MemoryFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        let content = {
            let store = self.handle.live.read();
            let content = store.get(self.handle.ino)?.content()?;
            if !content.is_away(offset, buf.len()) {
                return content.read(buf, offset);
            }
            content.clone()
        };
        // Nobody waits for a disk with the lock held.
        time_budget::spend(buf.len() as u64)?;
        content.read(buf, offset)
    }

    fn next_data(&self, offset: u64) -> Result<Option<Range<u64>>> {
        let store = self.handle.live.read();
        store.get(self.handle.ino)?.content()?.next_data(offset)
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> Result<usize> {
        self.write(buf, Some(offset)).map(|(count, _)| count)
    }

    fn append_counted(&self, buf: &[u8]) -> Result<(usize, u64)> {
        self.write(buf, None)
    }

    fn metadata(&self) -> Result<Metadata> {
        self.handle.live.read().metadata(self.handle.ino)
    }

    fn set_attributes(&self, _cx: &Context, attributes: &SetAttributes) -> Result<()> {
        let live = &self.handle.live;
        let now = live.now();
        fetch(live, self.handle.ino, |_| [attributes.size, None])?;
        live.write().set_attributes(self.handle.ino, attributes, now)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn allocate(&self, offset: u64, len: u64) -> Result<()> {
        let (live, ino) = (&self.handle.live, self.handle.ino);
        time_budget::spend(len)?;
        // If it does not fit, nothing is changed.
        live.read().can_allocate(ino, offset, len)?;
        let now = live.now();
        let end = offset.saturating_add(len);
        let mut at = offset;
        while at < end {
            let piece = (end - at).min(PIECE);
            live.write().allocate(ino, at, piece, now)?;
            at += piece;
            time_budget::spend(0)?;
        }
        Ok(())
    }

    fn read_dir(&self, _cx: &Context, _cursor: u64) -> Result<Vec<DirEntry>> {
        Err(Errno::NotDir)
    }
}

pub(crate) struct MemoryDirectory {
    handle: Handle,
    /// The names at the start of the scan. The copy is free, because it is shared.
    scan: Mutex<Option<Names<Entry>>>,
}

impl MemoryDirectory {
    pub(crate) fn new(handle: Handle) -> Self {
        Self { handle, scan: Mutex::new(None) }
    }
}

impl File for MemoryDirectory {
    fn read_at(&self, _buf: &mut [u8], _offset: u64) -> Result<usize> {
        Err(Errno::IsDir)
    }

    fn write_at(&self, _buf: &[u8], _offset: u64) -> Result<usize> {
        Err(Errno::IsDir)
    }

    fn append_counted(&self, _buf: &[u8]) -> Result<(usize, u64)> {
        Err(Errno::IsDir)
    }

    fn metadata(&self) -> Result<Metadata> {
        let store = self.handle.live.read();
        store.get(self.handle.ino).map(|inode| metadata(self.handle.ino, inode))
    }

    fn set_attributes(&self, _cx: &Context, attributes: &SetAttributes) -> Result<()> {
        let live = &self.handle.live;
        let now = live.now();
        live.write().set_attributes(self.handle.ino, attributes, now)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn allocate(&self, _offset: u64, _len: u64) -> Result<()> {
        Err(Errno::IsDir)
    }

    fn read_dir(&self, _cx: &Context, cursor: u64) -> Result<Vec<DirEntry>> {
        let mut scan = self.scan.lock().unwrap_or_else(PoisonError::into_inner);
        if cursor == 0 || scan.is_none() {
            *scan = Some(self.handle.live.read().get(self.handle.ino)?.names()?.clone());
        }
        let entries = scan.iter().flat_map(|names| names.batch(cursor));
        let entry = |(next, name, entry): (u64, &std::sync::Arc<[u8]>, &Entry)| {
            let kind = entry.kind?;
            Some(DirEntry { name: name.clone().into(), ino: entry.ino, kind, next })
        };
        Ok(entries.filter_map(entry).collect())
    }
}
