//! `tail -f`: follows growing files.

use sandshell_cli::input::Input;
use sandshell_cli::out;
use sandshell_cli::quote::quoteaf;
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, S_IFCHR, S_IFIFO, S_IFMT, S_IFREG, S_IFSOCK};
use std::time::Duration;

/// How files are followed.
pub(crate) struct Follow {
    pub(crate) on: bool,
    pub(crate) by_name: bool,
    pub(crate) retry: bool,
    /// Stop when this process has ended.
    pub(crate) pid: Option<sys::Pid>,
    pub(crate) every: Duration,
    /// Whether files are checked at intervals only, because nothing notifies of changes.
    pub(crate) polls: bool,
}

/// The longest time after which growth is noticed, whatever `-s` says. The original is notified immediately.
const AT_ONCE: Duration = Duration::from_millis(100);

impl Default for Follow {
    fn default() -> Self {
        Self {
            on: false,
            by_name: false,
            retry: false,
            pid: None,
            every: Duration::from_secs(1),
            polls: false,
        }
    }
}

/// A file being followed.
pub(crate) struct Followed {
    path: Vec<u8>,
    shown: Vec<u8>,
    input: Option<Input>,
    /// The device and inode of the open file.
    identity: (u64, u64),
    size: u64,
}

impl Followed {
    /// A file whose last part has been printed.
    pub(crate) fn open(path: &[u8], shown: &[u8], input: Input) -> Self {
        let stat = sys::fstat(input.fd()).unwrap_or_default();
        let size = sys::lseek(input.fd(), 0, 1).unwrap_or(0);
        Self {
            path: path.to_vec(),
            shown: shown.to_vec(),
            input: Some(input),
            identity: (stat.dev, stat.ino),
            size,
        }
    }

    /// A file that could not be opened.
    pub(crate) fn missing(path: &[u8], shown: &[u8]) -> Self {
        Self { path: path.to_vec(), shown: shown.to_vec(), input: None, identity: (0, 0), size: 0 }
    }

    /// Checks whether the name now refers to another file.
    fn look_again(&mut self, retry: bool) {
        let now = sys::stat(&self.path, true);
        match (now, self.input.is_some()) {
            (Err(e), true) => {
                warn!("tail", quoteaf(&self.shown), " has become inaccessible: ", e);
                self.input = None;
            }
            (Ok(stat), open) if !matches!(stat.mode & S_IFMT, S_IFREG | S_IFIFO | S_IFSOCK | S_IFCHR) => {
                if !open {
                    return;
                }
                let end = if retry { "" } else { "; giving up on this name" };
                warn!("tail", quoteaf(&self.shown), " has been replaced with an untailable file", end);
                self.input = None;
            }
            (Ok(stat), open) if !open || (stat.dev, stat.ino) != self.identity => {
                let Ok(input) = Input::open(&self.path) else { return };
                let what = if open { " has been replaced" } else { " has appeared" };
                warn!("tail", quoteaf(&self.shown), what, ";  following new file");
                (self.input, self.identity, self.size) = (Some(input), (stat.dev, stat.ino), 0);
            }
            _ => {}
        }
    }

    /// Prints new data. `last` is the file whose output came last, which matters for the headers.
    fn print_new(&mut self, index: usize, headers: bool, last: &mut usize) -> sys::Result<()> {
        let Some(input) = &mut self.input else { return Ok(()) };
        if let Ok(stat) = sys::fstat(input.fd())
            && stat.is_file()
            && stat.size < self.size
        {
            warn!("tail", &self.shown, ": file truncated");
            sys::lseek(input.fd(), 0, 0)?;
            self.size = 0;
        }
        loop {
            let there = input.fill()?;
            if there.is_empty() {
                break;
            }
            if headers && *last != index {
                out::put(bytes!("\n==> ", &self.shown, " <==\n"));
                *last = index;
            }
            out::put(there);
            let n = there.len();
            self.size += n as u64;
            input.consume(n);
        }
        out::flush();
        Ok(())
    }
}

impl Follow {
    /// Prints what is appended, until no file is left or the process of `--pid` has ended.
    pub(crate) fn run(&self, files: Vec<Followed>, headers: bool, code: i32) -> i32 {
        let by_name_only = |f: &Followed| f.input.is_some() || self.retry;
        let mut files: Vec<Followed> =
            files.into_iter().filter(by_name_only).filter(|f| !is_pipe(f)).collect();
        let mut last = files.len().saturating_sub(1);
        if files.is_empty() {
            if code != 0 {
                warn!("tail", "no files remaining");
            }
            return code;
        }
        loop {
            let finished = self.pid.is_some_and(|pid| sys::kill(pid, 0) == Err(sys::Errno::SRCH));
            for (i, file) in files.iter_mut().enumerate() {
                if self.by_name || file.input.is_none() {
                    file.look_again(self.retry);
                }
                if let Err(e) = file.print_new(i, headers, &mut last) {
                    warn!("tail", "error reading ", quoteaf(&file.shown), ": ", e);
                    return 1;
                }
            }
            if finished || out::failure().is_some() {
                return code;
            }
            if self.by_name && !self.retry && files.iter().all(|f| f.input.is_none()) {
                warn!("tail", "no files remaining");
                return 1;
            }
            let _ = sys::sleep(if self.polls { self.every } else { self.every.min(AT_ONCE) });
        }
    }
}

/// Whether it is a pipe on standard input, which has ended when its last part was printed.
fn is_pipe(file: &Followed) -> bool {
    let Some(input) = &file.input else { return false };
    file.path == b"-" && sys::fstat(input.fd()).is_ok_and(|s| s.mode & S_IFMT == S_IFIFO)
}
