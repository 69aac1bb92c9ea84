//! Sets times, owner and mode of a copy.

use super::options::Options;
use sandshell_cli::quote::quoteaf;
use sandshell_cli::warn;
use sandshell_sys::{self as sys, Errno, SetTime, Stat};

/// The bits of a mode that `chmod` sets.
pub(super) const MODE_BITS: u32 = 0o7777;

/// Sets the attributes of `to` that are to be preserved from `source`: times, then owner, then mode. `new` tells
/// whether `to` was just created, `omitted` which permissions it was created without. Returns false after an error
/// message.
pub(super) fn keep(o: &Options, source: &Stat, to: &[u8], new: bool, omitted: u32) -> bool {
    let mut ok = true;
    if o.preserve_times
        && let Err(e) = set_times(to, source, true)
    {
        warn!(o.name, "preserving times for ", quoteaf(to), ": ", e);
        ok = false;
    }
    let mut mode = source.mode & MODE_BITS;
    if o.preserve_owner && !keep_owner(o, source, to, &mut ok) {
        mode &= 0o777;
    }
    let umask = crate::base::directories::umask();
    let wanted = if o.preserve_mode || o.moving {
        mode
    } else if o.default_mode && new {
        (if source.is_dir() { 0o777 } else { 0o666 }) & !umask
    } else if omitted & !umask != 0 {
        match sys::stat(to, true) {
            Ok(now) => now.mode & MODE_BITS | omitted & !umask,
            Err(_) => return ok,
        }
    } else {
        return ok;
    };
    if let Err(e) = sys::chmod(to, wanted) {
        warn!(o.name, "preserving permissions for ", quoteaf(to), ": ", e);
        ok = false;
    }
    // A move succeeds even if not all attributes could be preserved.
    ok || o.moving
}

/// Sets owner and group to the source's. Returns whether they are now equal. Only for the superuser is a failure an
/// error.
fn keep_owner(o: &Options, source: &Stat, to: &[u8], ok: &mut bool) -> bool {
    let present = sys::stat(to, true).map_or((u32::MAX, u32::MAX), |s| (s.uid, s.gid));
    if present == (source.uid, source.gid) {
        return true;
    }
    match sys::chown(to, Some(source.uid), Some(source.gid), true) {
        Ok(()) => true,
        Err(e) => {
            if sys::getids().0 == 0 {
                warn!(o.name, "failed to preserve ownership for ", quoteaf(to), ": ", e);
                *ok = false;
            } else {
                let _ = sys::chown(to, None, Some(source.gid), true);
            }
            false
        }
    }
}

/// Sets the times of `to` to those of `source`.
pub(super) fn set_times(to: &[u8], source: &Stat, follow: bool) -> Result<(), Errno> {
    sys::utimens(
        to,
        SetTime::At(source.atime, source.atime_nsec),
        SetTime::At(source.mtime, source.mtime_nsec),
        follow,
    )
}
