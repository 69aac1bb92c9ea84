//! `poll(2)`: waiting for descriptors and time.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::error::{Errno, Result};
use crate::fd::socket::Socket;
use crate::fd::{Description, Object, READ, Ready, WRITE};
use crate::kernel::KernelInner;
use crate::process::Process;

const POLLIN: u32 = 0x1;
const POLLOUT: u32 = 0x4;
const POLLERR: u32 = 0x8;
const POLLHUP: u32 = 0x10;
const POLLNVAL: u32 = 0x20;
const POLLRDHUP: u32 = 0x2000;
/// As many as a process can have descriptors.
const MAX_ENTRIES: usize = 65_536;

/// Waits until an entry has events or the timeout (in nanoseconds) is over, and returns the events of each entry.
/// `EINTR` if a caught signal is pending first.
pub(super) async fn poll(
    kernel: &KernelInner,
    process: &Process,
    fds: &[(i32, u32)],
    timeout: Option<u64>,
) -> Result<Vec<u32>> {
    if fds.len() > MAX_ENTRIES {
        return Err(Errno::INVAL);
    }
    let watched: Vec<Watched> = {
        let files = process.files.lock();
        let opened = |fd| files.get(fd).ok().map(|descriptor| descriptor.description.clone());
        let watched = |(fd, events): &(i32, u32)| Watched {
            description: u32::try_from(*fd).ok().map(opened),
            events: *events,
        };
        fds.iter().map(watched).collect()
    };
    let clock = kernel.clock.clone();
    let mut timer = pin!(async {
        match timeout {
            Some(0) => {}
            Some(timeout) => clock.sleep(Duration::from_nanos(timeout)).await,
            None => std::future::pending().await,
        }
    });
    let ready = poll_fn(|cx| {
        let events: Vec<u32> = watched.iter().map(|watched| watched.ready(cx)).collect();
        let over = timer.as_mut().poll(cx).is_ready();
        if over || events.iter().any(|events| *events != 0) { Poll::Ready(Ok(events)) } else { Poll::Pending }
    });
    let events = process.interruptible(ready).await?;
    if timeout == Some(0) {
        // A program that polls in a loop must let others run.
        kernel.yield_turn().await;
    }
    Ok(events)
}

struct Watched {
    /// `None`: a negative number, which is ignored. `Some(None)`: not open.
    description: Option<Option<Arc<Description>>>,
    events: u32,
}

impl Watched {
    fn ready(&self, cx: &mut Context<'_>) -> u32 {
        let description = match &self.description {
            None => return 0,
            Some(None) => return POLLNVAL,
            Some(Some(description)) => description,
        };
        let mut events = 0;
        if let Object::Socket(socket) = &description.object {
            return socket_events(socket, cx) & (self.events | POLLERR | POLLHUP);
        }
        if description.flags() & READ != 0
            && let Poll::Ready(ready) = description.poll_readable(cx)
        {
            let has_end = !matches!(description.object, Object::Pipe { .. } | Object::Input { .. });
            if ready.bytes > 0 || has_end {
                events |= POLLIN;
            }
            if ready.hangup {
                events |= POLLHUP;
            }
        }
        if description.flags() & WRITE != 0
            && let Poll::Ready(ready) = description.poll_writable(cx)
        {
            events |= if ready.hangup { POLLOUT | POLLERR } else { POLLOUT };
        }
        events & (self.events | POLLERR | POLLHUP)
    }
}

/// A stream hangs up when both directions have ended, or when it is not connected. The end of one can be read.
fn socket_events(socket: &Socket, cx: &mut Context<'_>) -> u32 {
    let (input, output) = (socket.poll_readable(cx), socket.poll_writable(cx));
    let has_ended = |polled: &Poll<Ready>| matches!(polled, Poll::Ready(ready) if ready.hangup);
    let mut events = if socket.has_error() { POLLERR | POLLIN | POLLRDHUP } else { 0 };
    if has_ended(&input) && has_ended(&output) {
        events |= POLLHUP;
    }
    if has_ended(&input) && socket.was_connected() {
        events |= POLLRDHUP;
    }
    if input.is_ready() && socket.was_connected() {
        events |= POLLIN;
    }
    if output.is_ready() {
        events |= POLLOUT;
    }
    events
}
