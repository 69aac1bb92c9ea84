//! Files and processes that a program reads and writes.

use crate::ast::Mode;
use crate::reader::Reader;
use sandshell_posix::process;
use sandshell_sys::{self as sys, Errno, Fd, Pid, open_flags as o, signal};

/// Buffered output to a descriptor.
pub(crate) struct Output {
    pub(crate) buf: Vec<u8>,
    fd: Fd,
    limit: usize,
    by_line: bool,
    owned: bool,
}

const LIMIT: usize = 64 * 1024;

impl Output {
    pub(crate) fn new(fd: Fd, owned: bool) -> Self {
        let limit = if fd == 2 { 0 } else { LIMIT };
        Self { buf: Vec::new(), fd, limit, by_line: sys::isatty(fd), owned }
    }

    /// Writes the buffer if it is too large or ends a line on a terminal. Call this after adding to `buf`.
    pub(crate) fn flush_if_full(&mut self) -> sys::Result<()> {
        if self.buf.len() > self.limit || (self.by_line && self.buf.last() == Some(&b'\n')) {
            return self.flush();
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> sys::Result<()> {
        if self.buf.is_empty() {
            return Ok(());
        }
        let result = sys::write_all(self.fd, &self.buf);
        self.buf.clear();
        result
    }

    pub(crate) fn close(&mut self) -> sys::Result<()> {
        let flushed = self.flush();
        if self.owned {
            self.owned = false;
            let closed = sys::close(self.fd);
            return flushed.and(closed);
        }
        flushed
    }
}

/// How a stream was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Out(Mode),
    File,
    Command,
}

/// An open redirection.
pub(crate) struct Stream {
    pub(crate) name: Vec<u8>,
    pub(crate) kind: Kind,
    /// `None` in an output stream means standard output itself.
    pub(crate) output: Option<Output>,
    pub(crate) reader: Option<Reader>,
    pub(crate) child: Option<Pid>,
    /// Whether the output goes to the program's own standard output.
    pub(crate) is_stdout: bool,
}

/// The result of closing.
pub(crate) enum Closed {
    Status(f64),
    Failed(Errno),
}

impl Stream {
    /// Opens a file for writing.
    pub(crate) fn create(name: &[u8], mode: Mode) -> sys::Result<Self> {
        let kind = Kind::Out(mode);
        let stream = |output, is_stdout| Self {
            name: name.to_vec(),
            kind,
            output,
            reader: None,
            child: None,
            is_stdout,
        };
        match name {
            b"/dev/stdout" | b"-" if name != b"-" => return Ok(stream(None, true)),
            b"/dev/stderr" => return Ok(stream(Some(Output::new(2, false)), false)),
            _ => {}
        }
        if let Some(fd) = fd_number(name) {
            sys::cloexec(fd)?;
            if fd == 1 {
                return Ok(stream(None, true));
            }
            return Ok(stream(Some(Output::new(fd, false)), false));
        }
        let how = if mode == Mode::Append { o::APPEND } else { o::TRUNC };
        let fd = sys::open(name, o::WRITE | o::CREATE | o::CLOEXEC | how, 0o666)?;
        Ok(stream(Some(Output::new(fd, true)), false))
    }

    /// Opens a file for reading.
    pub(crate) fn open(name: &[u8]) -> sys::Result<Self> {
        let (fd, owned) = open_input(name)?;
        Ok(Self {
            name: name.to_vec(),
            kind: Kind::File,
            output: None,
            reader: Some(Reader::new(fd, owned)),
            child: None,
            is_stdout: false,
        })
    }

    /// Starts a command and connects its input, its output, or both.
    pub(crate) fn command(command: &[u8], env: &[Vec<u8>], kind: Kind) -> sys::Result<Self> {
        // Names that gawk treats as sockets. There is no network here.
        let is_socket = [&b"/inet/"[..], b"/inet4/", b"/inet6/"].iter().any(|p| command.starts_with(p));
        if kind == Kind::Out(Mode::Coprocess) && is_socket {
            return Err(Errno::NETUNREACH);
        }
        let input = matches!(kind, Kind::Out(_)).then(|| sys::pipe(true)).transpose()?;
        let output = matches!(kind, Kind::Command | Kind::Out(Mode::Coprocess))
            .then(|| sys::pipe(true))
            .transpose()?;
        let mut fds: Vec<(Fd, Option<Fd>)> = Vec::new();
        if let Some((r, _)) = input {
            fds.push((0, Some(r)));
        }
        if let Some((_, w)) = output {
            fds.push((1, Some(w)));
        }
        let child = shell(command, env, &fds);
        if let Some((r, w)) = input {
            let _ = sys::close(r);
            if child.is_err() {
                let _ = sys::close(w);
            }
        }
        if let Some((r, w)) = output {
            let _ = sys::close(w);
            if child.is_err() {
                let _ = sys::close(r);
            }
        }
        Ok(Self {
            name: command.to_vec(),
            kind,
            child: Some(child?),
            output: input.map(|(_, w)| Output::new(w, true)),
            reader: output.map(|(r, _)| Reader::new(r, true)),
            is_stdout: false,
        })
    }

    /// Closes the writing or the reading end of a coprocess.
    pub(crate) fn close_half(&mut self, to: bool) {
        if to {
            if let Some(mut out) = self.output.take() {
                let _ = out.close();
            }
        } else if let Some(mut reader) = self.reader.take() {
            reader.close();
        }
    }

    /// Closes everything and waits for the command. The result is the value of `close` in awk.
    pub(crate) fn close(mut self) -> Closed {
        let mut failed = None;
        if let Some(mut out) = self.output.take()
            && let Err(e) = out.close()
        {
            failed = Some(e);
        }
        if let Some(mut reader) = self.reader.take() {
            reader.close();
        }
        let ended = self.child.map(wait);
        match (ended, failed) {
            (_, Some(e)) => Closed::Failed(e),
            (Some(status), _) => Closed::Status(status_value(status)),
            (None, None) => Closed::Status(0.0),
        }
    }
}

/// Opens a file for reading. Returns the descriptor and whether it must be closed.
pub(crate) fn open_input(name: &[u8]) -> sys::Result<(Fd, bool)> {
    match name {
        b"-" | b"/dev/stdin" => return Ok((0, false)),
        _ => {}
    }
    if let Some(fd) = fd_number(name) {
        sys::cloexec(fd)?;
        return Ok((fd, false));
    }
    let fd = sys::open(name, o::READ | o::CLOEXEC, 0)?;
    if sys::fstat(fd).is_ok_and(|s| s.is_dir()) {
        let _ = sys::close(fd);
        return Err(Errno::ISDIR);
    }
    Ok((fd, true))
}

// `/dev/fd/N`.
fn fd_number(name: &[u8]) -> Option<Fd> {
    let digits = name.strip_prefix(b"/dev/fd/")?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Starts `sh -c command`.
pub(crate) fn shell(command: &[u8], env: &[Vec<u8>], fds: &[(Fd, Option<Fd>)]) -> sys::Result<Pid> {
    let argv = [b"sh".to_vec(), b"-c".to_vec(), command.to_vec()];
    let program = sys::Program { path: b"/bin/sh", argv: &argv, env, fds, ..sys::Program::default() };
    // awk ignores SIGPIPE to see the error, but commands must have the default action.
    let _ = sys::sigaction(signal::SIGPIPE, sys::Disposition::Default);
    let child = sys::spawn(&program);
    let _ = sys::sigaction(signal::SIGPIPE, sys::Disposition::Ignore);
    child
}

/// Waits for a child.
pub(crate) fn wait(pid: Pid) -> sys::WaitStatus {
    process::wait(pid).unwrap_or(sys::WaitStatus::Exited(255))
}

/// The value in awk for a child's end: the status, or 256 plus the signal.
pub(crate) fn status_value(status: sys::WaitStatus) -> f64 {
    match status {
        sys::WaitStatus::Exited(n) => n.into(),
        sys::WaitStatus::Signaled(n) | sys::WaitStatus::Stopped(n) => 256.0 + f64::from(n),
        sys::WaitStatus::Continued => 0.0,
    }
}
