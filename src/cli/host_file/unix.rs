//! Files on Unix.

use sandshell::vfs::host_names;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, IsTerminal};
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::Path;

/// Permission bits.
pub(crate) fn mode(metadata: &Metadata) -> u32 {
    metadata.mode() & 0o7777
}

pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode))
}

pub(crate) fn set_file_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode))
}

pub(crate) fn read_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buf, offset)
}

pub(crate) fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(bytes, offset)
}

/// Makes a link with this text.
pub(crate) fn symlink(target: &[u8], at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(host_names::as_os_str(target)?, at)
}

/// Bytes that can still be stored where this file is; `None` if the host does not tell.
pub(crate) fn free_space(file: &File) -> io::Result<Option<u64>> {
    let free = rustix::fs::fstatvfs(file)?;
    Ok(Some(free.f_bavail.saturating_mul(free.f_frsize)))
}

/// Whether writing failed because nobody reads any more.
pub(crate) fn nobody_reads(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// Whether a stream takes characters only. A terminal takes any bytes.
pub(crate) fn takes_characters_only(_stream: &impl IsTerminal) -> bool {
    false
}

/// Whether a stream is a terminal or another device.
pub(crate) fn is_device(stream: impl AsFd) -> bool {
    use rustix::fs::FileType;
    rustix::fs::fstat(stream)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice)
}

/// The range of stored bytes at or after an offset.
pub(crate) fn next_data(from: &File, offset: u64) -> io::Result<Option<Range<u64>>> {
    use rustix::fs::SeekFrom;
    match rustix::fs::seek(from, SeekFrom::Data(offset)) {
        Ok(start) => Ok(Some(start..rustix::fs::seek(from, SeekFrom::Hole(start))?)),
        Err(rustix::io::Errno::NXIO) if offset > 0 || from.metadata()?.len() > 0 => Ok(None),
        // The filesystem cannot report holes.
        Err(rustix::io::Errno::NXIO | rustix::io::Errno::INVAL | rustix::io::Errno::NOTSUP) => {
            Ok(Some(offset..u64::MAX))
        }
        Err(errno) => Err(errno.into()),
    }
}
