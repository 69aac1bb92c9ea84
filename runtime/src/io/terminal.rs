//! Who may use the terminal: the foreground process group, and others as far as they are let.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use super::once::at_once;
use crate::error::{Errno, Result};
use crate::fd::Description;
use crate::fd::tty::{Timer, Tty};
use crate::kernel::KernelInner;
use crate::process::Process;
use crate::process::signal::{Disposition, SIGTTIN, SIGTTOU};

/// Reads the terminal, which is reserved for the foreground process group. Other processes are stopped by SIGTTIN until
/// they are continued in the foreground. They get `EIO` if they ignore that signal, or if the terminal's session has
/// ended.
pub(super) async fn read(
    kernel: &KernelInner,
    process: &Arc<Process>,
    description: &Description,
    tty: &Tty,
    buf: &mut [u8],
) -> Result<usize> {
    loop {
        while !is_foreground(kernel, process) {
            if matches!(process.signals.disposition(SIGTTIN), Disposition::Ignore | Disposition::IgnoreHere) {
                return Err(Errno::IO);
            }
            stop_group(kernel, process, SIGTTIN).await?;
        }
        if description.is_nonblocking() {
            return at_once(|cx| description.poll_read(cx, buf));
        }
        if let Some(timer) = tty.timer() {
            if timed(kernel, process, tty, timer, buf.len()).await? {
                return Ok(tty.take(buf));
            }
            continue;
        }
        // A process that was stopped, or that lost the foreground, must not take keys that are for others.
        let reading = poll_fn(|cx| {
            if process.gate.is_closed() {
                return Poll::Pending;
            }
            if !is_foreground(kernel, process) {
                return Poll::Ready(Ok(None));
            }
            description.poll_read(cx, buf).map_ok(Some)
        });
        if let Some(count) = process.interruptible(reading).await? {
            return Ok(count);
        }
    }
}

/// Waits as `VMIN` and `VTIME` say. False if the process is no longer in the foreground.
async fn timed(
    kernel: &KernelInner,
    process: &Arc<Process>,
    tty: &Tty,
    timer: Timer,
    room: usize,
) -> Result<bool> {
    let enough = timer.least.clamp(1, room.max(1));
    let mut have = 0;
    loop {
        // With a least number of keys, the time is that between two of them.
        let limited = timer.least == 0 || have > 0;
        let mut sleep = pin!(async {
            match limited {
                true => kernel.clock.sleep(timer.time).await,
                false => std::future::pending().await,
            }
        });
        let waited = poll_fn(|cx| {
            if process.gate.is_closed() {
                return Poll::Pending;
            }
            if !is_foreground(kernel, process) {
                return Poll::Ready(Ok(None));
            }
            if let Poll::Ready(count) = tty.poll_bytes(cx, have + 1) {
                // There are no more keys if no key has come.
                return Poll::Ready(Ok(Some((count, count <= have))));
            }
            sleep.as_mut().poll(cx).map(|()| Ok(Some((have, true))))
        });
        let Some((count, over)) = process.interruptible(waited).await? else { return Ok(false) };
        if over || count >= enough {
            return Ok(true);
        }
        have = count;
    }
}

/// Waits until the process may change the terminal: others than those of the foreground are stopped by SIGTTOU, unless
/// they ignore it. `EIO` if the terminal's session has ended.
pub(crate) async fn may_change(kernel: &KernelInner, process: &Arc<Process>) -> Result<()> {
    while !is_foreground(kernel, process) {
        if matches!(process.signals.disposition(SIGTTOU), Disposition::Ignore | Disposition::IgnoreHere) {
            return Ok(());
        }
        stop_group(kernel, process, SIGTTOU).await?;
    }
    Ok(())
}

/// As [`may_change`], for writing: everybody may, unless `TOSTOP` is set.
pub(super) async fn may_write(kernel: &KernelInner, process: &Arc<Process>, tty: &Tty) -> Result<()> {
    if tty.stops_writers() { may_change(kernel, process).await } else { Ok(()) }
}

fn is_foreground(kernel: &KernelInner, process: &Process) -> bool {
    let group = kernel.table.lock().get(process.pid).map_or(0, |entry| entry.group);
    group == process.job.foreground.load(Ordering::Relaxed)
}

/// Sends the signal to the process's group. `EINTR` if it catches it.
async fn stop_group(kernel: &KernelInner, process: &Arc<Process>, signal: u32) -> Result<()> {
    if process.job.has_ended() {
        return Err(Errno::IO);
    }
    let group = kernel.table.lock().get(process.pid).map_or(0, |entry| entry.group);
    let caught =
        matches!(process.signals.disposition(signal), Disposition::Catch | Disposition::CatchWaiting);
    kernel.signal_group(group, signal);
    if caught {
        return Err(Errno::INTR);
    }
    process.checkpoint().await;
    Ok(())
}
