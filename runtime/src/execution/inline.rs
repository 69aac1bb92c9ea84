//! Executes short commands in the task that starts them, so that neither they nor their children cost a thread switch.
//!
//! Waking a thread takes longer than most processes of a pipeline run. So a command and the processes that it starts
//! are polled in turn on the calling thread, as long as one of them can make progress. When all of them wait, or a time
//! slice is over, each is spawned as a task of its own.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};

use crate::handoff;

/// The future that executes a process.
pub(crate) type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// How long processes are executed in this way. Longer ones gain more from running in parallel.
const SLICE: Duration = Duration::from_micros(500);

thread_local! {
    /// Tasks that were started by the task that [`execute`] is polling on this thread; `None` outside of a poll.
    static STARTED: RefCell<Option<Vec<Task>>> = const { RefCell::new(None) };
}

/// Whether a task was woken since its last poll.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

/// A task that is polled on the calling thread.
struct LocalTask {
    task: Task,
    woken: Arc<Woken>,
    waker: Waker,
}

impl LocalTask {
    fn new(task: Task) -> Self {
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        Self { task, waker: woken.clone().into(), woken }
    }
}

/// Whether [`execute`] is polling a process on this thread.
pub(super) fn is_polling() -> bool {
    STARTED.with_borrow(Option::is_some)
}

/// Executes a process: in the [`execute`] that is polling the caller, if there is one, otherwise in a new task.
pub(crate) fn start(task: Task) {
    let task = STARTED.with_borrow_mut(|started| match started {
        Some(started) => {
            started.push(task);
            None
        }
        None => Some(task),
    });
    if let Some(task) = task {
        tokio::spawn(task);
        handoff::woke();
    }
}

/// Executes a process and those that it starts on the calling thread. Those that have not ended when this returns
/// continue as tasks of their own.
pub(crate) fn execute(first: Task) {
    if is_polling() {
        // The outer `execute` polls this too.
        return start(first);
    }
    let began = Instant::now();
    let mut locals = vec![LocalTask::new(first)];
    let mut next = 0;
    let mut idle = 0;
    while idle < locals.len() && began.elapsed() < SLICE {
        next %= locals.len();
        let Some(local) = locals.get_mut(next) else { break };
        if !local.woken.0.swap(false, Ordering::Acquire) {
            (next, idle) = (next + 1, idle + 1);
            continue;
        }
        idle = 0;
        let collecting = Collecting::new();
        let polled = catch_unwind(AssertUnwindSafe(|| {
            local.task.as_mut().poll(&mut Context::from_waker(&local.waker)).is_ready()
        }));
        // As in a task of its own, a panic ends only this process.
        if polled.unwrap_or(true) {
            locals.swap_remove(next);
        } else {
            next += 1;
        }
        locals.extend(collecting.take().into_iter().map(LocalTask::new));
    }
    // A new task is polled at once, so no wake-up is lost.
    for local in locals {
        tokio::spawn(local.task);
    }
}

/// While it lives, tasks that are started on this thread are collected.
struct Collecting;

impl Collecting {
    fn new() -> Self {
        STARTED.set(Some(Vec::new()));
        Self
    }

    fn take(self) -> Vec<Task> {
        STARTED.take().unwrap_or_default()
    }
}

impl Drop for Collecting {
    fn drop(&mut self) {
        STARTED.set(None);
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn};
    use std::sync::Mutex;
    use std::task::Poll;
    use std::thread;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_task_and_those_that_it_starts_run_in_one_thread() {
        let (done, is_done) = oneshot::channel();
        let here = thread::current().id();
        execute(Box::pin(async move {
            let (sender, receiver) = oneshot::channel();
            let (other_sender, other) = oneshot::channel();
            start(Box::pin(async move { other_sender.send(receiver.await).expect("it is waited for") }));
            start(Box::pin(async move { sender.send(thread::current().id()).expect("it is waited for") }));
            done.send((thread::current().id(), other.await)).expect("it is waited for");
        }));
        let mut is_done = is_done;
        assert_eq!(is_done.try_recv().expect("it is done"), (here, Ok(Ok(here))));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_task_that_waits_or_runs_long_moves_to_the_runtime() {
        let (sender, receiver) = oneshot::channel::<u8>();
        let (done, is_done) = oneshot::channel();
        execute(Box::pin(async move { done.send(receiver.await).expect("it is waited for") }));
        sender.send(7).expect("it waits");
        assert_eq!(is_done.await, Ok(Ok(7)));
        let (done, is_done) = oneshot::channel();
        let polls = Mutex::new(0);
        execute(Box::pin(async move {
            poll_fn(|cx| {
                *polls.lock().expect("no panic") += 1;
                thread::sleep(SLICE);
                cx.waker().wake_by_ref();
                if *polls.lock().expect("no panic") < 3 { Poll::Pending } else { Poll::Ready(()) }
            })
            .await;
            done.send(()).expect("it is waited for");
        }));
        assert_eq!(is_done.await, Ok(()));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_ends_one_task_alone() {
        let (done, is_done) = oneshot::channel();
        execute(Box::pin(async move {
            start(Box::pin(async { panic!("one of them") }));
            start(Box::pin(async move { done.send(()).expect("it is waited for") }));
            pending().await
        }));
        assert_eq!(is_done.await, Ok(()));
    }
}
