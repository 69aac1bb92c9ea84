//! Signals: sending, dispositions, taking pending ones, alarms.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use wasmtime::{Caller, Linker};

use super::{MODULE, async_host_fn, host_fn};
use crate::error::{Errno, Result};
use crate::guest::{Guest, split};
use crate::kernel::KernelInner;
use crate::process::signal::{self, Disposition};
use crate::process::table::INIT;
use crate::process::{Process, Ringer};

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    async_host_fn!(linker, MODULE, "kill", kill, (pid: i32, signal: u32));
    host_fn!(linker, MODULE, "sigaction", sigaction, (signal: u32, disposition: u32, old: u32));
    linker.func_wrap(MODULE, "sigtake", |caller: Caller<'_, Guest>| {
        caller.data().process.signals.take().unwrap_or(0)
    })?;
    host_fn!(linker, MODULE, "alarm", alarm, (nanos: u64, old: u32));
    Ok(())
}

/// Async only for the checkpoint after it: a process that kills or stops itself does not return from the call.
async fn kill(caller: &mut Caller<'_, Guest>, pid: i32, number: u32) -> Result<()> {
    let guest = caller.data();
    send(&guest.kernel, guest.process.pid, pid, number)
}

/// `kill(2)`, called by the process `own`.
pub(crate) fn send(kernel: &KernelInner, own: u32, pid: i32, number: u32) -> Result<()> {
    if number > signal::MAX {
        return Err(Errno::INVAL);
    }
    let found = match pid {
        1 => return if number == 0 { Ok(()) } else { Err(Errno::PERM) },
        2.. => kernel.signal_process(pid.unsigned_abs(), number),
        0 => {
            let group = kernel.table.lock().get(own).map_or(INIT, |entry| entry.group);
            kernel.signal_group(group, number)
        }
        -1 => kernel.signal_where(number, |pid, _| pid != own),
        _ => kernel.signal_group(pid.unsigned_abs(), number),
    };
    if found { Ok(()) } else { Err(Errno::SRCH) }
}

fn sigaction(caller: &mut Caller<'_, Guest>, number: u32, disposition: u32, old: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let disposition = Disposition::from_number(disposition).ok_or(Errno::INVAL)?;
    if old != 0 {
        mem.slice(old, 4)?;
    }
    let previous = set_disposition(&guest.process, number, disposition)?;
    if old == 0 {
        return Ok(());
    }
    mem.write_u32(old, previous as u32)
}

/// `sigaction(2)`: sets a signal's disposition and returns the previous one. `EINVAL` for SIGKILL and SIGSTOP.
pub(crate) fn set_disposition(
    process: &Process,
    number: u32,
    disposition: Disposition,
) -> Result<Disposition> {
    let fixed = matches!(number, signal::SIGKILL | signal::SIGSTOP);
    if number == 0 || number > signal::MAX || (fixed && disposition != Disposition::Default) {
        return Err(Errno::INVAL);
    }
    Ok(process.signals.set_disposition(number, disposition))
}

fn alarm(caller: &mut Caller<'_, Guest>, nanos: u64, old: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    if old != 0 {
        mem.slice(old, 8)?;
    }
    let left = set_alarm(&guest.kernel, &guest.process, nanos);
    if old != 0 { mem.write_u64(old, left) } else { Ok(()) }
}

/// Sends SIGALRM after `nanos` nanoseconds, in place of the last alarm (0: no alarm). Returns the nanoseconds that were
/// left of that one, or 0.
pub(crate) fn set_alarm(kernel: &Arc<KernelInner>, process: &Arc<Process>, nanos: u64) -> u64 {
    let now = kernel.clock.monotonic();
    let mut alarm = process.alarm.lock();
    let left = alarm.due.map_or(0, |due| due.saturating_sub(now).max(1));
    alarm.due = (nanos != 0).then(|| now.saturating_add(nanos));
    if kernel.scheduler.is_some() {
        // Its turn begins with the alarm.
        alarm.ringer = (nanos != 0).then(|| Ringer::once(kernel, process, nanos));
    } else if let Some(ringer) = &alarm.ringer {
        ringer.changed.notify_one();
    } else if nanos != 0 {
        alarm.ringer = Some(Ringer::for_all(kernel, process));
    }
    left
}

impl Ringer {
    /// For one alarm.
    fn once(kernel: &Arc<KernelInner>, process: &Arc<Process>, nanos: u64) -> Self {
        let (weak_kernel, weak_process) = (Arc::downgrade(kernel), Arc::downgrade(process));
        let clock = kernel.clock.clone();
        let ring = async move {
            clock.sleep(Duration::from_nanos(nanos)).await;
            let (Some(kernel), Some(process)) = (weak_kernel.upgrade(), weak_process.upgrade()) else {
                return;
            };
            let ringer = {
                let mut alarm = process.alarm.lock();
                alarm.due = None;
                alarm.ringer.take()
            };
            drop(ringer);
            kernel.deliver(&process, signal::SIGALRM);
        };
        Self { changed: Arc::default(), _task: kernel.background(ring) }
    }

    /// For all alarms of a process: a task for each would be memory that the sandbox does not pay for, as those that
    /// were given up wait for a thread that removes them.
    fn for_all(kernel: &Arc<KernelInner>, process: &Arc<Process>) -> Self {
        let (weak_kernel, weak_process) = (Arc::downgrade(kernel), Arc::downgrade(process));
        let changed = Arc::<Notify>::default();
        let (clock, change) = (kernel.clock.clone(), changed.clone());
        let ring = async move {
            loop {
                let Some(due) = weak_process.upgrade().map(|process| process.alarm.lock().due) else {
                    return;
                };
                let Some(due) = due else {
                    change.notified().await;
                    continue;
                };
                let left = due.saturating_sub(clock.monotonic());
                if left > 0 {
                    tokio::select! {
                        () = clock.sleep(Duration::from_nanos(left)) => {}
                        () = change.notified() => {}
                    }
                    continue;
                }
                let (Some(kernel), Some(process)) = (weak_kernel.upgrade(), weak_process.upgrade()) else {
                    return;
                };
                let rings = {
                    let mut alarm = process.alarm.lock();
                    let rings = alarm.due == Some(due);
                    if rings {
                        alarm.due = None;
                    }
                    rings
                };
                if rings {
                    kernel.deliver(&process, signal::SIGALRM);
                }
            }
        };
        Self { changed, _task: kernel.background(ring) }
    }
}
