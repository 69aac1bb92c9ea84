//! Makes directories with their parents.

use sandshell_posix::path;
use sandshell_sys::{self as sys, Errno};

/// The current umask.
pub(crate) fn umask() -> u32 {
    let mask = sys::umask(0);
    sys::umask(mask);
    mask
}

/// Makes a directory and its parents, like `mkdir -p`. Calls `made` for each new one.
pub(crate) fn make_parents(
    dir: &[u8],
    last_mode: u32,
    made: &mut dyn FnMut(&[u8]),
) -> Result<(), (Vec<u8>, Errno)> {
    let parent_mode = 0o777 & !umask() | 0o300;
    let trimmed = path::trim_slashes(dir);
    let mut at = 0;
    while at < trimmed.len() {
        let next = trimmed[at..].iter().position(|b| *b == b'/').map_or(trimmed.len(), |i| at + i);
        let prefix = &trimmed[..next];
        let last = next == trimmed.len();
        at = next + 1;
        if prefix.is_empty() || (!last && trimmed.get(next - 1) == Some(&b'/')) {
            continue;
        }
        // The last one is reported as it was written.
        let told = if last { dir } else { prefix };
        match sys::mkdir(prefix, if last { last_mode } else { parent_mode }) {
            Ok(()) => {
                if !last && umask() & 0o300 != 0 {
                    let _ = sys::chmod(prefix, parent_mode);
                }
                made(told);
            }
            Err(e) => match sys::stat(prefix, true) {
                Ok(s) if s.is_dir() => {}
                Ok(_) if e == Errno::EXIST => {
                    return Err((told.to_vec(), if last { Errno::EXIST } else { Errno::NOTDIR }));
                }
                // The parent directory does not even have search permission.
                Err(Errno::ACCES) if e == Errno::ACCES && prefix.contains(&b'/') => {
                    return Err((path::dir_name(prefix).to_vec(), e));
                }
                _ => return Err((told.to_vec(), e)),
            },
        }
    }
    Ok(())
}
