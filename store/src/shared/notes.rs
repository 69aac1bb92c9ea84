//! What a program notes beside its sandboxes, under a claim: one process writes at a time.
//!
//! Who takes the claim copies what is there to a folder of his own. What an earlier holder still writes then goes to a
//! folder that nobody reads, and the look at the claim after each write tells him so: nothing that was acknowledged is
//! missing in the copy.

use super::host::lasts;
use super::objects::{Objects, Version};
use super::record::{Holder, read};
use super::sealed;
use super::{Shared, TRIES};
use crate::error::{Result, StoreError};
use crate::store::Store;
use object_store::PutMode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Small named values in a store that several machines share. They are this process's until it ends, or another one
/// takes them because it was not heard of.
pub struct Notes {
    shared: Arc<Shared>,
    claim: ClaimObject,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ClaimObject {
    name: String,
    holder: Holder,
    /// The folder.
    generation: u64,
    /// The folder that it is still being copied from.
    from: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Note {
    name: String,
    text: String,
}

impl Store {
    /// The notes of this name, which has letters, digits and `-` only. `None`: the store is not in an object store.
    ///
    /// # Errors
    /// [`StoreError::Claimed`] if another process has them.
    pub fn notes(&self, name: &str) -> Option<Result<Notes>> {
        self.in_objects().map(|shared| Notes::claim(shared, name))
    }
}

impl Notes {
    fn claim(shared: &Arc<Shared>, name: &str) -> Result<Self> {
        let (objects, host, name) = (shared.objects.clone(), shared.host.clone(), name.to_owned());
        let claim = shared.objects.wait(async move {
            host.keep(&objects).await?;
            for _ in 0..TRIES {
                let found = read::<ClaimObject>(&objects, &claim_name(&name)).await?;
                if let Some((claim, _)) = &found
                    && let Some(until) = lasts(&objects, &claim.holder).await?
                {
                    return Err(StoreError::Claimed { name, holder: claim.holder.name.clone(), until });
                }
                let last = found.as_ref().map_or(0, |(claim, _)| claim.generation);
                // One that was not copied completely has nothing that was acknowledged.
                let from = found.as_ref().and_then(|(claim, _)| claim.from).unwrap_or(last);
                let mode =
                    found.map_or(PutMode::Create, |(_, version): (_, Version)| PutMode::Update(version));
                let mut claim = ClaimObject {
                    name: name.clone(),
                    holder: host.holder()?,
                    generation: last + 1,
                    from: Some(from),
                };
                let Some(version) = claim.put(&objects, mode).await? else { continue };
                copy(&objects, &folder(&name, from), &folder(&name, last + 1)).await?;
                claim.from = None;
                if claim.put(&objects, PutMode::Update(version)).await?.is_some() {
                    for old in from..=last {
                        remove(&objects, &folder(&name, old)).await?;
                    }
                    return Ok(claim);
                }
            }
            Err(StoreError::Busy(objects.at()))
        })?;
        Ok(Self { shared: shared.clone(), claim })
    }

    /// All of them.
    ///
    /// # Errors
    /// Those of reading.
    pub fn all(&self) -> Result<BTreeMap<String, String>> {
        let (objects, folder) =
            (self.shared.objects.clone(), folder(&self.claim.name, self.claim.generation));
        self.shared.objects.wait(async move { all(&objects, &folder).await })
    }

    /// Writes one.
    ///
    /// # Errors
    /// [`StoreError::Claimed`] if another process has taken them.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        let note = Note { name: name.to_owned(), text: text.to_owned() };
        let at = format!("{}/{}", folder(&self.claim.name, self.claim.generation), hash(name));
        let (objects, claim) = (self.shared.objects.clone(), self.claim.clone());
        self.shared.objects.wait(async move {
            objects.put(&at, sealed::seal(&note, &[])?, PutMode::Overwrite).await?;
            still(&objects, &claim).await
        })
    }

    /// Removes one. It is no error if there is none.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    pub fn remove(&self, name: &str) -> Result<()> {
        let at = format!("{}/{}", folder(&self.claim.name, self.claim.generation), hash(name));
        let (objects, claim) = (self.shared.objects.clone(), self.claim.clone());
        self.shared.objects.wait(async move {
            objects.delete(&at).await?;
            still(&objects, &claim).await
        })
    }
}

/// Fails if the claim is somebody else's now.
async fn still(objects: &Objects, claim: &ClaimObject) -> Result<()> {
    match read::<ClaimObject>(objects, &claim_name(&claim.name)).await? {
        Some((found, _)) if found == *claim => Ok(()),
        found => Err(StoreError::Claimed {
            name: claim.name.clone(),
            holder: found.map_or_else(|| "nobody".to_owned(), |(found, _)| found.holder.name),
            until: std::time::SystemTime::now(),
        }),
    }
}

impl ClaimObject {
    async fn put(&self, objects: &Objects, mode: PutMode) -> Result<Option<Version>> {
        objects.put_unique(&claim_name(&self.name), sealed::seal(self, &[])?, mode).await
    }
}

async fn copy(objects: &Objects, from: &str, to: &str) -> Result<()> {
    let mut copies = Vec::new();
    for (name, text) in all(objects, from).await? {
        let at = format!("{to}/{}", hash(&name));
        copies.push((at, sealed::seal(&Note { name, text }, &[])?));
    }
    objects.put_all(copies).await
}

async fn remove(objects: &Objects, folder: &str) -> Result<()> {
    let all = objects.list(folder).await?.into_iter().map(|listed| format!("{folder}/{}", listed.name));
    objects.delete_all(all.collect()).await
}

async fn all(objects: &Objects, folder: &str) -> Result<BTreeMap<String, String>> {
    let names: Vec<_> =
        objects.list(folder).await?.into_iter().map(|listed| format!("{folder}/{}", listed.name)).collect();
    let mut notes = BTreeMap::new();
    for (name, read) in names.iter().zip(objects.get_all(names.clone()).await?) {
        let Some((bytes, _)) = read else { continue };
        let (note, _): (Note, _) = sealed::open(objects, name, &bytes)?;
        notes.insert(note.name, note.text);
    }
    Ok(notes)
}

/// Who has the notes of this name, or had them last.
pub(super) async fn holder(objects: &Objects, name: &str) -> Result<Option<Holder>> {
    Ok(read::<ClaimObject>(objects, &claim_name(name)).await?.map(|(claim, _)| claim.holder))
}

fn claim_name(name: &str) -> String {
    format!("claims/{name}")
}

fn folder(name: &str, generation: u64) -> String {
    format!("notes/{name}/{generation}")
}

fn hash(name: &str) -> String {
    crate::names::name(name.as_bytes()).to_string()
}

impl Drop for Notes {
    /// Gives the claim back, so that others need not wait for that.
    fn drop(&mut self) {
        let (objects, claim) = (self.shared.objects.clone(), self.claim.clone());
        // If it does not work, it runs out with the process.
        let _ = self.shared.objects.wait(async move {
            let name = claim_name(&claim.name);
            let Some((found, version)) = read::<ClaimObject>(&objects, &name).await? else { return Ok(()) };
            if found == claim {
                let mut free = claim;
                // A host that there is not.
                free.holder.session = "nobody".to_owned();
                objects.put(&name, sealed::seal(&free, &[])?, PutMode::Update(version)).await?;
            }
            Ok(())
        });
    }
}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notes").field("name", &self.claim.name).finish_non_exhaustive()
    }
}
