//! The terminal.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use wasmtime::{Caller, Linker};

use super::{MODULE, async_host_fn, host_fn};
use crate::error::{Errno, Result};
use crate::fd::tty::{Termios, Tty};
use crate::guest::{Guest, split};
use crate::io::terminal::may_change;
use crate::process::signal::SIGWINCH;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(MODULE, "isatty", |caller: Caller<'_, Guest>, fd: u32| {
        let files = caller.data().process.files.lock();
        u32::from(files.get(fd).is_ok_and(|descriptor| descriptor.description.is_terminal()))
    })?;
    host_fn!(linker, MODULE, "tty_size", size, (fd: u32, out: u32));
    host_fn!(linker, MODULE, "tty_set_size", set_size, (fd: u32, rows: u32, columns: u32));
    async_host_fn!(linker, MODULE, "tty_mode", mode, (fd: u32, raw: u32));
    host_fn!(linker, MODULE, "tcgetattr", attributes, (fd: u32, out: u32));
    async_host_fn!(linker, MODULE, "tcsetattr", set_attributes, (fd: u32, when: u32, modes: u32));
    async_host_fn!(linker, MODULE, "tcflush", flush, (fd: u32, which: u32));
    host_fn!(linker, MODULE, "tcgetpgrp", foreground, (fd: u32, out: u32));
    async_host_fn!(linker, MODULE, "tcsetpgrp", set_foreground, (fd: u32, pgid: u32));
    Ok(())
}

/// The terminal of a descriptor. `ENOTTY` for other kinds of files.
fn terminal(guest: &Guest, fd: u32) -> Result<Arc<Tty>> {
    guest.process.files.lock().get(fd)?.description.terminal().cloned().ok_or(Errno::NOTTY)
}

fn size(caller: &mut Caller<'_, Guest>, fd: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let (rows, columns) = terminal(guest, fd)?.size();
    mem.slice(out, 8)?;
    mem.write_u32(out, rows)?;
    mem.write_u32(out.wrapping_add(4), columns)
}

fn set_size(caller: &mut Caller<'_, Guest>, fd: u32, rows: u32, columns: u32) -> Result<()> {
    let guest = caller.data();
    let tty = terminal(guest, fd)?;
    let size = (rows & 0xffff, columns & 0xffff);
    if tty.set_size(Some(size)) {
        guest.kernel.signal_group(guest.process.job.foreground.load(Ordering::Relaxed), SIGWINCH);
    }
    Ok(())
}

/// Line editing, echo and signal keys at once: what programs used before they could ask for each.
async fn mode(caller: &mut Caller<'_, Guest>, fd: u32, raw: u32) -> Result<()> {
    let guest = caller.data();
    let tty = terminal(guest, fd)?;
    let (kernel, process) = (guest.kernel.clone(), guest.process.clone());
    may_change(&kernel, &process).await?;
    tty.set_modes(tty.modes().with_raw(raw != 0), false);
    Ok(())
}

fn attributes(caller: &mut Caller<'_, Guest>, fd: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let modes = terminal(guest, fd)?.modes();
    mem.write(out, &modes.to_bytes())
}

/// `when` is Linux's: 0 at once, 1 when all output is shown, 2 then also forgetting what was typed.
async fn set_attributes(caller: &mut Caller<'_, Guest>, fd: u32, when: u32, modes: u32) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let tty = terminal(guest, fd)?;
    let raw = mem.slice(modes, u32::try_from(Termios::SIZE).map_err(|_| Errno::INVAL)?)?;
    let modes = Termios::from_bytes(raw.try_into().map_err(|_| Errno::FAULT)?);
    if when > 2 {
        return Err(Errno::INVAL);
    }
    let (kernel, process) = (guest.kernel.clone(), guest.process.clone());
    may_change(&kernel, &process).await?;
    if when > 0 {
        process.interruptible(poll_fn(|cx| tty.poll_shown(cx).map(Ok))).await?;
    }
    tty.set_modes(modes, when == 2);
    Ok(())
}

/// `which` is Linux's: 0 what was typed, 1 what was not shown, 2 both.
async fn flush(caller: &mut Caller<'_, Guest>, fd: u32, which: u32) -> Result<()> {
    let guest = caller.data();
    let tty = terminal(guest, fd)?;
    if which > 2 {
        return Err(Errno::INVAL);
    }
    let (kernel, process) = (guest.kernel.clone(), guest.process.clone());
    may_change(&kernel, &process).await?;
    tty.flush(which != 1, which != 0);
    Ok(())
}

fn foreground(caller: &mut Caller<'_, Guest>, fd: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    terminal(guest, fd)?;
    mem.write_u32(out, guest.process.job.foreground.load(Ordering::Relaxed))
}

async fn set_foreground(caller: &mut Caller<'_, Guest>, fd: u32, pgid: u32) -> Result<()> {
    let guest = caller.data();
    terminal(guest, fd)?;
    let (kernel, process) = (guest.kernel.clone(), guest.process.clone());
    may_change(&kernel, &process).await?;
    let table = kernel.table.lock();
    let session = table.get(process.pid).ok_or(Errno::SRCH)?.session;
    if !table.group_exists(pgid, session) {
        return Err(Errno::PERM);
    }
    drop(table);
    process.job.foreground.store(pgid, Ordering::Relaxed);
    Ok(())
}
