//! The commands of a shell that lives.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use wasmtime::{Caller, Linker};

use super::{MODULE, async_host_fn, host_fn};
use crate::command::Conversation;
use crate::error::{Errno, Result};
use crate::guest::{Guest, split};
use crate::process::job::JobState;

/// The most bytes of a command that one call reads.
const PIECE: u32 = 1 << 16;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    async_host_fn!(linker, MODULE, "session_read", read, (buf: u32, len: u32, out: u32));
    host_fn!(linker, MODULE, "session_answer", answer, (status: u32));
    Ok(())
}

/// The conversation of the caller. `EPERM` for all but the first process of a command that has one, as long as it
/// executes the program that the host has started.
fn conversation(guest: &Guest) -> Result<Arc<dyn Conversation>> {
    let process = &guest.process;
    let first = process.pid == process.job.leader.load(Ordering::Relaxed);
    let same = first && !process.has_executed.load(Ordering::Relaxed);
    process.job.conversation.clone().filter(|_| same).ok_or(Errno::PERM)
}

/// Reads a piece of the next command. `EINTR` for a caught signal, also for one that came before the call: it was meant
/// for the command before.
async fn read(caller: &mut Caller<'_, Guest>, buf: u32, len: u32, out: u32) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let conversation = conversation(guest)?;
    mem.slice(buf, len)?;
    mem.slice(out, 4)?;
    let process = guest.process.clone();
    let mut bytes = vec![0; len.min(PIECE) as usize];
    let mut count = 0;
    if !bytes.is_empty() {
        let _idle = Idle::new(&process.job);
        // A signal first: it may have come before the command that is there as well.
        // A killed process takes no command: the next shell gets it.
        let piece = poll_fn(|cx| match process.signals.is_pending() || process.gate.killed().is_some() {
            true => Poll::Ready(Err(Errno::INTR)),
            false => conversation.poll_read(cx, &mut bytes).map(Ok),
        });
        count = process.interruptible(piece).await?;
    }
    let mut mem = split(caller)?.0;
    mem.write(buf, bytes.get(..count).unwrap_or_default())?;
    mem.write_u32(out, u32::try_from(count).unwrap_or(u32::MAX))
}

/// Tells the host that the command has ended.
fn answer(caller: &mut Caller<'_, Guest>, status: u32) -> Result<()> {
    conversation(caller.data())?.answer((status & 0xff) as u8);
    Ok(())
}

/// While it lives, the command's other processes are in the background.
struct Idle<'a>(&'a JobState);

impl<'a> Idle<'a> {
    fn new(job: &'a JobState) -> Self {
        job.set_idle(true);
        Self(job)
    }
}

impl Drop for Idle<'_> {
    fn drop(&mut self) {
        self.0.set_idle(false);
    }
}
