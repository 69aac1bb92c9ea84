//! Starts work on the thread that asks for it. This avoids a switch between threads, which costs more than a short
//! command.
//!
//! The thread is that of an event loop, which must not be blocked for long. A command that never waits runs for one
//! time slice (a millisecond) before it can be moved to another thread. So after long work twice in a row, no work is
//! started here for a while; once may be the host's scheduler. And after some amount of short work, the next work goes to
//! another thread, so that the loop can handle its other events.
//!
//! What waits for other threads, as a pipeline does for its processes, is waited for here as long as waking the loop would
//! take.

use crate::runtime::in_use;
use std::cell::Cell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Work that is not complete yet.
pub type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Work that takes longer than this counts as long.
const SHORT: Duration = Duration::from_micros(500);

/// How long work may wait for other threads before it is passed to them.
const PATIENCE: Duration = Duration::from_micros(150);

/// How long no work is started here after long work, and how long nothing is waited for after waiting in vain. A loop with
/// many long commands then loses one tenth of its time.
const PAUSE: Duration = Duration::from_millis(20);

/// How much short work is done here before the loop gets a turn.
const TURN: Duration = Duration::from_millis(2);

thread_local! {
    /// Until when no work is started on this thread.
    static PAUSED: Cell<Option<Instant>> = const { Cell::new(None) };
    /// Until when nothing is waited for on this thread.
    static HURRIED: Cell<Option<Instant>> = const { Cell::new(None) };
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
    let hurried = HURRIED.get().is_some_and(|until| began < until);
    let end = if hurried { began } else { began + PATIENCE };
    let polled = catch_unwind(AssertUnwindSafe(|| poll_until(work.as_mut(), end)));
    let took = began.elapsed();
    SPENT.set(SPENT.get() + took);
    let long = took > SHORT;
    if WAS_LONG.replace(long) && long {
        PAUSED.set(Some(began + took + PAUSE));
    }
    match polled {
        Ok(Poll::Ready(done)) => Ok(done),
        Ok(Poll::Pending) => {
            if !hurried {
                HURRIED.set(Some(began + took + PAUSE));
            }
            Err(work)
        }
        // A panic is raised again on the thread that continues the work.
        Err(panic) => Err(Box::pin(async move { resume_unwind(panic) })),
    }
}

/// Polls work, and again whenever it was woken before `end`. Whoever continues it polls it again, and registers a waker of
/// its own.
fn poll_until<T>(mut work: Pin<&mut (dyn Future<Output = T> + Send)>, end: Instant) -> Poll<T> {
    let alarm = Arc::new(Alarm { thread: thread::current(), rang: AtomicBool::new(false) });
    let waker = Waker::from(alarm.clone());
    loop {
        if let Poll::Ready(done) = work.as_mut().poll(&mut Context::from_waker(&waker)) {
            return Poll::Ready(done);
        }
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Poll::Pending;
            }
            if alarm.rang.swap(false, Ordering::Acquire) {
                break;
            }
            thread::park_timeout(left);
        }
    }
}

/// Wakes a thread that is parked.
struct Alarm {
    thread: Thread,
    rang: AtomicBool,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.rang.store(true, Ordering::Release);
        self.thread.unpark();
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
    fn what_another_thread_does_soon_is_waited_for() {
        // A machine that is busy may take longer than the patience, now and then.
        let tried = (0..1000).any(|_| {
            let (sender, receiver) = tokio::sync::oneshot::channel();
            let sending = spawn(move || sender.send(7));
            SPENT.set(Duration::ZERO);
            HURRIED.set(None);
            PAUSED.set(None);
            runtime().expect("a runtime");
            let done = begin(async move {
                tokio::task::yield_now().await;
                receiver.await
            });
            assert_eq!(sending.join().expect("joined"), Ok(()));
            matches!(done, Ok(Ok(7)))
        });
        assert!(tried);
    }

    #[test]
    fn nothing_is_waited_for_soon_after_waiting_in_vain() {
        alone(|| {
            let waiting = || drop(begin(std::future::pending::<()>()));
            waiting();
            let until = HURRIED.get().expect("it waited");
            let later = Some(until + Duration::from_secs(3600));
            SPENT.set(Duration::ZERO);
            HURRIED.set(later);
            waiting();
            assert_eq!(HURRIED.get(), later, "it did not wait");
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
