//! Interoperation with the crate `vfs`, both ways.

mod export;
mod import;

pub use import::ImportedFs;

use crate::{Errno, Time};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use vfs::VfsError;
use vfs::error::VfsErrorKind;

fn to_vfs(errno: Errno) -> VfsError {
    match errno {
        Errno::NoEnt => VfsErrorKind::FileNotFound.into(),
        Errno::NotSup | Errno::Perm => VfsErrorKind::NotSupported.into(),
        errno => VfsErrorKind::IoError(errno.into()).into(),
    }
}

fn from_vfs(error: &VfsError) -> Errno {
    match error.kind() {
        VfsErrorKind::FileNotFound => Errno::NoEnt,
        VfsErrorKind::InvalidPath => Errno::Inval,
        VfsErrorKind::DirectoryExists | VfsErrorKind::FileExists => Errno::Exist,
        VfsErrorKind::NotSupported => Errno::NotSup,
        VfsErrorKind::IoError(error) => Errno::from(error),
        _ => Errno::Io,
    }
}

fn system_time(time: Time) -> SystemTime {
    let after = Duration::new(time.secs.unsigned_abs(), 0);
    let whole = if time.secs >= 0 { UNIX_EPOCH.checked_add(after) } else { UNIX_EPOCH.checked_sub(after) };
    whole.and_then(|whole| whole.checked_add(Duration::from_nanos(time.nanos.into()))).unwrap_or(UNIX_EPOCH)
}

fn time(time: SystemTime) -> Time {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => {
            Time { secs: i64::try_from(since.as_secs()).unwrap_or(i64::MAX), nanos: since.subsec_nanos() }
        }
        Err(before) => {
            let before = before.duration();
            let secs = i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
            match before.subsec_nanos() {
                0 => Time { secs: -secs, nanos: 0 },
                nanos => Time { secs: -secs - 1, nanos: 1_000_000_000 - nanos },
            }
        }
    }
}
