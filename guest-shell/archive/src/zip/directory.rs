//! Opens a zip file and reads its central directory.

use super::record::{self, Member, u16_at, u32_at, u64_at};
use crate::io::{FdReader, read_full};
use sandshell_sys::{self as sys};

/// A zip file and its members.
pub(crate) struct Directory {
    pub(crate) file: FdReader,
    pub(crate) size: u64,
    pub(crate) members: Vec<Member>,
    pub(crate) comment: Vec<u8>,
    /// How many bytes precede the archive: the offsets do not count them.
    pub(crate) base: u64,
}

/// Why the directory could not be read.
pub(crate) enum Problem {
    Cannot(sys::Errno),
    /// The end record was not found.
    NoEnd,
    /// The directory is damaged.
    Damaged,
}

/// A larger central directory is refused.
const DIRECTORY_MAX: u64 = 256 << 20;

impl Directory {
    pub(crate) fn open(path: &[u8]) -> Result<Self, Problem> {
        let mut file = FdReader::open(path).map_err(Problem::Cannot)?;
        let stat = sys::fstat(file.0).map_err(Problem::Cannot)?;
        if stat.is_dir() {
            return Err(Problem::Cannot(sys::Errno::ISDIR));
        }
        let size = sys::lseek(file.0, 0, 2).map_err(|_| Problem::NoEnd)?;
        let tail_size = size.min(65557 + 20);
        let tail = read_at(&mut file, size - tail_size, tail_size).ok_or(Problem::NoEnd)?;
        let at = (0..tail.len().saturating_sub(21))
            .rev()
            .find(|at| tail.get(*at..at + 4) == Some(b"PK\x05\x06"))
            .ok_or(Problem::NoEnd)?;
        let end = tail.get(at..).unwrap_or_default();
        let read = || Some((u16_at(end, 10)?, u32_at(end, 12)?, u32_at(end, 16)?, u16_at(end, 20)?));
        let (count, length, offset, comment) = read().ok_or(Problem::NoEnd)?;
        let (mut count, mut length, mut offset) = (u64::from(count), u64::from(length), u64::from(offset));
        let mut end_at = size - tail_size + at as u64;
        if let Some(locator) = at.checked_sub(20).and_then(|from| tail.get(from..at))
            && locator.starts_with(b"PK\x06\x07")
        {
            let place = u64_at(locator, 8).ok_or(Problem::Damaged)?;
            let big = read_at(&mut file, place, 56).ok_or(Problem::Damaged)?;
            let read = || Some((u64_at(&big, 32)?, u64_at(&big, 40)?, u64_at(&big, 48)?));
            (count, length, offset) = read().ok_or(Problem::Damaged)?;
            end_at = place;
        }
        let start = end_at.checked_sub(length).ok_or(Problem::Damaged)?;
        let base = start.checked_sub(offset).ok_or(Problem::Damaged)?;
        if length > DIRECTORY_MAX {
            return Err(Problem::Damaged);
        }
        let data = read_at(&mut file, start, length).ok_or(Problem::Damaged)?;
        let mut rest = data.as_slice();
        let mut members = Vec::new();
        for _ in 0..count {
            let Some((member, used)) = record::parse(rest) else { return Err(Problem::Damaged) };
            members.push(member);
            rest = rest.get(used..).unwrap_or_default();
        }
        let comment = end.get(22..22 + usize::from(comment)).unwrap_or_default().to_vec();
        Ok(Self { file, size, members, comment, base })
    }

    /// The comment as it is printed, with single-character line ends.
    pub(crate) fn shown_comment(&self) -> Vec<u8> {
        self.comment.iter().copied().filter(|b| *b != b'\r').collect()
    }

    /// Seeks to a member's local header and returns it with its name and extra fields. The data follows it.
    pub(crate) fn seek(&mut self, member: &Member) -> Option<Vec<u8>> {
        let at = self.base.checked_add(member.offset)?;
        let mut header = read_at(&mut self.file, at, 30)?;
        if !header.starts_with(b"PK\x03\x04") {
            return None;
        }
        let more = usize::from(u16_at(&header, 26)?) + usize::from(u16_at(&header, 28)?);
        let mut names = vec![0; more];
        if read_full(&mut self.file, &mut names).ok()? < more {
            return None;
        }
        header.extend_from_slice(&names);
        Some(header)
    }
}

/// Reads bytes at an offset. The caller has checked that the size is small or inside the file.
fn read_at(file: &mut FdReader, at: u64, size: u64) -> Option<Vec<u8>> {
    sys::lseek(file.0, i64::try_from(at).ok()?, 0).ok()?;
    let mut data = Vec::new();
    let mut part = vec![0; 64 * 1024];
    while (data.len() as u64) < size {
        let n = (size - data.len() as u64).min(part.len() as u64) as usize;
        let got = read_full(file, part.get_mut(..n)?).ok()?;
        data.extend_from_slice(part.get(..got)?);
        if got < n {
            return None;
        }
    }
    Some(data)
}
