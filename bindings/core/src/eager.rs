//! Work that is begun by whoever asks for it, without a change of threads: a short command then costs no more than it does.
//!
//! For event loops, which must not stand still: a command that does not wait runs for one time slice (a millisecond) before
//! it can be passed on, so what takes long is not begun here again for a while, and after some short work other threads have
//! a turn, which lets the loop look at its other events.

use crate::runtime::in_use;
use std::cell::Cell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// What is not done yet.
pub type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Work that takes longer is long.
const SHORT: Duration = Duration::from_micros(500);

/// How long nothing is begun after long work: a loop with many long commands loses one part in twenty of its time.
const PAUSE: Duration = Duration::from_millis(20);

/// How much short work is done here before the loop has a turn.
const TURN: Duration = Duration::from_millis(2);

thread_local! {
    /// Until when nothing is begun here.
    static PAUSED: Cell<Option<Instant>> = const { Cell::new(None) };
    /// What was spent here since the loop had a turn. The first work, for which much is loaded, is not begun here.
    static SPENT: Cell<Duration> = const { Cell::new(TURN) };
}

/// Begins the work on this thread. What is not done at once is for the runtime's threads.
///
/// # Errors
/// The work, if it is not done.
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
    // Whoever goes on with it asks again, and is woken then.
    let polled =
        catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(&mut Context::from_waker(Waker::noop()))));
    let took = began.elapsed();
    SPENT.set(SPENT.get() + took);
    if took > SHORT {
        PAUSED.set(Some(began + took + PAUSE));
    }
    match polled {
        Ok(Poll::Ready(done)) => Ok(done),
        Ok(Poll::Pending) => Err(work),
        // As if it had happened on the thread that the work is for.
        Err(panic) => Err(Box::pin(async move { resume_unwind(panic) })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime;
    use std::future::ready;
    use std::thread::{sleep, spawn};

    /// On a thread of its own, because what was spent is counted for each.
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
