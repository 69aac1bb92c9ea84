//! Operations on the process's descriptors.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::State;
use crate::abi::note_descriptor_limit;
use crate::error::{Errno, Result};
use crate::fd::table::Descriptor;
use crate::fd::{APPEND, Description, NONBLOCK, Object, READ, WRITE};
use crate::io::sockets;

// Linux's flags of open descriptions.
pub(super) const O_APPEND: u32 = 0o2000;
pub(super) const O_NONBLOCK: u32 = 0o4000;

/// Puts a description in the table at the lowest free number from `min` on.
pub(super) fn insert(state: &State, description: Arc<Description>, min: u32, cloexec: bool) -> Result<u32> {
    let inserted = state.process.files.lock().insert(Descriptor::new(description, cloexec), min);
    inserted.map_err(|errno| note_descriptor_limit(&state.kernel, &state.process, errno))
}

pub(super) fn pipe(state: &State, cloexec: bool) -> Result<(u32, u32)> {
    let pipe = state.kernel.new_pipe(&state.process.job)?;
    let end = |read: bool| {
        let object = Object::Pipe { end: pipe.open(read, !read), location: None };
        Description::new(object, if read { READ } else { WRITE })
    };
    insert_both(state, end(true), end(false), cloexec)
}

pub(super) fn socketpair(state: &State, cloexec: bool) -> Result<(u32, u32)> {
    let (one, other) = sockets::pair(&state.kernel, &state.process)?;
    insert_both(state, one, other, cloexec)
}

/// Puts both in the table, or neither.
fn insert_both(
    state: &State,
    one: Arc<Description>,
    other: Arc<Description>,
    cloexec: bool,
) -> Result<(u32, u32)> {
    let first = insert(state, one, 0, cloexec)?;
    match insert(state, other, 0, cloexec) {
        Ok(second) => Ok((first, second)),
        Err(errno) => {
            let removed = state.process.files.lock().remove(first);
            drop(removed);
            Err(errno)
        }
    }
}

/// How many bytes can be read at once. `ENOTTY` for what cannot tell.
pub(super) fn available(state: &State, fd: u32) -> Result<u64> {
    let description = state.description_of(fd)?;
    match &description.object {
        Object::Pipe { end, .. } => return Ok(end.len() as u64),
        Object::Socket(socket) => return Ok(socket.available() as u64),
        Object::Directory { .. } | Object::Device { .. } | Object::Output { .. } => return Err(Errno::NOTTY),
        Object::File { .. } | Object::Input { .. } | Object::Source(_) | Object::Terminal(_) => {}
    }
    match description.poll_readable(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(ready) => Ok(ready.bytes),
        Poll::Pending => Ok(0),
    }
}

pub(super) fn dup(state: &State, fd: u32, min: u32, cloexec: bool) -> Result<u32> {
    let description = state.description_of(fd)?;
    insert(state, description, min, cloexec)
}

pub(super) fn dup2(state: &State, fd: u32, to: u32, cloexec: bool) -> Result<()> {
    let mut files = state.process.files.lock();
    let description = files.get(fd)?.description.clone();
    if fd == to {
        return Ok(());
    }
    let replaced = files.replace(to, Descriptor::new(description, cloexec))?;
    // Dropped without the lock, because closing may wake others that need the table.
    drop(files);
    drop(replaced);
    Ok(())
}

/// The flags of `fcntl(F_GETFL)`, with Linux's numbers.
pub(super) fn linux_flags(description: &Description) -> u32 {
    let flags = description.flags();
    let access = match (flags & READ != 0, flags & WRITE != 0) {
        (true, true) => 2,
        (false, true) => 1,
        _ => 0,
    };
    let append = if flags & APPEND != 0 { O_APPEND } else { 0 };
    let nonblock = if flags & NONBLOCK != 0 { O_NONBLOCK } else { 0 };
    access | append | nonblock
}

/// Sets the flags that `fcntl(F_SETFL)` may change.
pub(super) fn set_linux_flags(description: &Description, flags: u32) {
    let kept = description.flags() & !(APPEND | NONBLOCK);
    let append = if flags & O_APPEND != 0 { APPEND } else { 0 };
    let nonblock = if flags & O_NONBLOCK != 0 { NONBLOCK } else { 0 };
    description.set_flags(kept | append | nonblock);
}
