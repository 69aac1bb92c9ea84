//! Turns of a sandbox's computing processes.
//!
//! Every process runs as a task of its own, and the runtime's threads poll all tasks in turn. Without a rule a sandbox
//! with a hundred endless loops would get a hundred times the processor time of a neighbour with one. So of a sandbox's
//! preempted processes, only as many are runnable at once as it has processors. The others queue, first come first
//! served. A process that waits for something gives up its turn. A process that wakes up needs no turn until it is
//! preempted.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::Mutex;

use crate::process::Process;

/// Whether a process has a turn. Changed under the lock of [`Turns`].
#[derive(Default)]
pub(crate) struct Turn(AtomicU8);

const NONE: u8 = 0;
const WAITS: u8 = 1;
const HAS: u8 = 2;

/// The turns of one sandbox.
pub(crate) struct Turns(Mutex<State>);

struct State {
    free: u32,
    waiting: VecDeque<Arc<Process>>,
}

impl Turns {
    pub(crate) fn new(processors: u32) -> Turns {
        Turns(Mutex::new(State { free: processors.max(1), waiting: VecDeque::new() }))
    }

    /// Whether a process that was preempted may continue. If not, it is queued; when it gets a turn, its gate wakes it
    /// and [`has`](Self::has) is true.
    pub(crate) fn next(&self, process: &Arc<Process>) -> bool {
        let mut state = self.0.lock();
        if process.turn.get() == NONE && state.free > 0 {
            state.free -= 1;
            process.turn.set(HAS);
        }
        let has = process.turn.get() == HAS;
        let next = if has { state.waiting.pop_front() } else { None };
        if has && next.is_none() {
            return true;
        }
        process.turn.set(WAITS);
        state.waiting.push_back(process.clone());
        if let Some(next) = next {
            next.turn.set(HAS);
            drop(state);
            next.gate.wake();
        }
        false
    }

    /// Whether a process has a turn.
    pub(crate) fn has(&self, process: &Process) -> bool {
        process.turn.get() == HAS
    }

    /// Takes back the turn of a process that waits for something else or has ended.
    pub(crate) fn give_up(&self, process: &Arc<Process>) {
        if process.turn.get() == NONE {
            return;
        }
        let mut state = self.0.lock();
        let had = process.turn.get() == HAS;
        process.turn.set(NONE);
        if !had {
            state.waiting.retain(|waiting| !Arc::ptr_eq(waiting, process));
            return;
        }
        match state.waiting.pop_front() {
            Some(next) => {
                next.turn.set(HAS);
                drop(state);
                next.gate.wake();
            }
            None => state.free += 1,
        }
    }
}

impl Turn {
    fn get(&self) -> u8 {
        self.0.load(Ordering::Acquire)
    }

    fn set(&self, turn: u8) {
        self.0.store(turn, Ordering::Release);
    }
}
