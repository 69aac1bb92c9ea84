//! The output files of `split` with their names, and filters instead of files.

use sandshell_cli::quote::{quoteaf, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_posix::process;
use sandshell_sys::{self as sys, Fd, Pid, Program, WaitStatus, open_flags};

/// How file names are numbered.
pub(crate) struct Suffixes {
    pub(crate) alphabet: &'static [u8],
    /// The first number, if given. Then names do not get longer.
    pub(crate) start: Option<u64>,
    /// The text after the suffix.
    pub(crate) more: Vec<u8>,
    length: usize,
    grows: bool,
}

impl Default for Suffixes {
    fn default() -> Self {
        Self {
            alphabet: b"abcdefghijklmnopqrstuvwxyz",
            start: None,
            more: Vec::new(),
            length: 2,
            grows: true,
        }
    }
}

impl Suffixes {
    /// Sets the length of suffixes. If the given length is too small for `pieces`, returns the length that is needed.
    pub(crate) fn fix_length(&mut self, given: Option<usize>, pieces: Option<u64>) -> Option<usize> {
        self.grows = given.is_none() && self.start.is_none() && pieces.is_none();
        let base = self.alphabet.len() as u64;
        let mut needed = 1;
        if let Some(n) = pieces {
            let end = match self.start {
                Some(start) if start < n => start.saturating_add(n),
                _ => n,
            };
            needed = end.saturating_sub(1).checked_ilog(base).map_or(1, |digits| digits as usize + 1);
        }
        if let Some(length) = given {
            self.length = length;
            return (length < needed).then_some(needed);
        }
        self.length = needed.max(2);
        None
    }

    /// Whether the first number has more digits than a suffix has letters.
    pub(crate) fn starts_too_long(&self) -> bool {
        let base = self.alphabet.len() as u64;
        self.start.is_some_and(|start| start.checked_ilog(base).unwrap_or(0) as usize + 1 > self.length)
    }

    /// The suffix of file number `index`; `None` if it needs more letters than allowed.
    fn suffix(&self, index: u64) -> Option<Vec<u8>> {
        let base = self.alphabet.len() as u64;
        let (mut index, mut length, mut lead) = (index.checked_add(self.start.unwrap_or(0))?, self.length, 0);
        if self.grows {
            // When the first letter would be the last of the alphabet, names grow by two letters: `zaaa` follows `yz`.
            loop {
                let count = base.checked_pow(u32::try_from(length - 1).ok()?)?.checked_mul(base - 1)?;
                if index < count {
                    break;
                }
                index -= count;
                length += 1;
                lead += 1;
            }
        }
        let mut out = vec![self.alphabet[self.alphabet.len() - 1]; lead];
        let mut digits = Vec::new();
        for _ in 0..length {
            digits.push(self.alphabet[(index % base) as usize]);
            index /= base;
        }
        out.extend(digits.iter().rev());
        (index == 0).then_some(out)
    }
}

/// The destination of the pieces.
pub(crate) struct Output {
    prefix: Vec<u8>,
    suffixes: Suffixes,
    filter: Option<Vec<u8>>,
    verbose: bool,
    /// The device and inode of the input.
    input: (u64, u64),
    index: u64,
    open: Option<(Fd, Vec<u8>, Option<Pid>)>,
    buffer: Vec<u8>,
}

impl Output {
    pub(crate) fn new(
        prefix: &[u8],
        suffixes: Suffixes,
        filter: Option<Vec<u8>>,
        verbose: bool,
        input: (u64, u64),
    ) -> Self {
        let prefix = prefix.to_vec();
        Self { prefix, suffixes, filter, verbose, input, index: 0, open: None, buffer: Vec::new() }
    }

    /// Begins the next file.
    pub(crate) fn next(&mut self) -> Result<(), i32> {
        self.close()?;
        let Some(suffix) = self.suffixes.suffix(self.index) else {
            warn!("split", "output file suffixes exhausted");
            return Err(1);
        };
        self.index += 1;
        let name = bytes!(&self.prefix, suffix, &self.suffixes.more);
        if let Some(command) = &self.filter {
            if self.verbose {
                sandshell_cli::out::put(bytes!("executing with FILE=", quotef(&name), "\n"));
                sandshell_cli::out::flush();
            }
            let (fd, pid) = start(command, &name).map_err(|e| {
                warn!("split", "failed to run command: \"", command, "\": ", e);
                1
            })?;
            self.open = Some((fd, name, Some(pid)));
            return Ok(());
        }
        if self.verbose {
            sandshell_cli::out::put(bytes!("creating file ", quoteaf(&name), "\n"));
            sandshell_cli::out::flush();
        }
        if let Ok(stat) = sys::stat(&name, true)
            && (stat.dev, stat.ino) == self.input
        {
            warn!("split", quoteaf(&name), " would overwrite input; aborting");
            return Err(1);
        }
        let flags = open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC;
        let fd = sys::open(&name, flags, 0o666).map_err(|e| {
            warn!("split", quotef(&name), ": ", e);
            1
        })?;
        self.open = Some((fd, name, None));
        Ok(())
    }

    pub(crate) fn write(&mut self, data: &[u8]) -> Result<(), i32> {
        self.buffer.extend_from_slice(data);
        if self.buffer.len() >= 64 * 1024 { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), i32> {
        let data = std::mem::take(&mut self.buffer);
        let Some((fd, name, filter)) = &self.open else { return Ok(()) };
        match sys::write_all(*fd, &data) {
            // A filter need not read its whole input.
            Err(sys::Errno::PIPE) if filter.is_some() => Ok(()),
            Err(e) => {
                warn!("split", quotef(name), ": ", e);
                Err(1)
            }
            Ok(()) => Ok(()),
        }
    }

    /// Ends the current file.
    pub(crate) fn close(&mut self) -> Result<(), i32> {
        self.flush()?;
        let Some((fd, name, filter)) = self.open.take() else { return Ok(()) };
        let _ = sys::close(fd);
        let Some(pid) = filter else { return Ok(()) };
        let command = self.filter.as_deref().unwrap_or_default();
        match sys::wait(pid, 0) {
            Ok(Some(waited)) => match waited.status {
                WaitStatus::Exited(0) | WaitStatus::Signaled(sys::signal::SIGPIPE) => Ok(()),
                WaitStatus::Exited(code) => {
                    warn!("split", "with FILE=", quotef(&name), ", exit ", code, " from command: ", command);
                    Err(i32::from(code))
                }
                WaitStatus::Signaled(signal) => {
                    let signal = sys::signal::name(signal).unwrap_or("?");
                    warn!(
                        "split",
                        "with FILE=",
                        quotef(&name),
                        ", signal ",
                        signal,
                        " from command: ",
                        command
                    );
                    Err(1)
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

/// Starts a filter. Returns the descriptor that its input is written to.
fn start(command: &[u8], name: &[u8]) -> sys::Result<(Fd, Pid)> {
    let _ = sys::sigaction(sys::signal::SIGPIPE, sys::Disposition::Ignore);
    let (read, write) = sys::pipe(true)?;
    let mut env = process::environment();
    env.retain(|e| !e.starts_with(b"FILE="));
    env.push([b"FILE=".as_slice(), name].concat());
    let shell =
        std::env::var_os("SHELL").map_or_else(|| b"/bin/sh".to_vec(), std::ffi::OsString::into_encoded_bytes);
    let base = sandshell_posix::path::base_name(&shell).to_vec();
    let argv = [base, b"-c".to_vec(), command.to_vec()];
    let fds = [(0, Some(read))];
    let program = Program {
        path: &shell,
        argv: &argv,
        env: &env,
        fds: &fds,
        reset_signals: true,
        ..Program::default()
    };
    let pid = sys::spawn(&program);
    let _ = sys::close(read);
    Ok((write, pid?))
}
