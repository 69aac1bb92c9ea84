//! Starts work on the thread that asks for it. This avoids a switch between threads, which costs more than a short
//! command.
//!
//! The thread is that of an event loop, which must not be blocked for long. A command that never waits runs for one
//! time slice (a millisecond) before it can be moved to another thread. So after long work twice in a row, no work is
//! started here for a while; once may be the host's scheduler. And after some amount of short work, the next work goes
//! to another thread, so that the loop can handle its other events.

use crate::runtime::in_use;
use std::cell::Cell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// Work that is not complete yet.
pub type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Work that takes longer than this counts as long.
const SHORT: Duration = Duration::from_micros(500);

/// How long no work is started here after long work twice in a row. A loop with many long commands then loses one tenth
/// of its time.
const PAUSE: Duration = Duration::from_millis(20);

/// How much short work is done here before the loop gets a turn.
const TURN: Duration = Duration::from_millis(2);

thread_local! {
    /// Until when no work is started on this thread.
    static PAUSED: Cell<Option<Instant>> = const { Cell::new(None) };
    /// Whether the last work here was long.
    static WAS_LONG: Cell<bool> = const { Cell::new(false) };
    /// The time spent on this thread since the loop had a turn. It starts full, because the first work loads much
    /// and should not run here.
    static SPENT: Cell<Duration> = const { Cell::new(TURN) };
}

/// Starts the work on this thread. If it does not complete at once, the caller must pass it to the runtime's
/// threads.
///
/// # Errors
/// The work, if it is not complete.
pub(crate) fn begin<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T, Work<T>> {
    let mut work: Work<T> = Box::pin(work);
    let began = Instant::now();
    let paused = PAUSED.get().is_some_and(|until| began < until);
    if paused || SPENT.get() >= TURN {
        SPENT.set(Duration::ZERO);
        return Err(work);
    }
    let Some(runtime) = in_use() else { return Err(work) };
    let _entered = runtime.enter();
    // The waker can be ignored: whoever continues the work polls it again and registers its own.
    let polled =
        catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(&mut Context::from_waker(Waker::noop()))));
    let took = began.elapsed();
    SPENT.set(SPENT.get() + took);
    let long = took > SHORT;
    if WAS_LONG.replace(long) && long {
        PAUSED.set(Some(began + took + PAUSE));
    }
    match polled {
        Ok(Poll::Ready(done)) => Ok(done),
        Ok(Poll::Pending) => Err(work),
        // A panic is raised again on the thread that continues the work.
        Err(panic) => Err(Box::pin(async move { resume_unwind(panic) })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime;
    use std::future::ready;
    use std::thread::{sleep, spawn};

    /// Runs a test on a thread of its own, because the time is counted for each thread.
    fn alone(test: impl FnOnce() + Send + 'static) {
        runtime().expect("a runtime");
        let test = || {
            SPENT.set(Duration::ZERO);
            test();
        };
        spawn(test).join().expect("the test");
    }

    #[test]
    fn what_is_done_at_once_is_an_answer() {
        alone(|| assert_eq!(begin(ready(7)).ok(), Some(7)));
    }

    #[test]
    fn what_waits_is_handed_back_and_goes_on() {
        alone(|| {
            let (sender, receiver) = tokio::sync::oneshot::channel();
            let Err(work) = begin(receiver) else { panic!("nothing was sent") };
            sender.send(7).expect("sent");
            let done = runtime().expect("a runtime").block_on(work);
            assert_eq!(done, Ok(7));
        });
    }

    #[test]
    fn after_long_work_there_is_a_pause() {
        alone(|| {
            assert!(begin(async { sleep(SHORT * 2) }).is_ok());
            assert!(PAUSED.get().is_none(), "once may be the scheduler");
            SPENT.set(Duration::ZERO);
            assert!(begin(async { sleep(SHORT * 2) }).is_ok());
            assert!(PAUSED.get().is_some());
            PAUSED.set(Some(Instant::now() + Duration::from_secs(3600)));
            assert!(begin(ready(())).is_err());
            PAUSED.set(Some(Instant::now()));
            assert!(begin(ready(())).is_ok());
        });
    }

    #[test]
    fn the_loop_has_its_turn() {
        alone(|| {
            SPENT.set(TURN);
            assert!(begin(ready(())).is_err());
            assert!(begin(ready(())).is_ok());
        });
    }

    #[test]
    fn a_panic_happens_to_whoever_goes_on() {
        alone(|| {
            async fn panics() {
                panic!("now");
            }
            let Err(work) = begin(panics()) else { panic!("it was answered") };
            let done = runtime().expect("a runtime").spawn(work);
            let error = runtime().expect("a runtime").block_on(done).expect_err("a panic");
            assert!(error.is_panic());
        });
    }
}
