//! Frees large contents in a thread of its own, and returns the memory to the system.
//!
//! Freeing gigabytes takes tenths of a second. Nobody who removes a file or closes a sandbox should wait for that,
//! especially not with a lock held. Also, the allocator keeps memory that was freed in pieces for this program, until
//! it is asked to return it.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, mpsc};

/// Smaller contents are freed at once.
pub(super) const MIN_SIZE: u64 = 4 << 20;

/// The most bytes that may wait to be freed. Anything beyond is freed at once, so that memory that was returned to a
/// sandbox's budget is really free soon.
const BACKLOG: u64 = 1 << 30;

/// After this many freed bytes the allocator is asked to return memory, which takes a few milliseconds.
const TRIM: u64 = 64 << 20;

static WAITING: AtomicU64 = AtomicU64::new(0);
static FREED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static IS_REAPER: Cell<bool> = const { Cell::new(false) };
}

struct Reaper {
    /// The process that started the thread: a forked child does not have it.
    process: u32,
    sender: mpsc::Sender<Garbage>,
}

struct Garbage {
    size: u64,
    what: Box<dyn Send>,
}

/// Frees something of about this size, now or soon.
pub(super) fn free(size: u64, what: impl Send + 'static) {
    if size < MIN_SIZE || IS_REAPER.get() {
        drop(what);
        freed(size);
        return;
    }
    let sender = reaper().filter(|reaper| reaper.process == std::process::id()).map(|reaper| &reaper.sender);
    let waiting = WAITING.fetch_add(size, Ordering::Relaxed);
    let garbage = Garbage { size, what: Box::new(what) };
    match sender.filter(|_| waiting <= BACKLOG) {
        Some(sender) => {
            if let Err(mpsc::SendError(garbage)) = sender.send(garbage) {
                free_now(garbage);
            }
        }
        None => free_now(garbage),
    }
}

/// Counts bytes that were freed at once.
pub(super) fn freed(size: u64) {
    let before = FREED.fetch_add(size, Ordering::Relaxed);
    if before / TRIM == (before + size) / TRIM {
        return;
    }
    match reaper().filter(|reaper| reaper.process == std::process::id() && !IS_REAPER.get()) {
        Some(reaper) => drop(reaper.sender.send(Garbage { size: 0, what: Box::new(Trim) })),
        None => trim(),
    }
}

/// Garbage that trims the allocator when it is dropped.
struct Trim;

impl Drop for Trim {
    fn drop(&mut self) {
        trim();
    }
}

fn free_now(garbage: Garbage) {
    drop(garbage.what);
    WAITING.fetch_sub(garbage.size, Ordering::Relaxed);
    if garbage.size > 0 {
        freed(garbage.size);
    }
}

fn reaper() -> Option<&'static Reaper> {
    static REAPER: OnceLock<Option<Reaper>> = OnceLock::new();
    let start = || {
        let (sender, receiver) = mpsc::channel::<Garbage>();
        let work = move || {
            IS_REAPER.set(true);
            receiver.iter().for_each(free_now);
        };
        std::thread::Builder::new().name("sandshell-reaper".into()).spawn(work).ok()?;
        Some(Reaper { process: std::process::id(), sender })
    };
    REAPER.get_or_init(start).as_ref()
}

/// Makes glibc's allocator return unused pages to the system. Other allocators do that by themselves.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "the C library's function, which has no wrapper")]
fn trim() {
    // SAFETY: malloc_trim takes the allocator's own locks, may be called from any thread at any time, and touches only
    // unused pages. If another allocator replaces malloc, it has nothing to do.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn trim() {}
