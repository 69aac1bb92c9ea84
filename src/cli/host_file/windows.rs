//! Files on Windows, which has no mode bits.

use sandshell::vfs::host_names;
use std::fs::{File, Metadata};
use std::io::{self, IsTerminal};
use std::ops::Range;
use std::os::windows::fs::{FileExt, symlink_dir, symlink_file};
use std::path::Path;

/// Permission bits: those of a file that its owner can read, write and execute.
pub(crate) fn mode(metadata: &Metadata) -> u32 {
    if metadata.permissions().readonly() && metadata.is_file() { 0o555 } else { 0o755 }
}

/// There is nothing to set: who may use a file is decided by its directory.
pub(crate) fn set_mode(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

pub(crate) fn set_file_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

pub(crate) fn read_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buf, offset)
}

pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_write(bytes, offset)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => {
                bytes = bytes.get(count..).unwrap_or_default();
                offset += count as u64;
            }
        }
    }
    Ok(())
}

/// Makes a link with this text. Users need a right for that.
pub(crate) fn symlink(target: &[u8], at: &Path) -> io::Result<()> {
    let target = Path::new(host_names::as_os_str(target)?);
    let directory = at.parent().is_some_and(|parent| parent.join(target).is_dir());
    if directory { symlink_dir(target, at) } else { symlink_file(target, at) }
}

/// The host does not tell.
pub(crate) fn free_space(_file: &File) -> io::Result<Option<u64>> {
    Ok(None)
}

/// Whether writing failed because nobody reads any more. A pipe without its other end (`ERROR_PIPE_NOT_CONNECTED`) has
/// no kind of error.
pub(crate) fn nobody_reads(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe || error.raw_os_error() == Some(233)
}

/// Whether a stream takes characters only, as a console does.
pub(crate) fn takes_characters_only(stream: &impl IsTerminal) -> bool {
    stream.is_terminal()
}

/// Whether a stream is a console.
pub(crate) fn is_device(stream: impl IsTerminal) -> bool {
    stream.is_terminal()
}

/// The range of stored bytes at or after an offset: all of them.
pub(crate) fn next_data(_from: &File, offset: u64) -> io::Result<Option<Range<u64>>> {
    Ok(Some(offset..u64::MAX))
}
