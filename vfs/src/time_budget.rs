//! How long an operation may take.
//!
//! Most operations are short. If the work depends on the size of something (a file that is copied up, a range that is
//! filled, a directory of a million names), it is done in pieces, and [`spend`] is called before each piece.
//!
//! By default an operation runs to its end. On a thread that others wait for it is called [`briefly`]: an operation
//! that turns out to be long fails with [`Errno::Restart`] before it has changed anything. It is then called again with
//! [`until`] on a thread where nobody waits, and runs until it is done or cancelled.

use crate::{Errno, Result};
use std::cell::RefCell;
use std::sync::Arc;

/// Bytes of work that are considered brief: some tenths of a millisecond.
pub(crate) const BRIEF: u64 = 1 << 20;

/// Returns whether an operation is cancelled.
pub type GivenUp = Arc<dyn Fn() -> bool + Send + Sync>;

enum TimeBudget {
    Endless,
    /// For this many more bytes.
    Brief(u64),
    Until(GivenUp),
}

thread_local! {
    static BUDGET: RefCell<TimeBudget> = const { RefCell::new(TimeBudget::Endless) };
}

/// Does something on a thread that others wait for. If `work` would take long, it fails with [`Errno::Restart`] and has
/// changed nothing. Call it again with [`until`] on another thread then.
pub fn briefly<T>(work: impl FnOnce() -> T) -> T {
    with(TimeBudget::Brief(BRIEF), work)
}

/// Does something that may take long, in pieces, and calls `given_up` before each piece. If that returns true, `work`
/// fails with [`Errno::Intr`]; the pieces that were done stay done.
pub fn until<T>(given_up: GivenUp, work: impl FnOnce() -> T) -> T {
    with(TimeBudget::Until(given_up), work)
}

/// Whether the work of this thread's [`until`] is cancelled, for work on other things than files. False outside of
/// [`until`].
pub fn is_given_up() -> bool {
    spend(0).is_err()
}

/// Does something that must be completed even if the surrounding work is cancelled, such as a rollback.
pub(crate) fn uncancellable<T>(work: impl FnOnce() -> T) -> T {
    with(TimeBudget::Endless, work)
}

/// Call before waiting for another machine, when nothing was changed yet. `ERESTART` on a thread that others wait for,
/// `EINTR` if the work is cancelled.
pub fn may_wait() -> Result<()> {
    spend(u64::MAX)
}

/// Call before working on `bytes` bytes. `ERESTART` if that would take too long, `EINTR` if the work is cancelled.
pub(crate) fn spend(bytes: u64) -> Result<()> {
    BUDGET.with_borrow_mut(|budget| match budget {
        TimeBudget::Endless => Ok(()),
        TimeBudget::Brief(left) => match left.checked_sub(bytes) {
            Some(rest) => {
                *left = rest;
                Ok(())
            }
            None => Err(Errno::Restart),
        },
        TimeBudget::Until(given_up) if given_up() => Err(Errno::Intr),
        TimeBudget::Until(_) => Ok(()),
    })
}

fn with<T>(budget: TimeBudget, work: impl FnOnce() -> T) -> T {
    /// Restores the previous value, even if `work` panics.
    struct Before(Option<TimeBudget>);
    impl Drop for Before {
        fn drop(&mut self) {
            if let Some(before) = self.0.take() {
                BUDGET.set(before);
            }
        }
    }
    let _before = Before(Some(BUDGET.replace(budget)));
    work()
}

#[cfg(test)]
mod tests {
    use super::{BRIEF, briefly, spend, uncancellable, until};
    use crate::Errno;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn long_work_is_restarted_or_cancelled() {
        assert_eq!(spend(u64::MAX), Ok(()), "without a word there is time");
        let twice = briefly(|| (spend(BRIEF), spend(1)));
        assert_eq!(twice, (Ok(()), Err(Errno::Restart)));
        let pieces = Arc::new(AtomicU32::new(0));
        let counted = pieces.clone();
        let given_up = Arc::new(move || counted.fetch_add(1, Ordering::Relaxed) == 3);
        let done = until(given_up, || (0..).find_map(|_| spend(BRIEF).err()));
        assert_eq!((done, pieces.load(Ordering::Relaxed)), (Some(Errno::Intr), 4));
        let undone = until(Arc::new(|| true), || (uncancellable(|| spend(1)), spend(1)));
        assert_eq!(undone, (Ok(()), Err(Errno::Intr)));
        let caught = std::panic::catch_unwind(|| briefly(|| panic!("within")));
        assert!(caught.is_err());
        assert_eq!(spend(u64::MAX), Ok(()), "after a panic it is as before");
    }
}
