//! Reading and writing with the semantics of system calls: blocking or non-blocking, interruptible, within the limits.

use std::future::poll_fn;
use std::sync::Arc;

use super::once::at_once;
use super::{note_space, terminal, within_file_size};
use crate::error::{Errno, Result};
use crate::fd::{Description, Object};
use crate::kernel::KernelInner;
use crate::process::Process;
use crate::process::signal::SIGPIPE;

/// The most bytes that one call transfers.
pub(crate) const MAX_TRANSFER: usize = 16 << 20;

/// Bytes that are transferred before other processes get a turn and this one can be stopped. Needed because reading and
/// writing files never waits.
pub(crate) const PIECE: usize = 1 << 20;

/// Reads as `read(2)` does: waits unless the description is non-blocking; `EINTR` when a caught signal comes first.
pub(crate) async fn read(
    kernel: &KernelInner,
    process: &Arc<Process>,
    description: &Description,
    buf: &mut [u8],
) -> Result<usize> {
    if let Some(tty) = description.terminal() {
        return terminal::read(kernel, process, description, tty, buf).await;
    }
    if !matches!(description.object, Object::File { .. }) || buf.len() <= PIECE {
        return if description.is_nonblocking() {
            at_once(|cx| description.poll_read(cx, buf))
        } else {
            process.interruptible(poll_fn(|cx| description.poll_read(cx, buf))).await
        };
    }
    let mut total = 0;
    for piece in buf.chunks_mut(PIECE) {
        if total > 0 {
            process.yield_in_host().await;
        }
        let count = at_once(|cx| description.poll_read(cx, piece));
        match count {
            Ok(count) => total += count,
            Err(_) if total > 0 => break,
            Err(errno) => return Err(errno),
        }
        if !total.is_multiple_of(PIECE) || count == Ok(0) {
            break;
        }
    }
    Ok(total)
}

/// Reads at an offset of a file.
pub(crate) async fn read_at(
    process: &Process,
    description: &Description,
    buf: &mut [u8],
    offset: u64,
) -> Result<usize> {
    let mut total = 0;
    let limit = buf.len().min(MAX_TRANSFER);
    // An empty read is made too, for its errors.
    loop {
        let end = limit.min(total + PIECE);
        let piece = buf.get_mut(total..end).unwrap_or_default();
        let wanted = piece.len();
        match description.read_at(piece, offset.saturating_add(total as u64)) {
            Ok(count) => {
                total += count;
                if count < wanted || total == limit {
                    return Ok(total);
                }
            }
            Err(_) if total > 0 => return Ok(total),
            Err(errno) => return Err(errno),
        }
        process.yield_in_host().await;
    }
}

/// Writes at an offset of a file.
pub(crate) async fn write_at(
    kernel: &KernelInner,
    process: &Arc<Process>,
    description: &Description,
    buf: &[u8],
    offset: u64,
) -> Result<usize> {
    let buf = &buf[..buf.len().min(MAX_TRANSFER)];
    let allowed = within_file_size(kernel, process, description, Some(offset), buf.len())?;
    let buf = buf.get(..allowed).unwrap_or(buf);
    let mut total = 0;
    loop {
        let piece = buf.get(total..buf.len().min(total + PIECE)).unwrap_or_default();
        let written = description.write_at(piece, offset.saturating_add(total as u64));
        match note_space(process, written) {
            Ok(count) => {
                total += count;
                if count < piece.len() || total == buf.len() {
                    return Ok(total);
                }
            }
            Err(_) if total > 0 => return Ok(total),
            Err(errno) => return Err(errno),
        }
        process.yield_in_host().await;
    }
}

/// Writes as `write(2)` does: everything, unless an error, a signal or a full non-blocking pipe interrupts it.
pub(crate) async fn write_all(
    kernel: &KernelInner,
    process: &Arc<Process>,
    description: &Description,
    buf: &[u8],
) -> Result<usize> {
    let mut buf = &buf[..buf.len().min(MAX_TRANSFER)];
    let mut total = 0;
    let allowed = within_file_size(kernel, process, description, None, buf.len())?;
    buf = buf.get(..allowed).unwrap_or(buf);
    let is_file = matches!(description.object, Object::File { .. });
    if let Some(tty) = description.terminal() {
        terminal::may_write(kernel, process, tty).await?;
    }
    loop {
        let piece = if is_file { buf.get(..PIECE).unwrap_or(buf) } else { buf };
        let written = if description.is_nonblocking() {
            at_once(|cx| description.poll_write(cx, piece))
        } else {
            let written = poll_fn(|cx| {
                let polled = description.poll_write(cx, piece);
                if polled.is_pending() && description.is_output() {
                    kernel.set_waits_for_host(true);
                }
                polled
            });
            let written = process.interruptible(written).await;
            kernel.set_waits_for_host(false);
            written
        };
        match note_space(process, written) {
            Ok(count) => {
                total += count;
                buf = buf.get(count..).unwrap_or_default();
                // A file that takes only a part is full; the next call gets the error.
                let goes_on = if is_file {
                    count == piece.len()
                } else {
                    matches!(
                        description.object,
                        Object::Pipe { .. } | Object::Socket(_) | Object::Terminal(_)
                    )
                };
                if buf.is_empty() || !goes_on {
                    return Ok(total);
                }
                if is_file {
                    process.yield_in_host().await;
                }
            }
            Err(Errno::PIPE) => {
                kernel.deliver(process, SIGPIPE);
                return if total > 0 { Ok(total) } else { Err(Errno::PIPE) };
            }
            Err(_) if total > 0 => return Ok(total),
            Err(errno) => return Err(errno),
        }
    }
}
