//! Open files and directories of an overlay.

use super::layers::{Layers, Place};
use crate::memory::{Handle, MemoryFile};
use crate::{Context, DirEntry, Errno, File, Metadata, Result, SetAttributes};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// An upper file, which shows its inode number in the overlay.
pub(super) struct UpperFile {
    file: MemoryFile,
    shown: u64,
}

impl UpperFile {
    pub(super) fn new(handle: Handle, cx: &Context, shown: u64) -> Self {
        Self { file: MemoryFile::new(handle, cx), shown }
    }
}

impl File for UpperFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        self.file.read_at(buf, offset)
    }

    fn next_data(&self, offset: u64) -> Result<Option<Range<u64>>> {
        self.file.next_data(offset)
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> Result<usize> {
        self.file.write_at(buf, offset)
    }

    fn append_counted(&self, buf: &[u8]) -> Result<(usize, u64)> {
        self.file.append_counted(buf)
    }

    fn metadata(&self) -> Result<Metadata> {
        Ok(Metadata { ino: self.shown, ..self.file.metadata()? })
    }

    fn set_attributes(&self, cx: &Context, attributes: &SetAttributes) -> Result<()> {
        self.file.set_attributes(cx, attributes)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn allocate(&self, offset: u64, len: u64) -> Result<()> {
        self.file.allocate(offset, len)
    }

    fn read_dir(&self, _cx: &Context, _cursor: u64) -> Result<Vec<DirEntry>> {
        Err(Errno::NotDir)
    }
}

/// A lower file that is open for reading. After it is copied up, the copy is read.
pub(super) struct LowerFile {
    layers: Arc<Layers>,
    place: Place,
    file: Arc<dyn File>,
}

impl LowerFile {
    pub(super) fn new(layers: Arc<Layers>, place: Place, file: Arc<dyn File>) -> Self {
        Self { layers, place, file }
    }
}

impl File for LowerFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        let upper = self.layers.upper_inode_of_open(&self.layers.extra(), &self.place);
        match upper {
            Some(ino) => self.layers.live.read().read(ino, buf, offset),
            None => self.file.read_at(buf, offset),
        }
    }

    fn next_data(&self, offset: u64) -> Result<Option<Range<u64>>> {
        let upper = self.layers.upper_inode_of_open(&self.layers.extra(), &self.place);
        match upper {
            Some(ino) => self.layers.live.read().get(ino)?.content()?.next_data(offset),
            None => self.file.next_data(offset),
        }
    }

    fn write_at(&self, _buf: &[u8], _offset: u64) -> Result<usize> {
        Err(Errno::BadF)
    }

    fn append_counted(&self, _buf: &[u8]) -> Result<(usize, u64)> {
        Err(Errno::BadF)
    }

    fn metadata(&self) -> Result<Metadata> {
        let extra = self.layers.extra();
        match self.layers.upper_inode_of_open(&extra, &self.place) {
            Some(ino) => self.layers.live.shown_metadata(ino),
            None => self.file.metadata(),
        }
    }

    fn set_attributes(&self, _cx: &Context, attributes: &SetAttributes) -> Result<()> {
        self.layers.set_attributes_at(&self.place, attributes)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn allocate(&self, _offset: u64, _len: u64) -> Result<()> {
        Err(Errno::BadF)
    }

    fn read_dir(&self, _cx: &Context, _cursor: u64) -> Result<Vec<DirEntry>> {
        Err(Errno::NotDir)
    }
}

/// The most names in one batch.
const BATCH: usize = 256;

/// An open directory, which lists the names of both layers.
pub(super) struct OverlayDirectory {
    layers: Arc<Layers>,
    place: Place,
    /// The lower directory, if it is open already.
    below: Option<Arc<dyn File>>,
    scan: Mutex<Option<Arc<Vec<DirEntry>>>>,
}

impl OverlayDirectory {
    pub(super) fn new(layers: Arc<Layers>, place: Place) -> Self {
        Self { layers, place, below: None, scan: Mutex::new(None) }
    }

    /// A lower directory that is open already.
    pub(super) fn opened(layers: Arc<Layers>, place: Place, below: Arc<dyn File>) -> Self {
        Self { layers, place, below: Some(below), scan: Mutex::new(None) }
    }

    fn list(&self) -> Result<Vec<DirEntry>> {
        let upper = self.layers.upper_inode(&self.layers.extra(), &self.place);
        self.layers.list_given(upper, &self.place, self.below.as_deref())
    }
}

impl File for OverlayDirectory {
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
        self.layers.metadata(&self.layers.extra(), &self.place)
    }

    fn set_attributes(&self, _cx: &Context, attributes: &SetAttributes) -> Result<()> {
        self.layers.set_attributes_at(&self.place, attributes)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn allocate(&self, _offset: u64, _len: u64) -> Result<()> {
        Err(Errno::IsDir)
    }

    fn read_dir(&self, _cx: &Context, cursor: u64) -> Result<Vec<DirEntry>> {
        let all = {
            let mut scan = self.scan.lock().unwrap_or_else(PoisonError::into_inner);
            match &*scan {
                Some(all) if cursor != 0 => Arc::clone(all),
                _ => Arc::clone(scan.insert(Arc::new(self.list()?))),
            }
        };
        let start = usize::try_from(cursor).unwrap_or(usize::MAX);
        Ok(all.iter().skip(start).take(BATCH).cloned().collect())
    }
}
