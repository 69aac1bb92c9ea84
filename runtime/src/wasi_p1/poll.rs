//! Waiting for time and descriptors.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use sandshell_vfs::TimeSource;
use wasmtime::{Caller, Linker};

use super::MODULE;
use super::clock::{MONOTONIC, REALTIME, timestamp};
use super::fd::lookup;
use super::rights;
use crate::abi::async_host_fn;
use crate::error::{Errno, Result};
use crate::fd::{Description, READ, WRITE};
use crate::guest::{Guest, split};

const CLOCK: u8 = 0;
const FD_READ: u8 = 1;
const FD_WRITE: u8 = 2;
/// subclockflags: the timeout is absolute.
const ABSOLUTE: u16 = 1;
/// eventrwflags: the other end is closed.
const HANGUP: u16 = 1;

const SUBSCRIPTION: u32 = 48;
const EVENT: usize = 32;
/// As many as a process can have descriptors.
const MAX_SUBSCRIPTIONS: u32 = 65_536;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    async_host_fn!(linker, MODULE, "poll_oneoff", poll_oneoff, (input: u32, output: u32, count: u32, out: u32));
    Ok(())
}

struct Subscription {
    userdata: u64,
    kind: u8,
    wait: Wait,
}

enum Wait {
    /// Nanoseconds from the time of the call.
    Clock(u64),
    Read(Arc<Description>),
    Write(Arc<Description>),
    Failed(Errno),
}

async fn poll_oneoff(
    caller: &mut Caller<'_, Guest>,
    input: u32,
    output: u32,
    count: u32,
    out: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    if count == 0 || count > MAX_SUBSCRIPTIONS {
        return Err(Errno::INVAL);
    }
    mem.slice(out, 4)?;
    mem.slice(output, count * EVENT as u32)?;
    let raw = mem.slice(input, count * SUBSCRIPTION)?;
    let mut subscriptions = Vec::with_capacity(count as usize);
    for raw in raw.chunks_exact(SUBSCRIPTION as usize) {
        subscriptions.push(subscription(guest, raw)?);
    }
    let timeout = subscriptions
        .iter()
        .filter_map(|subscription| match subscription.wait {
            Wait::Clock(timeout) => Some(timeout),
            _ => None,
        })
        .min();
    let clock = guest.kernel.clock.clone();
    let mut timer = pin!(async {
        match timeout {
            Some(0) => {}
            Some(timeout) => clock.sleep(Duration::from_nanos(timeout)).await,
            None => std::future::pending().await,
        }
    });
    let ready = poll_fn(|cx| {
        let elapsed = timer.as_mut().poll(cx).is_ready().then_some(timeout.unwrap_or(0));
        let events: Vec<_> =
            subscriptions.iter().filter_map(|subscription| event(cx, subscription, elapsed)).collect();
        if events.is_empty() { Poll::Pending } else { Poll::Ready(Ok(events)) }
    });
    let events = guest.process.interruptible(ready).await?;
    let bytes = events.concat();
    mem.write(output, &bytes)?;
    mem.write_u32(out, u32::try_from(events.len()).map_err(|_| Errno::OVERFLOW)?)
}

fn subscription(guest: &Guest, raw: &[u8]) -> Result<Subscription> {
    let long = |at: usize| {
        raw.get(at..at + 8)
            .and_then(|bytes| bytes.try_into().ok())
            .map(u64::from_le_bytes)
            .ok_or(Errno::FAULT)
    };
    let word = |at: usize| {
        raw.get(at..at + 4)
            .and_then(|bytes| bytes.try_into().ok())
            .map(u32::from_le_bytes)
            .ok_or(Errno::FAULT)
    };
    let kind = raw.get(8).copied().ok_or(Errno::FAULT)?;
    let descriptor = |fd| lookup(guest, fd, rights::POLL_FD_READWRITE);
    let wait = match kind {
        CLOCK => {
            let absolute = word(40)? as u16 & ABSOLUTE != 0;
            let now = match word(16)? {
                REALTIME => timestamp(guest.kernel.clock.now()),
                MONOTONIC => guest.kernel.clock.monotonic(),
                _ => return Err(Errno::INVAL),
            };
            let timeout = long(24)?;
            Wait::Clock(if absolute { timeout.saturating_sub(now) } else { timeout })
        }
        FD_READ => match descriptor(word(16)?) {
            Ok(description) if description.flags() & READ == 0 => Wait::Failed(Errno::BADF),
            Ok(description) => Wait::Read(description),
            Err(errno) => Wait::Failed(errno),
        },
        FD_WRITE => match descriptor(word(16)?) {
            Ok(description) if description.flags() & WRITE == 0 => Wait::Failed(Errno::BADF),
            Ok(description) => Wait::Write(description),
            Err(errno) => Wait::Failed(errno),
        },
        _ => return Err(Errno::INVAL),
    };
    Ok(Subscription { userdata: long(0)?, kind, wait })
}

/// The event of a subscription, if it is ready. `elapsed`: the shortest timeout, if it has passed.
fn event(cx: &mut Context<'_>, subscription: &Subscription, elapsed: Option<u64>) -> Option<[u8; EVENT]> {
    let (errno, bytes, flags) = match &subscription.wait {
        Wait::Clock(timeout) if elapsed.is_some_and(|elapsed| *timeout <= elapsed) => (0, 0, 0),
        Wait::Clock(_) => return None,
        Wait::Failed(errno) => (errno.0, 0, 0),
        Wait::Read(description) => readiness(description.poll_readable(cx))?,
        Wait::Write(description) => readiness(description.poll_writable(cx))?,
    };
    let mut event = [0; EVENT];
    event[..8].copy_from_slice(&subscription.userdata.to_le_bytes());
    event[8..10].copy_from_slice(&errno.to_le_bytes());
    event[10] = subscription.kind;
    event[16..24].copy_from_slice(&u64::to_le_bytes(bytes));
    event[24..26].copy_from_slice(&u16::to_le_bytes(flags));
    Some(event)
}

fn readiness(polled: Poll<crate::fd::Ready>) -> Option<(u16, u64, u16)> {
    match polled {
        Poll::Ready(ready) => Some((0, ready.bytes, if ready.hangup { HANGUP } else { 0 })),
        Poll::Pending => None,
    }
}
