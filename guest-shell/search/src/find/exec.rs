//! `-exec`, `-execdir`, `-ok` and `-okdir`.

use super::entry::Entry;
use super::state::State;
use crate::out::message;
use sandshell_cli::quote::quote;
use sandshell_cli::{ask, bytes};
use sandshell_posix::process;
use sandshell_sys as sys;
use std::cell::RefCell;

/// The largest size of a command's arguments, including their NULs. findutils has the same limit.
const ARGUMENTS_MAX: usize = 128 * 1024;

pub(crate) struct Exec {
    /// The command with its `{}`. With `many` the final `{}` is left out.
    pub(crate) command: Vec<Vec<u8>>,
    /// Run it in the file's directory.
    pub(crate) in_directory: bool,
    /// Ask before running it.
    pub(crate) ask: bool,
    /// The form `{} +`, which passes many files to one command.
    pub(crate) many: bool,
    pub(crate) pending: RefCell<Pending>,
}

#[derive(Default)]
pub(crate) struct Pending {
    files: Vec<Vec<u8>>,
    size: usize,
    directory: Vec<u8>,
}

impl Exec {
    /// Runs the command. With `many`, adds the file to the list and returns true.
    pub(crate) fn run(&self, e: &Entry<'_>, s: &State) -> bool {
        let (directory, name) = if self.in_directory { split(&e.path) } else { (Vec::new(), e.path.clone()) };
        if self.many {
            self.push(name, directory, s);
            return true;
        }
        let argv: Vec<Vec<u8>> = self.command.iter().map(|a| replace(a, &name)).collect();
        if self.ask && !self.confirmed(&argv, e, s) {
            return false;
        }
        self.start(&argv, &directory, s) == Some(true)
    }

    /// Runs the command for the files on the list.
    pub(crate) fn finish(&self, s: &State) {
        let pending = std::mem::take(&mut *self.pending.borrow_mut());
        if pending.files.is_empty() {
            return;
        }
        let mut argv = self.command.clone();
        argv.extend(pending.files);
        if self.start(&argv, &pending.directory, s) != Some(true) {
            s.failed.set(true);
        }
    }

    /// With `-execdir … +`, runs the command for the listed files before the walk enters another directory.
    pub(crate) fn leave_directory(&self, s: &State) {
        if self.many && self.in_directory {
            self.finish(s);
        }
    }

    fn push(&self, name: Vec<u8>, directory: Vec<u8>, s: &State) {
        let fixed: usize = self.command.iter().map(|a| a.len() + 1).sum();
        let full = {
            let p = self.pending.borrow();
            !p.files.is_empty()
                && (fixed + p.size + name.len() + 1 > ARGUMENTS_MAX || p.directory != directory)
        };
        if full {
            self.finish(s);
        }
        let mut p = self.pending.borrow_mut();
        if p.files.is_empty() {
            p.size = 0;
        }
        p.size += name.len() + 1;
        p.files.push(name);
        p.directory = directory;
    }

    fn confirmed(&self, argv: &[Vec<u8>], e: &Entry<'_>, s: &State) -> bool {
        s.flush();
        let program = argv.first().map(Vec::as_slice).unwrap_or_default();
        let _ = sys::write_all(2, &bytes!("< ", program, " ... ", e.path, " > ? "));
        ask::yes()
    }

    // Runs the command. Returns whether it exited with status 0; `None` if it could not be started.
    fn start(&self, argv: &[Vec<u8>], directory: &[u8], s: &State) -> Option<bool> {
        s.flush();
        // Standard input is for the answers to `-ok`, so the command gets none.
        let fds: &[(sys::Fd, Option<sys::Fd>)] = if self.ask { &[(0, None)] } else { &[] };
        let env = process::environment();
        let program = sys::Program { argv, env: &env, fds, cwd: directory, ..sys::Program::default() };
        match process::spawn(&program) {
            Ok(pid) => {
                let status = process::wait(pid).unwrap_or(sys::WaitStatus::Exited(127));
                if let sys::WaitStatus::Signaled(n) = status {
                    let program = argv.first().map(Vec::as_slice).unwrap_or_default();
                    message("find", &bytes!(quote(program), " terminated by signal ", n.to_string()));
                }
                Some(status == sys::WaitStatus::Exited(0))
            }
            Err(e) => {
                let program = argv.first().map(Vec::as_slice).unwrap_or_default();
                message("find", &bytes!(quote(program), ": ", e.to_string()));
                None
            }
        }
    }
}

// The directory, and `./name`.
fn split(path: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let end = path.iter().rposition(|b| *b != b'/').map_or(0, |i| i + 1);
    if end == 0 {
        return (b"/".to_vec(), b"/".to_vec());
    }
    let trimmed = path.get(..end).unwrap_or_default();
    match trimmed.iter().rposition(|b| *b == b'/') {
        None => (Vec::new(), bytes!("./", trimmed)),
        Some(i) => {
            let directory = trimmed.get(..i.max(1)).unwrap_or_default().to_vec();
            (directory, bytes!("./", trimmed.get(i + 1..).unwrap_or_default()))
        }
    }
}

/// `arg` with each `{}` replaced.
pub(crate) fn replace(arg: &[u8], name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(arg.len() + name.len());
    let mut rest = arg;
    while let Some(i) = memchr::memmem::find(rest, b"{}") {
        out.extend_from_slice(rest.get(..i).unwrap_or_default());
        out.extend_from_slice(name);
        rest = rest.get(i + 2..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}
