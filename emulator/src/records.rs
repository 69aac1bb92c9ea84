//! What a service knows, so that it survives the service's process.
//!
//! A record is JSON, which is replaced as a whole: it is always the old or the new one.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use sandshell_providers::{Error, ErrorKind, Result};
use serde_json::{Value, json};

/// The ending of a record's file.
const ENDING: &str = ".json";

/// Where the records of one service are: texts with names, which one emulator uses at a time.
pub trait RecordKeeper: fmt::Debug + Send + Sync {
    /// All of them.
    ///
    /// # Errors
    /// Those of reading.
    fn all(&self) -> Result<BTreeMap<String, String>>;

    /// Where one is, for messages.
    fn place(&self, name: &str) -> String {
        name.to_owned()
    }

    /// Replaces one. When this returns, it outlives the process.
    ///
    /// # Errors
    /// Those of writing.
    fn write(&self, name: &str, text: &str) -> Result<()>;

    /// Removes one. It is no error if there is none.
    ///
    /// # Errors
    /// Those of writing. The emulator does not need to know: a record that stays is found to be of nothing.
    fn remove(&self, name: &str) -> Result<()>;
}

/// The records of one service. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records(Option<Arc<Place>>);

#[derive(Debug)]
struct Place {
    keeper: Box<dyn RecordKeeper>,
    /// Why a record could not be written.
    failed: Mutex<Option<String>>,
}

/// Records in a directory.
#[derive(Debug)]
pub(crate) struct Directory {
    at: PathBuf,
}

impl Records {
    pub(crate) fn new(keeper: Box<dyn RecordKeeper>) -> Self {
        Self(Some(Arc::new(Place { keeper, failed: Mutex::default() })))
    }

    /// Whether they outlive the process.
    pub(crate) fn are_kept(&self) -> bool {
        self.0.is_some()
    }

    /// Why a record could not be written, if one could not: what the service now answers would be lost with it.
    pub(crate) fn check(&self) -> Result<()> {
        let failed = self.0.as_ref().and_then(|place| place.failed.lock().clone());
        failed.map_or(Ok(()), |why| Err(Error::new(ErrorKind::Unavailable, why)))
    }

    /// Replaces a record. A failure is reported by [`check`](Self::check), until a record can be written again.
    pub(crate) fn write(&self, name: &str, record: &Value) {
        let Some(place) = &self.0 else { return };
        let written = place.keeper.write(name, &record.to_string());
        *place.failed.lock() = written.err().map(|error| error.to_string());
    }

    pub(crate) fn remove(&self, name: &str) {
        let Some(place) = &self.0 else { return };
        // One that stays is found to be of nothing when the service starts.
        let _ = place.keeper.remove(name);
    }

    /// All records by name.
    pub(crate) fn all(&self) -> Result<BTreeMap<String, Value>> {
        let Some(place) = &self.0 else { return Ok(BTreeMap::new()) };
        let read = |(name, text): (String, String)| {
            let record = serde_json::from_str(&text).map_err(|error| {
                let why = format!("{}: not a record of the emulator: {error}", place.keeper.place(&name));
                Error::new(ErrorKind::Unexpected, why)
            })?;
            Ok((name, record))
        };
        place.keeper.all()?.into_iter().map(read).collect()
    }
}

impl Directory {
    /// The directory, which is made if it is missing. Only this user may enter it: records have the tokens of
    /// sandboxes.
    pub(crate) fn open(at: PathBuf) -> Result<Self> {
        fs::create_dir_all(&at).map_err(|error| failure(&at, &error))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let closed = fs::Permissions::from_mode(0o700);
            fs::set_permissions(&at, closed).map_err(|error| failure(&at, &error))?;
        }
        Ok(Self { at })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.at.join(format!("{name}{ENDING}"))
    }

    fn replace(&self, name: &str, text: &str) -> io::Result<()> {
        let new = self.at.join(format!("{name}.new"));
        let mut file = File::create(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, self.file(name))?;
        File::open(&self.at)?.sync_all()
    }
}

impl RecordKeeper for Directory {
    fn all(&self) -> Result<BTreeMap<String, String>> {
        let failed = |error| failure(&self.at, &error);
        let mut all = BTreeMap::new();
        for entry in fs::read_dir(&self.at).map_err(failed)? {
            let file = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            // Anything else was not finished.
            let Some(name) = file.strip_suffix(ENDING) else { continue };
            let at = self.file(name);
            let text = fs::read_to_string(&at).map_err(|error| failure(&at, &error))?;
            all.insert(name.to_owned(), text);
        }
        Ok(all)
    }

    fn place(&self, name: &str) -> String {
        self.file(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        self.replace(name, text).map_err(|error| failure(&self.at, &error))
    }

    fn remove(&self, name: &str) -> Result<()> {
        fs::remove_file(self.file(name)).map_err(|error| failure(&self.at, &error))
    }
}

/// The right to use the records in a directory, as long as it lives. It ends with its process, however that ends.
#[derive(Debug)]
pub(crate) struct Claim(#[expect(dead_code, reason = "it is locked while it is open")] File);

impl Claim {
    /// `Conflict` if another emulator has it.
    pub(crate) fn on(directory: &Path) -> Result<Self> {
        // This is no record, as it has another ending.
        let file = File::create(directory.join("lock")).map_err(|error| failure(directory, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => {
                let why = format!("{}: another emulator uses this directory", directory.display());
                Err(Error::new(ErrorKind::Conflict, why))
            }
            Err(TryLockError::Error(error)) => Err(failure(directory, &error)),
        }
    }
}

fn failure(at: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("{}: {error}", at.display()))
}

/// A value that is a record.
pub(crate) trait Record: Default {
    /// The value as JSON.
    fn write(&self) -> Value;

    /// The value of JSON that [`write`](Self::write) made.
    fn read(record: &Value) -> Self;
}

/// A locked value that is written when it was changed.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    name: &'static str,
    records: Records,
    value: Mutex<T>,
    written: Mutex<Value>,
}

/// The value, while it is locked.
pub(crate) struct KeptGuard<'a, T: Record> {
    kept: &'a Kept<T>,
    value: MutexGuard<'a, T>,
    changed: bool,
}

impl<T: Record> Kept<T> {
    /// The value of this name, as its record has it.
    pub(crate) fn new(records: &Records, name: &'static str, record: Option<Value>) -> Self {
        let value = record.as_ref().map(T::read).unwrap_or_default();
        let written = Mutex::new(record.unwrap_or_default());
        Self { name, records: records.clone(), value: Mutex::new(value), written }
    }

    pub(crate) fn lock(&self) -> KeptGuard<'_, T> {
        KeptGuard { kept: self, value: self.value.lock(), changed: false }
    }
}

impl<T: Record> Deref for KeptGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Record> DerefMut for KeptGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.changed = true;
        &mut self.value
    }
}

impl<T: Record> Drop for KeptGuard<'_, T> {
    fn drop(&mut self) {
        if !self.changed || !self.kept.records.are_kept() {
            return;
        }
        let record = self.value.write();
        let mut written = self.kept.written.lock();
        if *written != record {
            self.kept.records.write(self.kept.name, &record);
            *written = record;
        }
    }
}

impl Record for BTreeMap<String, Value> {
    fn write(&self) -> Value {
        json!(self)
    }

    fn read(record: &Value) -> Self {
        record.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

impl Record for VecDeque<(u64, Value)> {
    fn write(&self) -> Value {
        self.iter().map(|(number, value)| json!([number, value])).collect()
    }

    fn read(record: &Value) -> Self {
        let pair = |pair: &Value| Some((pair.get(0)?.as_u64()?, pair.get(1)?.clone()));
        record.as_array().into_iter().flatten().filter_map(pair).collect()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    /// The tokens of sandboxes are in the records.
    #[test]
    fn other_users_do_not_read_records() {
        let at = std::env::temp_dir().join(format!("sandshell-records-{}", std::process::id()));
        fs::create_dir_all(&at).expect("a directory");
        fs::set_permissions(&at, fs::Permissions::from_mode(0o755)).expect("its mode");
        let records = Directory::open(at.clone()).expect("opens");
        records.write("one", "{}").expect("is written");
        let mode = fs::metadata(&at).expect("is there").permissions().mode();
        fs::remove_dir_all(&at).expect("is removed");
        assert_eq!(mode & 0o077, 0);
    }
}
