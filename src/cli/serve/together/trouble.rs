//! Which servers could not do what another one could: those are asked last for some time.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// For how long, the first time. Each time in succession doubles it.
const FIRST: Duration = Duration::from_secs(30);

/// The most that it is doubled.
const MOST_TIMES: u32 = 6;

/// Failures of servers, by their sessions.
#[derive(Debug, Default)]
pub(super) struct Trouble(Mutex<HashMap<String, Failed>>);

#[derive(Debug)]
struct Failed {
    times: u32,
    until: Instant,
}

impl Trouble {
    pub(super) fn failed(&self, session: &str, now: Instant) {
        let mut all = self.lock();
        let times = all.get(session).map_or(0, |failed| (failed.times + 1).min(MOST_TIMES));
        let until = now + FIRST * 2_u32.pow(times);
        all.insert(session.to_owned(), Failed { times, until });
    }

    pub(super) fn worked(&self, session: &str) {
        self.lock().remove(session);
    }

    /// Whether others are to be asked before this one.
    pub(super) fn is_with(&self, session: &str, now: Instant) -> bool {
        self.lock().get(session).is_some_and(|failed| now < failed.until)
    }

    /// Forgets those that are no servers any more.
    pub(super) fn forget(&self, is_known: impl Fn(&str) -> bool) {
        self.lock().retain(|session, _| is_known(session));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Failed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_fails_again_is_asked_last_for_longer() {
        let (trouble, now) = (Trouble::default(), Instant::now());
        assert!(!trouble.is_with("a", now));
        trouble.failed("a", now);
        assert!(trouble.is_with("a", now) && !trouble.is_with("b", now));
        let later = now + FIRST;
        assert!(!trouble.is_with("a", later));
        trouble.failed("a", later);
        assert!(trouble.is_with("a", later + FIRST) && !trouble.is_with("a", later + FIRST * 2));
        trouble.worked("a");
        trouble.failed("a", later);
        trouble.failed("b", later);
        trouble.forget(|session| session == "a");
        assert!(trouble.is_with("a", later) && !trouble.is_with("b", later));
        assert!(!trouble.is_with("a", later + FIRST));
    }
}
