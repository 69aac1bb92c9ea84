//! The process table: all processes with their parents, groups and sessions.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use crate::error::{Errno, Result};
use crate::process::job::JobState;
use crate::process::{ExitStatus, Process};

/// The pid that orphaned processes have as their parent. It stands for the kernel itself.
pub(crate) const INIT: u32 = 1;
/// The largest process id, which is Linux's default.
pub(crate) const PID_MAX: u32 = 32768;

/// Every process of a sandbox, zombies included.
pub(crate) struct ProcessTable {
    entries: BTreeMap<u32, Entry>,
    last: u32,
    pub(crate) closed: bool,
}

/// A process's entry in the table.
pub(crate) struct Entry {
    pub(crate) process: Arc<Process>,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    pub(crate) session: u32,
    pub(crate) state: State,
    /// A stop or continue that no wait has reported yet.
    pub(crate) unreported: Option<StateChange>,
}

/// What a process is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    Stopped,
    Zombie(ExitStatus),
}

/// A change of a process's state other than its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StateChange {
    Stopped(u32),
    Continued,
}

impl ProcessTable {
    pub(crate) fn new() -> ProcessTable {
        ProcessTable { entries: BTreeMap::new(), last: INIT, closed: false }
    }

    /// The next free process id. Ids ascend, and after [`PID_MAX`] they start again at the lowest. An id that is in use
    /// as a group or session is not free. `EAGAIN` if none is free.
    pub(crate) fn allocate(&mut self) -> Result<u32> {
        for _ in 0..PID_MAX {
            self.last = if self.last >= PID_MAX { INIT + 1 } else { self.last + 1 };
            let pid = self.last;
            let in_use = self.entries.contains_key(&pid)
                || self.entries.values().any(|entry| entry.group == pid || entry.session == pid);
            if !in_use {
                return Ok(pid);
            }
        }
        Err(Errno::AGAIN)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn insert(&mut self, pid: u32, entry: Entry) {
        self.entries.insert(pid, entry);
    }

    pub(crate) fn remove(&mut self, pid: u32) -> Option<Entry> {
        self.entries.remove(&pid)
    }

    pub(crate) fn get(&self, pid: u32) -> Option<&Entry> {
        self.entries.get(&pid)
    }

    pub(crate) fn get_mut(&mut self, pid: u32) -> Option<&mut Entry> {
        self.entries.get_mut(&pid)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Entry)> {
        self.entries.iter().map(|(pid, entry)| (*pid, entry))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut Entry)> {
        self.entries.iter_mut().map(|(pid, entry)| (*pid, entry))
    }

    /// The process groups that may become orphaned when `pid` ends: its own group, if `pid`'s parent is what connects
    /// it to the session, and its children's groups.
    pub(crate) fn groups_connected_by(&self, pid: u32) -> Vec<u32> {
        let Some(own) = self.entries.get(&pid) else { return Vec::new() };
        let mut groups: Vec<u32> = self
            .entries
            .values()
            .filter(|entry| entry.parent == pid && entry.group != own.group && entry.session == own.session)
            .map(|entry| entry.group)
            .collect();
        if self
            .entries
            .get(&own.parent)
            .is_some_and(|parent| parent.group != own.group && parent.session == own.session)
        {
            groups.push(own.group);
        }
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// Whether a group has a stopped process but no process whose parent, in another group of the same session, could
    /// continue it.
    pub(crate) fn is_orphaned_and_stopped(&self, group: u32) -> bool {
        let alive = || {
            self.entries
                .values()
                .filter(move |entry| entry.group == group && !matches!(entry.state, State::Zombie(_)))
        };
        let controlled = |entry: &Entry| {
            self.entries
                .get(&entry.parent)
                .is_some_and(|parent| parent.group != group && parent.session == entry.session)
        };
        alive().any(|entry| entry.state == State::Stopped) && !alive().any(controlled)
    }

    /// Whether the command has a running process substitution whose shell has ended, so that more output may come.
    pub(crate) fn awaits_substitution(&self, job: &Arc<JobState>) -> bool {
        self.entries.values().any(|entry| {
            let process = &entry.process;
            let orphaned = |shell: &Weak<Process>| {
                shell.upgrade().is_none_or(|shell| shell.ended.load(Ordering::Relaxed))
            };
            Arc::ptr_eq(&process.job, job)
                && !process.ended.load(Ordering::Relaxed)
                && process.substitution_of.as_ref().is_some_and(orphaned)
        })
    }

    /// Whether a process of the group neither waits nor is stopped.
    pub(crate) fn is_computing(&self, group: u32) -> bool {
        self.entries.values().any(|entry| {
            let executes = entry.state == State::Running && !entry.process.gate.is_waiting();
            entry.group == group && executes
        })
    }

    pub(crate) fn group_exists(&self, group: u32, session: u32) -> bool {
        self.entries.values().any(|entry| entry.group == group && entry.session == session)
    }
}
