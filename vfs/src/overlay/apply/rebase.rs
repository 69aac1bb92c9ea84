//! Resets an overlay after its changes have been applied.

use super::super::layers::{Extra, Layers, join, shown_ino};
use crate::memory::{Origin, ROOT};
use crate::{Metadata, Result};
use std::sync::Arc;

impl Layers {
    /// Call when the lower filesystem equals what the overlay shows: every upper inode gets the lower file at its path
    /// as its origin, and whiteouts are removed.
    pub(super) fn rebase(&self, extra: &mut Extra) -> Result<()> {
        *extra = Extra::default();
        let mut rest: Vec<(Arc<[u8]>, u64)> = vec![(Arc::from(&b""[..]), ROOT)];
        while let Some((path, ino)) = rest.pop() {
            let below = self.lower_at(&path).and_then(|node| self.lower.metadata(&node));
            let mut store = self.live.write();
            let shown = shown_ino(&store, ino);
            let inode = store.get_mut(ino)?;
            inode.origin = match below {
                Ok(metadata) if metadata.kind == inode.kind() => {
                    extra.promoted.insert(Arc::clone(&path), ino);
                    // Bits that were not set on the host are cleared.
                    inode.mode = metadata.mode;
                    // The shown inode number does not change.
                    let metadata = Metadata { ino: shown, ..metadata };
                    Some(Arc::new(Origin { path: Box::from(&*path), metadata }))
                }
                _ => None,
            };
            if let Ok(names) = inode.names_mut() {
                let all: Vec<_> = names.iter().map(|(name, entry)| (Arc::clone(name), *entry)).collect();
                for (name, entry) in all {
                    if entry.is_whiteout() {
                        names.remove(&name);
                    } else {
                        rest.push((join(&path, &name), entry.ino));
                    }
                }
            }
        }
        Ok(())
    }
}
