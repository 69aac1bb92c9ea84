//! Going through everything that is stored: removing what nothing refers to, and looking for damage.

use crate::blobs::read;
use crate::error::{Result, StoreError};
use crate::names::name;
use crate::place::Lock;
use crate::records::blob;
use crate::records::sandbox::{COLUMNS, SealedRow};
use crate::records::state::SealedState;
use crate::schema;
use crate::store::{Store, shared};
use rusqlite::{Connection, TransactionBehavior};
use sandshell_vfs::{BlobId, BlobKind, references};
use std::collections::HashSet;
use std::path::Path;

/// What a collection found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Collected {
    /// Blobs that are needed.
    pub kept: u64,
    /// Their bytes.
    pub kept_bytes: u64,
    /// Blobs that nothing refers to. They were removed, unless the collection was a dry run.
    pub removed: u64,
    /// Their bytes.
    pub removed_bytes: u64,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// How many blobs were read.
    pub blobs: u64,
    /// What is damaged, one line each.
    pub damage: Vec<String>,
}

impl Store {
    /// Removes what no sandbox, kept state or snapshot needs. `dry_run`: only counts it. `progress` is called now and
    /// then with how many blobs were looked at.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if something cannot be read: then nothing is removed. [`StoreError::Collecting`].
    pub fn collect(&self, dry_run: bool, progress: &mut dyn FnMut(u64)) -> Result<Collected> {
        shared!(self, |shared| shared.collect(dry_run, progress));
        let place = self.place();
        let _lock = match Lock::take(&place.collecting())? {
            Ok(lock) => lock,
            Err(by) => return Err(StoreError::Collecting { at: place.0.clone(), by }),
        };
        let at = self.database();
        let failed = |error| StoreError::database(&at, error);
        let mut connection = schema::open(&at)?;
        let mut marked = Marked { seen: HashSet::new(), bad: None, bytes: false };
        // Most of the work is done while others can write.
        for root in roots(&connection, &at)? {
            marked.walk(&connection, &at, root.id, progress)?;
        }
        let behaviour = if dry_run { TransactionBehavior::Deferred } else { TransactionBehavior::Immediate };
        let transaction = connection.transaction_with_behavior(behaviour).map_err(failed)?;
        for root in roots(&transaction, &at)? {
            marked.walk(&transaction, &at, root.id, progress)?;
        }
        let mut collected = Collected::default();
        let mut garbage: Vec<i64> = Vec::new();
        each_blob(&transaction, |row, id, size| {
            if marked.seen.contains(&id) {
                collected.kept += 1;
                collected.kept_bytes += size;
            } else {
                collected.removed += 1;
                collected.removed_bytes += size;
                garbage.push(row);
            }
        })
        .map_err(failed)?;
        if dry_run {
            return Ok(collected);
        }
        for row in garbage {
            transaction
                .prepare_cached("DELETE FROM blobs WHERE rowid = ?1")
                .and_then(|mut statement| statement.execute([row]))
                .map_err(failed)?;
        }
        let sandboxes: Vec<i64> = transaction
            .prepare("SELECT number FROM sandboxes ORDER BY number")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .map_err(failed)?;
        transaction.commit().map_err(failed)?;
        self.forget_calls_but(sandboxes);
        connection
            .execute_batch("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")
            .map_err(failed)?;
        Ok(collected)
    }

    /// Reads everything that is needed and compares it with its checksums.
    ///
    /// # Errors
    /// Those of the database. Damage is no error, but in the answer.
    pub fn check(&self, progress: &mut dyn FnMut(u64)) -> Result<Checked> {
        shared!(self, |shared| shared.check(progress));
        let at = self.database();
        let mut connection = schema::open(&at)?;
        let transaction = connection.transaction().map_err(|error| StoreError::database(&at, error))?;
        let mut checked = Checked::default();
        let structure: rusqlite::Result<Vec<String>> = transaction
            .prepare("PRAGMA quick_check(20)")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect());
        match structure {
            Ok(lines) => checked.damage.extend(lines.into_iter().filter(|line| line != "ok")),
            Err(error) => checked.damage.push(error.to_string()),
        }
        let roots = match roots(&transaction, &at) {
            Ok(roots) => roots,
            Err(error) => {
                checked.damage.push(error.to_string());
                return Ok(checked);
            }
        };
        let mut marked = Marked { seen: HashSet::new(), bad: Some(HashSet::new()), bytes: true };
        for root in &roots {
            marked.walk(&transaction, &at, root.id, progress)?;
        }
        checked.blobs = marked.seen.len() as u64;
        let bad = marked.bad.unwrap_or_default();
        if bad.is_empty() {
            return Ok(checked);
        }
        for root in &roots {
            let mut alone = Marked { seen: HashSet::new(), bad: Some(HashSet::new()), bytes: true };
            alone.walk(&transaction, &at, root.id, progress)?;
            for id in alone.bad.unwrap_or_default() {
                checked.damage.push(format!("{}: blob {id} is missing or damaged", root.what));
            }
        }
        Ok(checked)
    }
}

/// Where marking begins, and what it belongs to.
struct Root {
    id: BlobId,
    what: String,
}

fn roots(connection: &Connection, at: &Path) -> Result<Vec<Root>> {
    let failed = |error| StoreError::database(at, error);
    let mut roots = Vec::new();
    let sandboxes: Vec<SealedRow> = connection
        .prepare(&format!("SELECT {COLUMNS} FROM sandboxes"))
        .and_then(|mut statement| statement.query_map([], SealedRow::read)?.collect())
        .map_err(failed)?;
    for row in sandboxes {
        let record = row.check(at)?;
        roots.push(Root { id: record.head, what: format!("the sandbox {}", record.id) });
    }
    let states: Vec<(String, SealedState)> = connection
        .prepare(
            "SELECT states.sandbox, states.state, root, at, what, states.seal, id FROM states \
             JOIN sandboxes ON number = sandbox",
        )
        .and_then(|mut statement| {
            statement.query_map([], |row| Ok((row.get(6)?, SealedState::read(row)?)))?.collect()
        })
        .map_err(failed)?;
    for (id, row) in states {
        let state = row.check(at)?;
        roots.push(Root { id: state.root, what: format!("the state {} of the sandbox {id}", state.number) });
    }
    for (table, what) in [("snapshots", "the snapshot"), ("templates", "the template")] {
        let name = if table == "snapshots" { "id" } else { "key" };
        let rows: Vec<(String, Vec<u8>)> = connection
            .prepare(&format!("SELECT {name}, root FROM {table}"))
            .and_then(|mut statement| {
                statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
            })
            .map_err(failed)?;
        for (name, root) in rows {
            roots.push(Root { id: blob(at, &root)?, what: format!("{what} {name}") });
        }
    }
    Ok(roots)
}

/// How many blobs are looked at between two calls of `progress`.
const PROGRESS: usize = 4096;

struct Marked {
    seen: HashSet<BlobId>,
    /// With this, damage is collected; without, it is an error.
    bad: Option<HashSet<BlobId>>,
    /// Whether the bytes of files are read, too.
    bytes: bool,
}

impl Marked {
    fn walk(
        &mut self,
        connection: &Connection,
        at: &Path,
        root: BlobId,
        progress: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let mut pending = vec![(BlobKind::Root, root)];
        while let Some((kind, id)) = pending.pop() {
            if !self.seen.insert(id) {
                continue;
            }
            if self.seen.len().is_multiple_of(PROGRESS) {
                progress(self.seen.len() as u64);
            }
            if kind == BlobKind::Bytes && !self.bytes {
                continue;
            }
            let bytes = read(connection, &id).map_err(|error| StoreError::database(at, error))?;
            let found =
                bytes.filter(|bytes| name(bytes) == id).and_then(|bytes| references(kind, &bytes).ok());
            match (found, &mut self.bad) {
                (Some(found), _) => pending.extend(found),
                (None, Some(bad)) => {
                    bad.insert(id);
                }
                (None, None) => {
                    let what = format!("blob {id} is missing or damaged");
                    return Err(StoreError::Damaged { at: at.to_owned(), what });
                }
            }
        }
        Ok(())
    }
}

fn each_blob(connection: &Connection, mut see: impl FnMut(i64, BlobId, u64)) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT rowid, id, length(bytes) FROM blobs")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: Vec<u8> = row.get(1)?;
        // A name of another length is nothing that something refers to.
        let id = id.try_into().map_or(BlobId([0; 32]), BlobId);
        see(row.get(0)?, id, row.get::<_, i64>(2).map(i64::unsigned_abs)?);
    }
    Ok(())
}
