//! A connection whose every wait has an end.

use sandshell_sys::{
    self as sys, Address, Errno, Fd, PollFd, SocketKind, message_flags::NOSIGNAL, socket_flags,
};
use std::time::Duration;

/// The moment until which is waited.
#[derive(Clone, Copy, Default)]
pub(crate) struct Deadline(Option<u64>);

impl Deadline {
    /// This time from now.
    pub(crate) fn after(time: Duration) -> Self {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Self(Some(sys::monotonic().saturating_add(time)))
    }

    /// The one that comes first.
    pub(crate) fn earlier(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(one), Some(other)) => Self(Some(one.min(other))),
            (one, other) => Self(one.or(other)),
        }
    }

    /// What is left of it. `None` if there is no limit.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|at| Duration::from_nanos(at.saturating_sub(sys::monotonic())))
    }

    fn is_over(self) -> bool {
        self.left() == Some(Duration::ZERO)
    }
}

/// A connected socket that does not wait by itself. It is closed when it is dropped.
pub(crate) struct Stream {
    fd: Fd,
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = sys::close(self.fd);
    }
}

impl Stream {
    /// Connects to an address, of this machine or a path.
    ///
    /// # Errors
    /// As `connect(2)`; `ETIMEDOUT` at the deadline.
    pub(crate) fn connect(to: &Address, until: Deadline) -> sys::Result<Self> {
        Self::connect_from(to, None, until)
    }

    /// As [`connect`](Self::connect), from this address of the caller's own.
    ///
    /// # Errors
    /// Those, and as `bind(2)`.
    pub(crate) fn connect_from(to: &Address, from: Option<&Address>, until: Deadline) -> sys::Result<Self> {
        let flags = socket_flags::CLOEXEC | socket_flags::NONBLOCK;
        let stream = Self { fd: sys::socket(to.family(), SocketKind::Stream, flags)? };
        if let Some(from) = from {
            sys::bind(stream.fd, from)?;
        }
        loop {
            match sys::connect(stream.fd, to) {
                Ok(()) | Err(Errno::ISCONN) => return Ok(stream),
                Err(Errno::INPROGRESS | Errno::ALREADY) => break,
                Err(Errno::INTR) => {}
                // The queue of a Unix socket is full, which no poll can tell.
                Err(Errno::AGAIN) if !until.is_over() => {
                    let _ = sys::sleep(Duration::from_millis(5));
                }
                Err(Errno::AGAIN) => return Err(Errno::TIMEDOUT),
                Err(e) => return Err(e),
            }
        }
        stream.wait(false, true, until)?;
        match sys::socket_error(stream.fd)? {
            Some(e) => Err(e),
            None => Ok(stream),
        }
    }

    /// The descriptor, for polls with others.
    pub(crate) fn fd(&self) -> Fd {
        self.fd
    }

    /// Waits until the stream can be read or written. Returns which.
    ///
    /// # Errors
    /// `ETIMEDOUT` at the deadline.
    pub(crate) fn wait(&self, read: bool, write: bool, until: Deadline) -> sys::Result<(bool, bool)> {
        loop {
            let entry = |read, write| PollFd { fd: self.fd, read, write, ready: false };
            let mut entries = [entry(read, false), entry(false, write)];
            match sys::poll(&mut entries, until.left()) {
                Ok(0) if until.is_over() => return Err(Errno::TIMEDOUT),
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok((entries[0].ready && read, entries[1].ready && write)),
                Err(e) => return Err(e),
            }
        }
    }

    /// Reads what is there, waiting for the first byte; 0 is the end.
    ///
    /// # Errors
    /// As `recv(2)`; `ETIMEDOUT` at the deadline.
    pub(crate) fn read(&self, buf: &mut [u8], until: Deadline) -> sys::Result<usize> {
        loop {
            match sys::recv(self.fd, buf, 0) {
                Err(Errno::AGAIN) => self.wait(true, false, until).map(drop)?,
                Err(Errno::INTR) => {}
                other => return other,
            }
        }
    }

    /// Writes what there is room for now; 0 if there is none.
    ///
    /// # Errors
    /// As `send(2)`; `EPIPE` does not kill.
    pub(crate) fn write_now(&self, data: &[u8]) -> sys::Result<usize> {
        loop {
            match sys::send(self.fd, data, NOSIGNAL, None) {
                Err(Errno::AGAIN) => return Ok(0),
                Err(Errno::INTR) => {}
                other => return other,
            }
        }
    }

    /// Writes everything.
    ///
    /// # Errors
    /// As `send(2)`; `ETIMEDOUT` at the deadline.
    pub(crate) fn write_all(&self, mut data: &[u8], until: Deadline) -> sys::Result<()> {
        while !data.is_empty() {
            match self.write_now(data)? {
                0 => self.wait(false, true, until).map(drop)?,
                n => data = data.get(n..).unwrap_or_default(),
            }
        }
        Ok(())
    }

    /// Whether the peer has sent something, or its end, though nothing was asked: the connection is of no more use.
    pub(crate) fn is_stale(&self) -> bool {
        let now = Deadline(Some(0));
        !matches!(self.wait(true, false, now), Err(Errno::TIMEDOUT))
    }
}
