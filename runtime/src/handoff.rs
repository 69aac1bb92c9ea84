//! Hands a woken process to another thread when the process that woke it continues to compute.
//!
//! tokio keeps the last task that a task has woken or spawned for the same thread, and no other thread can take it. For
//! a process that writes to a pipe and then waits, this is best: the reader continues without a thread switch. A
//! process that writes and then computes would hold up the reader for as long as its time slice. So at its calls to the
//! kernel it is checked how long ago it woke somebody, and after [`DELAY`] the woken task is made available to all.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// How long a woken process waits for the thread of the one that woke it. About the time that waking a thread takes.
const DELAY: Duration = Duration::from_micros(20);

#[derive(Clone, Copy)]
enum Handoff {
    /// No process of tokio's is polled on this thread.
    Off,
    /// The process has not woken anyone in this poll.
    Idle,
    /// The time of the first wake-up since the last handoff.
    Woke(Instant),
}

thread_local! {
    static STATE: Cell<Handoff> = const { Cell::new(Handoff::Off) };
}

/// Marks the poll of a process on this thread, until the result is dropped. `by_tokio`: its task is one of tokio's.
pub(crate) fn begin(by_tokio: bool) -> Poll {
    STATE.set(if by_tokio { Handoff::Idle } else { Handoff::Off });
    Poll
}

/// The poll of a process.
pub(crate) struct Poll;

impl Drop for Poll {
    fn drop(&mut self) {
        STATE.set(Handoff::Off);
    }
}

/// Notes that the process that is polled on this thread has woken or started another one.
pub(crate) fn woke() {
    if let Handoff::Idle = STATE.get() {
        STATE.set(Handoff::Woke(Instant::now()));
    }
}

/// Lets other threads take what this thread's process has woken, if that was long enough ago. Called by every call to
/// the kernel.
pub(crate) fn offer() {
    if let Handoff::Woke(since) = STATE.get()
        && since.elapsed() > DELAY
    {
        STATE.set(Handoff::Idle);
        // An empty task takes the place of the woken one, which moves to the queue that other threads take from.
        tokio::spawn(async {});
    }
}
