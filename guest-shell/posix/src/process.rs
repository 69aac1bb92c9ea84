//! Finding and starting programs, and waiting for them.

use crate::path;
use sandshell_sys::{self as sys, Errno, Pid, Program, WaitStatus};
use std::ffi::OsString;

/// The environment as `NAME=VALUE`.
pub fn environment() -> Vec<Vec<u8>> {
    sys::environment()
}

/// `$PATH`, or the C library's default if it is not set.
pub fn search_path() -> Vec<u8> {
    std::env::var_os("PATH").map_or_else(|| b"/bin:/usr/bin".to_vec(), OsString::into_encoded_bytes)
}

/// Replaces this process by the command, with the same environment. Returns only on an error.
pub fn exec(argv: &[Vec<u8>]) -> Errno {
    exec_with(argv, &environment(), &search_path())
}

/// Replaces this process by the command. As in `execvp(3)`, it is looked up in the directories of `search`. Returns
/// only on an error.
pub fn exec_with(argv: &[Vec<u8>], env: &[Vec<u8>], search: &[u8]) -> Errno {
    let program = Program { argv, env, ..Program::default() };
    let exec = |program: &Program<'_>| Err::<(), Errno>(sys::exec(program));
    find(&program, search, &exec).err().unwrap_or(Errno::IO)
}

/// Starts `program`, whose path is looked up in `$PATH` by its first argument.
///
/// # Errors
/// The error of the last attempt. "Permission denied" takes precedence over "not found".
pub fn spawn(program: &Program<'_>) -> sys::Result<Pid> {
    spawn_from(program, &search_path())
}

/// As [`spawn`], with the directories of `search` instead of `$PATH`.
///
/// # Errors
/// As [`spawn`].
pub fn spawn_from(program: &Program<'_>, search: &[u8]) -> sys::Result<Pid> {
    find(program, search, &|program| sys::spawn(program))
}

/// Starts a command with the environment of this process.
///
/// # Errors
/// As [`spawn`].
pub fn start(argv: &[Vec<u8>]) -> sys::Result<Pid> {
    spawn(&Program { argv, env: &environment(), ..Program::default() })
}

/// Runs `sh -c command` as `popen(3)` does, and returns what it wrote to its standard output. Its exit status does not
/// matter.
///
/// # Errors
/// The shell cannot be started, or its output cannot be read.
pub fn shell_output(command: &[u8]) -> sys::Result<Vec<u8>> {
    let (reader, writer) = sys::pipe(true)?;
    // In C, a command ends at its first NUL.
    let command = command.split(|b| *b == 0).next().unwrap_or_default();
    let argv = [b"sh".to_vec(), b"-c".to_vec(), command.to_vec()];
    let fds = [(1, Some(writer))];
    let program =
        Program { path: b"/bin/sh", argv: &argv, env: &environment(), fds: &fds, ..Program::default() };
    let child = sys::spawn(&program);
    let _ = sys::close(writer);
    let output = sys::read_to_end(reader);
    let _ = sys::close(reader);
    wait(child?)?;
    output
}

/// Waits until a child has ended.
///
/// # Errors
/// There is no such child.
pub fn wait(pid: Pid) -> sys::Result<WaitStatus> {
    loop {
        match sys::wait(pid, 0) {
            Ok(Some(waited)) => return Ok(waited.status),
            Ok(None) | Err(Errno::INTR) => {}
            Err(e) => return Err(e),
        }
    }
}

/// The exit status if a program could not be run: 126 if it was found, else 127.
pub fn failure_status(e: Errno) -> i32 {
    if e == Errno::NOENT { 127 } else { 126 }
}

type Run<T> = dyn Fn(&Program<'_>) -> sys::Result<T>;

fn find<T>(program: &Program<'_>, search: &[u8], run: &Run<T>) -> sys::Result<T> {
    let name = program.argv.first().map(Vec::as_slice).unwrap_or_default();
    if name.is_empty() {
        return Err(Errno::NOENT);
    }
    if name.contains(&b'/') {
        return run_or_read(program, name, run);
    }
    let mut worst = Errno::NOENT;
    for dir in search.split(|b| *b == b':') {
        match run_or_read(program, &path::join(dir, name), run) {
            Err(Errno::NOENT | Errno::NOTDIR) => {}
            Err(Errno::ACCES) => worst = Errno::ACCES,
            other => return other,
        }
    }
    Err(worst)
}

/// Runs a file. A file that is not a program is run as a shell script.
fn run_or_read<T>(program: &Program<'_>, path: &[u8], run: &Run<T>) -> sys::Result<T> {
    match run(&Program { path, ..*program }) {
        Err(Errno::NOEXEC) => {
            let mut argv = vec![b"sh".to_vec(), path.to_vec()];
            argv.extend(program.argv.iter().skip(1).cloned());
            run(&Program { path: b"/bin/sh", argv: &argv, ..*program })
        }
        other => other,
    }
}
