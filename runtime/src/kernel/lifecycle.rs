//! Creating and ending processes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::KernelInner;
use crate::error::{Errno, Error};
use crate::limits::Limit;
use crate::process::signal::{self, Disposition};
use crate::process::table::{Entry, INIT, State};
use crate::process::{ExitStatus, Process, Setup};
use crate::scheduler::Background;
use crate::share::Slots;

/// The parent, process group and session of a new process.
pub(crate) struct Family {
    pub(crate) parent: u32,
    /// `None`: a new group.
    pub(crate) group: Option<u32>,
    /// `None`: a new session.
    pub(crate) session: Option<u32>,
}

/// Why no process could be created.
pub(crate) enum Refused {
    Limit(Limit),
    Errno(Errno),
}

impl KernelInner {
    /// Takes slots of the engine's pool.
    pub(crate) fn take_slots(&self, slots: u32) -> Result<Slots, Error> {
        let pool = &self.engine.guest_engine(self.metering)?.slots;
        Ok(self.share.get_or_init(|| pool.share()).take(slots)?)
    }

    /// Creates a process and adds it to the table, within the limits.
    pub(crate) fn create(&self, family: Family, mut setup: Setup) -> Result<Arc<Process>, Refused> {
        let mut table = self.table.lock();
        if table.closed {
            return Err(Refused::Errno(Errno::AGAIN));
        }
        if table.len() >= self.limits.processes as usize {
            let limit = Limit::Processes(self.limits.processes);
            setup.job.record_limit(limit.clone());
            return Err(Refused::Limit(limit));
        }
        let pid = table.allocate().map_err(Refused::Errno)?;
        setup.job.count_start().map_err(|refused| match refused {
            Some(limit) => {
                setup.job.record_limit(limit.clone());
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
            unreported: None,
        };
        table.insert(pid, entry);
        Ok(process)
    }

    /// Runs a task beside the processes: on the deterministic scheduler if the sandbox has one, otherwise on tokio.
    pub(crate) fn background(&self, task: impl Future<Output = ()> + Send + 'static) -> Background {
        match &self.scheduler {
            Some(scheduler) => Background::Scheduled(Arc::downgrade(scheduler), scheduler.spawn(task)),
            None => Background::Tokio(tokio::spawn(task).abort_handle()),
        }
    }

    /// Removes a process that never executed anything.
    pub(crate) fn abandon(&self, process: &Process) {
        let mut table = self.table.lock();
        table.remove(process.pid);
        let empty = table.len() == 0;
        let ended = process.job.count_end(None, table.awaits_substitution(&process.job));
        drop(table);
        process.job.apply(ended);
        if empty {
            self.emptied.notify_waiters();
        }
    }

    /// Ends a process: closes its descriptors, gives its children to init, and notifies its parent.
    ///
    /// As POSIX specifies under `_exit`: if the process leads a session, the foreground group of the session's terminal
    /// gets SIGHUP. Process groups that become orphaned and have stopped members get SIGHUP and SIGCONT.
    pub(crate) fn finish(&self, process: &Arc<Process>, status: ExitStatus) {
        let files = std::mem::take(&mut *process.files.lock());
        drop(files);
        drop(std::mem::take(&mut *process.alarm.lock()));
        let mut table = self.table.lock();
        let mut orphans = Vec::new();
        let mut groups = table.groups_connected_by(process.pid);
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
                entry.unreported = None;
            }
        } else {
            table.remove(process.pid);
        }
        groups.retain(|group| table.is_orphaned_and_stopped(*group));
        let empty = table.len() == 0;
        process.ended.store(true, Ordering::Relaxed);
        let first = process.job.leader.load(Ordering::Relaxed) == process.pid;
        let ended = process.job.count_end(first.then_some(status), table.awaits_substitution(&process.job));
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
        process.job.apply(ended);
        if empty {
            self.emptied.notify_waiters();
        }
    }

    /// Yields: to the sandbox's other processes if it has the deterministic scheduler, otherwise to all tasks of the
    /// runtime.
    pub(crate) async fn yield_turn(&self) {
        match &self.scheduler {
            Some(_) => crate::scheduler::yield_now().await,
            None => tokio::task::yield_now().await,
        }
    }

    /// Tells the deterministic scheduler whether the process that is executing waits for the host.
    pub(crate) fn set_waits_for_host(&self, waits: bool) {
        if let Some(scheduler) = &self.scheduler {
            scheduler.set_waits_for_host(waits);
        }
    }

    /// Lets killed processes end even while no command runs.
    pub(super) fn drain_killed(&self) {
        if let Some(scheduler) = &self.scheduler {
            scheduler.drain();
        }
    }

    pub(super) fn close(&self) {
        self.table.lock().closed = true;
        self.signal_where(signal::SIGKILL, |_, _| true);
        self.drain_killed();
    }
}
