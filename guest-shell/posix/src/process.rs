//! Finding and starting programs.

use sandshell_sys::{self as sys, Errno, Program};
use std::ffi::OsString;

/// The environment as `NAME=VALUE`.
pub fn environment() -> Vec<Vec<u8>> {
    std::env::vars_os()
        .map(|(k, v)| [k.into_encoded_bytes(), b"=".to_vec(), v.into_encoded_bytes()].concat())
        .collect()
}

/// Replaces this process, searching `PATH` as `execvp(3)`; returns only the error.
pub fn exec(argv: &[Vec<u8>], env: &[Vec<u8>], search: &[u8], reset_signals: bool) -> Errno {
    each_candidate(argv, search, |path| {
        let request = Program { path, argv, env, reset_signals, ..Program::default() };
        match sys::exec(&request) {
            Errno::NOEXEC => {
                let script = script_arguments(path, argv);
                Err(sys::exec(&Program { path: b"/bin/sh", argv: &script, env, ..Program::default() }))
            }
            e => Err::<(), Errno>(e),
        }
    })
    .err()
    .unwrap_or(Errno::IO)
}

/// Starts a child, searching `PATH`.
pub fn spawn(argv: &[Vec<u8>], env: &[Vec<u8>], search: &[u8]) -> Result<sys::Pid, Errno> {
    each_candidate(argv, search, |path| {
        match sys::spawn(&Program { path, argv, env, ..Program::default() }) {
            Err(Errno::NOEXEC) => {
                let script = script_arguments(path, argv);
                sys::spawn(&Program { path: b"/bin/sh", argv: &script, env, ..Program::default() })
            }
            other => other,
        }
    })
}

/// `$PATH`, or what the C library searches without it.
pub fn search_path() -> Vec<u8> {
    std::env::var_os("PATH").map_or_else(|| b"/bin:/usr/bin".to_vec(), OsString::into_encoded_bytes)
}

/// 126 if the program was found but cannot run, else 127.
pub fn failure_status(e: Errno) -> i32 {
    if e == Errno::NOENT { 127 } else { 126 }
}

fn script_arguments(path: &[u8], argv: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut script = vec![b"sh".to_vec(), path.to_vec()];
    script.extend(argv.iter().skip(1).cloned());
    script
}

fn each_candidate<T>(
    argv: &[Vec<u8>],
    search: &[u8],
    mut run: impl FnMut(&[u8]) -> Result<T, Errno>,
) -> Result<T, Errno> {
    let name = argv.first().map(Vec::as_slice).unwrap_or_default();
    if name.is_empty() {
        return Err(Errno::NOENT);
    }
    if name.contains(&b'/') {
        return run(name);
    }
    let mut worst = Errno::NOENT;
    for dir in search.split(|b| *b == b':') {
        match run(&crate::path::join(dir, name)) {
            Ok(t) => return Ok(t),
            Err(e @ (Errno::NOENT | Errno::NOTDIR)) => {
                let _ = e;
            }
            Err(Errno::ACCES) => worst = Errno::ACCES,
            Err(e) => return Err(e),
        }
    }
    Err(worst)
}
