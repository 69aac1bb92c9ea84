//! The threads for host calls that take long.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// How much of this work one sandbox can have at once.
pub(crate) const MAX_PER_SANDBOX: usize = 2;
/// Threads of one engine, far more than one sandbox can use.
const MAX_THREADS: usize = 64;
/// A thread without work ends after this time.
const IDLE: Duration = Duration::from_secs(5);
/// Added to the niceness of the thread that starts them.
const NICE: i32 = 5;

type Work = Box<dyn FnOnce() + Send>;

/// The threads of one engine, started when there is work.
#[derive(Clone, Default)]
pub(crate) struct Pool(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    ready: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Work>,
    threads: usize,
    idle: usize,
}

impl Pool {
    /// Does `work` on one of the threads, or on the calling thread if none can be started.
    pub(crate) fn submit(&self, work: Work) {
        let mut state = self.0.state.lock();
        state.queue.push_back(work);
        if state.idle >= state.queue.len() || state.threads >= MAX_THREADS {
            self.0.ready.notify_one();
            return;
        }
        state.threads += 1;
        drop(state);
        let shared = self.0.clone();
        let thread = std::thread::Builder::new().name("sandshell-aside".into());
        if thread.spawn(move || serve(&shared)).is_ok() {
            return;
        }
        let mut state = self.0.state.lock();
        state.threads -= 1;
        let work = if state.threads == 0 { state.queue.pop_front() } else { None };
        drop(state);
        if let Some(work) = work {
            work();
        }
    }
}

fn serve(shared: &Arc<Shared>) {
    /// Stops counting the thread when it ends, also by a panic.
    struct Counted<'a>(&'a Shared);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.state.lock().threads -= 1;
        }
    }
    let _counted = Counted(shared);
    crate::priority::lower(NICE);
    loop {
        let mut state = shared.state.lock();
        let work = loop {
            if let Some(work) = state.queue.pop_front() {
                break work;
            }
            state.idle += 1;
            let waited = shared.ready.wait_for(&mut state, IDLE);
            state.idle -= 1;
            if waited.timed_out() && state.queue.is_empty() {
                return;
            }
        };
        drop(state);
        work();
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_THREADS, Pool};
    use std::sync::mpsc;

    #[test]
    fn all_work_is_done_by_a_bounded_number_of_threads_that_survive_a_panic() {
        let pool = Pool::default();
        let (sender, receiver) = mpsc::channel();
        for number in 0..300 {
            let sender = sender.clone();
            pool.submit(Box::new(move || {
                sender.send(number).unwrap();
                assert!(number % 50 != 0, "some work fails");
            }));
            assert!(pool.0.state.lock().threads <= MAX_THREADS);
        }
        drop(sender);
        let mut done: Vec<i32> = receiver.iter().collect();
        done.sort_unstable();
        assert_eq!(done, (0..300).collect::<Vec<_>>());
    }
}
