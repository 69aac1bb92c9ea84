//! Open file descriptions: what descriptors refer to.

pub(crate) mod confine;
pub(crate) mod device;
pub(crate) mod lock;
pub(crate) mod output;
pub(crate) mod pipe;
pub(crate) mod sink;
pub(crate) mod socket;
pub(crate) mod table;
pub(crate) mod tty;
mod waiters;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use bytes::Bytes;
use parking_lot::Mutex;
use sandshell_vfs::{File, FileKey, FileKind, Location, Metadata, Time};

use crate::error::{Errno, Result};
use crate::random::RandomStream;
use device::Device;
use lock::{Locks, WholeLock};
use output::OutputHandle;
use pipe::PipeEnd;
use sink::{InputStream, OutputKind};
use socket::Socket;
use tty::Tty;

/// Opened for reading.
pub(crate) const READ: u32 = 1;
/// Opened for writing.
pub(crate) const WRITE: u32 = 2;
/// Writes append.
pub(crate) const APPEND: u32 = 4;
/// Operations that would wait fail with EAGAIN.
pub(crate) const NONBLOCK: u32 = 0x200;
/// WASI's synchronisation flags (dsync, rsync, sync), kept for fd_fdstat_get.
pub(crate) const SYNC_FLAGS: u32 = 0x7000;

/// An open file description: shared by all descriptors duplicated from one open, also across processes.
pub(crate) struct Description {
    pub(crate) object: Object,
    offset: Mutex<u64>,
    flags: AtomicU32,
    /// Its lock for all of its file, from the first time that it asks for one.
    lock: OnceLock<WholeLock>,
}

/// What was opened.
pub(crate) enum Object {
    File { file: Arc<dyn File>, location: Location },
    Directory { file: Arc<dyn File>, location: Location },
    Pipe { end: PipeEnd, location: Option<Location> },
    Socket(Box<Socket>),
    Output { handle: Arc<OutputHandle>, kind: OutputKind },
    Input { bytes: Bytes },
    Source(Arc<dyn InputStream>),
    Terminal(Arc<Tty>),
    Device { device: Device, location: Option<Location>, random: Mutex<RandomStream> },
}

/// Readiness of a descriptor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ready {
    pub(crate) bytes: u64,
    pub(crate) hangup: bool,
}

impl Description {
    pub(crate) fn new(object: Object, flags: u32) -> Arc<Description> {
        Arc::new(Description {
            object,
            offset: Mutex::new(0),
            flags: AtomicU32::new(flags),
            lock: OnceLock::new(),
        })
    }

    /// Its lock of the kind that belongs to an open file, held or not.
    pub(crate) fn whole_lock(&self, locks: &Arc<Locks>, key: FileKey) -> &WholeLock {
        self.lock.get_or_init(|| WholeLock::new(locks.clone(), key))
    }

    pub(crate) fn flags(&self) -> u32 {
        self.flags.load(Ordering::Relaxed)
    }

    /// Changes the flags that can change after the open.
    pub(crate) fn set_flags(&self, flags: u32) {
        let changeable = APPEND | NONBLOCK | SYNC_FLAGS;
        let kept = self.flags() & !changeable;
        self.flags.store(kept | flags & changeable, Ordering::Relaxed);
    }

    pub(crate) fn is_nonblocking(&self) -> bool {
        self.flags() & NONBLOCK != 0
    }

    /// Whether writes go to the host.
    pub(crate) fn is_output(&self) -> bool {
        matches!(self.object, Object::Output { .. })
    }

    /// Where the file is in the namespace; `None` for anonymous objects.
    pub(crate) fn location(&self) -> Option<&Location> {
        match &self.object {
            Object::File { location, .. } | Object::Directory { location, .. } => Some(location),
            Object::Pipe { location, .. } | Object::Device { location, .. } => location.as_ref(),
            _ => None,
        }
    }

    /// The file, if it is a regular one.
    pub(crate) fn regular_file(&self) -> Option<&dyn File> {
        match &self.object {
            Object::File { file, .. } => Some(&**file),
            _ => None,
        }
    }

    /// The terminal, if it is one.
    pub(crate) fn terminal(&self) -> Option<&Arc<Tty>> {
        match &self.object {
            Object::Terminal(tty) => Some(tty),
            _ => None,
        }
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal().is_some()
    }

    /// Reads at the offset and advances it.
    pub(crate) fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<Result<usize>> {
        if self.flags() & READ == 0 {
            return Poll::Ready(Err(if self.is_directory() { Errno::ISDIR } else { Errno::BADF }));
        }
        match &self.object {
            Object::File { file, .. } => Poll::Ready(self.advance(|offset| {
                let count = file.read_at(buf, offset)?;
                Ok((count, offset.saturating_add(count as u64)))
            })),
            Object::Directory { .. } => Poll::Ready(Err(Errno::ISDIR)),
            Object::Pipe { end, .. } => end.poll_read(cx, buf),
            Object::Socket(socket) => socket.poll_read(cx, buf),
            Object::Output { .. } => Poll::Ready(Err(Errno::BADF)),
            Object::Input { bytes } => Poll::Ready(self.advance(|offset| {
                let start = usize::try_from(offset).map_or(bytes.len(), |offset| offset.min(bytes.len()));
                let count = buf.len().min(bytes.len() - start);
                buf[..count].copy_from_slice(&bytes[start..start + count]);
                Ok((count, offset + count as u64))
            })),
            Object::Source(source) => source.poll_read(cx, buf).map_err(|_| Errno::IO),
            Object::Terminal(tty) => tty.poll_read(cx, buf),
            Object::Device { device, random, .. } => Poll::Ready(device.read(buf, &mut random.lock())),
        }
    }

    /// Writes at the offset (or the end) and advances it; may write only a part.
    pub(crate) fn poll_write(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize>> {
        let flags = self.flags();
        if flags & WRITE == 0 {
            return Poll::Ready(Err(Errno::BADF));
        }
        match &self.object {
            Object::File { file, .. } => Poll::Ready(self.advance(|offset| {
                if flags & APPEND != 0 {
                    return Ok(file.append_counted(buf)?);
                }
                let count = file.write_at(buf, offset)?;
                Ok((count, offset.saturating_add(count as u64)))
            })),
            Object::Directory { .. } => Poll::Ready(Err(Errno::ISDIR)),
            Object::Pipe { end, .. } => end.poll_write(cx, buf),
            Object::Socket(socket) => socket.poll_write(cx, buf),
            Object::Output { handle, kind } => handle.poll_write(cx, *kind, buf),
            Object::Input { .. } | Object::Source(_) => Poll::Ready(Err(Errno::BADF)),
            Object::Terminal(tty) => tty.poll_write(cx, buf),
            Object::Device { device, .. } => Poll::Ready(device.write(buf)),
        }
    }

    /// Whether reading would not wait.
    pub(crate) fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<Ready> {
        match &self.object {
            Object::Device { device: Device::Null, .. } => Poll::Ready(Ready { bytes: 0, hangup: false }),
            Object::Pipe { end, .. } => end.poll_readable(cx).map(|(bytes, hangup)| Ready { bytes, hangup }),
            Object::Socket(socket) => socket.poll_readable(cx),
            Object::Terminal(tty) => {
                tty.poll_readable(cx).map(|bytes| Ready { bytes: bytes as u64, hangup: false })
            }
            Object::Source(source) => source.poll_readable(cx).map(|()| Ready { bytes: 1, hangup: false }),
            Object::Input { bytes } => {
                let left = (bytes.len() as u64).saturating_sub(self.offset());
                Poll::Ready(Ready { bytes: left, hangup: left == 0 })
            }
            Object::File { file, .. } => {
                let size = file.metadata().map_or(0, |metadata| metadata.size);
                Poll::Ready(Ready { bytes: size.saturating_sub(self.offset()), hangup: false })
            }
            _ => Poll::Ready(Ready { bytes: 1, hangup: false }),
        }
    }

    /// Whether writing would not wait.
    pub(crate) fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<Ready> {
        match &self.object {
            Object::Pipe { end, .. } => end.poll_writable(cx).map(|(bytes, hangup)| Ready { bytes, hangup }),
            Object::Socket(socket) => socket.poll_writable(cx),
            _ => Poll::Ready(Ready { bytes: 1 << 16, hangup: false }),
        }
    }

    /// Reads at a given offset. `ESPIPE` if the object is not seekable.
    pub(crate) fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        match &self.object {
            Object::Directory { .. } => Err(Errno::ISDIR),
            _ if !self.is_seekable() => Err(Errno::SPIPE),
            _ if self.flags() & READ == 0 => Err(Errno::BADF),
            Object::File { file, .. } => Ok(file.read_at(buf, offset)?),
            Object::Device { device, random, .. } if *device != Device::Tty => {
                device.read(buf, &mut random.lock())
            }
            _ => Err(Errno::SPIPE),
        }
    }

    /// Writes at a given offset. `ESPIPE` if the object is not seekable.
    pub(crate) fn write_at(&self, buf: &[u8], offset: u64) -> Result<usize> {
        match &self.object {
            _ if !self.is_directory() && !self.is_seekable() => Err(Errno::SPIPE),
            _ if self.flags() & WRITE == 0 => Err(Errno::BADF),
            // As on Linux, a file opened for appending appends whatever the offset.
            Object::File { file, .. } if self.flags() & APPEND != 0 => Ok(file.append_counted(buf)?.0),
            Object::File { file, .. } => Ok(file.write_at(buf, offset)?),
            Object::Device { device, .. } if *device != Device::Tty => device.write(buf),
            _ => Err(Errno::SPIPE),
        }
    }

    /// Moves the offset and returns it. `whence` is WASI's: 0 from the start, 1 from the current offset, 2 from the
    /// end.
    pub(crate) fn seek(&self, delta: i64, whence: u32) -> Result<u64> {
        let file = match &self.object {
            Object::File { file, .. } => file,
            Object::Directory { .. } => return Err(Errno::BADF),
            Object::Device { device, .. } if *device != Device::Tty => return Ok(0),
            _ => return Err(Errno::SPIPE),
        };
        let mut offset = self.offset.lock();
        let base = match whence {
            0 => 0,
            1 => *offset,
            2 => file.metadata()?.size,
            _ => return Err(Errno::INVAL),
        };
        let moved = base.checked_add_signed(delta).filter(|offset| i64::try_from(*offset).is_ok());
        *offset = moved.ok_or(if delta < 0 { Errno::INVAL } else { Errno::OVERFLOW })?;
        Ok(*offset)
    }

    /// Whether it can be read and written at offsets.
    fn is_seekable(&self) -> bool {
        match &self.object {
            Object::File { .. } => true,
            Object::Device { device, .. } => *device != Device::Tty,
            _ => false,
        }
    }

    pub(crate) fn is_directory(&self) -> bool {
        matches!(self.object, Object::Directory { .. })
    }

    /// Attributes. Objects without an inode get made-up ones, owned by `owner`.
    pub(crate) fn metadata(&self, owner: (u32, u32)) -> Result<Metadata> {
        let (kind, mode, ino) = match &self.object {
            Object::File { file, .. } | Object::Directory { file, .. } => {
                return Ok(file.metadata()?);
            }
            Object::Pipe { location: Some(location), .. }
            | Object::Device { location: Some(location), .. } => {
                return Ok(location.metadata()?);
            }
            Object::Pipe { end, .. } => (FileKind::Fifo, 0o600, end.id()),
            Object::Socket(socket) => (FileKind::Socket, 0o777, socket.id()),
            Object::Output { kind: OutputKind::Stdout, .. } => (FileKind::Fifo, 0o600, 2),
            Object::Output { kind: OutputKind::Stderr, .. } => (FileKind::Fifo, 0o600, 3),
            Object::Source(source) if source.is_device() => (FileKind::CharDevice, 0o620, 1),
            Object::Input { .. } | Object::Source(_) => (FileKind::Fifo, 0o600, 1),
            Object::Terminal(_) => (FileKind::CharDevice, 0o620, 5),
            Object::Device { .. } => (FileKind::CharDevice, 0o666, 6),
        };
        let rdev: u32 = match &self.object {
            Object::Terminal(_) => 0x8800,
            Object::Device { device, .. } => device.number(),
            _ => 0,
        };
        Ok(Metadata {
            dev: 0,
            ino,
            kind,
            mode,
            nlink: 1,
            uid: owner.0,
            gid: owner.1,
            rdev: u64::from(rdev),
            size: 0,
            blocks: 0,
            atime: Time::default(),
            mtime: Time::default(),
            ctime: Time::default(),
        })
    }

    /// The target of `/proc/PID/fd/N` for an object without a path.
    pub(crate) fn anonymous_name(&self) -> String {
        match &self.object {
            Object::Pipe { end, .. } => format!("pipe:[{}]", end.id()),
            Object::Socket(socket) => format!("socket:[{}]", socket.id()),
            Object::Input { .. } | Object::Source(_) => "pipe:[1]".into(),
            Object::Output { kind: OutputKind::Stdout, .. } => "pipe:[2]".into(),
            Object::Output { kind: OutputKind::Stderr, .. } => "pipe:[3]".into(),
            Object::Terminal(_) => "/dev/tty".into(),
            Object::Device { device: Device::Null, .. } => "/dev/null".into(),
            _ => "anon_inode:[file]".into(),
        }
    }

    /// The offset of the next read or write.
    pub(crate) fn offset(&self) -> u64 {
        *self.offset.lock()
    }

    fn advance(&self, step: impl FnOnce(u64) -> Result<(usize, u64)>) -> Result<usize> {
        let mut offset = self.offset.lock();
        let (count, next) = step(*offset)?;
        *offset = next;
        Ok(count)
    }
}
