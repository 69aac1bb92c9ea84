//! Starting programs as `execvp` finds them.

use sandshell_cli::bytes;
use sandshell_sys as sys;

/// The environment as `NAME=VALUE`.
pub(crate) fn environment() -> Vec<Vec<u8>> {
    std::env::vars_os().map(|(n, v)| bytes!(n.into_encoded_bytes(), "=", v.into_encoded_bytes())).collect()
}

/// Starts a program, searching `PATH` if its name has no slash; a file that is no program is run by the shell.
///
/// # Errors
/// That of the last attempt; "permission denied" wins over "not found".
pub(crate) fn spawn(
    argv: &[Vec<u8>],
    env: &[Vec<u8>],
    fds: &[(sys::Fd, Option<sys::Fd>)],
    cwd: &[u8],
) -> sys::Result<sys::Pid> {
    let name = argv.first().map(Vec::as_slice).unwrap_or_default();
    if name.contains(&b'/') || name.is_empty() {
        return start(name, argv, env, fds, cwd);
    }
    let path = std::env::var_os("PATH")
        .map_or_else(|| b"/bin:/usr/bin".to_vec(), std::ffi::OsString::into_encoded_bytes);
    let mut error = sys::Errno::NOENT;
    for dir in path.split(|b| *b == b':') {
        let file = if dir.is_empty() { name.to_vec() } else { bytes!(dir, "/", name) };
        match start(&file, argv, env, fds, cwd) {
            Err(sys::Errno::NOENT | sys::Errno::NOTDIR) => {}
            Err(sys::Errno::ACCES) => error = sys::Errno::ACCES,
            other => return other,
        }
    }
    Err(error)
}

fn start(
    path: &[u8],
    argv: &[Vec<u8>],
    env: &[Vec<u8>],
    fds: &[(sys::Fd, Option<sys::Fd>)],
    cwd: &[u8],
) -> sys::Result<sys::Pid> {
    let program = sys::Program { path, argv, env, fds, cwd, ..sys::Program::default() };
    match sys::spawn(&program) {
        Err(sys::Errno::NOEXEC) => {
            let mut script = vec![b"/bin/sh".to_vec(), path.to_vec()];
            script.extend(argv.iter().skip(1).cloned());
            sys::spawn(&sys::Program { path: b"/bin/sh", argv: &script, ..program })
        }
        other => other,
    }
}

/// Waits for a child: its exit status, or the signal that killed it.
pub(crate) fn wait(pid: sys::Pid) -> sys::WaitStatus {
    loop {
        match sys::wait(pid, 0) {
            Ok(Some(w)) => return w.status,
            Ok(None) | Err(sys::Errno::INTR) => {}
            Err(_) => return sys::WaitStatus::Exited(127),
        }
    }
}
