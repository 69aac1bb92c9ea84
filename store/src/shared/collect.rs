//! Removing blobs that nothing refers to, and looking for damage.
//!
//! Nobody writes while garbage is collected. Who collects says so first, and then looks for leases; who takes a lease,
//! or creates something, does it first and then looks whether somebody collects. So one of them sees the other.

use super::host::{Host, lasts};
use super::objects::{Objects, Version};
use super::record::{
    BLOBS, COLLECTING, Full, HOSTS, HostObject, SANDBOXES, SNAPSHOTS, SnapshotObject, TEMPLATES,
    TemplateObject, blob_name, host_name, read, sandbox_name, snapshot_name,
};
use super::{Shared, sealed};
use crate::error::{Result, StoreError};
use crate::gc::{Checked, Collected};
use crate::time::now;
use object_store::PutMode;
use sandshell_vfs::{BlobId, BlobKind, references};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// Younger blobs are kept: who uploaded them may not have come to what refers to them.
const YOUNG: Duration = Duration::from_secs(3600);

/// How long it is believed that somebody collects, if he does not say it again.
const CLAIM: i64 = 10 * 60 * 1000;

/// How many blobs are read or removed at the same time.
const TOGETHER: usize = 256;

/// Where marking begins, and what it belongs to.
struct Root {
    id: BlobId,
    what: String,
}

/// What everything is reached from.
#[derive(Default)]
struct Roots {
    roots: Vec<Root>,
    /// Blobs that are in records.
    inside: HashMap<BlobId, Arc<Vec<u8>>>,
    /// Blobs with states.
    chunks: HashSet<BlobId>,
}

/// The right to collect garbage.
struct Claim {
    objects: Arc<Objects>,
    host: Arc<Host>,
    version: Version,
}

impl Claim {
    async fn take(objects: &Arc<Objects>, host: &Arc<Host>) -> Result<Self> {
        let taken = || StoreError::Collecting { at: objects.at(), by: None };
        let found = read::<HostObject>(objects, COLLECTING).await?;
        let mode = match found {
            Some((claim, _)) if claim.until > now() => return Err(taken()),
            Some((_, version)) => PutMode::Update(version),
            None => PutMode::Create,
        };
        let version = Self::write(objects, host, mode).await?.ok_or_else(taken)?;
        Ok(Self { objects: objects.clone(), host: host.clone(), version })
    }

    async fn write(objects: &Objects, host: &Host, mode: PutMode) -> Result<Option<Version>> {
        let record = HostObject { until: now() + CLAIM, ..host.record()? };
        objects.put_unique(COLLECTING, sealed::seal(&record, &[])?, mode).await
    }

    /// Fails if somebody else took the right meanwhile.
    async fn renew(&mut self) -> Result<()> {
        let version = Self::write(&self.objects, &self.host, PutMode::Update(self.version.clone())).await?;
        self.version = version.ok_or_else(|| StoreError::Collecting { at: self.objects.at(), by: None })?;
        Ok(())
    }

    async fn end(mut self) -> Result<()> {
        self.renew().await?;
        self.objects.delete(COLLECTING).await
    }
}

impl Shared {
    pub(crate) fn collect(&self, dry_run: bool, progress: &mut dyn FnMut(u64)) -> Result<Collected> {
        let (objects, host) = (self.objects.clone(), self.host.clone());
        let claim = if dry_run {
            None
        } else {
            Some(self.objects.wait(async move { Claim::take(&objects, &host).await })?)
        };
        let (claim, done) = self.collecting(claim, progress);
        if let Some(claim) = claim {
            // If it does not work, the claim runs out.
            let _ = self.objects.wait(async move { claim.end().await });
        }
        done
    }

    fn collecting(
        &self,
        claim: Option<Claim>,
        progress: &mut dyn FnMut(u64),
    ) -> (Option<Claim>, Result<Collected>) {
        let marked = match self.roots(claim.is_some()).and_then(|roots| self.mark(&roots, progress)) {
            Ok(marked) => marked,
            Err(error) => return (claim, Err(error)),
        };
        let objects = self.objects.clone();
        let waiting = self.objects.clone();
        let swept = waiting.wait(async move {
            let mut claim = claim;
            let done = sweep(&objects, &mut claim, &marked).await;
            Ok((claim, done))
        });
        swept.unwrap_or_else(|error| (None, Err(error)))
    }

    /// What everything is reached from. `alone`: fails if somebody has a lease, and ends those that ran out.
    fn roots(&self, alone: bool) -> Result<Roots> {
        let objects = self.objects.clone();
        let (mut roots, mut links) = self.objects.wait(async move {
            let (mut roots, mut links) = (Roots::default(), Vec::new());
            for listed in objects.list(SANDBOXES).await? {
                let Some((bytes, version)) = objects.get(&sandbox_name(&listed.name)).await? else {
                    continue;
                };
                let full = Full::open(&objects, &listed.name, &bytes, version)?;
                if let Some(holder) = full.object.holder.as_ref().filter(|_| alone) {
                    let id = full.object.id.clone();
                    if let Some(until) = lasts(&objects, holder).await? {
                        return Err(StoreError::Leased { id, holder: holder.name.clone(), until });
                    }
                    let mut next = full.object.clone();
                    next.holder = None;
                    if full.replace(&objects, next, full.blobs.clone()).await?.is_none() {
                        return Err(StoreError::Leased {
                            id,
                            holder: holder.name.clone(),
                            until: std::time::SystemTime::now(),
                        });
                    }
                }
                let object = full.object;
                roots.inside.extend(full.blobs);
                roots.roots.push(Root { id: object.head, what: format!("the sandbox {}", object.id) });
                roots.roots.extend(object.states.iter().map(|state| Root {
                    id: state.root,
                    what: format!("the state {} of the sandbox {}", state.number, object.id),
                }));
                if let Some(link) = object.earlier {
                    links.push((link.0, object.id, object.states.len()));
                }
            }
            for listed in objects.list(SNAPSHOTS).await? {
                if let Some((found, _)) =
                    read::<SnapshotObject>(&objects, &snapshot_name(&listed.name)).await?
                {
                    roots.roots.push(Root { id: found.root, what: format!("the snapshot {}", found.id) });
                }
            }
            for listed in objects.list(TEMPLATES).await? {
                let name = format!("{TEMPLATES}/{}", listed.name);
                if let Some((found, _)) = read::<TemplateObject>(&objects, &name).await? {
                    roots.roots.push(Root { id: found.root, what: format!("the template {}", found.key) });
                }
            }
            Ok((roots, links))
        })?;
        while let Some((link, id, states)) = links.pop() {
            roots.chunks.insert(link);
            let chunk = self.earlier(&link)?;
            let states = states + chunk.states.len();
            roots.roots.extend(chunk.states.iter().map(|state| Root {
                id: state.root,
                what: format!("the state {} of the sandbox {id}", state.number),
            }));
            // As many as `log` shows.
            if let Some(next) = chunk.earlier.filter(|_| states < super::sandboxes::KEPT) {
                links.push((next.0, id, states));
            }
        }
        Ok(roots)
    }

    /// Everything that is reached.
    fn mark(&self, roots: &Roots, progress: &mut dyn FnMut(u64)) -> Result<HashSet<BlobId>> {
        let mut seen = roots.chunks.clone();
        let from: Vec<_> = roots.roots.iter().map(|root| (BlobKind::Root, root.id)).collect();
        let bad = self.walk(from, roots, false, &mut seen, progress)?;
        match bad.first() {
            Some(id) => Err(self.objects.damaged(&format!("blob {id} is missing or damaged"))),
            None => Ok(seen),
        }
    }

    /// Goes through what is reached from some blobs and was not seen before. Returns what is missing or damaged.
    fn walk(
        &self,
        mut pending: Vec<(BlobKind, BlobId)>,
        roots: &Roots,
        bytes: bool,
        seen: &mut HashSet<BlobId>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<BlobId>> {
        let mut bad = Vec::new();
        while !pending.is_empty() {
            let group = pending.split_off(pending.len().saturating_sub(TOGETHER));
            let group: Vec<_> = group
                .into_iter()
                .filter(|(kind, id)| seen.insert(*id) && (bytes || *kind != BlobKind::Bytes))
                .collect();
            let names = group.iter().filter(|(_, id)| !roots.inside.contains_key(id));
            let names: Vec<_> = names.map(|(_, id)| blob_name(id)).collect();
            let objects = self.objects.clone();
            let mut read = self.objects.wait(async move { objects.get_all(names).await })?.into_iter();
            for (kind, id) in group {
                let found = match roots.inside.get(&id) {
                    Some(bytes) => references(kind, bytes).ok(),
                    None => {
                        let bytes = read.next().flatten().map(|(bytes, _)| bytes);
                        let bytes = bytes.filter(|bytes| crate::names::name(bytes) == id);
                        bytes.and_then(|bytes| references(kind, &bytes).ok())
                    }
                };
                match found {
                    Some(found) => pending.extend(found),
                    None => bad.push(id),
                }
            }
            progress(seen.len() as u64);
        }
        Ok(bad)
    }

    pub(crate) fn check(&self, progress: &mut dyn FnMut(u64)) -> Result<Checked> {
        let roots = match self.roots(false) {
            Ok(roots) => roots,
            Err(error @ StoreError::Damaged { .. }) => {
                return Ok(Checked { damage: vec![error.to_string()], ..Checked::default() });
            }
            Err(error) => return Err(error),
        };
        let mut seen = roots.chunks.clone();
        let from = roots.roots.iter().map(|root| (BlobKind::Root, root.id)).collect();
        let bad = self.walk(from, &roots, true, &mut seen, progress)?;
        let mut checked = Checked { blobs: seen.len() as u64, damage: Vec::new() };
        if bad.is_empty() {
            return Ok(checked);
        }
        for root in &roots.roots {
            let mut alone = HashSet::new();
            for id in self.walk(vec![(BlobKind::Root, root.id)], &roots, true, &mut alone, progress)? {
                checked.damage.push(format!("{}: blob {id} is missing or damaged", root.what));
            }
        }
        Ok(checked)
    }
}

/// Counts the blobs, and with a claim removes those that were not marked.
async fn sweep(objects: &Objects, claim: &mut Option<Claim>, marked: &HashSet<BlobId>) -> Result<Collected> {
    let mut collected = Collected::default();
    let listed = objects.list(BLOBS).await?;
    // By the clock of the object store, as the times of the objects are.
    let clock = match claim {
        Some(claim) => {
            claim.renew().await?;
            objects.modified(COLLECTING).await?
        }
        None => Some(std::time::SystemTime::now()),
    };
    let old = clock.and_then(|clock| clock.checked_sub(YOUNG));
    let mut garbage = Vec::new();
    if claim.is_some() {
        // Nobody needs the records of hosts whose leases are over.
        for host in objects.list(HOSTS).await? {
            let name = host_name(&host.name);
            if read::<HostObject>(objects, &name).await?.is_some_and(|(host, _)| host.until <= now()) {
                objects.delete(&name).await?;
            }
        }
    }
    for blob in listed {
        let needed = sealed::hex::parse(&blob.name).is_some_and(|id| marked.contains(&id));
        if needed || old.is_none_or(|old| blob.modified > old) {
            collected.kept += 1;
            collected.kept_bytes += blob.size;
        } else {
            collected.removed += 1;
            collected.removed_bytes += blob.size;
            garbage.push(format!("{BLOBS}/{}", blob.name));
        }
    }
    if let Some(claim) = claim {
        for names in garbage.chunks(TOGETHER) {
            claim.renew().await?;
            objects.delete_all(names.to_vec()).await?;
        }
    }
    Ok(collected)
}
