//! Writing: blobs first, then the record that refers to them.

use super::objects::Objects;
use super::record::{
    Earlier, Full, Holder, Link, SandboxObject, StateEntry, TemplateObject, blob_name, read, template_name,
};
use super::sealed::{self, Blob};
use super::{Shared, TRIES, give_way};
use crate::error::{Result, StoreError};
use crate::names::name;
use crate::records::sandbox::Record;
use crate::records::state::comment;
use crate::store::Store;
use crate::time::now;
use bytes::Bytes;
use object_store::PutMode;
use sandshell_vfs::{BlobId, BlobSink, Errno};
use std::sync::Arc;

/// Blobs of fewer bytes stay in the record at first.
const SMALL: usize = 16 << 10;

/// The most bytes of blobs in a record.
const IN_RECORD: usize = 96 << 10;

/// The most states in a record; older ones are a blob.
const STATES: usize = 32;

/// When so many bytes wait to be uploaded, that is done.
const PIECE: usize = 16 << 20;

/// What a commit stores.
pub(crate) struct Upload<'a> {
    store: &'a Store,
    shared: Arc<Shared>,
    small: Vec<Blob>,
    large: Vec<Blob>,
    size: usize,
    pub(crate) failed: Option<StoreError>,
}

impl<'a> Upload<'a> {
    pub(crate) fn new(store: &'a Store, shared: &Arc<Shared>) -> Self {
        let shared = Arc::clone(shared);
        Self { store, shared, small: Vec::new(), large: Vec::new(), size: 0, failed: None }
    }

    fn add(&mut self, id: BlobId, bytes: Arc<Vec<u8>>) -> Result<()> {
        self.store.cache(id, &bytes);
        self.size += bytes.len();
        let group = if bytes.len() < SMALL { &mut self.small } else { &mut self.large };
        group.push((id, bytes));
        if self.size > PIECE {
            self.flush()?;
        }
        Ok(())
    }

    /// Uploads everything.
    fn flush(&mut self) -> Result<()> {
        let mut blobs = std::mem::take(&mut self.large);
        blobs.append(&mut self.small);
        self.size = 0;
        self.shared.upload(blobs)
    }
}

impl BlobSink for Upload<'_> {
    fn store(&mut self, bytes: Arc<Vec<u8>>) -> sandshell_vfs::Result<BlobId> {
        let id = name(&bytes);
        self.add(id, bytes).map(|()| id).map_err(|error| {
            self.failed = Some(error);
            Errno::Io
        })
    }
}

/// Uploads blobs under their names.
pub(crate) async fn upload(objects: &Objects, blobs: impl IntoIterator<Item = Blob>) -> Result<()> {
    // Also those that may be there already: they count as new for whoever collects garbage.
    let objects_of = |(id, bytes): Blob| (blob_name(&id), Bytes::from_owner(Shelf(bytes)));
    objects.put_all(blobs.into_iter().map(objects_of).collect()).await
}

/// Shared bytes, which are not copied.
struct Shelf(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shelf {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// What a change is allowed by.
#[derive(Clone)]
pub(crate) enum Right {
    /// Everybody may do it.
    Anybody,
    /// This lease.
    Lease(Holder),
}

impl Shared {
    pub(crate) fn upload(&self, blobs: Vec<Blob>) -> Result<()> {
        let objects = self.objects.clone();
        self.objects.wait(async move { upload(&objects, blobs).await })
    }

    /// Makes `root` the newest state of a sandbox whose lease is held. The blobs of `uploaded` are stored with it.
    pub(crate) fn commit(
        &self,
        id: &str,
        root: BlobId,
        uploaded: Option<Upload<'_>>,
        what: &str,
    ) -> Result<Record> {
        let (mut small, large) =
            uploaded.map_or_else(Default::default, |upload| (upload.small, upload.large));
        let full = self.held().get(id).cloned().flatten();
        let full = full.ok_or_else(|| StoreError::LeaseLost { id: id.to_owned(), by: None })?;
        let right = full.object.holder.clone().map_or(Right::Anybody, Right::Lease);
        let mut blobs = full.blobs.clone();
        let mut next = full.object.clone();
        advance(&mut next, root, what);
        let mut first = large;
        if next.states.len() > STATES {
            let states = std::mem::take(&mut next.states);
            let earlier = Earlier { states, earlier: next.earlier };
            let bytes = serde_json::to_vec(&earlier).map_err(|error| StoreError::Io {
                at: self.objects.at(),
                source: std::io::Error::other(error),
            })?;
            let bytes = Arc::new(bytes);
            let id = name(&bytes);
            next.earlier = Some(Link(id));
            first.push((id, bytes));
        }
        blobs.append(&mut small);
        if blobs.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > IN_RECORD {
            first.append(&mut blobs);
        }
        let objects = self.objects.clone();
        let change = move |now: &mut SandboxObject| {
            // Others may have changed the rest.
            now.head = next.head;
            now.state = next.state;
            now.states.clone_from(&next.states);
            now.earlier = next.earlier;
            now.used = next.used;
        };
        let id = id.to_owned();
        let done = self.objects.wait(async move {
            upload(&objects, first).await?;
            replace(&objects, full, &right, Some(blobs), change).await.map_err(|failed| match failed {
                StoreError::NoSandbox(_) => StoreError::Deleted(id),
                failed => failed,
            })
        })?;
        self.note(&done);
        Ok(done.object.record())
    }

    /// Changes a record, but not the files.
    pub(crate) fn change(
        &self,
        id: &str,
        change: impl Fn(&mut Record) + Send + Sync + 'static,
    ) -> Result<Record> {
        let full = self.full(id)?.ok_or_else(|| StoreError::NoSandbox(id.to_owned()))?;
        let objects = self.objects.clone();
        let done = self.objects.wait(async move {
            let change = |object: &mut SandboxObject| {
                let mut record = object.record();
                change(&mut record);
                object.change(&record);
            };
            replace(&objects, full, &Right::Anybody, None, change).await
        })?;
        self.note(&done);
        Ok(done.object.record())
    }

    /// Remembers the newest version of a record whose lease is held.
    fn note(&self, full: &Full) {
        if let Some(held) = self.held().get_mut(&full.object.id)
            && held.is_some()
        {
            *held = Some(full.clone());
        }
        self.know(full);
    }

    /// The root of a template.
    pub(crate) fn template(&self, key: &str) -> Result<Option<BlobId>> {
        let (objects, key) = (self.objects.clone(), key.to_owned());
        self.objects.wait(async move {
            let found = read::<TemplateObject>(&objects, &template_name(&key)).await?;
            Ok(found.filter(|(template, _)| template.key == key).map(|(template, _)| template.root))
        })
    }

    /// Stores a template.
    pub(crate) fn keep_template(&self, key: &str, root: BlobId, mut uploaded: Upload<'_>) -> Result<BlobId> {
        uploaded.flush()?;
        let (objects, key) = (self.objects.clone(), key.to_owned());
        self.objects.wait(async move {
            let name = template_name(&key);
            let bytes = sealed::seal(&TemplateObject { key, root }, &[])?;
            objects.put(&name, bytes, PutMode::Overwrite).await?;
            if let Err(collecting) = super::not_collecting(&objects).await {
                objects.delete(&name).await?;
                return Err(collecting);
            }
            Ok(root)
        })
    }
}

/// Writes the next version of a record, also if others change it at the same time, as long as the lease is the same.
async fn replace(
    objects: &Objects,
    mut full: Full,
    right: &Right,
    blobs: Option<Vec<Blob>>,
    change: impl Fn(&mut SandboxObject),
) -> Result<Full> {
    let id = full.object.id.clone();
    for tries in 0..TRIES {
        if let Right::Lease(lease) = right
            && full.object.holder.as_ref() != Some(lease)
        {
            let by = full.object.holder.as_ref().map(|holder| holder.name.clone());
            return Err(StoreError::LeaseLost { id, by });
        }
        let mut next = full.object.clone();
        change(&mut next);
        let blobs = blobs.clone().unwrap_or_else(|| full.blobs.clone());
        if let Some(done) = full.replace(objects, next, blobs).await? {
            return Ok(done);
        }
        give_way(tries).await;
        full = Full::read(objects, &id).await?.ok_or_else(|| StoreError::NoSandbox(id.clone()))?;
    }
    Err(StoreError::Busy(objects.at()))
}

/// Makes `root` the newest state.
pub(crate) fn advance(object: &mut SandboxObject, root: BlobId, what: &str) {
    let at = now();
    object.head = root;
    object.state += 1;
    object.used = at;
    object.states.push(StateEntry { number: object.state, root, at, what: comment(what).to_owned() });
}
