//! Runs the commands.

use super::Stop;
use super::options::Options;
use crate::out::message;
use sandshell_cli::bytes;
use sandshell_cli::quote::quote;
use sandshell_cli::quote::{Style, quote_with};
use sandshell_posix::process;
use sandshell_sys as sys;
use sys::WaitStatus;

pub(crate) struct Runner<'a> {
    o: &'a Options,
    env: Vec<Vec<u8>>,
    /// The child process in each slot.
    children: Vec<Option<sys::Pid>>,
    pub(crate) started: usize,
    /// Whether a command exited with a status from 1 to 125.
    pub(crate) failed: bool,
}

impl<'a> Runner<'a> {
    pub(crate) fn new(o: &'a Options) -> Self {
        Self { o, env: process::environment(), children: Vec::new(), started: 0, failed: false }
    }

    /// Runs the command with these arguments added.
    ///
    /// # Errors
    /// The exit status, if the run must end.
    pub(crate) fn run(&mut self, args: Vec<Vec<u8>>) -> Result<(), Stop> {
        let mut argv = self.o.command.clone();
        argv.extend(args);
        self.run_command(argv)
    }

    /// Runs a command. Waits first if the maximum number of commands is running.
    ///
    /// # Errors
    /// The exit status, if the run must end.
    pub(crate) fn run_command(&mut self, argv: Vec<Vec<u8>>) -> Result<(), Stop> {
        self.started += 1;
        while self.o.max_procs > 0 && self.running() >= self.o.max_procs {
            self.wait_one(0)?;
        }
        if self.o.verbose {
            let words: Vec<Vec<u8>> = argv.iter().map(|a| quote_with(a, Style::ShellEscape, b"")).collect();
            let mut line = words.join(&b" "[..]);
            if !self.o.ask {
                line.push(b'\n');
            }
            let _ = sys::write_all(2, &line);
            if self.o.ask && !confirmed()? {
                return Ok(());
            }
        }
        // Collects children that have already ended.
        while self.running() > 0 && self.wait_one(sys::WNOHANG)? {}
        let slot = self.children.iter().position(Option::is_none).unwrap_or(self.children.len());
        let mut env = self.env.clone();
        if let Some(name) = &self.o.slot_var {
            let prefix = bytes!(name, "=");
            env.retain(|v| !v.starts_with(&prefix));
            env.push(bytes!(prefix, slot.to_string()));
        }
        let input = self.input()?;
        let fds: Vec<(sys::Fd, Option<sys::Fd>)> = input.map(|fd| (0, Some(fd))).into_iter().collect();
        let child =
            process::spawn(&sys::Program { argv: &argv, env: &env, fds: &fds, ..sys::Program::default() });
        if let Some(fd) = input {
            let _ = sys::close(fd);
        }
        let program = argv.first().map(Vec::as_slice).unwrap_or_default();
        match child {
            Ok(pid) => {
                if slot == self.children.len() {
                    self.children.push(None);
                }
                if let Some(s) = self.children.get_mut(slot) {
                    *s = Some(pid);
                }
                Ok(())
            }
            Err(e) => {
                message("xargs", &bytes!(program, ": ", e.to_string()));
                Err(if e == sys::Errno::NOENT { 127 } else { 126 })
            }
        }
    }

    // The standard input of the commands, which must not read the items.
    fn input(&self) -> Result<Option<sys::Fd>, Stop> {
        let flags = sys::open_flags::READ | sys::open_flags::CLOEXEC;
        if self.o.tty {
            return sys::open(b"/dev/tty", flags, 0).map(Some).map_err(|e| {
                message("xargs", &bytes!(quote(b"/dev/tty"), ": ", e.to_string()));
                1
            });
        }
        if self.o.file.is_some() {
            return Ok(None);
        }
        Ok(sys::open(b"/dev/null", flags, 0).ok())
    }

    fn running(&self) -> usize {
        self.children.iter().flatten().count()
    }

    // Waits for a child. Returns false if none has ended.
    fn wait_one(&mut self, flags: u32) -> Result<bool, Stop> {
        let waited = loop {
            match sys::wait(-1, flags) {
                Ok(Some(w)) => break w,
                Ok(None) => return Ok(false),
                Err(sys::Errno::INTR) => {}
                Err(_) => {
                    self.children.clear();
                    return Ok(false);
                }
            }
        };
        for child in &mut self.children {
            if *child == Some(waited.pid) {
                *child = None;
            }
        }
        let program = self.o.command.first().map(Vec::as_slice).unwrap_or_default();
        match waited.status {
            WaitStatus::Exited(0) | WaitStatus::Continued => Ok(true),
            WaitStatus::Exited(255) => {
                message("xargs", &bytes!(program, ": exited with status 255; aborting"));
                Err(124)
            }
            WaitStatus::Exited(_) => {
                self.failed = true;
                Ok(true)
            }
            WaitStatus::Signaled(n) => {
                message("xargs", &bytes!(program, ": terminated by signal ", n.to_string()));
                Err(125)
            }
            WaitStatus::Stopped(n) => {
                message("xargs", &bytes!(program, ": stopped by signal ", n.to_string()));
                Err(125)
            }
        }
    }

    /// Waits for all children.
    ///
    /// # Errors
    /// The exit status that the first failed command calls for.
    pub(crate) fn wait_all(&mut self) -> Result<(), Stop> {
        let mut result = Ok(());
        while self.running() > 0 {
            if let Err(stop) = self.wait_one(0)
                && result.is_ok()
            {
                result = Err(stop);
            }
        }
        result
    }
}

fn confirmed() -> Result<bool, Stop> {
    let tty = sys::open(b"/dev/tty", sys::open_flags::READ | sys::open_flags::CLOEXEC, 0).map_err(|e| {
        message("xargs", format!("failed to open /dev/tty for reading: {e}").as_bytes());
        1
    })?;
    let _ = sys::write_all(2, b"?...");
    let mut answer = Vec::new();
    let mut byte = [0];
    while let Ok(1) = sys::read(tty, &mut byte) {
        if byte[0] == b'\n' {
            break;
        }
        answer.push(byte[0]);
    }
    let _ = sys::close(tty);
    Ok(matches!(answer.first(), Some(b'y' | b'Y')))
}
