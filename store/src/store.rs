//! A store in use.

use crate::blobs::Blobs;
use crate::error::{Result, StoreError};
use crate::journal;
use crate::place::{Lock, Place, User, exists, failed, own_file, prepare};
use crate::records::sandbox::Record;
use crate::writer::{LazyWriter, Writer};
use rusqlite::Connection;
use sandshell_vfs::{BlobId, BlobSource, MemoryFs};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a lease lasts without being renewed, if nothing else is asked for.
#[cfg(feature = "object-store")]
const LEASE: Duration = Duration::from_secs(60);

/// A cache that is larger is emptied when it is opened.
#[cfg(feature = "object-store")]
const MOST_CACHED: u64 = 16 << 30;

/// Lets the object store answer, if the store is in one.
macro_rules! shared {
    ($store:expr, |$shared:ident| $answer:expr) => {
        #[cfg(feature = "object-store")]
        if let Some($shared) = $store.in_objects() {
            return $answer;
        }
    };
}
pub(crate) use shared;

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
    writer: Arc<LazyWriter>,
    /// Started by the first call that is noted.
    journal: Mutex<Option<Arc<Writer>>>,
    /// The object store that this is a cache of.
    #[cfg(feature = "object-store")]
    shared: Option<Arc<crate::shared::Shared>>,
}

/// A store that several machines use, in an object store.
#[derive(Clone, Default)]
pub struct SharedOptions {
    /// `s3://BUCKET/PREFIX`, `gs://BUCKET/PREFIX`, `az://CONTAINER/PREFIX` or `file:///DIRECTORY`.
    pub url: String,
    /// What says how to get there: variables of the environment such as `AWS_ACCESS_KEY_ID`. Others are not looked at.
    pub variables: Vec<(String, String)>,
    /// How long a sandbox stays another host's after that host was last heard of. `None`: a minute.
    pub lease: Option<Duration>,
}

impl fmt::Debug for SharedOptions {
    /// Without the variables, which have secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedOptions")
            .field("url", &self.url)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

/// The right to change a sandbox: one holder at a time among all processes, and in a shared store among all hosts. The
/// system takes it from a process that ends, in whatever way; others take it from a host that is not heard of any more.
#[derive(Debug)]
pub struct SandboxLock(#[expect(dead_code, reason = "it is held")] Held);

#[derive(Debug)]
enum Held {
    Here(#[expect(dead_code, reason = "it is held")] Lock),
    #[cfg(feature = "object-store")]
    Everywhere(#[expect(dead_code, reason = "it is held")] crate::shared::SharedLock),
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

    /// A store in an object store, which several machines use at the same time. `cache`: a directory of this machine
    /// for what was read and written, which is made if it is missing.
    ///
    /// # Errors
    /// Those of [`open`](Self::open) for the directory; [`StoreError::Unreachable`]; [`StoreError::Refused`] for an
    /// address or credentials that cannot be used, and if this program was built without the feature `object-store`.
    pub fn shared(options: &SharedOptions, cache: &Path) -> Result<Self> {
        #[cfg(feature = "object-store")]
        {
            let (objects, prefix) = crate::shared::open_address(&options.url, &options.variables)?;
            Self::over(objects, prefix, &options.url, options.lease, cache)
        }
        #[cfg(not(feature = "object-store"))]
        {
            let (at, _) = (PathBuf::from(&options.url), cache);
            let why = "this program was built without object stores: its feature `object-store`".to_owned();
            Err(StoreError::Refused { at, why })
        }
    }

    /// As [`shared`](Self::shared), in any object store that can replace an object of one version only. `at`: what
    /// errors call it.
    ///
    /// # Errors
    /// Those of `shared`.
    #[cfg(feature = "object-store")]
    pub fn over(
        objects: Arc<dyn object_store::ObjectStore>,
        prefix: object_store::path::Path,
        at: &str,
        lease: Option<Duration>,
        cache: &Path,
    ) -> Result<Self> {
        let lease = lease.unwrap_or(LEASE);
        let shared = crate::shared::Shared::open(objects, prefix, PathBuf::from(at), lease)?;
        prepare(cache)?;
        let store = match Self::with(cache, Some(shared.clone())) {
            Err(StoreError::Damaged { .. }) => {
                // It is only a cache.
                for ending in ["", "-wal", "-shm"] {
                    let mut file = Place(cache.to_owned()).database().into_os_string();
                    file.push(ending);
                    match fs::remove_file(&file) {
                        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                            return Err(failed(Path::new(&file))(error));
                        }
                        _ => {}
                    }
                }
                Self::with(cache, Some(shared))?
            }
            opened => opened?,
        };
        if fs::metadata(store.database()).is_ok_and(|file| file.len() > MOST_CACHED) {
            store.write(|connection| {
                let emptied = connection.execute_batch("DELETE FROM blobs; PRAGMA incremental_vacuum;");
                emptied.map_err(|error| StoreError::database(Path::new("the cache"), error))
            })?;
        }
        Ok(store)
    }

    fn at(at: &Path) -> Result<Self> {
        Self::with(
            at,
            #[cfg(feature = "object-store")]
            None,
        )
    }

    fn with(
        at: &Path,
        #[cfg(feature = "object-store")] shared: Option<Arc<crate::shared::Shared>>,
    ) -> Result<Self> {
        let at = fs::canonicalize(at).map_err(failed(at))?;
        let place = Place(at);
        let database = place.database();
        own_file(&database)?;
        let writer = Arc::new(LazyWriter::new(database.clone()));
        let blobs = Arc::new(Blobs::new(
            database,
            #[cfg(feature = "object-store")]
            shared.clone().map(|shared| (shared, writer.clone())),
        ));
        // Whether it is a store, and which format it has.
        blobs.reading(|_| Ok(()))?;
        let source: Arc<dyn BlobSource> = blobs.clone();
        Ok(Self(Arc::new(Inner {
            place,
            blobs,
            source,
            writer,
            journal: Mutex::default(),
            #[cfg(feature = "object-store")]
            shared,
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
        shared!(self, |shared| Ok(SandboxLock(Held::Everywhere(shared.lock(&record.id)?))));
        match Lock::take(&self.0.place.lock(record.number))? {
            Ok(lock) => Ok(SandboxLock(Held::Here(lock))),
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
        #[cfg(feature = "object-store")]
        if let Some(shared) = self.in_objects() {
            shared.warm(&self.0.blobs, *root)?;
        }
        // For its error, which says more.
        self.0.blobs.get(root)?;
        MemoryFs::open(self.source(), root).map_err(StoreError::Files)
    }

    /// Ends the leases of this process, if the store is in an object store: others need not wait for them any more.
    /// What still uses a sandbox here then finds that its lease is lost.
    pub fn leave(&self) {
        #[cfg(feature = "object-store")]
        if let Some(shared) = self.in_objects() {
            shared.leave();
        }
    }

    /// How many requests this process has made to the object store, and how many of them failed. `None`: the store is
    /// not in one.
    pub fn requests(&self) -> Option<(u64, u64)> {
        shared!(self, |shared| Some(shared.counts()));
        None
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
        self.0.writer.get()?.write(work)
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

    /// The object store that this is a cache of.
    #[cfg(feature = "object-store")]
    pub(crate) fn in_objects(&self) -> Option<&Arc<crate::shared::Shared>> {
        self.0.shared.as_ref()
    }

    /// Keeps a blob that is in the object store, or will be.
    #[cfg(feature = "object-store")]
    pub(crate) fn cache(&self, id: BlobId, bytes: &Arc<Vec<u8>>) {
        self.0.blobs.keep(id, bytes);
        self.0.blobs.cache(id, bytes);
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("path", &self.path()).finish_non_exhaustive()
    }
}
