//! A store in use.

use crate::blobs::Blobs;
use crate::error::{Result, StoreError};
use crate::journal;
use crate::place::{Lock, Place, User, exists, failed, prepare};
use crate::sandbox::Record;
use crate::writer::Writer;
use rusqlite::Connection;
use sandshell_vfs::{BlobId, BlobSource, MemoryFs};
use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A store of sandboxes. Clones are the same store. Other processes may use it at the same time.
///
/// What a method has done is on the disk when it returns. A method that fails has done nothing.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    place: Place,
    blobs: Arc<Blobs>,
    /// The same, as filesystems know it.
    source: Arc<dyn BlobSource>,
    /// Started by the first change.
    writer: Mutex<Option<Arc<Writer>>>,
    /// Started by the first call that is noted.
    journal: Mutex<Option<Arc<Writer>>>,
}

/// The right to change a sandbox: one holder at a time among all processes. The system takes it from a process that
/// ends, in whatever way.
#[derive(Debug)]
pub struct SandboxLock {
    _lock: Lock,
}

impl Store {
    /// The store in this directory, which is made if it is missing, with mode 0700.
    ///
    /// # Errors
    /// [`StoreError::Refused`] for a directory that is somebody else's, that others may write to, or that holds
    /// something else; [`StoreError::Newer`] for a store of a newer program.
    pub fn open(at: &Path) -> Result<Self> {
        prepare(at)?;
        Self::at(at)
    }

    /// As [`open`](Self::open), but makes nothing: `None` if there is no such directory.
    ///
    /// # Errors
    /// Those of `open`.
    pub fn existing(at: &Path) -> Result<Option<Self>> {
        if exists(at)? { Self::open(at).map(Some) } else { Ok(None) }
    }

    fn at(at: &Path) -> Result<Self> {
        let at = fs::canonicalize(at).map_err(failed(at))?;
        let place = Place(at);
        let database = place.database();
        if let Ok(metadata) = fs::symlink_metadata(&database)
            && metadata.uid() != rustix::process::geteuid().as_raw()
        {
            let why = "it belongs to another user".to_owned();
            return Err(StoreError::Refused { at: database, why });
        }
        let blobs = Arc::new(Blobs::new(database));
        // Whether it is a store, and which format it has.
        blobs.reading(|_| Ok(()))?;
        let source: Arc<dyn BlobSource> = blobs.clone();
        Ok(Self(Arc::new(Inner {
            place,
            blobs,
            source,
            writer: Mutex::default(),
            journal: Mutex::default(),
        })))
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.0.place.0
    }

    /// The right to change a sandbox.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if somebody has it.
    pub fn lock(&self, record: &Record) -> Result<SandboxLock> {
        match Lock::take(&self.0.place.lock(record.number))? {
            Ok(lock) => Ok(SandboxLock { _lock: lock }),
            Err(by) => Err(StoreError::InUse { id: record.id.clone(), by }),
        }
    }

    /// Who has the right to change a sandbox at this moment. Takes nothing from anybody.
    ///
    /// # Errors
    /// Those of the system.
    pub fn user(&self, record: &Record) -> Result<User> {
        Lock::user(&self.0.place.lock(record.number))
    }

    /// The files of a state, read as they are needed. Changes stay in memory until they are
    /// [committed](Self::commit).
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the root is missing or damaged.
    pub fn files(&self, root: &BlobId) -> Result<MemoryFs> {
        // For its error, which says more.
        self.0.blobs.get(root)?;
        MemoryFs::open(self.source(), root).map_err(StoreError::Files)
    }

    pub(crate) fn source(&self) -> &Arc<dyn BlobSource> {
        &self.0.source
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.0.blobs
    }

    pub(crate) fn place(&self) -> &Place {
        &self.0.place
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.0.place.database()
    }

    pub(crate) fn reading<T>(&self, read: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T> {
        self.0.blobs.reading(read)
    }

    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let writer = {
            let mut writer = self.0.writer.lock().unwrap_or_else(PoisonError::into_inner);
            match &*writer {
                Some(writer) => Arc::clone(writer),
                None => {
                    let at = self.database();
                    Arc::clone(writer.insert(Arc::new(Writer::start(at)?)))
                }
            }
        };
        writer.write(work)
    }

    /// Who writes the journal.
    pub(crate) fn journal(&self) -> Result<Arc<Writer>> {
        let mut journal = self.0.journal.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(journal) = &*journal {
            return Ok(Arc::clone(journal));
        }
        let at = self.0.place.journal();
        Ok(Arc::clone(journal.insert(Arc::new(Writer::opening(journal::open, at)?))))
    }

    /// The same, if this process has noted something.
    pub(crate) fn journal_if_begun(&self) -> Option<Arc<Writer>> {
        self.0.journal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("path", &self.path()).finish_non_exhaustive()
    }
}

/// The error for a row whose checksum is wrong.
pub(crate) fn bad_row(at: &Path, what: &str) -> StoreError {
    StoreError::Damaged { at: at.to_owned(), what: format!("{what} has a wrong checksum") }
}

/// The name of a blob in a row.
pub(crate) fn blob(at: &Path, bytes: &[u8]) -> Result<BlobId> {
    bytes.try_into().map(BlobId).map_err(|_| bad_row(at, "a row"))
}
