//! A file that is read from a given position.

use super::Identity;
use sandshell_sys as sys;

/// How many bytes are compared at once.
pub(super) const CHUNK: usize = 64 * 1024;

pub(super) struct Input {
    fd: sys::Fd,
    stat: sys::Stat,
    position: u64,
    // How many bytes must still be read and thrown away because the file cannot seek.
    unread: u64,
    buffer: Vec<u8>,
}

impl Input {
    /// Opens a file (`-` is standard input) and skips `skip` bytes.
    pub(super) fn open(name: &[u8], skip: u64) -> sys::Result<Self> {
        let fd = if name == b"-" { 0 } else { sys::open(name, sys::open_flags::READ, 0)? };
        let stat = sys::fstat(fd)?;
        let here = if stat.is_file() { sys::lseek(fd, 0, 1).ok() } else { None };
        let target = here.map(|h| h.saturating_add(skip));
        let sought = target.and_then(|t| sys::lseek(fd, i64::try_from(t).ok()?, 0).ok());
        let unread = if sought.is_some() { 0 } else { skip };
        Ok(Self { fd, stat, position: sought.unwrap_or(skip), unread, buffer: vec![0; CHUNK] })
    }

    /// Whether both are the same file at the same position.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let id = |i: &Self| -> Option<Identity> { super::identity(&i.stat, i.position) };
        id(self).is_some() && id(self) == id(other)
    }

    /// How many bytes of a regular file are left.
    pub(super) fn size(&self) -> Option<u64> {
        self.stat.is_file().then(|| self.stat.size.saturating_sub(self.position))
    }

    /// The next `want` bytes; fewer only at the end.
    pub(super) fn fill(&mut self, want: usize) -> sys::Result<&[u8]> {
        while self.unread > 0 {
            let most = usize::try_from(self.unread).unwrap_or(CHUNK).min(CHUNK);
            match read(self.fd, &mut self.buffer[..most])? {
                0 => self.unread = 0,
                n => self.unread -= n as u64,
            }
        }
        let mut have = 0;
        while have < want {
            match read(self.fd, &mut self.buffer[have..want])? {
                0 => break,
                n => have += n,
            }
        }
        Ok(&self.buffer[..have])
    }
}

fn read(fd: sys::Fd, buffer: &mut [u8]) -> sys::Result<usize> {
    loop {
        match sys::read(fd, buffer) {
            Err(sys::Errno::INTR) => {}
            other => return other,
        }
    }
}
