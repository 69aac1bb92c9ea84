//! What the single-file compressors have in common.

use crate::io::FdWriter;
use sandshell_sys::{self as sys, Errno, SetTime, Stat, open_flags as o};

/// Creates an output file. If it exists, it is only replaced with `force`.
pub(crate) fn create(path: &[u8], force: bool) -> sys::Result<FdWriter> {
    if force {
        match sys::unlink(path) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(e) => return Err(e),
        }
    }
    sys::open(path, o::WRITE | o::CREATE | o::EXCL | o::CLOEXEC, 0o600).map(FdWriter)
}

/// Gives a finished file the owner, mode and times of the original.
pub(crate) fn keep_attributes(path: &[u8], stat: &Stat, mtime: Option<i64>) {
    let mtime = mtime.map_or(SetTime::At(stat.mtime, stat.mtime_nsec), |t| SetTime::At(t, 0));
    let _ = sys::chown(path, Some(stat.uid), Some(stat.gid), false);
    let _ = sys::chmod(path, stat.mode & 0o777);
    let _ = sys::utimens(path, SetTime::At(stat.atime, stat.atime_nsec), mtime, false);
}

/// The paths of a directory's entries, in order.
pub(crate) fn entries(path: &[u8]) -> sys::Result<Vec<Vec<u8>>> {
    let names = sys::read_dir(path)?;
    let base = path.strip_suffix(b"/").unwrap_or(path);
    Ok(names.into_iter().map(|n| [base, b"/", &n.name].concat()).collect())
}
