//! Clocks.

use sandshell_vfs::{Time, TimeSource};
use wasmtime::{Caller, Linker};

use super::MODULE;
use crate::abi::host_fn;
use crate::error::{Errno, Result};
use crate::guest::{Guest, split};

pub(super) const REALTIME: u32 = 0;
pub(super) const MONOTONIC: u32 = 1;
const PROCESS_CPU: u32 = 2;
const THREAD_CPU: u32 = 3;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    host_fn!(linker, MODULE, "clock_res_get", clock_res_get, (id: u32, out: u32));
    host_fn!(linker, MODULE, "clock_time_get", clock_time_get, (id: u32, precision: u64, out: u32));
    Ok(())
}

fn clock_res_get(caller: &mut Caller<'_, Guest>, id: u32, out: u32) -> Result<()> {
    if id > THREAD_CPU {
        return Err(Errno::INVAL);
    }
    split(caller)?.0.write_u64(out, 1)
}

fn clock_time_get(caller: &mut Caller<'_, Guest>, id: u32, _precision: u64, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let time = match id {
        REALTIME => timestamp(guest.kernel.clock.now()),
        MONOTONIC => guest.kernel.clock.monotonic(),
        PROCESS_CPU | THREAD_CPU => guest.process.cpu(),
        _ => return Err(Errno::INVAL),
    };
    mem.write_u64(out, time)
}

/// WASI's timestamp: nanoseconds since 1970. Earlier times become 0.
pub(super) fn timestamp(time: Time) -> u64 {
    u64::try_from(time.secs).unwrap_or(0).saturating_mul(1_000_000_000).saturating_add(u64::from(time.nanos))
}

/// The inverse of [`timestamp`].
pub(super) fn time(timestamp: u64) -> Time {
    Time {
        secs: i64::try_from(timestamp / 1_000_000_000).unwrap_or(i64::MAX),
        nanos: u32::try_from(timestamp % 1_000_000_000).unwrap_or(0),
    }
}
