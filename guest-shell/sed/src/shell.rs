//! Commands for the shell (`e`, `s///e`).

use crate::Failure;
use sandshell_sys as sys;

/// What `sh -c command` prints. How the command ends does not matter; its standard input and error are sed's.
pub(crate) fn output(command: &[u8]) -> crate::Result<Vec<u8>> {
    let failed = |_| Failure::panic(&[b"error in subprocess"]);
    let env: Vec<Vec<u8>> = std::env::vars_os()
        .map(|(name, value)| [name.into_encoded_bytes(), value.into_encoded_bytes()].join(&b"="[..]))
        .collect();
    let argv = [b"sh".to_vec(), b"-c".to_vec(), command.to_vec()];
    let (read, write) = sys::pipe(true).map_err(failed)?;
    let fds = [(1, Some(write))];
    let program = sys::Program { path: b"/bin/sh", argv: &argv, env: &env, fds: &fds, ..Default::default() };
    let child = sys::spawn(&program);
    let _ = sys::close(write);
    let child = child.map_err(|e| {
        let _ = sys::close(read);
        failed(e)
    })?;
    let text = read_all(read);
    let _ = sys::close(read);
    while matches!(sys::wait(child, 0), Ok(None) | Err(sys::Errno::INTR)) {}
    text.map_err(failed)
}

fn read_all(fd: sys::Fd) -> sys::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        match sys::read(fd, &mut buffer) {
            Ok(0) => return Ok(text),
            Ok(n) => text.extend_from_slice(buffer.get(..n).unwrap_or_default()),
            Err(sys::Errno::INTR) => {}
            Err(e) => return Err(e),
        }
    }
}
