//! Resolves names by following symbolic links.

use sandshell_posix::path;
use sandshell_sys::{self as sys, Errno};

/// Which components may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Missing {
    None,
    Last,
    Any,
}

/// The absolute name of `file`, without `.`, `..` and (if `links`) symbolic links.
pub(crate) fn resolve(file: &[u8], missing: Missing, links: bool) -> Result<Vec<u8>, Errno> {
    if file.is_empty() {
        return Err(Errno::NOENT);
    }
    let mut done = if file.starts_with(b"/") { b"/".to_vec() } else { sys::getcwd()? };
    let mut rest: Vec<Vec<u8>> = file.split(|b| *b == b'/').rev().map(<[u8]>::to_vec).collect();
    let mut hops = 0;
    while let Some(part) = rest.pop() {
        if part.is_empty() || part == b"." {
            continue;
        }
        if part == b".." {
            done = path::dir_name(&done).to_vec();
            continue;
        }
        let next = path::join(&done, &part);
        let more = rest.iter().any(|p| !p.is_empty());
        if !links && missing == Missing::Any {
            done = next;
            continue;
        }
        match sys::stat(&next, false) {
            Ok(s) if s.is_symlink() && links => {
                hops += 1;
                if hops > 40 {
                    if missing == Missing::Any {
                        done = next;
                        continue;
                    }
                    return Err(Errno::LOOP);
                }
                let target = sys::readlink(&next)?;
                if target.starts_with(b"/") {
                    done = b"/".to_vec();
                }
                rest.extend(target.split(|b| *b == b'/').rev().map(<[u8]>::to_vec));
            }
            Ok(s) => {
                if missing == Missing::None && s.is_symlink() {
                    sys::stat(&next, true)?;
                }
                let slash = rest.iter().any(Vec::is_empty) || more;
                let dir = s.is_dir() || s.is_symlink() && sys::stat(&next, true).is_ok_and(|s| s.is_dir());
                if slash && !dir && missing != Missing::Any {
                    return Err(Errno::NOTDIR);
                }
                done = next;
            }
            Err(e) => match missing {
                Missing::Any => done = next,
                Missing::Last if !more && e == Errno::NOENT => done = next,
                _ => return Err(e),
            },
        }
    }
    Ok(done)
}
