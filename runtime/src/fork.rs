//! Makes `fork(2)` of the host process safe.
//!
//! A forked child has one thread, and a lock that another thread held at that moment stays locked in it for ever.
//! wasmtime has process-wide locks. So a fork waits until no guest executes and no code is loaded, and prevents both
//! until it is done. Guests yield about once a millisecond, so it does not wait long. An [`Engine`](crate::Engine) of
//! the parent cannot be used in the child, because its threads do not exist there: the child must make its own.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Number of threads that execute guests or load code.
static DELAYING: AtomicUsize = AtomicUsize::new(0);
/// Number of forks in progress.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// How long a fork waits for a host function that does not return. Then it goes ahead despite the risk.
const MAX_WAIT: Duration = Duration::from_millis(50);
/// The time between two checks.
const POLL_INTERVAL: Duration = Duration::from_micros(20);

thread_local! {
    /// How many guards this thread holds. A nested guard must not wait for a fork, because that fork waits for this
    /// thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// While it lives, this thread may hold process-wide locks, so forks wait.
pub(crate) struct ForkDelay(std::marker::PhantomData<*const ()>);

/// Makes forks wait for this thread. First waits for forks in progress.
pub(crate) fn delay_forks() -> ForkDelay {
    let depth = DEPTH.get();
    DEPTH.set(depth + 1);
    if depth == 0 {
        loop {
            DELAYING.fetch_add(1, Ordering::SeqCst);
            if FORKS.load(Ordering::SeqCst) == 0 {
                break;
            }
            DELAYING.fetch_sub(1, Ordering::SeqCst);
            sleep(POLL_INTERVAL);
        }
    }
    ForkDelay(std::marker::PhantomData)
}

impl Drop for ForkDelay {
    fn drop(&mut self) {
        let depth = DEPTH.get() - 1;
        DEPTH.set(depth);
        if depth == 0 {
            DELAYING.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Call this before a fork, in the thread that forks: the `prepare` handler of `pthread_atfork`.
pub fn before() {
    FORKS.fetch_add(1, Ordering::SeqCst);
    let own = usize::from(DEPTH.get() > 0);
    let until = Instant::now() + MAX_WAIT;
    while DELAYING.load(Ordering::SeqCst) > own && Instant::now() < until {
        sleep(POLL_INTERVAL);
    }
}

/// Call this in the parent after a fork that [`before`] preceded: the `parent` handler.
pub fn after_in_parent() {
    FORKS.fetch_sub(1, Ordering::SeqCst);
}

/// Call this in the child after a fork that [`before`] preceded: the `child` handler.
pub fn after_in_child() {
    FORKS.store(0, Ordering::SeqCst);
    DELAYING.store(usize::from(DEPTH.get() > 0), Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    // One test, because the counters are global.
    #[test]
    fn a_fork_waits_for_threads_that_delay_it_and_blocks_new_ones() {
        let (is_busy, becomes_busy) = mpsc::channel();
        let (done, is_done) = mpsc::channel::<()>();
        let other = thread::spawn(move || {
            let _delay = delay_forks();
            let _nested = delay_forks();
            is_busy.send(()).expect("somebody waits");
            is_done.recv().expect("a word");
        });
        becomes_busy.recv().expect("busy");
        let forking = thread::spawn(|| {
            before();
            DELAYING.load(Ordering::SeqCst)
        });
        while FORKS.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        done.send(()).expect("it waits");
        assert_eq!(forking.join().expect("the fork"), 0);
        other.join().expect("the other");
        let held_up = thread::spawn(|| drop(delay_forks()));
        sleep(POLL_INTERVAL * 10);
        assert!(!held_up.is_finished());
        after_in_parent();
        held_up.join().expect("it goes on");
        // A thread does not wait for itself.
        let _delay = delay_forks();
        before();
        drop(delay_forks());
        after_in_child();
        assert_eq!((DELAYING.load(Ordering::SeqCst), FORKS.load(Ordering::SeqCst)), (1, 0));
    }
}
