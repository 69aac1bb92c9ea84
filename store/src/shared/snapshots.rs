//! Snapshots: an object with what is known, and one with the name, which exists once.

use super::record::{
    NameObject, SNAPSHOT, SNAPSHOTS, SnapshotObject, alias_name, new_id, number, read, snapshot_name,
};
use super::{Shared, not_collecting, sealed};
use crate::error::{Result, StoreError};
use crate::records::snapshot::SnapshotRecord;
use crate::time::now;
use object_store::PutMode;

impl Shared {
    pub(crate) fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotRecord> {
        let full = self.full(id)?.ok_or_else(|| StoreError::NoSandbox(id.to_owned()))?;
        // The snapshot's record does not have them.
        self.upload(full.blobs)?;
        let snapshot = SnapshotObject {
            id: new_id(SNAPSHOT)?,
            name: name.map(str::to_owned),
            root: full.object.head,
            created: now(),
            options: full.object.options,
        };
        let objects = self.objects.clone();
        self.objects.wait(async move {
            let own = snapshot_name(&snapshot.id);
            objects.put_unique(&own, sealed::seal(&snapshot, &[])?, PutMode::Create).await?;
            let mut refused = not_collecting(&objects).await.err();
            if let Some(name) = snapshot.name.as_ref().filter(|_| refused.is_none()) {
                let alias = NameObject { name: name.clone(), snapshot: snapshot.id.clone() };
                let alias = sealed::seal(&alias, &[])?;
                if objects.put_unique(&alias_name(name), alias, PutMode::Create).await?.is_none() {
                    refused = Some(StoreError::NameTaken(name.clone()));
                }
            }
            match refused {
                Some(why) => {
                    objects.delete(&own).await?;
                    Err(why)
                }
                None => Ok(snapshot.record()),
            }
        })
    }

    pub(crate) fn find_snapshot(&self, asked: &str) -> Result<SnapshotRecord> {
        let (objects, asked) = (self.objects.clone(), asked.to_owned());
        self.objects.wait(async move {
            let none = || StoreError::NoSnapshot(asked.clone());
            let id = if number(&asked, SNAPSHOT).is_some() {
                asked.clone()
            } else {
                read::<NameObject>(&objects, &alias_name(&asked)).await?.ok_or_else(none)?.0.snapshot
            };
            let found = read::<SnapshotObject>(&objects, &snapshot_name(&id)).await?;
            found.map(|(snapshot, _)| snapshot.record()).ok_or_else(none)
        })
    }

    pub(crate) fn snapshots(&self) -> Result<Vec<SnapshotRecord>> {
        let objects = self.objects.clone();
        self.objects.wait(async move {
            let mut snapshots = Vec::new();
            for listed in objects.list(SNAPSHOTS).await? {
                if let Some((snapshot, _)) =
                    read::<SnapshotObject>(&objects, &snapshot_name(&listed.name)).await?
                {
                    snapshots.push(snapshot.record());
                }
            }
            Ok(snapshots)
        })
    }

    pub(crate) fn delete_snapshot(&self, asked: &str) -> Result<()> {
        let snapshot = match self.find_snapshot(asked) {
            Err(StoreError::NoSnapshot(_)) => return Ok(()),
            found => found?,
        };
        let objects = self.objects.clone();
        self.objects.wait(async move {
            // First the name: one that leads nowhere could never be used again.
            if let Some(name) = &snapshot.name {
                objects.delete(&alias_name(name)).await?;
            }
            objects.delete(&snapshot_name(&snapshot.id)).await
        })
    }
}
