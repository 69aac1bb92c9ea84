//! The names of a directory: in memory, or stored.

use super::names::{Chunk, Names};
use super::stored::{Persist, Reader, Stored, bad};
use crate::{BlobSource, FileKind, Result};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The names of a directory. Stored ones are read all together when the first is needed, and stay.
#[derive(Clone)]
pub(crate) struct Directory {
    /// Filled before it is used; from the start unless the names are stored.
    names: OnceLock<Names<Entry>>,
    /// Where unchanged names are stored.
    stored: Option<Stored>,
    /// Pieces of names that are known to be stored.
    base: Option<Arc<Pieces>>,
}

/// An entry of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) ino: u64,
    /// `None` for a whiteout, which hides the name in the lower filesystem.
    pub(crate) kind: Option<FileKind>,
}

impl Entry {
    pub(crate) const WHITEOUT: Self = Self { ino: 0, kind: None };

    pub(crate) fn is_whiteout(&self) -> bool {
        self.kind.is_none()
    }
}

type Pieces = Vec<(Chunk<Entry>, crate::BlobId)>;

/// The most bytes of names that are stored with their directory, and not as blobs.
const INLINE: usize = 512;

impl Default for Directory {
    fn default() -> Self {
        Self { names: OnceLock::from(Names::default()), stored: None, base: None }
    }
}

impl Directory {
    pub(crate) fn names(&self) -> Result<&Names<Entry>> {
        if let Some(names) = self.names.get() {
            return Ok(names);
        }
        let stored = self.stored.as_ref().ok_or_else(bad)?;
        let mut chunks = Vec::new();
        for id in pieces(&stored.load()?)? {
            let bytes = Stored { id, source: Arc::clone(&stored.source) }.load()?;
            let entries = decode_entries(&mut Reader::new(&bytes))?;
            if !entries.is_empty() {
                chunks.push(Arc::new(entries));
            }
        }
        // Another thread may have been faster; both read the same.
        let _ = self.names.set(Names::from_chunks(chunks));
        self.names.get().ok_or_else(bad)
    }

    pub(crate) fn names_mut(&mut self) -> Result<&mut Names<Entry>> {
        self.names()?;
        self.stored = None;
        self.names.get_mut().ok_or_else(bad)
    }

    /// Whether nothing has changed since the names were stored.
    pub(super) fn is_stored(&self) -> bool {
        self.stored.is_some()
    }

    /// The same names, stored unless they are few.
    pub(super) fn persist(&self, persist: &mut Persist<'_>) -> Result<Self> {
        if self.stored.is_some() {
            return Ok(self.clone());
        }
        let names = self.names()?;
        let small = match names.chunks() {
            [] => Some(Vec::new()),
            [only] => encode_entries(only, INLINE),
            _ => None,
        };
        if small.is_some() {
            return Ok(Self { base: None, ..self.clone() });
        }
        let known: HashMap<_, _> = self
            .base
            .iter()
            .flat_map(|base| base.iter())
            .map(|(chunk, id)| (Arc::as_ptr(chunk), *id))
            .collect();
        let mut base = Pieces::new();
        let mut list = Vec::new();
        for chunk in names.chunks() {
            let id = match known.get(&Arc::as_ptr(chunk)) {
                Some(id) => *id,
                None => persist.store(encode_entries(chunk, usize::MAX).ok_or_else(bad)?)?.id,
            };
            list.extend(id.0);
            base.push((Arc::clone(chunk), id));
        }
        let stored = Some(persist.store(list)?);
        Ok(Self { names: OnceLock::from(names.clone()), stored, base: Some(Arc::new(base)) })
    }

    /// Appends the names, or where they are.
    pub(super) fn encode(&self, to: &mut Vec<u8>) -> Result<()> {
        match &self.stored {
            Some(stored) => {
                to.push(1);
                to.extend(stored.id.0);
            }
            None => {
                to.push(0);
                let entries = match self.names()?.chunks() {
                    [] => Vec::new(),
                    [only] => encode_entries(only, INLINE).ok_or_else(bad)?,
                    _ => return Err(bad()),
                };
                to.extend(u16::try_from(entries.len()).map_err(|_| bad())?.to_le_bytes());
                to.extend(entries);
            }
        }
        Ok(())
    }

    pub(super) fn decode(from: &mut Reader<'_>, source: &Arc<dyn BlobSource>) -> Result<Self> {
        if from.u8()? == 1 {
            let stored = Some(Stored { id: from.id()?, source: Arc::clone(source) });
            return Ok(Self { names: OnceLock::new(), stored, base: None });
        }
        let size = usize::from(from.u16()?);
        let entries = decode_entries(&mut Reader::new(from.bytes(size)?))?;
        let chunks = if entries.is_empty() { Vec::new() } else { vec![Arc::new(entries)] };
        Ok(Self { names: OnceLock::from(Names::from_chunks(chunks)), stored: None, base: None })
    }

    /// The blob that lists the pieces of the names.
    pub(super) fn list(&self) -> Option<crate::BlobId> {
        self.stored.as_ref().map(|stored| stored.id)
    }
}

/// The pieces in a stored list.
pub(super) fn pieces(list: &[u8]) -> Result<Vec<crate::BlobId>> {
    let mut from = Reader::new(list);
    (0..list.len() / 32).map(|_| from.id()).collect::<Result<_>>().and_then(|ids| from.end().map(|()| ids))
}

/// The names in a stored piece, in the order of their bytes.
pub(super) fn decode_entries(from: &mut Reader<'_>) -> Result<Vec<(Arc<[u8]>, Entry)>> {
    let mut entries: Vec<(Arc<[u8]>, Entry)> = Vec::new();
    while from.end().is_err() {
        let size = usize::from(from.u8()?);
        let name: Arc<[u8]> = Arc::from(from.bytes(size)?);
        let ino = from.u64()?;
        let kind = kind(from.u8()?)?;
        let valid = !matches!(&*name, b"" | b"." | b"..") && !name.contains(&b'/') && !name.contains(&0);
        if !valid || entries.last().is_some_and(|(last, _)| *last >= name) {
            return Err(bad());
        }
        entries.push((name, Entry { ino, kind: Some(kind) }));
    }
    Ok(entries)
}

/// Each name with its length, inode and kind; `None` for more than `most` bytes.
fn encode_entries(entries: &[(Arc<[u8]>, Entry)], most: usize) -> Option<Vec<u8>> {
    let mut to = Vec::new();
    for (name, entry) in entries {
        to.push(u8::try_from(name.len()).ok()?);
        to.extend_from_slice(name);
        to.extend(entry.ino.to_le_bytes());
        to.push(kind_number(entry.kind?));
        if to.len() > most {
            return None;
        }
    }
    Some(to)
}

pub(super) fn kind_number(kind: FileKind) -> u8 {
    match kind {
        FileKind::Regular => 0,
        FileKind::Directory => 1,
        FileKind::Symlink => 2,
        FileKind::Fifo => 3,
        FileKind::CharDevice => 4,
        FileKind::Socket => 5,
        FileKind::BlockDevice => 6,
    }
}

fn kind(number: u8) -> Result<FileKind> {
    const KINDS: [FileKind; 6] = [
        FileKind::Regular,
        FileKind::Directory,
        FileKind::Symlink,
        FileKind::Fifo,
        FileKind::CharDevice,
        FileKind::Socket,
    ];
    KINDS.get(usize::from(number)).copied().ok_or_else(bad)
}
