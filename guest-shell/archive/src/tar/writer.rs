//! Writes members' headers, and extended headers for what does not fit into one block.

use super::header::{self, BLOCK, Entry, Layout, build};
use super::log;
use super::pax;
use super::reader::padding;
use std::io::{Result, Write};

/// How headers are written.
#[derive(Clone, Copy, Default)]
pub(crate) struct How<'o> {
    pub(crate) layout: Layout,
    /// The keys to leave out of extended headers.
    pub(crate) deleted: &'o [Vec<u8>],
    /// Whether to leave out user and group names.
    pub(crate) numeric: bool,
}

/// Writes the header of a member, and what must precede it. Returns false, after a message, if the member cannot be
/// stored in this format.
pub(crate) fn header(to: &mut dyn Write, entry: &Entry, how: How<'_>) -> Result<bool> {
    let How { layout, deleted, .. } = how;
    match layout {
        Layout::Gnu | Layout::OldGnu => {
            let room = header::room(layout);
            if entry.link.len() > room {
                long(to, b'K', &entry.link, how)?;
            }
            if entry.name.len() > room {
                long(to, b'L', &entry.name, how)?;
            }
            to.write_all(&build(entry, cut(&entry.name), b"", layout))?;
        }
        Layout::V7 | Layout::Ustar => {
            let Some((prefix, name)) = split(&entry.name, layout) else { return Ok(false) };
            if entry.link.len() > if layout == Layout::V7 { 99 } else { 100 } {
                let text = b": link name is too long; not dumped";
                log::error([&log::colon(&entry.link)[..], text].concat());
                return Ok(false);
            }
            for (value, len, what) in [
                (entry.uid as i64, 8, "uid_t"),
                (entry.gid as i64, 8, "gid_t"),
                (entry.stored as i64, 12, "off_t"),
            ] {
                if !header::fits(value, len) {
                    let max = (1i64 << (3 * (len - 1))) - 1;
                    log::error(format!("value {value} out of {what} range 0..{max}"));
                    return Ok(false);
                }
            }
            to.write_all(&build(entry, name, prefix, layout))?;
        }
        Layout::Pax => {
            let split = quiet_split(&entry.name);
            let mut records = Vec::new();
            let deleted = |key: &str| deleted.iter().any(|d| d == key.as_bytes());
            let mut add = |key: &str, value: &[u8]| {
                if !deleted(key) {
                    records.extend(pax::record(key, value));
                }
            };
            if split.is_none() || !entry.name.is_ascii() {
                add("path", &entry.name);
            }
            if entry.link.len() > 100 || !entry.link.is_ascii() {
                add("linkpath", &entry.link);
            }
            if entry.user.len() > 31 || !entry.user.is_ascii() {
                add("uname", &entry.user);
            }
            if entry.group.len() > 31 || !entry.group.is_ascii() {
                add("gname", &entry.group);
            }
            if !header::fits(entry.uid as i64, 8) {
                add("uid", entry.uid.to_string().as_bytes());
            }
            if !header::fits(entry.gid as i64, 8) {
                add("gid", entry.gid.to_string().as_bytes());
            }
            if !header::fits(entry.stored as i64, 12) {
                add("size", entry.stored.to_string().as_bytes());
            }
            if entry.mtime.1 != 0 || !header::fits(entry.mtime.0, 12) {
                add("mtime", pax::time_text(entry.mtime).as_bytes());
            }
            if let Some(time) = entry.atime {
                add("atime", pax::time_text(time).as_bytes());
            }
            if let Some(time) = entry.ctime {
                add("ctime", pax::time_text(time).as_bytes());
            }
            if !records.is_empty() {
                extended(to, entry, &records)?;
            }
            let (prefix, name) = split.unwrap_or((b"", cut(&entry.name)));
            to.write_all(&build(entry, name, prefix, layout))?;
        }
    }
    Ok(true)
}

fn extended(to: &mut dyn Write, of: &Entry, records: &[u8]) -> Result<()> {
    let trimmed = super::names::trim(&of.name);
    let slash = trimmed.iter().rposition(|b| *b == b'/');
    let (dir, base) = match slash {
        Some(at) => (trimmed.get(..at).unwrap_or_default(), trimmed.get(at + 1..).unwrap_or_default()),
        None => (&b"."[..], trimmed),
    };
    let name = [dir, b"/PaxHeaders/", base].concat();
    let entry = Entry {
        mode: 0o644,
        stored: records.len() as u64,
        kind: b'x',
        mtime: (of.mtime.0, 0),
        ..Entry::default()
    };
    let (prefix, short) = quiet_split(&name).unwrap_or((b"", cut(&name)));
    to.write_all(&build(&entry, short, prefix, Layout::Pax))?;
    padded(to, records)
}

fn long(to: &mut dyn Write, kind: u8, text: &[u8], how: How<'_>) -> Result<()> {
    let data = [text, b"\0"].concat();
    let root = if how.numeric { Vec::new() } else { b"root".to_vec() };
    let (user, group) = (root.clone(), root);
    let entry = Entry { mode: 0o644, stored: data.len() as u64, kind, user, group, ..Entry::default() };
    to.write_all(&build(&entry, b"././@LongLink", b"", how.layout))?;
    padded(to, &data)
}

/// Writes data, padded to a whole block.
fn padded(to: &mut dyn Write, data: &[u8]) -> Result<()> {
    to.write_all(data)?;
    to.write_all(&vec![0; padding(data.len() as u64) as usize])
}

fn cut(name: &[u8]) -> &[u8] {
    name.get(..100).unwrap_or(name)
}

type Parts<'n> = (&'n [u8], &'n [u8]);

fn split(name: &[u8], layout: Layout) -> Option<Parts<'_>> {
    let found = match layout {
        Layout::V7 => (name.len() < 100).then_some((&b""[..], name)),
        _ => quiet_split(name),
    };
    if found.is_none() {
        let max = if layout == Layout::V7 { 99 } else { 256 };
        let text = match name.len() > max {
            true => format!(": file name is too long (max {max}); not dumped"),
            false => ": file name is too long (cannot be split); not dumped".into(),
        };
        log::error([&log::colon(name)[..], text.as_bytes()].concat());
    }
    found
}

/// Splits a long name into the prefix and the name of a ustar header.
fn quiet_split(name: &[u8]) -> Option<Parts<'_>> {
    if name.len() <= 100 {
        return Some((b"", name));
    }
    if name.len() > 256 {
        return None;
    }
    // The last slash that is not at the end and leaves a prefix that fits.
    let end = (name.len() - 1).min(156);
    let slash = name.get(..end)?.iter().rposition(|b| *b == b'/')?;
    let (prefix, rest) = (name.get(..slash)?, name.get(slash + 1..)?);
    (!prefix.is_empty() && rest.len() <= 100).then_some((prefix, rest))
}

/// Writes the two blocks of zeros that end an archive.
pub(crate) fn end(to: &mut dyn Write) -> Result<()> {
    to.write_all(&[0; 2 * BLOCK])
}
