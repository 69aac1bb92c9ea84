//! The thread that writes. What is asked for at the same time becomes one transaction, and so one wait for the disk.

use crate::error::{Result, StoreError};
use crate::schema::{self, PATIENCE};
use rusqlite::{Connection, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The most pieces of work in one transaction.
const TOGETHER: usize = 256;

/// The most bytes of the database's log that stay on the disk after a transaction. SQLite itself only starts the log
/// anew, in the file that is there: after a large transaction that file would stay as large. Small commits never come
/// here: they write again into the four mebibytes that they have, which is faster than to make the file longer.
const LOG: u64 = 8 << 20;

/// Work within a transaction, whose caller waits.
trait Job: Send {
    /// Does it. Returns whether its changes are kept.
    fn run(&mut self, connection: &Connection) -> bool;

    /// Tells the caller; with an error if the transaction failed.
    fn tell(self: Box<Self>, failed: Option<StoreError>);
}

struct Call<T, F> {
    work: Option<F>,
    done: Option<Result<T>>,
    answer: Sender<Result<T>>,
}

impl<T: Send, F: FnOnce(&Connection) -> Result<T> + Send> Job for Call<T, F> {
    fn run(&mut self, connection: &Connection) -> bool {
        let done = self.work.take().map(|work| work(connection));
        let keep = matches!(done, Some(Ok(_)));
        self.done = done;
        keep
    }

    fn tell(self: Box<Self>, failed: Option<StoreError>) {
        let Self { done, answer, .. } = *self;
        let done = match (done, failed) {
            // Its own error says more.
            (Some(Err(error)), _) => Err(error),
            (_, Some(error)) => Err(error),
            (Some(done), None) => done,
            (None, None) => Err(StoreError::Closed),
        };
        // Who does not wait any more needs no answer.
        let _ = answer.send(done);
    }
}

pub(crate) struct Writer {
    /// `None` when it ends.
    work: Mutex<Option<Sender<Box<dyn Job>>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Opens the database, and starts the thread.
    pub(crate) fn start(database: PathBuf) -> Result<Self> {
        let connection = schema::open(&database)?;
        Self::spawn(Some(connection), schema::open, database)
    }

    /// Starts the thread, which opens the database by itself. As long as that fails, all that is asked for fails.
    pub(crate) fn opening(open: fn(&Path) -> Result<Connection>, database: PathBuf) -> Result<Self> {
        Self::spawn(None, open, database)
    }

    fn spawn(
        connection: Option<Connection>,
        open: fn(&Path) -> Result<Connection>,
        database: PathBuf,
    ) -> Result<Self> {
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new()
            .name("sandshell-store".to_owned())
            .spawn(move || run(connection, open, &database, &receiver))
            .map_err(|source| StoreError::Io { at: PathBuf::new(), source })?;
        Ok(Self { work: Mutex::new(Some(sender)), thread: Some(thread) })
    }

    /// Does `work` in a transaction and returns once that is durable. If it fails, nothing of it happened.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.send(work)?.recv().map_err(|_| StoreError::Closed)?
    }

    /// Does `work` some time, after what was asked for before. Nobody learns whether it failed.
    pub(crate) fn post(&self, work: impl FnOnce(&Connection) -> Result<()> + Send + 'static) {
        drop(self.send(work));
    }

    fn send<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<Receiver<Result<T>>> {
        let (sender, answer) = channel();
        let call = Call { work: Some(work), done: None, answer: sender };
        let queue = self.work.lock().unwrap_or_else(PoisonError::into_inner).clone();
        queue.ok_or(StoreError::Closed)?.send(Box::new(call)).map_err(|_| StoreError::Closed)?;
        Ok(answer)
    }
}

#[cfg(feature = "object-store")]
impl Writer {
    /// Does `work` some time, in a transaction. Nobody is told if it fails.
    pub(crate) fn write_later(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static,
    ) {
        let queue = self.work.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(queue) = queue {
            // If the thread is gone, there is nobody to do it.
            let _ = queue.send(Box::new(Later(Some(work))));
        }
    }
}

/// The writer of a store, which is started when it is needed.
pub(crate) struct LazyWriter {
    database: PathBuf,
    writer: Mutex<Option<Arc<Writer>>>,
}

impl LazyWriter {
    pub(crate) fn new(database: PathBuf) -> Self {
        Self { database, writer: Mutex::default() }
    }

    pub(crate) fn get(&self) -> Result<Arc<Writer>> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(match &*writer {
            Some(writer) => Arc::clone(writer),
            None => Arc::clone(writer.insert(Arc::new(Writer::start(self.database.clone())?))),
        })
    }
}

/// Work that nobody waits for.
#[cfg(feature = "object-store")]
struct Later<F>(Option<F>);

#[cfg(feature = "object-store")]
impl<F: FnOnce(&Connection) -> rusqlite::Result<()> + Send> Job for Later<F> {
    fn run(&mut self, connection: &Connection) -> bool {
        self.0.take().is_some_and(|work| work(connection).is_ok())
    }

    fn tell(self: Box<Self>, _: Option<StoreError>) {}
}

impl Drop for Writer {
    /// Waits until the database is closed: the last one to close it puts everything into one file.
    fn drop(&mut self) {
        self.work.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing left to do.
            let _ = thread.join();
        }
    }
}

fn run(
    mut connection: Option<Connection>,
    open: fn(&Path) -> Result<Connection>,
    database: &Path,
    work: &Receiver<Box<dyn Job>>,
) {
    while let Ok(first) = work.recv() {
        let more = std::iter::from_fn(|| work.try_recv().ok());
        let mut jobs: Vec<_> = std::iter::once(first).chain(more.take(TOGETHER - 1)).collect();
        let opened = match &mut connection {
            Some(connection) => Ok(connection),
            none => open(database).map(|opened| none.insert(opened)),
        };
        let failed = match opened {
            Ok(connection) => {
                let failed = transaction(connection, &mut jobs).err();
                failed.map(|error| StoreError::database(database, error))
            }
            Err(error) => Some(error),
        };
        for job in jobs {
            job.tell(failed.as_ref().map(StoreError::again));
        }
        if let Some(connection) = &connection {
            shorten_log(connection, database);
        }
    }
}

/// Puts what is in the log into the database and empties it, if it has grown and nobody reads from it now. If not, the
/// next transaction tries again.
fn shorten_log(connection: &Connection, database: &Path) {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(log).is_ok_and(|log| log.len() > LOG)
        && connection.busy_timeout(Duration::ZERO).is_ok()
    {
        // What fails here is still in the log.
        let _ = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);");
        let _ = connection.busy_timeout(PATIENCE);
    }
}

fn transaction(connection: &mut Connection, jobs: &mut [Box<dyn Job>]) -> rusqlite::Result<()> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in jobs {
        let savepoint = transaction.savepoint()?;
        if job.run(&savepoint) {
            savepoint.commit()?;
        }
    }
    transaction.commit()
}
