//! Locks of files: those of a process for ranges of bytes (`fcntl(2)`), and those of an open file for all of it
//! (`flock(2)`).
//!
//! They are advisory: only who asks for a lock sees those of others. The two kinds do not see each other, as on Linux.
//!
//! What processes of the sandbox lock of a file of the host is locked there, too (`at_host.rs`). The table here is
//! asked first.

mod at_host;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;
use sandshell_vfs::{File, FileKey};

use crate::error::{Errno, Result};
use crate::handoff;
use at_host::AtHost;

/// Locks that a sandbox may have at once; `ENOLCK` beyond. Each request looks at those of its file, and one that has to
/// wait also at what others wait for. So no sandbox has more than 2047 ranges at the host.
const MOST: usize = 1024;

/// A lock for bytes of a file, or the wish to have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The process; 0 for a program of the host, as Linux tells of one that is not to be seen.
    pub(crate) owner: u32,
    pub(crate) exclusive: bool,
    pub(crate) start: u64,
    /// The first byte that is not locked; the largest number: none.
    pub(crate) end: u64,
}

impl Range {
    fn meets(&self, other: &Range) -> bool {
        self.start < other.end && other.start < self.end
    }

    fn excludes(&self, other: &Range) -> bool {
        self.owner != other.owner && self.meets(other) && (self.exclusive || other.exclusive)
    }
}

/// All locks of a sandbox.
#[derive(Default)]
pub(crate) struct Locks {
    state: Mutex<State>,
    /// Numbers for the owners of locks for whole files.
    numbers: AtomicU64,
}

#[derive(Default)]
struct State {
    files: BTreeMap<FileKey, FileLocks>,
    count: usize,
    /// What processes wait for, each for one range.
    waiting: BTreeMap<u32, (FileKey, Range)>,
}

#[derive(Default)]
struct FileLocks {
    ranges: Vec<Range>,
    /// (owner, exclusive)
    whole: Vec<(u64, bool)>,
    /// By process.
    waiters: BTreeMap<u32, Waker>,
    /// What is locked at the host, for a file that is there.
    at_host: Option<AtHost>,
}

impl FileLocks {
    fn is_unused(&self) -> bool {
        self.ranges.is_empty() && self.whole.is_empty() && self.waiters.is_empty()
    }

    /// Makes the host follow a change from `before`.
    fn tell_host(&self, before: &(Vec<Range>, Vec<(u64, bool)>)) -> Result<()> {
        let Some(at_host) = &self.at_host else { return Ok(()) };
        at_host.change(&before.0, &self.ranges)?;
        // A change is one of ranges or one of the whole, so there is nothing to take back.
        at_host.change_whole(&before.1, &self.whole)
    }
}

impl State {
    /// Changes a file's locks and wakes the processes that wait for one of them. `ENOLCK`, and no change, if there
    /// would be more locks than before and more than [`MOST`]; `EAGAIN`, and no change, if somebody else at the host
    /// has what would be locked.
    fn change(&mut self, key: FileKey, change: impl FnOnce(&mut FileLocks)) -> Result<()> {
        let file = self.files.entry(key).or_default();
        let before = (file.ranges.clone(), file.whole.clone());
        change(file);
        let count = self.count + file.ranges.len() + file.whole.len() - before.0.len() - before.1.len();
        let done = if count > self.count.max(MOST) { Err(Errno::NOLCK) } else { file.tell_host(&before) };
        if let Err(errno) = done {
            (file.ranges, file.whole) = before;
            self.tidy(key);
            return Err(errno);
        }
        self.count = count;
        for waiter in std::mem::take(&mut file.waiters).into_values() {
            waiter.wake();
            handoff::woke();
        }
        self.tidy(key);
        Ok(())
    }

    /// Sees to it that the locks of a file of the host are there, too, from now on.
    fn follow_at_host(&mut self, key: FileKey, file: &dyn File) -> Result<()> {
        if self.files.get(&key).is_none_or(|locks| locks.at_host.is_none())
            && let Some(locks) = file.host_locks()?
        {
            self.files.entry(key).or_default().at_host = Some(AtHost::new(locks));
        }
        Ok(())
    }

    /// Forgets a file that has no locks.
    fn tidy(&mut self, key: FileKey) {
        if self.files.get(&key).is_some_and(FileLocks::is_unused) {
            self.files.remove(&key);
        }
    }

    fn blockers(&self, key: FileKey, wanted: Range) -> impl Iterator<Item = Range> {
        let ranges = self.files.get(&key).map_or(&[][..], |file| &file.ranges);
        ranges.iter().copied().filter(move |range| range.excludes(&wanted))
    }

    /// Whether `wanted` waits, through whatever others wait for, for its own owner.
    fn is_deadlock(&self, key: FileKey, wanted: Range) -> bool {
        let mut seen = BTreeSet::new();
        let mut wishes = vec![(key, wanted)];
        while let Some((key, wish)) = wishes.pop() {
            for blocker in self.blockers(key, wish) {
                if blocker.owner == wanted.owner {
                    return true;
                }
                if seen.insert(blocker.owner) {
                    wishes.extend(self.waiting.get(&blocker.owner));
                }
            }
        }
        false
    }
}

/// Takes `gone` out of what its owner has; what is left and right of it stays.
fn cut(ranges: &mut Vec<Range>, gone: &Range) {
    let mut rest = Vec::new();
    ranges.retain(|range| {
        if range.owner != gone.owner || !range.meets(gone) {
            return true;
        }
        rest.push(Range { end: gone.start, ..*range });
        rest.push(Range { start: gone.end, ..*range });
        false
    });
    ranges.extend(rest.into_iter().filter(|range| range.start < range.end));
}

/// Adds a range, as one with those of its kind that it meets or touches.
fn join(ranges: &mut Vec<Range>, mut new: Range) {
    ranges.retain(|range| {
        let same = range.owner == new.owner && range.exclusive == new.exclusive;
        let touches = range.start <= new.end && new.start <= range.end;
        if same && touches {
            new.start = new.start.min(range.start);
            new.end = new.end.max(range.end);
        }
        !(same && touches)
    });
    ranges.push(new);
}

impl Locks {
    /// The first lock that stands in the way of `wanted`.
    pub(crate) fn conflict(&self, key: FileKey, wanted: Range) -> Option<Range> {
        self.state.lock().blockers(key, wanted).min_by_key(|range| range.start)
    }

    /// As [`conflict`](Self::conflict) among the locks that others at the host have.
    pub(crate) fn conflict_at_host(
        &self,
        key: FileKey,
        file: &dyn File,
        wanted: Range,
    ) -> Result<Option<Range>> {
        let state = self.state.lock();
        if let Some(at_host) = state.files.get(&key).and_then(|locks| locks.at_host.as_ref()) {
            return at_host.conflict(wanted);
        }
        drop(state);
        file.host_locks()?.map_or(Ok(None), |locks| at_host::conflict(&*locks, wanted))
    }

    /// Takes a range back.
    pub(crate) fn release_range(&self, key: FileKey, gone: Range) -> Result<()> {
        let mut state = self.state.lock();
        if !state.files.contains_key(&key) {
            return Ok(());
        }
        // Releasing the middle of a lock leaves two.
        state.change(key, |file| cut(&mut file.ranges, &gone))
    }

    fn release_process(&self, key: FileKey, owner: u32) {
        let mut state = self.state.lock();
        if state.files.contains_key(&key) {
            // There are fewer afterwards, so this does not fail.
            let _ = state.change(key, |file| file.ranges.retain(|range| range.owner != owner));
        }
    }
}

/// A process that asks for a lock of a file. Dropped, it waits no longer.
pub(crate) struct Asking<'a> {
    pub(crate) locks: &'a Locks,
    pub(crate) key: FileKey,
    /// The file, if it is a regular one.
    pub(crate) file: Option<&'a dyn File>,
    pub(crate) process: u32,
}

impl Asking<'_> {
    /// Gives `wanted` to the process, in place of what it has there; pending while others have it. `EAGAIN` while
    /// somebody else at the host has it: nobody tells when that ends.
    pub(crate) fn poll_range(&self, cx: &Context<'_>, wanted: Range) -> Poll<Result<()>> {
        let mut state = self.locks.state.lock();
        if state.blockers(self.key, wanted).next().is_some() {
            if state.is_deadlock(self.key, wanted) {
                return Poll::Ready(Err(Errno::DEADLK));
            }
            state.waiting.insert(self.process, (self.key, wanted));
            return self.wait(&mut state, cx);
        }
        self.follow_at_host(&mut state)?;
        // In the middle of another lock of this process, three are left.
        let changed = state.change(self.key, |file| {
            cut(&mut file.ranges, &wanted);
            join(&mut file.ranges, wanted);
        });
        if changed == Err(Errno::AGAIN) {
            state.waiting.insert(self.process, (self.key, wanted));
        }
        Poll::Ready(changed)
    }

    /// Gives the open file that has `lock` all of the file; pending while others have it, and `EAGAIN` as for ranges.
    pub(crate) fn poll_whole(&self, cx: &Context<'_>, lock: &WholeLock, exclusive: bool) -> Poll<Result<()>> {
        let mut state = self.locks.state.lock();
        let excludes = |(other, strong): &(u64, bool)| *other != lock.owner && (exclusive || *strong);
        if state.files.get(&self.key).is_some_and(|file| file.whole.iter().any(excludes)) {
            return self.wait(&mut state, cx);
        }
        self.follow_at_host(&mut state)?;
        state.change(self.key, |file| {
            file.whole.retain(|(other, _)| *other != lock.owner);
            file.whole.push((lock.owner, exclusive));
        })?;
        *lock.held.lock() = Some(exclusive);
        Poll::Ready(Ok(()))
    }

    fn follow_at_host(&self, state: &mut State) -> Result<()> {
        self.file.map_or(Ok(()), |file| state.follow_at_host(self.key, file))
    }

    fn wait(&self, state: &mut State, cx: &Context<'_>) -> Poll<Result<()>> {
        if let Some(file) = state.files.get_mut(&self.key) {
            file.waiters.insert(self.process, cx.waker().clone());
        }
        Poll::Pending
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut state = self.locks.state.lock();
        state.waiting.remove(&self.process);
        if let Some(file) = state.files.get_mut(&self.key) {
            file.waiters.remove(&self.process);
        }
        state.tidy(self.key);
    }
}

/// The locks that a process has for ranges. It gives up those of a file when it closes any descriptor of it, and all at
/// its end.
pub(crate) struct ProcessLocks {
    locks: Arc<Locks>,
    owner: u32,
    files: Vec<FileKey>,
}

impl ProcessLocks {
    pub(crate) fn new(locks: Arc<Locks>, owner: u32) -> ProcessLocks {
        ProcessLocks { locks, owner, files: Vec::new() }
    }

    /// A file of which it may have locks.
    pub(crate) fn note(&mut self, key: FileKey) {
        if !self.files.contains(&key) {
            self.files.push(key);
        }
    }

    pub(crate) fn close(&mut self, key: FileKey) {
        if let Some(place) = self.files.iter().position(|file| *file == key) {
            self.files.remove(place);
            self.locks.release_process(key, self.owner);
        }
    }
}

impl Drop for ProcessLocks {
    fn drop(&mut self) {
        for file in &self.files {
            self.locks.release_process(*file, self.owner);
        }
    }
}

/// The lock that an open file has for all of its file; it goes with the last descriptor.
pub(crate) struct WholeLock {
    locks: Arc<Locks>,
    key: FileKey,
    owner: u64,
    /// Whether it is held, and exclusively.
    held: Mutex<Option<bool>>,
}

impl WholeLock {
    pub(crate) fn new(locks: Arc<Locks>, key: FileKey) -> WholeLock {
        let owner = locks.numbers.fetch_add(1, Ordering::Relaxed);
        WholeLock { locks, key, owner, held: Mutex::new(None) }
    }

    pub(crate) fn is_held(&self, exclusive: bool) -> bool {
        *self.held.lock() == Some(exclusive)
    }

    pub(crate) fn release(&self) {
        if self.held.lock().take().is_none() {
            return;
        }
        let mut state = self.locks.state.lock();
        if state.files.contains_key(&self.key) {
            // There are fewer afterwards, so this does not fail.
            let _ = state.change(self.key, |file| file.whole.retain(|(owner, _)| *owner != self.owner));
        }
    }
}

impl Drop for WholeLock {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: FileKey = FileKey { dev: 1, ino: 1 };

    fn range(owner: u32, exclusive: bool, start: u64, end: u64) -> Range {
        Range { owner, exclusive, start, end }
    }

    fn asking(locks: &Locks, process: u32) -> Asking<'_> {
        Asking { locks, key: FILE, file: None, process }
    }

    fn ask(locks: &Locks, range: Range) -> Poll<Result<()>> {
        asking(locks, range.owner).poll_range(&Context::from_waker(Waker::noop()), range)
    }

    #[test]
    fn ranges_split_and_join() {
        let locks = Locks::default();
        assert_eq!(ask(&locks, range(1, true, 0, 10)), Poll::Ready(Ok(())));
        assert_eq!(ask(&locks, range(2, false, 5, 6)), Poll::Pending);
        assert_eq!(ask(&locks, range(1, false, 4, 6)), Poll::Ready(Ok(())));
        assert_eq!(ask(&locks, range(2, false, 5, 6)), Poll::Ready(Ok(())));
        assert_eq!(locks.conflict(FILE, range(2, false, 0, u64::MAX)), Some(range(1, true, 0, 4)));
        assert_eq!(locks.state.lock().count, 4);
        locks.release_process(FILE, 2);
        assert_eq!(ask(&locks, range(1, true, 4, 20)), Poll::Ready(Ok(())));
        assert_eq!(locks.state.lock().count, 1);
        assert_eq!(locks.release_range(FILE, range(1, true, 0, u64::MAX)), Ok(()));
        assert!(locks.state.lock().files.is_empty());
    }

    #[test]
    fn at_the_limit_locks_can_be_changed_and_released() {
        let locks = Locks::default();
        let third = |n: usize| range(1, true, 10 * n as u64, 10 * n as u64 + 3);
        for n in 0..MOST {
            assert_eq!(ask(&locks, third(n)), Poll::Ready(Ok(())));
        }
        assert_eq!(ask(&locks, third(MOST)), Poll::Ready(Err(Errno::NOLCK)));
        assert_eq!(locks.release_range(FILE, range(1, true, 1, 2)), Err(Errno::NOLCK));
        assert_eq!(ask(&locks, range(1, false, 1, 2)), Poll::Ready(Err(Errno::NOLCK)));
        assert_eq!(locks.state.lock().count, MOST);
        assert_eq!(locks.conflict(FILE, range(2, false, 0, 3)), Some(third(0)));
        assert_eq!(ask(&locks, range(1, false, 0, 3)), Poll::Ready(Ok(())));
        assert_eq!(locks.release_range(FILE, third(1)), Ok(()));
        assert_eq!(ask(&locks, third(MOST)), Poll::Ready(Ok(())));
    }

    #[test]
    fn who_waits_for_each_other_is_told() {
        let locks = Locks::default();
        for owner in 1..=3u32 {
            let own = u64::from(owner);
            assert_eq!(ask(&locks, range(owner, true, own, own + 1)), Poll::Ready(Ok(())));
        }
        let cx = Context::from_waker(Waker::noop());
        let (first, second) = (asking(&locks, 1), asking(&locks, 2));
        assert_eq!(first.poll_range(&cx, range(1, true, 2, 3)), Poll::Pending);
        assert_eq!(second.poll_range(&cx, range(2, true, 3, 4)), Poll::Pending);
        assert_eq!(ask(&locks, range(3, true, 1, 2)), Poll::Ready(Err(Errno::DEADLK)));
        drop(second);
        assert_eq!(ask(&locks, range(3, true, 1, 2)), Poll::Pending);
        drop(first);
        assert!(locks.state.lock().files[&FILE].waiters.is_empty());
    }

    #[test]
    fn there_is_a_limit() {
        let locks = Locks::default();
        let made = (0..)
            .take_while(|n| ask(&locks, range(1, true, n * 2, n * 2 + 1)) == Poll::Ready(Ok(())))
            .count();
        assert_eq!(made, MOST);
        locks.release_process(FILE, 1);
        assert_eq!(locks.state.lock().count, 0);
    }

    #[test]
    fn an_open_file_keeps_its_lock_until_it_is_dropped() {
        let locks = Arc::new(Locks::default());
        let cx = Context::from_waker(Waker::noop());
        let (first, second) = (WholeLock::new(locks.clone(), FILE), WholeLock::new(locks.clone(), FILE));
        let ask = |lock: &WholeLock, exclusive| asking(&locks, 1).poll_whole(&cx, lock, exclusive);
        assert_eq!(ask(&first, false), Poll::Ready(Ok(())));
        assert_eq!(ask(&second, false), Poll::Ready(Ok(())));
        assert_eq!(ask(&first, true), Poll::Pending);
        drop(second);
        assert_eq!(ask(&first, true), Poll::Ready(Ok(())));
        drop(first);
        assert_eq!(locks.state.lock().count, 0);
        assert!(locks.state.lock().files.is_empty());
    }
}
