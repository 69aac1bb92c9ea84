//! Waiting for children.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use crate::error::{Errno, Result};
use crate::kernel::KernelInner;
use crate::process::table::{State, StateChange};
use crate::process::{ExitStatus, Process};

/// Return at once if there is nothing to report.
pub(crate) const NOHANG: u32 = 1;
/// Also report stopped children.
pub(crate) const UNTRACED: u32 = 2;
/// Also report continued children.
pub(crate) const CONTINUED: u32 = 4;

/// What a wait reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) pid: u32,
    pub(crate) kind: u32,
    pub(crate) value: u32,
    pub(crate) cpu: u64,
}

/// `waitpid(2)`. `None` if there is nothing to report and [`NOHANG`] is set.
pub(crate) async fn wait(
    kernel: &KernelInner,
    process: &Arc<Process>,
    which: i32,
    flags: u32,
) -> Result<Option<Report>> {
    // A child's change of state wakes this task through its gate.
    let wait = poll_fn(|_| match look(kernel, process, which, flags) {
        Err(errno) => Poll::Ready(Err(errno)),
        Ok(Some(report)) => Poll::Ready(Ok(Some(report))),
        Ok(None) if flags & NOHANG != 0 => Poll::Ready(Ok(None)),
        Ok(None) => Poll::Pending,
    });
    process.interruptible(wait).await
}

fn look(kernel: &KernelInner, process: &Process, which: i32, flags: u32) -> Result<Option<Report>> {
    let mut table = kernel.table.lock();
    let own_group = table.get(process.pid).map_or(0, |entry| entry.group);
    let selected = |pid: u32, group: u32| match which {
        -1 => true,
        0 => group == own_group,
        1.. => pid == which.unsigned_abs(),
        _ => group == which.unsigned_abs(),
    };
    let mut any = false;
    let mut found = None;
    for (pid, entry) in table.iter_mut() {
        if entry.parent != process.pid || !selected(pid, entry.group) {
            continue;
        }
        any = true;
        let (kind, value) = match (entry.state, entry.unreported) {
            (State::Zombie(ExitStatus::Exited(code)), _) => (0, u32::from(code)),
            (State::Zombie(ExitStatus::Signaled(signal)), _) => (1, u32::from(signal)),
            (_, Some(StateChange::Stopped(signal))) if flags & UNTRACED != 0 => (2, signal),
            (_, Some(StateChange::Continued)) if flags & CONTINUED != 0 => {
                (3, crate::process::signal::SIGCONT)
            }
            _ => continue,
        };
        entry.unreported = None;
        found = Some(Report { pid, kind, value, cpu: entry.process.cpu() });
        break;
    }
    match found {
        Some(report) if report.kind <= 1 => {
            let reaped = table.remove(report.pid);
            drop(table);
            if let Some(entry) = reaped {
                let total = report.cpu.saturating_add(entry.process.children_cpu.load(Ordering::Relaxed));
                process.children_cpu.fetch_add(total, Ordering::Relaxed);
            }
            Ok(Some(report))
        }
        Some(report) => Ok(Some(report)),
        None if any => Ok(None),
        None => Err(Errno::CHILD),
    }
}
