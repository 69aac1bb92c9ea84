//! Commands of the shell: `e`, and the option `e` of `s`.

use sandshell_sys::{self as sys, Errno};

/// What `sh -c command` writes to its standard output; how it ends does not matter.
pub(crate) fn output(command: &[u8]) -> sys::Result<Vec<u8>> {
    let argv = [b"sh".to_vec(), b"-c".to_vec(), command.to_vec()];
    let env: Vec<Vec<u8>> = std::env::vars_os()
        .map(|(name, value)| [name.into_encoded_bytes(), b"=".to_vec(), value.into_encoded_bytes()].concat())
        .collect();
    let (read, write) = sys::pipe(true)?;
    let fds = [(1, Some(write))];
    let program =
        sys::Program { path: b"/bin/sh", argv: &argv, env: &env, fds: &fds, ..sys::Program::default() };
    let child = sys::spawn(&program);
    let _ = sys::close(write);
    let text = child.and_then(|child| {
        let text = sys::read_to_end(read);
        while matches!(sys::wait(child, 0), Ok(None) | Err(Errno::INTR)) {}
        text
    });
    let _ = sys::close(read);
    text
}
