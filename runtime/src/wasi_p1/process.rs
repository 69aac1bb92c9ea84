//! Arguments, environment, exit, signals, random bytes, yielding.

use wasmtime::{Caller, Linker};

use super::MODULE;
use crate::abi::{async_host_fn, host_fn};
use crate::error::{Errno, Result};
use crate::execution::unwind::Unwind;
use crate::guest::{Guest, split};
use crate::scheduler::yield_now;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    host_fn!(linker, MODULE, "args_sizes_get", args_sizes_get, (count: u32, size: u32));
    host_fn!(linker, MODULE, "args_get", args_get, (pointers: u32, buffer: u32));
    host_fn!(linker, MODULE, "environ_sizes_get", environ_sizes_get, (count: u32, size: u32));
    host_fn!(linker, MODULE, "environ_get", environ_get, (pointers: u32, buffer: u32));
    async_host_fn!(linker, MODULE, "random_get", random_get, (buf: u32, len: u32));
    async_host_fn!(linker, MODULE, "sched_yield", sched_yield, ());
    async_host_fn!(linker, MODULE, "proc_raise", proc_raise, (signal: u32));
    linker.func_wrap(MODULE, "proc_exit", |_: Caller<'_, Guest>, code: u32| -> wasmtime::Result<()> {
        Err(wasmtime::Error::from(Unwind::Exit(code)))
    })?;
    Ok(())
}

type Strings = fn(&crate::process::Identity) -> &Vec<Vec<u8>>;
const ARGV: Strings = |identity| &identity.argv;
const ENVIRON: Strings = |identity| &identity.env;

fn args_sizes_get(caller: &mut Caller<'_, Guest>, count: u32, size: u32) -> Result<()> {
    sizes(caller, count, size, ARGV)
}

fn args_get(caller: &mut Caller<'_, Guest>, pointers: u32, buffer: u32) -> Result<()> {
    strings(caller, pointers, buffer, ARGV)
}

fn environ_sizes_get(caller: &mut Caller<'_, Guest>, count: u32, size: u32) -> Result<()> {
    sizes(caller, count, size, ENVIRON)
}

fn environ_get(caller: &mut Caller<'_, Guest>, pointers: u32, buffer: u32) -> Result<()> {
    strings(caller, pointers, buffer, ENVIRON)
}

fn sizes(caller: &mut Caller<'_, Guest>, count: u32, size: u32, which: Strings) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let identity = guest.process.identity();
    let strings = which(&identity);
    let bytes: usize = strings.iter().map(|text| text.len() + 1).sum();
    mem.write_u32(count, u32::try_from(strings.len()).map_err(|_| Errno::OVERFLOW)?)?;
    mem.write_u32(size, u32::try_from(bytes).map_err(|_| Errno::OVERFLOW)?)
}

fn strings(caller: &mut Caller<'_, Guest>, pointers: u32, buffer: u32, which: Strings) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let identity = guest.process.identity();
    let (mut pointer, mut at) = (pointers, buffer);
    for text in which(&identity) {
        mem.write_u32(pointer, at)?;
        mem.write(at, text)?;
        let end = u32::try_from(text.len()).ok().and_then(|len| at.checked_add(len)).ok_or(Errno::FAULT)?;
        mem.write(end, &[0])?;
        at = end.checked_add(1).ok_or(Errno::FAULT)?;
        pointer = pointer.checked_add(4).ok_or(Errno::FAULT)?;
    }
    Ok(())
}

/// Random bytes are generated in pieces, so that a guest that asks for a gigabyte can be stopped.
const RANDOM_PIECE: usize = 1 << 20;

async fn random_get(caller: &mut Caller<'_, Guest>, buf: u32, len: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    for piece in mem.slice_mut(buf, len)?.chunks_mut(RANDOM_PIECE) {
        if !guest.random.fill(piece) {
            return Err(Errno::IO);
        }
        if piece.len() == RANDOM_PIECE {
            yield_now().await;
        }
    }
    Ok(())
}

async fn sched_yield(_: &mut Caller<'_, Guest>) -> Result<()> {
    yield_now().await;
    Ok(())
}

/// Raises a signal. WASI's numbers are Linux's without SIGSTKFLT (16).
async fn proc_raise(caller: &mut Caller<'_, Guest>, signal: u32) -> Result<()> {
    let number = match signal {
        1..=15 => signal,
        16..=30 => signal + 1,
        _ => return Err(Errno::INVAL),
    };
    let guest = caller.data();
    guest.kernel.deliver(&guest.process, number);
    Ok(())
}
