//! Creating, finding, listing and deleting sandboxes, and their history.

use super::record::{
    Earlier, Full, SANDBOX, SANDBOXES, SandboxObject, StateEntry, blob_name, millis, new_id, number,
    sandbox_name,
};
use super::{Shared, TRIES, not_collecting, sealed};
use crate::error::{Result, StoreError};
use crate::names::random_name;
use crate::records::sandbox::{NewSandbox, Page, Record};
use crate::records::state::State;
use crate::time::now;
use object_store::PutMode;
use sandshell_vfs::BlobId;
use std::sync::Arc;

/// How many of the newest states are kept, and perhaps some more.
pub(crate) const KEPT: usize = 200;

/// How many records are read at the same time.
const TOGETHER: usize = 64;

impl Shared {
    pub(crate) fn create(&self, root: BlobId, new: NewSandbox, what: &str) -> Result<Record> {
        let (objects, what) = (self.objects.clone(), crate::records::state::comment(what).to_owned());
        self.objects.wait(async move {
            let at = now();
            let (mut labels, hard) = (new.labels, new.hard_ttl.map(millis));
            labels.sort();
            labels.dedup();
            for _ in 0..TRIES {
                let object = SandboxObject {
                    nonce: random_name()?,
                    id: new_id(SANDBOX)?,
                    head: root,
                    state: 1,
                    created: at,
                    used: at,
                    ttl: new.ttl.map(millis),
                    ends: hard.map(|hard| at.saturating_add(hard)),
                    paused: false,
                    labels: labels.clone(),
                    options: new.options.clone(),
                    holder: None,
                    states: vec![StateEntry { number: 1, root, at, what: what.clone() }],
                    earlier: None,
                };
                let (name, bytes) = (sandbox_name(&object.id), sealed::seal(&object, &[])?);
                if objects.put_unique(&name, bytes, PutMode::Create).await?.is_none() {
                    // Somebody else had the same id.
                    continue;
                }
                if let Err(collecting) = not_collecting(&objects).await {
                    objects.delete(&name).await?;
                    return Err(collecting);
                }
                return Ok(object.record());
            }
            Err(StoreError::Busy(objects.at()))
        })
    }

    pub(crate) fn sandbox(&self, id: &str) -> Result<Record> {
        self.living(id).map(|full| full.object.record())
    }

    /// A sandbox whose time is not over.
    fn living(&self, id: &str) -> Result<Full> {
        let full = self.full(id)?.ok_or_else(|| StoreError::NoSandbox(id.to_owned()))?;
        if full.object.is_over() {
            self.delete(id)?;
            return Err(StoreError::NoSandbox(id.to_owned()));
        }
        Ok(full)
    }

    pub(crate) fn list(&self, labels: &[(String, String)], after: i64, limit: usize) -> Result<Page> {
        let (objects, labels, limit) = (self.objects.clone(), labels.to_vec(), limit.max(1));
        let (mut sandboxes, over) = self.objects.wait(async move {
            let all = objects.list(SANDBOXES).await?;
            let ids: Vec<String> = all
                .into_iter()
                .map(|listed| listed.name)
                .filter(|id| number(id, SANDBOX).is_some_and(|number| number > after))
                .collect();
            let (mut found, mut over) = (Vec::new(), Vec::new());
            for ids in ids.chunks(TOGETHER) {
                let read = objects.get_all(ids.iter().map(|id| sandbox_name(id)).collect()).await?;
                for (id, read) in ids.iter().zip(read) {
                    // One may have been deleted meanwhile.
                    let Some((bytes, version)) = read else { continue };
                    let object = Full::open(&objects, id, &bytes, version)?.object;
                    if object.is_over() {
                        over.push(object.id);
                    } else if labels.iter().all(|label| object.labels.contains(label)) {
                        found.push(object.record());
                    }
                }
                if found.len() > limit {
                    break;
                }
            }
            Ok((found, over))
        })?;
        for id in over {
            self.delete(&id)?;
        }
        let more = sandboxes.len() > limit;
        sandboxes.truncate(limit);
        let next = if more { sandboxes.last().map(|last| last.number) } else { None };
        Ok(Page { sandboxes, next })
    }

    pub(crate) fn delete(&self, id: &str) -> Result<()> {
        if number(id, SANDBOX).is_none() {
            return Ok(());
        }
        let (objects, name) = (self.objects.clone(), sandbox_name(id));
        self.objects.wait(async move { objects.delete(&name).await })
    }

    /// Deletes the sandboxes whose time is over.
    pub(crate) fn expire(&self) -> Result<()> {
        self.list(&[], 0, usize::MAX - 1).map(drop)
    }

    pub(crate) fn log(&self, id: &str) -> Result<Vec<State>> {
        let full = self.living(id)?;
        let mut states: Vec<StateEntry> = full.object.states.into_iter().rev().collect();
        let mut link = full.object.earlier;
        while let Some(next) = link.filter(|_| states.len() < KEPT) {
            let chunk = self.earlier(&next.0)?;
            states.extend(chunk.states.into_iter().rev());
            link = chunk.earlier;
        }
        Ok(states.iter().map(StateEntry::state).collect())
    }

    pub(crate) fn state(&self, id: &str, state: u64) -> Result<State> {
        let found = self.log(id)?.into_iter().find(|found| found.number == state);
        found.ok_or_else(|| StoreError::NoState(id.to_owned(), state))
    }

    pub(crate) fn earlier(&self, id: &BlobId) -> Result<Earlier> {
        let (objects, name) = (self.objects.clone(), blob_name(id));
        let what = format!("blob {id} is missing or damaged");
        let found = self.objects.wait(async move { objects.get(&name).await })?;
        let bytes = found.map(|(bytes, _)| bytes).filter(|bytes| crate::names::name(bytes) == *id);
        let read = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        read.ok_or_else(|| self.objects.damaged(&what))
    }

    /// Creates a sandbox with the files of another one.
    pub(crate) fn fork(self: &Arc<Self>, id: &str, hard_ttl: Option<std::time::Duration>) -> Result<Record> {
        let from = self.living(id)?;
        // The new record does not have them.
        self.upload(from.blobs)?;
        let record = from.object.record();
        let new = NewSandbox { labels: Vec::new(), ttl: record.ttl, hard_ttl, options: record.options };
        self.create(record.head, new, &format!("fork of {id}"))
    }
}
