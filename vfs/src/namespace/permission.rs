//! Permission checks: mode bits, ownership, the sticky bit.

use crate::permit::permit;
use crate::{Context, Errno, FileKind, Metadata, Result, SetAttributes, SetTime};

/// `EPERM` if the sticky bit of `directory` prevents `cx` from removing `victim`.
pub(super) fn sticky(cx: &Context, directory: &Metadata, victim: &Metadata) -> Result<()> {
    let owner = cx.uid == 0 || cx.uid == victim.uid || cx.uid == directory.uid;
    if directory.mode & 0o1000 == 0 || owner { Ok(()) } else { Err(Errno::Perm) }
}

/// Checks a change of attributes, and adds its consequences to it, such as clearing set-id bits.
///
/// `writable` says, for an open file, whether it was opened for writing. `None`, for a change by path: the mode bits
/// decide.
pub(super) fn prepare(
    cx: &Context,
    metadata: &Metadata,
    wanted: &SetAttributes,
    writable: Option<bool>,
) -> Result<SetAttributes> {
    let mut attributes = *wanted;
    let owner = cx.uid == 0 || cx.uid == metadata.uid;
    if wanted.size.is_some() {
        match (metadata.kind, writable) {
            (FileKind::Directory, None) => return Err(Errno::IsDir),
            (FileKind::Regular, None) => permit(cx, metadata, 2)?,
            (FileKind::Regular, Some(true)) => {}
            _ => return Err(Errno::Inval),
        }
        if wanted.size > Some(i64::MAX as u64) {
            return Err(Errno::Inval);
        }
    }
    if wanted.uid.is_some() || wanted.gid.is_some() {
        let keeps_user = wanted.uid.is_none_or(|uid| uid == metadata.uid);
        let own_group = wanted.gid.is_none_or(|gid| gid == metadata.gid || gid == cx.gid);
        if cx.uid != 0 && !(owner && keeps_user && own_group) {
            return Err(Errno::Perm);
        }
        if metadata.kind != FileKind::Directory && wanted.mode.is_none() {
            // As chown on Linux: the file must no longer run with its former owner's or group's rights.
            let kept = if metadata.mode & 0o010 == 0 { !0o4000 } else { !0o6000 };
            if metadata.mode & kept != metadata.mode {
                attributes.mode = Some(metadata.mode & kept);
            }
        }
    }
    if let Some(mode) = wanted.mode {
        if !owner {
            return Err(Errno::Perm);
        }
        if metadata.kind == FileKind::Symlink {
            return Err(Errno::NotSup);
        }
        let foreign_group = cx.uid != 0 && cx.gid != wanted.gid.unwrap_or(metadata.gid);
        let kept = if foreign_group { !0o2000 } else { !0 };
        attributes.mode = Some(mode & 0o7777 & kept);
    }
    let explicit = |time: Option<SetTime>| matches!(time, Some(SetTime::At(_)));
    let now = |time: Option<SetTime>| matches!(time, Some(SetTime::Now));
    if explicit(wanted.atime) || explicit(wanted.mtime) || now(wanted.atime) != now(wanted.mtime) {
        if !owner {
            return Err(Errno::Perm);
        }
    } else if now(wanted.mtime) && !owner {
        permit(cx, metadata, 2)?;
    }
    Ok(attributes)
}
