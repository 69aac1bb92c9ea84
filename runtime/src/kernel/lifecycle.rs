//! How processes come and go.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::KernelInner;
use crate::error::{Errno, Error};
use crate::limits::Limit;
use crate::process::signal::{self, Disposition};
use crate::process::table::{Entry, INIT, State};
use crate::process::{ExitStatus, Process, Setup};
use crate::scheduler::Background;
use crate::share::Slot;

/// Where a new process stands in the table.
pub(crate) struct Family {
    pub(crate) parent: u32,
    /// `None`: a group of its own.
    pub(crate) group: Option<u32>,
    /// `None`: a session of its own.
    pub(crate) session: Option<u32>,
}

/// Why no process could be created.
pub(crate) enum Refused {
    Limit(Limit),
    Errno(Errno),
}

impl KernelInner {
    /// Reserves places for processes in the engine's pool.
    pub(crate) fn slot(&self, places: u32) -> Result<Slot, Error> {
        let room = &self.engine.metered(self.metering)?.room;
        Ok(self.share.get_or_init(|| room.share()).take(places)?)
    }

    /// Enters a new process in the table, within the limit.
    pub(crate) fn create(&self, family: Family, mut setup: Setup) -> Result<Arc<Process>, Refused> {
        let mut table = self.table.lock();
        if table.closed {
            return Err(Refused::Errno(Errno::AGAIN));
        }
        if table.len() >= self.limits.processes as usize {
            let limit = Limit::Processes(self.limits.processes);
            setup.job.hit(limit.clone());
            return Err(Refused::Limit(limit));
        }
        let pid = table.allocate().map_err(Refused::Errno)?;
        setup.job.begin().map_err(|refused| match refused {
            Some(limit) => {
                setup.job.hit(limit.clone());
                Refused::Limit(limit)
            }
            None => Refused::Errno(Errno::AGAIN),
        })?;
        setup.pid = pid;
        let process = Process::new(setup);
        let entry = Entry {
            process: process.clone(),
            parent: family.parent,
            group: family.group.unwrap_or(pid),
            session: family.session.unwrap_or(pid),
            state: State::Running,
            news: None,
        };
        table.insert(pid, entry);
        Ok(process)
    }

    /// Runs a task beside the processes, in the sandbox's own order where it has one.
    pub(crate) fn background(&self, task: impl Future<Output = ()> + Send + 'static) -> Background {
        match &self.scheduler {
            Some(scheduler) => Background::Scheduled(Arc::downgrade(scheduler), scheduler.spawn(task)),
            None => Background::Tokio(tokio::spawn(task).abort_handle()),
        }
    }

    /// Forgets a process that never executed anything.
    pub(crate) fn abandon(&self, process: &Process) {
        let mut table = self.table.lock();
        table.remove(process.pid);
        let empty = table.len() == 0;
        let ended = process.job.end(None, table.awaits_substitution(&process.job));
        drop(table);
        process.job.tell(ended);
        if empty {
            self.emptied.notify_waiters();
        }
    }

    /// A command is over.
    pub(crate) fn call_ends(&self) {
        if let Some(scheduler) = &self.scheduler {
            scheduler.call_ends();
        }
    }

    /// A process has ended: its descriptors close, its children get another parent, its own parent learns of it.
    ///
    /// As POSIX says under `_exit`, the end of a session's leader hangs up the foreground group of its terminal, and process
    /// groups that nobody is left to continue, but are stopped, are hung up and continued.
    pub(crate) fn finish(&self, process: &Arc<Process>, status: ExitStatus) {
        let files = std::mem::take(&mut *process.files.lock());
        drop(files);
        drop(process.alarm.lock().take());
        let mut table = self.table.lock();
        let mut orphans = Vec::new();
        let mut groups = table.groups_held_by(process.pid);
        for (pid, entry) in table.iter_mut() {
            if entry.parent == process.pid {
                entry.parent = INIT;
                if matches!(entry.state, State::Zombie(_)) {
                    orphans.push(pid);
                }
            }
        }
        for pid in orphans {
            table.remove(pid);
        }
        let own = table.get(process.pid);
        let leads_session = own.is_some_and(|entry| entry.session == process.pid);
        let parent_id = own.map_or(INIT, |entry| entry.parent);
        let parent = table.get(parent_id).map(|entry| entry.process.clone());
        let waited_for = parent
            .as_ref()
            .is_some_and(|parent| parent.signals.disposition(signal::SIGCHLD) != Disposition::Ignore);
        if waited_for {
            if let Some(entry) = table.get_mut(process.pid) {
                entry.state = State::Zombie(status);
                entry.news = None;
            }
        } else {
            table.remove(process.pid);
        }
        groups.retain(|group| table.is_orphaned_and_stopped(*group));
        let empty = table.len() == 0;
        process.ended.store(true, Ordering::Relaxed);
        let first = process.job.leader.load(Ordering::Relaxed) == process.pid;
        let ended = process.job.end(first.then_some(status), table.awaits_substitution(&process.job));
        drop(table);
        if leads_session && process.job.terminal.is_some() {
            groups.push(process.job.foreground.load(Ordering::Relaxed));
        }
        for group in groups {
            self.signal_group(group, signal::SIGHUP);
            self.signal_group(group, signal::SIGCONT);
        }
        if let Some(parent) = parent {
            self.deliver(&parent, signal::SIGCHLD);
            parent.gate.wake();
        }
        process.job.tell(ended);
        if empty {
            self.emptied.notify_waiters();
        }
    }

    /// Gives others a turn: the sandbox's processes in their order where it has one, all tasks of the host otherwise.
    pub(crate) async fn yield_turn(&self) {
        match &self.scheduler {
            Some(_) => crate::scheduler::yield_now().await,
            None => tokio::task::yield_now().await,
        }
    }

    /// Says whether the process that is executing waits for the host, for the deterministic scheduler.
    pub(crate) fn hold(&self, holds: bool) {
        if let Some(scheduler) = &self.scheduler {
            scheduler.hold(holds);
        }
    }

    /// Lets processes that were killed end, also while no command runs.
    pub(super) fn let_go(&self) {
        if let Some(scheduler) = &self.scheduler {
            scheduler.drain();
        }
    }

    pub(super) fn close(&self) {
        self.table.lock().closed = true;
        self.signal_where(signal::SIGKILL, |_, _| true);
        self.let_go();
    }
}
