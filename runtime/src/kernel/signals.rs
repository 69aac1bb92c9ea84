//! Sending signals to processes, and their effects.

use std::sync::Arc;

use super::KernelInner;
use crate::process::Process;
use crate::process::job::{JobKeeper, JobState};
use crate::process::signal::{self, Action};
use crate::process::table::{Entry, State, StateChange};

impl KernelInner {
    /// Sends a signal to a process.
    pub(crate) fn deliver(&self, process: &Arc<Process>, number: u32) {
        let gate = &process.gate;
        let mut action = process.signals.send(number, gate.is_stopped(), gate.is_waiting());
        if number == signal::SIGKILL {
            action = Action::Terminate;
        }
        if number == signal::SIGCONT && gate.is_stopped() {
            gate.resume();
            self.report(process, State::Running, StateChange::Continued);
            if let Some(deferred) = process.signals.take_deferred() {
                gate.kill(u8::try_from(deferred).unwrap_or(0));
            }
        }
        match action {
            Action::Nothing => {}
            Action::Pend => gate.wake(),
            Action::Terminate => gate.kill(u8::try_from(number).unwrap_or(0)),
            Action::Stop => {
                gate.stop();
                self.report(process, State::Stopped, StateChange::Stopped(number));
            }
        }
    }

    fn report(&self, process: &Process, state: State, unreported: StateChange) {
        let mut table = self.table.lock();
        let Some(entry) = table.get_mut(process.pid) else { return };
        if matches!(entry.state, State::Zombie(_)) {
            return;
        }
        entry.state = state;
        entry.unreported = Some(unreported);
        let parent = entry.parent;
        let parent = table.get(parent).map(|entry| entry.process.clone());
        drop(table);
        if let Some(parent) = parent {
            self.deliver(&parent, signal::SIGCHLD);
            parent.gate.wake();
        }
    }

    /// Sends a signal by process id; false if there is no such process.
    pub(crate) fn signal_process(&self, pid: u32, number: u32) -> bool {
        let process = self.table.lock().get(pid).map(|entry| entry.process.clone());
        process.is_some_and(|process| {
            if number != 0 {
                self.deliver(&process, number);
            }
            true
        })
    }

    /// Sends a signal to a process group; false if it is empty.
    pub(crate) fn signal_group(&self, group: u32, number: u32) -> bool {
        self.signal_where(number, |_, entry| entry.group == group)
    }

    /// Sends a signal to the processes that `select` picks; false if there are none.
    pub(crate) fn signal_where(&self, number: u32, select: impl Fn(u32, &Entry) -> bool) -> bool {
        let table = self.table.lock();
        let mut selected: Vec<(bool, Arc<Process>)> = table
            .iter()
            .filter(|(pid, entry)| select(*pid, entry))
            .map(|(pid, entry)| (entry.session == pid, entry.process.clone()))
            .collect();
        drop(table);
        // The newest first: in a pipeline the reader gets the signal before the writer has ended. But first of all a
        // session's shell: if what it waits for ended earlier, it would go on with its next command.
        selected.sort_by_key(|(leads, _)| *leads);
        if number != 0 {
            for (_, process) in selected.iter().rev() {
                self.deliver(process, number);
            }
        }
        !selected.is_empty()
    }
}

impl JobKeeper for KernelInner {
    fn kill_job(&self, job: &Arc<JobState>) {
        {
            let _table = self.table.lock();
            job.set_killed();
        }
        self.signal_where(signal::SIGKILL, |_, entry| Arc::ptr_eq(&entry.process.job, job));
        self.drain_killed();
    }

    fn command_ends(&self) {
        if let Some(scheduler) = &self.scheduler {
            scheduler.command_ends();
        }
    }
}
