//! The deterministic scheduler: the processes of one sandbox take turns in FIFO order.
//!
//! One tokio task drives it. A process runs until it waits or has used up its fuel interval. A process that becomes
//! runnable is added to the end of the queue. When no process is runnable, virtual time advances to the next timer.
//!
//! With a virtual clock, processes run only while a command runs; otherwise the host would determine how far background
//! processes come between two commands. For the same reason, while one process waits for the host to take its output,
//! all others wait too.

use std::collections::{BTreeMap, VecDeque};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Wake, Waker};

use parking_lot::Mutex;

use crate::clock::ClockSource;

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A run queue. It is driven from the first [`Scheduler::spawn`] on, until it has no task.
pub(crate) struct Scheduler {
    clock: ClockSource,
    state: Mutex<State>,
    /// Whether the task that is being polled waits for the host.
    waits_for_host: AtomicBool,
}

#[derive(Default)]
struct State {
    next: u64,
    /// `None` while the task is being polled.
    tasks: BTreeMap<u64, Option<Task>>,
    queue: VecDeque<u64>,
    driver: Option<Waker>,
    driven: bool,
    /// Number of commands that are running.
    commands: usize,
    /// Whether tasks may run although no command does, because they were killed.
    draining: bool,
    /// The task that waits for the host, while all others wait for it.
    host_waiter: Option<u64>,
}

impl Scheduler {
    pub(crate) fn new(clock: ClockSource) -> Arc<Scheduler> {
        Arc::new(Scheduler { clock, state: Mutex::default(), waits_for_host: AtomicBool::new(false) })
    }

    /// Counts a command that starts.
    pub(crate) fn command_begins(&self) {
        self.state.lock().commands += 1;
        self.wake_driver();
    }

    /// Counts a command that is over.
    pub(crate) fn command_ends(&self) {
        let mut state = self.state.lock();
        state.commands = state.commands.saturating_sub(1);
    }

    /// Lets tasks run until all of them wait, even if no command runs.
    pub(crate) fn drain(&self) {
        self.state.lock().draining = true;
        self.wake_driver();
    }

    /// Sets whether the task that is being polled waits for the host. If so, no other task gets a turn before it.
    pub(crate) fn set_waits_for_host(&self, waits_for_host: bool) {
        self.waits_for_host.store(waits_for_host, Ordering::Relaxed);
    }

    fn wake_driver(&self) {
        let driver = self.state.lock().driver.take();
        if let Some(driver) = driver {
            driver.wake();
        }
    }

    /// Adds a task at the end of the queue and returns its id. Must be called inside a tokio runtime.
    pub(crate) fn spawn(self: &Arc<Self>, task: impl Future<Output = ()> + Send + 'static) -> u64 {
        let mut state = self.state.lock();
        let id = state.next;
        state.next += 1;
        state.tasks.insert(id, Some(Box::pin(task)));
        let driven = std::mem::replace(&mut state.driven, true);
        drop(state);
        self.enqueue(id);
        if !driven {
            tokio::spawn(drive(self.clone()));
        }
        id
    }

    /// Removes a task. If it is being polled, it ends after that.
    pub(crate) fn abort(&self, id: u64) {
        let mut state = self.state.lock();
        let task = state.tasks.remove(&id);
        // Otherwise a process that replaces its alarm in a loop makes the queue longer and longer.
        state.queue.retain(|queued| *queued != id);
        if state.host_waiter == Some(id) {
            state.host_waiter = None;
        }
        let driver = state.driver.take();
        drop(state);
        drop(task);
        if let Some(driver) = driver {
            driver.wake();
        }
    }

    fn enqueue(&self, id: u64) {
        let mut state = self.state.lock();
        if !state.tasks.contains_key(&id) || state.queue.contains(&id) {
            return;
        }
        state.queue.push_back(id);
        let driver = state.driver.take();
        drop(state);
        if let Some(driver) = driver {
            driver.wake();
        }
    }

    /// Polls the first task of the queue. `Pending` if there is none and virtual time cannot advance.
    fn turn(self: &Arc<Self>, cx: &Context<'_>) -> Poll<Turn> {
        let mut state = self.state.lock();
        if state.tasks.is_empty() {
            state.driven = false;
            return Poll::Ready(Turn::Finished);
        }
        let paused = self.clock.is_virtual() && state.commands == 0 && !state.draining;
        let Some(id) = (if paused { None } else { state.next_task() }) else {
            state.driver = Some(cx.waker().clone());
            state.draining = false;
            let paused =
                paused || state.host_waiter.is_some() || (self.clock.is_virtual() && state.commands == 0);
            drop(state);
            return if !paused && self.clock.advance() { Poll::Ready(Turn::Continue) } else { Poll::Pending };
        };
        self.set_waits_for_host(false);
        let task = state.tasks.get_mut(&id).and_then(Option::take);
        drop(state);
        let Some(mut task) = task else { return Poll::Ready(Turn::Continue) };
        let waker = Waker::from(Arc::new(TaskWaker { id, scheduler: Arc::downgrade(self) }));
        let finished = task.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        let mut state = self.state.lock();
        if self.waits_for_host.load(Ordering::Relaxed) && !finished && state.tasks.contains_key(&id) {
            state.host_waiter = Some(id);
        }
        if finished {
            state.tasks.remove(&id);
            drop(state);
            drop(task);
        } else if let Some(slot) = state.tasks.get_mut(&id) {
            *slot = Some(task);
        }
        Poll::Ready(Turn::Continue)
    }
}

impl State {
    /// Takes the next task from the queue.
    fn next_task(&mut self) -> Option<u64> {
        let Some(host_waiter) = self.host_waiter else { return self.queue.pop_front() };
        let at = self.queue.iter().position(|id| *id == host_waiter)?;
        self.host_waiter = None;
        self.queue.remove(at)
    }
}

enum Turn {
    Continue,
    Finished,
}

async fn drive(scheduler: Arc<Scheduler>) {
    loop {
        match poll_fn(|cx| scheduler.turn(cx)).await {
            Turn::Finished => return,
            // Gives tokio a chance to run other tasks and timers between two turns.
            Turn::Continue => tokio::task::consume_budget().await,
        }
    }
}

struct TaskWaker {
    id: u64,
    scheduler: Weak<Scheduler>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(scheduler) = self.scheduler.upgrade() {
            scheduler.enqueue(self.id);
        }
    }
}

/// Handle of a task beside the processes, which is aborted when this is dropped.
pub(crate) enum Background {
    Tokio(tokio::task::AbortHandle),
    Scheduled(Weak<Scheduler>, u64),
}

impl Drop for Background {
    fn drop(&mut self) {
        match self {
            Background::Tokio(handle) => handle.abort(),
            Background::Scheduled(scheduler, id) => {
                if let Some(scheduler) = scheduler.upgrade() {
                    scheduler.abort(*id);
                }
            }
        }
    }
}

/// Yields to other tasks once.
pub(crate) async fn yield_now() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return std::task::Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tasks_that_were_given_up_are_not_in_the_queue() {
        let scheduler = Scheduler::new(ClockSource::new(crate::Clock::Real));
        for _ in 0..1000 {
            let id = scheduler.spawn(std::future::pending());
            scheduler.abort(id);
        }
        let kept = scheduler.spawn(std::future::pending());
        assert_eq!(scheduler.state.lock().queue, [kept]);
    }
}
