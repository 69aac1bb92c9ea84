//! Writes a sparse file in the PAX format that GNU tar calls 1.0, which other programs read too.

use super::BLOCK;
use std::io::{self, Read, Write};
use std::ops::Range;
use tar::{Builder, EntryType, Header};

/// Adds a file of `size` bytes with the attributes of a header. Only the ranges in `map` are stored; `data` holds
/// their bytes, one range after another.
pub(crate) fn write_sparse<W: Write>(
    builder: &mut Builder<W>,
    about: &Header,
    path: &[u8],
    size: u64,
    map: &[Range<u64>],
    data: impl Read,
) -> io::Result<()> {
    let stored: u64 = map.iter().map(|stretch| stretch.end - stretch.start).sum();
    // An empty last range marks the end of the file, even after a hole.
    let end = size..size;
    let stretches = map.iter().chain(map.last().is_none_or(|last| last.end < size).then_some(&end));
    let mut list = format!("{}\n", stretches.clone().count());
    for stretch in stretches {
        list.push_str(&format!("{}\n{}\n", stretch.start, stretch.end - stretch.start));
    }
    let mut list = list.into_bytes();
    list.resize(list.len().next_multiple_of(BLOCK as usize), 0);

    let size = size.to_string();
    builder.append_pax_extensions([
        ("GNU.sparse.major", &b"1"[..]),
        ("GNU.sparse.minor", &b"0"[..]),
        ("GNU.sparse.name", path),
        ("GNU.sparse.realsize", size.as_bytes()),
    ])?;
    // GNU tar recognises the format only after a POSIX header.
    let mut header = Header::new_ustar();
    header.set_mode(about.mode()?);
    header.set_uid(about.uid()?);
    header.set_gid(about.gid()?);
    header.set_mtime(about.mtime()?);
    // The name that programs show that do not know the format.
    header.set_path("GNUSparseFile.0/file")?;
    header.set_entry_type(EntryType::Regular);
    header.set_size(list.len() as u64 + stored);
    header.set_cksum();
    builder.append(&header, list.as_slice().chain(data).take(list.len() as u64 + stored))
}
