//! The terminal.

use std::sync::atomic::Ordering;

use wasmtime::{Caller, Linker};

use super::{MODULE, host_fn};
use crate::error::{Errno, Result};
use crate::fd::Object;
use crate::guest::{Guest, split};

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(MODULE, "isatty", |caller: Caller<'_, Guest>, fd: u32| {
        let files = caller.data().process.files.lock();
        u32::from(files.get(fd).is_ok_and(|descriptor| descriptor.description.is_terminal()))
    })?;
    host_fn!(linker, MODULE, "tty_size", size, (fd: u32, out: u32));
    host_fn!(linker, MODULE, "tty_mode", mode, (fd: u32, raw: u32));
    host_fn!(linker, MODULE, "tcgetpgrp", foreground, (fd: u32, out: u32));
    host_fn!(linker, MODULE, "tcsetpgrp", set_foreground, (fd: u32, pgid: u32));
    Ok(())
}

/// The terminal of a descriptor. `ENOTTY` for other kinds of files.
fn terminal(guest: &Guest, fd: u32) -> Result<std::sync::Arc<dyn crate::Terminal>> {
    match &guest.process.files.lock().get(fd)?.description.object {
        Object::Terminal(terminal) => Ok(terminal.clone()),
        _ => Err(Errno::NOTTY),
    }
}

fn size(caller: &mut Caller<'_, Guest>, fd: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let (rows, columns) = terminal(guest, fd)?.size();
    mem.slice(out, 8)?;
    mem.write_u32(out, rows)?;
    mem.write_u32(out.wrapping_add(4), columns)
}

fn mode(caller: &mut Caller<'_, Guest>, fd: u32, raw: u32) -> Result<()> {
    terminal(caller.data(), fd)?.set_raw(raw != 0).map_err(|_| Errno::IO)
}

fn foreground(caller: &mut Caller<'_, Guest>, fd: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    terminal(guest, fd)?;
    mem.write_u32(out, guest.process.job.foreground.load(Ordering::Relaxed))
}

fn set_foreground(caller: &mut Caller<'_, Guest>, fd: u32, pgid: u32) -> Result<()> {
    let guest = caller.data();
    terminal(guest, fd)?;
    let table = guest.kernel.table.lock();
    let session = table.get(guest.process.pid).ok_or(Errno::SRCH)?.session;
    if !table.group_exists(pgid, session) {
        return Err(Errno::PERM);
    }
    drop(table);
    guest.process.job.foreground.store(pgid, Ordering::Relaxed);
    Ok(())
}
