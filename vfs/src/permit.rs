//! The check of mode bits.

use crate::{Context, Errno, FileKind, Metadata, Result};

/// `EACCES` unless the mode bits allow all of `mask` (4 read, 2 write, 1 execute or search).
///
/// User 0 may do everything except executing a file without any execute bit.
pub(crate) fn permit(cx: &Context, metadata: &Metadata, mask: u32) -> Result<()> {
    let bits = if cx.uid == 0 {
        let executable = metadata.kind == FileKind::Directory || metadata.mode & 0o111 != 0;
        if executable { 7 } else { 6 }
    } else if cx.uid == metadata.uid {
        metadata.mode >> 6
    } else if cx.gid == metadata.gid {
        metadata.mode >> 3
    } else {
        metadata.mode
    };
    if mask & !bits & 7 == 0 { Ok(()) } else { Err(Errno::Acces) }
}
