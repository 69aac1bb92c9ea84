//! Fetching what says which files there are, before they are used.
//!
//! Only the bytes of files are fetched when they are read. If a blob of the rest is in the cache, so is all that it
//! refers to: they are put there from the leaves on.

use super::Shared;
use super::record::blob_name;
use crate::blobs::Blobs;
use crate::error::Result;
use crate::names::name;
use sandshell_vfs::{BlobId, BlobKind, references};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

impl Shared {
    /// Fetches the tree of files of this root, without their bytes.
    pub(crate) fn warm(&self, blobs: &Blobs, root: BlobId) -> Result<()> {
        let mut pending = vec![(BlobKind::Root, root)];
        let mut seen = HashSet::new();
        let mut levels = Vec::new();
        loop {
            pending.retain(|(kind, id)| *kind != BlobKind::Bytes && seen.insert(*id) && !blobs.has(id));
            if pending.is_empty() {
                break;
            }
            let mut level = Vec::new();
            let mut next = Vec::new();
            let small = self.small_of(pending.iter().map(|(_, id)| id));
            let missing: Vec<_> = pending
                .iter()
                .zip(&small)
                .filter(|(_, here)| here.is_none())
                .map(|((_, id), _)| blob_name(id))
                .collect();
            let objects = self.objects.clone();
            let mut fetched = self.objects.wait(async move { objects.get_all(missing).await })?.into_iter();
            for ((kind, id), here) in pending.into_iter().zip(small) {
                let bytes =
                    here.or_else(|| fetched.next().flatten().map(|(bytes, _)| Arc::new(bytes.to_vec())));
                let bytes = bytes.filter(|bytes| name(bytes) == id);
                let found = bytes.as_ref().and_then(|bytes| references(kind, bytes).ok());
                let (Some(bytes), Some(found)) = (bytes, found) else {
                    return Err(self.objects.damaged(&format!("blob {id} is missing or damaged")));
                };
                next.extend(found);
                level.push((id, bytes));
            }
            levels.push(level);
            pending = next;
        }
        for (id, bytes) in levels.into_iter().rev().flatten() {
            blobs.keep(id, &bytes);
            blobs.cache(id, &bytes);
        }
        Ok(())
    }

    /// Those of these blobs that are in records.
    fn small_of<'a>(&self, ids: impl Iterator<Item = &'a BlobId>) -> Vec<Option<Arc<Vec<u8>>>> {
        let small = self.small();
        let known: HashMap<_, _> = small.values().flatten().map(|(id, bytes)| (id, bytes)).collect();
        ids.map(|id| known.get(id).map(|bytes| Arc::clone(bytes))).collect()
    }
}
