//! How long whoever asks has time for an answer.
//!
//! The work of most operations is small. Where it goes with the size of something (a file that is copied up, a range
//! that is filled, a directory of a million names), it is done in pieces, and each piece is asked for [here](spend)
//! first.
//!
//! Without more words an operation goes on to its end. On a thread that others wait for it is called [`briefly`]: what
//! turns out to be long fails with [`Errno::Restart`] before it has changed anything, and is called again [`until`] it
//! is done or nobody wants it any more, on a thread where it holds up nothing else.

use crate::{Errno, Result};
use std::cell::RefCell;
use std::sync::Arc;

/// The bytes of work that are brief: some tenths of a millisecond.
pub(crate) const BRIEF: u64 = 1 << 20;

/// Whether nobody waits for an operation any more.
pub type GivenUp = Arc<dyn Fn() -> bool + Send + Sync>;

enum Patience {
    Endless,
    /// For so many bytes more.
    Brief(u64),
    Until(GivenUp),
}

thread_local! {
    static PATIENCE: RefCell<Patience> = const { RefCell::new(Patience::Endless) };
}

/// Does something on a thread that others wait for. `work` fails with [`Errno::Restart`], nothing having changed, when
/// it would take long: it is then to be done again with [`until`], elsewhere.
pub fn briefly<T>(work: impl FnOnce() -> T) -> T {
    with(Patience::Brief(BRIEF), work)
}

/// Does something that may take long: in pieces, before each of which `given_up` is asked. Once it says so, `work`
/// fails with [`Errno::Intr`]; what it has done until then is whole, but may be a part.
pub fn until<T>(given_up: GivenUp, work: impl FnOnce() -> T) -> T {
    with(Patience::Until(given_up), work)
}

/// Whether nobody waits any more for what this thread does [`until`] then: for work on other things than files.
pub fn is_given_up() -> bool {
    spend(0).is_err()
}

/// Does something that has to come to its end whoever waits for what it is a part of, as taking back what was done.
pub(crate) fn patiently<T>(work: impl FnOnce() -> T) -> T {
    with(Patience::Endless, work)
}

/// Asks for time to work on so many bytes.
pub(crate) fn spend(bytes: u64) -> Result<()> {
    PATIENCE.with_borrow_mut(|patience| match patience {
        Patience::Endless => Ok(()),
        Patience::Brief(left) => match left.checked_sub(bytes) {
            Some(rest) => {
                *left = rest;
                Ok(())
            }
            None => Err(Errno::Restart),
        },
        Patience::Until(given_up) if given_up() => Err(Errno::Intr),
        Patience::Until(_) => Ok(()),
    })
}

fn with<T>(patience: Patience, work: impl FnOnce() -> T) -> T {
    /// Puts back what was before, also when `work` panics.
    struct Before(Option<Patience>);
    impl Drop for Before {
        fn drop(&mut self) {
            if let Some(before) = self.0.take() {
                PATIENCE.set(before);
            }
        }
    }
    let _before = Before(Some(PATIENCE.replace(patience)));
    work()
}

#[cfg(test)]
mod tests {
    use super::{BRIEF, briefly, patiently, spend, until};
    use crate::Errno;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn work_is_brief_or_begun_again_or_given_up() {
        assert_eq!(spend(u64::MAX), Ok(()), "without a word there is time");
        let twice = briefly(|| (spend(BRIEF), spend(1)));
        assert_eq!(twice, (Ok(()), Err(Errno::Restart)));
        let pieces = Arc::new(AtomicU32::new(0));
        let counted = pieces.clone();
        let given_up = Arc::new(move || counted.fetch_add(1, Ordering::Relaxed) == 3);
        let done = until(given_up, || (0..).find_map(|_| spend(BRIEF).err()));
        assert_eq!((done, pieces.load(Ordering::Relaxed)), (Some(Errno::Intr), 4));
        let undone = until(Arc::new(|| true), || (patiently(|| spend(1)), spend(1)));
        assert_eq!(undone, (Ok(()), Err(Errno::Intr)));
        let caught = std::panic::catch_unwind(|| briefly(|| panic!("within")));
        assert!(caught.is_err());
        assert_eq!(spend(u64::MAX), Ok(()), "after a panic it is as before");
    }
}
