//! Objects, for threads that wait: each call has a limit of time, and its error is one line.

use crate::error::{Result, StoreError};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, UpdateVersion};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, SystemTime};
use tokio::runtime::{Handle, RuntimeFlavor};

/// The longest time that one request takes, with its repetitions.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often a waiting thread looks whether its work was given up.
const LOOK: Duration = Duration::from_millis(20);

/// Requests at the same time, of one call.
const TOGETHER: usize = 32;

/// The largest object that is read.
const LARGEST: u64 = 64 << 20;

/// Which version of an object is meant.
pub(crate) type Version = UpdateVersion;

/// The objects of a store, below its prefix. Names are below that.
pub(crate) struct Objects {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// The address, as errors show it.
    at: PathBuf,
    handle: Handle,
    /// How many requests there were, and how many of them got no answer or an error.
    requests: AtomicU64,
    failures: AtomicU64,
}

/// An object in a listing.
pub(crate) struct Listed {
    /// The last part of its name.
    pub(crate) name: String,
    pub(crate) size: u64,
    /// By the clock of the object store.
    pub(crate) modified: SystemTime,
}

impl Objects {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, prefix: Path, at: PathBuf, handle: Handle) -> Arc<Self> {
        let (requests, failures) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Self { store, prefix, at, handle, requests, failures })
    }

    pub(crate) fn at(&self) -> PathBuf {
        self.at.clone()
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Does something on the store's own runtime, and waits for it on this thread. On a thread of another runtime, that
    /// one goes on meanwhile. Work that was [given up](sandshell_vfs::is_given_up) is not waited for.
    pub(crate) fn wait<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (sender, answer) = sync_channel(1);
        let task = self.handle.spawn(async move {
            // Who does not wait any more needs no answer.
            let _ = sender.send(work.await);
        });
        let wait = || loop {
            match answer.recv_timeout(LOOK) {
                Ok(done) => return done,
                Err(RecvTimeoutError::Disconnected) => return Err(StoreError::Closed),
                Err(RecvTimeoutError::Timeout) if sandshell_vfs::is_given_up() => {
                    task.abort();
                    return Err(StoreError::Files(sandshell_vfs::Errno::Intr));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        match Handle::try_current().map(|handle| handle.runtime_flavor()) {
            Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(wait),
            _ => wait(),
        }
    }

    /// An object and its version; `None` if there is none.
    pub(crate) async fn get(&self, name: &str) -> Result<Option<(Bytes, Version)>> {
        let path = self.path(name);
        let read = async {
            let found = self.store.get(&path).await?;
            if found.meta.size > LARGEST {
                return Ok(None);
            }
            let version = Version { e_tag: found.meta.e_tag.clone(), version: found.meta.version.clone() };
            Ok(Some((found.bytes().await?, version)))
        };
        match self.patiently(read).await? {
            Ok(None) => Err(self.damaged(&format!("the object {name} is larger than {LARGEST} bytes"))),
            Ok(found) => Ok(found),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Writes an object. `None`: there is one where none should be, or not that version.
    pub(crate) async fn put(&self, name: &str, bytes: Bytes, mode: PutMode) -> Result<Option<Version>> {
        let path = self.path(name);
        let replaces = matches!(mode, PutMode::Update(_));
        let put = self.store.put_opts(&path, bytes.into(), mode.into());
        match self.patiently(put).await? {
            Ok(done) => Ok(Some(done.into())),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. } | Error::NotModified { .. }) => {
                Ok(None)
            }
            // The object that was to be replaced.
            Err(Error::NotFound { .. }) if replaces => Ok(None),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// As [`put`](Self::put), for bytes that no other call writes. If no answer came, or it may be that of a
    /// repetition, what is there now tells whether it was done.
    pub(crate) async fn put_unique(
        &self,
        name: &str,
        bytes: Bytes,
        mode: PutMode,
    ) -> Result<Option<Version>> {
        let done = self.put(name, bytes.clone(), mode).await;
        if matches!(done, Ok(Some(_))) {
            return done;
        }
        match self.get(name).await {
            Ok(Some((found, version))) if found == bytes => Ok(Some(version)),
            _ => done,
        }
    }

    /// Writes objects whose names say what is in them.
    pub(crate) async fn put_all(&self, objects: Vec<(String, Bytes)>) -> Result<()> {
        stream::iter(objects)
            .map(|(name, bytes)| async move { self.put(&name, bytes, PutMode::Overwrite).await })
            .buffer_unordered(TOGETHER)
            .try_for_each(|_| std::future::ready(Ok(())))
            .await
    }

    /// Reads objects, in this order.
    pub(crate) async fn get_all(&self, names: Vec<String>) -> Result<Vec<Option<(Bytes, Version)>>> {
        stream::iter(names)
            .map(|name| async move { self.get(&name).await })
            .buffered(TOGETHER)
            .try_collect()
            .await
    }

    /// Deletes an object. It is no error if there is none.
    pub(crate) async fn delete(&self, name: &str) -> Result<()> {
        match self.patiently(self.store.delete(&self.path(name))).await? {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.failed(&error)),
        }
    }

    pub(crate) async fn delete_all(&self, names: Vec<String>) -> Result<()> {
        stream::iter(names)
            .map(|name| async move { self.delete(&name).await })
            .buffer_unordered(TOGETHER)
            .try_for_each(|()| std::future::ready(Ok(())))
            .await
    }

    /// The objects of a folder, sorted by name.
    pub(crate) async fn list(&self, folder: &str) -> Result<Vec<Listed>> {
        let mut pages = self.store.list(Some(&self.path(folder)));
        let mut all = Vec::new();
        while let Some(found) = self.patiently(pages.next()).await? {
            let meta = found.map_err(|error| self.failed(&error))?;
            if let Some(name) = meta.location.filename() {
                let (name, modified) = (name.to_owned(), meta.last_modified.into());
                all.push(Listed { name, size: meta.size, modified });
            }
        }
        all.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(all)
    }

    /// When an object was written, by the clock of the object store.
    pub(crate) async fn modified(&self, name: &str) -> Result<Option<SystemTime>> {
        match self.patiently(self.store.head(&self.path(name))).await? {
            Ok(meta) => Ok(Some(meta.last_modified.into())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failed(&error)),
        }
    }

    async fn patiently<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        tokio::time::timeout(PATIENCE, work).await.map_err(|_| {
            self.failures.fetch_add(1, Ordering::Relaxed);
            let why = format!("no answer in {} seconds", PATIENCE.as_secs());
            StoreError::Unreachable { at: self.at(), why }
        })
    }

    fn path(&self, name: &str) -> Path {
        name.split('/').fold(self.prefix.clone(), |path, part| path.join(part))
    }

    pub(crate) fn damaged(&self, what: &str) -> StoreError {
        StoreError::Damaged { at: self.at(), what: what.to_owned() }
    }

    pub(crate) fn refused(&self, why: &str) -> StoreError {
        StoreError::Refused { at: self.at(), why: why.to_owned() }
    }

    /// Requests until now, and those that failed.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.requests.load(Ordering::Relaxed), self.failures.load(Ordering::Relaxed))
    }

    fn failed(&self, error: &Error) -> StoreError {
        self.failures.fetch_add(1, Ordering::Relaxed);
        match error {
            Error::Unauthenticated { .. } => self.refused("the object store does not accept the credentials"),
            Error::PermissionDenied { .. } => {
                self.refused("the object store does not accept the credentials, or they do not allow this")
            }
            Error::NotFound { .. } => self.refused("there is no such bucket"),
            Error::NotImplemented { .. } | Error::NotSupported { .. } => self.refused(
                "the object store has no conditional writes, without which two machines could both write",
            ),
            error => StoreError::Unreachable { at: self.at(), why: reason(error) },
        }
    }
}

/// What is at the bottom of an error, on one line.
fn reason(error: &Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let text: String = cause.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(300).collect()
}
