//! The objects that are records: of sandboxes, snapshots, templates and hosts.

use super::objects::{Objects, Version};
use super::sealed::{self, Blob, hex};
use crate::error::Result;
use crate::records::sandbox::Record;
use crate::records::snapshot::SnapshotRecord;
use crate::records::state::State;
use crate::seal::seal;
use crate::time::{system, time};
use object_store::PutMode;
use sandshell_vfs::BlobId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// The folders of a store.
pub(crate) const BLOBS: &str = "blobs";
pub(crate) const SANDBOXES: &str = "sandboxes";
pub(crate) const SNAPSHOTS: &str = "snapshots";
pub(crate) const TEMPLATES: &str = "templates";
pub(crate) const HOSTS: &str = "hosts";
/// Says that this is a store.
pub(crate) const MARK: &str = "store";
/// Held by whoever collects garbage.
pub(crate) const COLLECTING: &str = "collecting";

/// The record of a sandbox: an object that only ever is replaced by its next version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SandboxObject {
    /// Another one in each version, so that no two have the same bytes.
    pub(crate) nonce: String,
    pub(crate) id: String,
    #[serde(with = "hex")]
    pub(crate) head: BlobId,
    pub(crate) state: u64,
    pub(crate) created: i64,
    pub(crate) used: i64,
    pub(crate) ttl: Option<i64>,
    pub(crate) ends: Option<i64>,
    pub(crate) paused: bool,
    pub(crate) labels: Vec<(String, String)>,
    pub(crate) options: String,
    /// Who may change the files.
    pub(crate) holder: Option<Holder>,
    /// The newest states, oldest first.
    pub(crate) states: Vec<StateEntry>,
    /// A blob with those before.
    pub(crate) earlier: Option<Link>,
}

/// A hash that may be missing.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Link(#[serde(with = "hex")] pub(crate) BlobId);

/// Who has the lease of a sandbox. It lasts as long as the record of the host says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holder {
    /// The record of the host.
    pub(crate) session: String,
    /// Of this lease alone.
    pub(crate) lease: String,
    /// For people: the machine and the process.
    pub(crate) name: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StateEntry {
    pub(crate) number: u64,
    #[serde(with = "hex")]
    pub(crate) root: BlobId,
    pub(crate) at: i64,
    pub(crate) what: String,
}

/// A blob of states.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Earlier {
    pub(crate) states: Vec<StateEntry>,
    pub(crate) earlier: Option<Link>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SnapshotObject {
    pub(crate) id: String,
    pub(crate) name: Option<String>,
    #[serde(with = "hex")]
    pub(crate) root: BlobId,
    pub(crate) created: i64,
    pub(crate) options: String,
}

/// The object of a snapshot's name.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NameObject {
    pub(crate) name: String,
    pub(crate) snapshot: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TemplateObject {
    pub(crate) key: String,
    #[serde(with = "hex")]
    pub(crate) root: BlobId,
}

/// A process that has leases, or collects garbage, until a time by its own clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HostObject {
    pub(crate) nonce: String,
    pub(crate) name: String,
    pub(crate) until: i64,
    /// Where other servers reach it, if it is a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) address: Option<String>,
    /// Whether it takes no more work as a server.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) leaves: bool,
}

/// The object of a sandbox with its small blobs, and its version.
#[derive(Clone, Debug)]
pub(crate) struct Full {
    pub(crate) object: SandboxObject,
    pub(crate) blobs: Vec<Blob>,
    pub(crate) version: Version,
}

impl Full {
    /// The record of a sandbox as it is now; `None` if there is none.
    pub(crate) async fn read(objects: &Objects, id: &str) -> Result<Option<Self>> {
        let name = sandbox_name(id);
        let Some((bytes, version)) = objects.get(&name).await? else { return Ok(None) };
        Self::open(objects, id, &bytes, version).map(Some)
    }

    pub(crate) fn open(objects: &Objects, id: &str, bytes: &[u8], version: Version) -> Result<Self> {
        let name = sandbox_name(id);
        let (object, blobs): (SandboxObject, _) = sealed::open(objects, &name, bytes)?;
        if object.id != id {
            return Err(objects.damaged(&format!("the object {name} is of another sandbox")));
        }
        Ok(Self { object, blobs, version })
    }

    /// Writes the next version. `None`: somebody else wrote one, or the sandbox is gone.
    pub(crate) async fn replace(
        &self,
        objects: &Objects,
        mut next: SandboxObject,
        blobs: Vec<Blob>,
    ) -> Result<Option<Self>> {
        next.nonce = crate::names::random_name()?;
        let bytes = sealed::seal(&next, &blobs)?;
        let mode = PutMode::Update(self.version.clone());
        let done = objects.put_unique(&sandbox_name(&next.id), bytes, mode).await?;
        Ok(done.map(|version| Self { object: next, blobs, version }))
    }
}

pub(crate) fn sandbox_name(id: &str) -> String {
    format!("{SANDBOXES}/{id}")
}

pub(crate) fn snapshot_name(id: &str) -> String {
    format!("{SNAPSHOTS}/{id}")
}

/// The object of a snapshot's name, which may have any characters.
pub(crate) fn alias_name(name: &str) -> String {
    format!("names/{}", crate::names::name(name.as_bytes()))
}

pub(crate) fn template_name(key: &str) -> String {
    let hash: String = seal(&[key.as_bytes()]).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{TEMPLATES}/{hash}")
}

pub(crate) fn host_name(session: &str) -> String {
    format!("{HOSTS}/{session}")
}

pub(crate) fn blob_name(id: &BlobId) -> String {
    format!("{BLOBS}/{id}")
}

/// A record without blobs.
pub(crate) async fn read<T: DeserializeOwned>(objects: &Objects, name: &str) -> Result<Option<(T, Version)>> {
    let Some((bytes, version)) = objects.get(name).await? else { return Ok(None) };
    let (header, _) = sealed::open(objects, name, &bytes)?;
    Ok(Some((header, version)))
}

impl SandboxObject {
    pub(crate) fn record(&self) -> Record {
        Record {
            number: number(&self.id, SANDBOX).unwrap_or_default(),
            id: self.id.clone(),
            head: self.head,
            state: self.state,
            created: system(self.created),
            used: system(self.used),
            ttl: self.ttl.map(|ttl| Duration::from_millis(u64::try_from(ttl).unwrap_or_default())),
            ends: self.ends.map(system),
            paused: self.paused,
            labels: self.labels.clone(),
            options: self.options.clone(),
        }
    }

    /// Takes over what may be changed without the lease.
    pub(crate) fn change(&mut self, record: &Record) {
        self.used = time(record.used);
        self.ttl = record.ttl.map(millis);
        self.ends = record.ends.map(time);
        self.paused = record.paused;
        self.labels.clone_from(&record.labels);
        self.options.clone_from(&record.options);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.ends.is_some_and(|ends| ends <= time(SystemTime::now()))
    }
}

pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

impl StateEntry {
    pub(crate) fn state(&self) -> State {
        State { number: self.number, root: self.root, at: system(self.at), what: self.what.clone() }
    }
}

impl SnapshotObject {
    pub(crate) fn record(self) -> SnapshotRecord {
        let created = system(self.created);
        SnapshotRecord { id: self.id, name: self.name, root: self.root, created, options: self.options }
    }
}

/// What ids begin with.
pub(crate) const SANDBOX: &str = "sandbox-";
pub(crate) const SNAPSHOT: &str = "snapshot-";

/// Sorted as their values are, so that ids sort by the time when they were made.
const DIGITS: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";

/// The digits of an id: 63 bits.
const LENGTH: usize = 13;

/// Random bits after the time.
const RANDOM: u32 = 20;

/// A new id: the time in milliseconds, and random bits.
pub(crate) fn new_id(prefix: &str) -> Result<String> {
    let mut random = [0; 4];
    getrandom::fill(&mut random).map_err(|error| crate::error::StoreError::Io {
        at: "random numbers".into(),
        source: std::io::Error::other(error.to_string()),
    })?;
    let random = u32::from_le_bytes(random) >> (32 - RANDOM);
    let number = (crate::time::now() << RANDOM | i64::from(random)) & i64::MAX;
    let digit = |at: usize| char::from(DIGITS[(number >> (5 * (LENGTH - 1 - at)) & 31) as usize]);
    Ok(format!("{prefix}{}", (0..LENGTH).map(digit).collect::<String>()))
}

/// The number in an id; `None` if it cannot be the id of anything here.
pub(crate) fn number(id: &str, prefix: &str) -> Option<i64> {
    let digits = id.strip_prefix(prefix).filter(|digits| digits.len() == LENGTH)?;
    let value =
        |byte: u8| DIGITS.iter().position(|digit| *digit == byte).and_then(|at| i64::try_from(at).ok());
    // 65 bits: the first digit has only three.
    digits.bytes().try_fold(0_i64, |number, byte| number.checked_mul(32)?.checked_add(value(byte)?))
}
