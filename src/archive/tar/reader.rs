//! Reads an archive one member after another. A sparse file is given as its stored bytes and a map of where they
//! belong.

use super::{BLOCK, Map};
use std::io::{self, Read};
use std::ops::Range;
use tar::{EntryType, Header};

/// The most bytes of names and other attributes of one member.
const MAX_ATTRIBUTES: u64 = 1 << 20;

/// The most stored ranges of a sparse file.
const MAX_STRETCHES: usize = 1 << 22;

/// One file of an archive.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) kind: EntryType,
    pub(crate) path: Vec<u8>,
    /// The target of a link.
    pub(crate) link: Vec<u8>,
    /// The file's size in bytes, including holes.
    pub(crate) size: u64,
    /// For a sparse file: where the stored bytes belong.
    pub(crate) map: Option<Map>,
    pub(crate) mode: u32,
    pub(crate) uid: u64,
    pub(crate) gid: u64,
    pub(crate) mtime: u64,
}

/// An archive. Reading from it gives the stored bytes of the current member.
pub(crate) struct Reader<R> {
    from: R,
    /// How many bytes of the member are still to be read, with the padding of its last block.
    left: u64,
    padding: u64,
}

/// A name and its value.
type Record = (Vec<u8>, Vec<u8>);

/// Extended headers, which come before a member's own header.
#[derive(Default)]
struct Attributes {
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    records: Vec<Record>,
}

impl Attributes {
    fn get(&self, key: &str) -> Option<&[u8]> {
        let found = self.records.iter().rev().find(|(known, _)| known == key.as_bytes());
        found.map(|(_, value)| value.as_slice())
    }

    fn number(&self, key: &str) -> Result<Option<u64>, String> {
        let Some(value) = self.get(key) else { return Ok(None) };
        // A time may have a fraction.
        let whole = value.split(|byte| *byte == b'.').next().unwrap_or_default();
        let number = std::str::from_utf8(whole).ok().and_then(|text| text.parse().ok());
        number.map(Some).ok_or_else(|| format!("{key} is not a number"))
    }
}

impl<R: Read> Reader<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from, left: 0, padding: 0 }
    }

    /// The next member. Unread bytes of the previous one are skipped.
    pub(crate) fn next(&mut self) -> Result<Option<Member>, String> {
        let mut attributes = Attributes::default();
        loop {
            self.skip()?;
            let Some(header) = self.header()? else { return Ok(None) };
            let size = header.entry_size().map_err(text)?;
            self.begin(size);
            match header.entry_type() {
                EntryType::GNULongName => attributes.path = Some(without_nul(self.attributes(size)?)),
                EntryType::GNULongLink => attributes.link = Some(without_nul(self.attributes(size)?)),
                EntryType::XHeader => attributes.records = records(&self.attributes(size)?)?,
                EntryType::XGlobalHeader => {}
                _ => return self.member(&header, &attributes).map(Some),
            }
        }
    }

    fn member(&mut self, header: &Header, attributes: &Attributes) -> Result<Member, String> {
        if let Some(size) = attributes.number("size")? {
            self.begin(size);
        }
        let mut size = self.left;
        let mut kind = header.entry_type();
        let mut path = attributes.path.clone().unwrap_or_else(|| header.path_bytes().into_owned());
        if let Some(value) = attributes.get("path") {
            path = value.to_vec();
        }
        let mut link = attributes.link.clone();
        if let Some(value) = attributes.get("linkpath") {
            link = Some(value.to_vec());
        }
        let link = link.or_else(|| header.link_name_bytes().map(|name| name.into_owned()));
        let mut map = None;
        if kind == EntryType::GNUSparse {
            kind = EntryType::Regular;
            let found = self.old_map(header)?;
            size = header.as_gnu().ok_or("a sparse file of no known form")?.real_size().map_err(text)?;
            map = Some(found);
        } else if let Some(major) = attributes.number("GNU.sparse.major")? {
            if (major, attributes.number("GNU.sparse.minor")?) != (1, Some(0)) {
                return Err("a sparse file of a form that is not known".to_owned());
            }
            let missing = "a sparse file without its size";
            size = attributes.number("GNU.sparse.realsize")?.ok_or(missing)?;
            if let Some(value) = attributes.get("GNU.sparse.name") {
                path = value.to_vec();
            }
            map = Some(self.new_map()?);
        } else if attributes.records.iter().any(|(key, _)| key.starts_with(b"GNU.sparse.")) {
            return Err("a sparse file of a form that is not known".to_owned());
        }
        if let Some(map) = &mut map {
            check(map, size, self.left)?;
            map.retain(|stretch| stretch.start < stretch.end);
        }
        let number = |key, field: io::Result<u64>| match attributes.number(key)? {
            Some(number) => Ok(number),
            None => field.map_err(text),
        };
        Ok(Member {
            kind,
            path,
            link: link.unwrap_or_default(),
            size,
            map,
            mode: header.mode().map_err(text)? & 0o7777,
            uid: number("uid", header.uid())?,
            gid: number("gid", header.gid())?,
            mtime: number("mtime", header.mtime())?,
        })
    }

    /// The next header; `None` at the end.
    fn header(&mut self) -> Result<Option<Header>, String> {
        let mut header = Header::new_old();
        if !self.block(header.as_mut_bytes())? || header.as_bytes().iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        let known = header.as_bytes();
        // The checksum counts its own field as spaces.
        let sum: u32 = known
            .iter()
            .enumerate()
            .map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) })
            .sum();
        if header.cksum().map_err(text)? != sum {
            return Err("its check sum is wrong".to_owned());
        }
        Ok(Some(header))
    }

    /// Fills a block; returns whether there was one.
    fn block(&mut self, block: &mut [u8; BLOCK as usize]) -> Result<bool, String> {
        let mut done = 0;
        while done < block.len() {
            match self.from.read(&mut block[done..]) {
                Ok(0) if done == 0 => return Ok(false),
                Ok(0) => return Err("it ends too early".to_owned()),
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(text(error)),
            }
        }
        Ok(true)
    }

    fn begin(&mut self, size: u64) {
        self.left = size;
        self.padding = size.next_multiple_of(BLOCK) - size;
    }

    fn skip(&mut self) -> Result<(), String> {
        let rest = self.left.saturating_add(self.padding);
        let skipped = io::copy(&mut self.from.by_ref().take(rest), &mut io::sink()).map_err(text)?;
        (self.left, self.padding) = (0, 0);
        // Some programs leave out the padding of the last block.
        if skipped < rest && rest >= BLOCK { Err("it ends too early".to_owned()) } else { Ok(()) }
    }

    fn attributes(&mut self, size: u64) -> Result<Vec<u8>, String> {
        if size > MAX_ATTRIBUTES {
            return Err(format!("names and attributes longer than {MAX_ATTRIBUTES} bytes"));
        }
        let mut bytes = Vec::new();
        self.read_to_end(&mut bytes).map_err(text)?;
        if (bytes.len() as u64) < size { Err("it ends too early".to_owned()) } else { Ok(bytes) }
    }

    /// The map in GNU's oldest sparse format: in the header, and in the blocks after it.
    fn old_map(&mut self, header: &Header) -> Result<Map, String> {
        let gnu = header.as_gnu().ok_or("a sparse file of no known form")?;
        let mut map = Map::new();
        let mut add = |entry: &tar::GnuSparseHeader| -> Result<(), String> {
            if !entry.is_empty() {
                push(&mut map, entry.offset().map_err(text)?, entry.length().map_err(text)?)?;
            }
            Ok(())
        };
        gnu.sparse.iter().try_for_each(&mut add)?;
        let mut more = gnu.is_extended();
        while more {
            let mut block = tar::GnuExtSparseHeader::new();
            let there = self.block(block.as_mut_bytes())?;
            if !there {
                return Err("it ends too early".to_owned());
            }
            block.sparse().iter().try_for_each(&mut add)?;
            more = block.is_extended();
        }
        Ok(map)
    }

    /// The map in the sparse format 1.0: lines of decimal numbers before the data; the data begin at a new block.
    fn new_map(&mut self) -> Result<Map, String> {
        let mut block = [0; BLOCK as usize];
        let mut at = block.len();
        let mut number = |reader: &mut Self| -> Result<u64, String> {
            let mut number: u64 = 0;
            loop {
                if at == block.len() {
                    reader.read_exact(&mut block).map_err(text)?;
                    at = 0;
                }
                let byte = block.get(at).copied().unwrap_or_default();
                at += 1;
                match byte {
                    b'\n' => return Ok(number),
                    b'0'..=b'9' => {
                        let more = number.checked_mul(10).and_then(|n| n.checked_add(u64::from(byte - b'0')));
                        number = more.ok_or("a number is too large")?;
                    }
                    _ => return Err("the map of a sparse file is damaged".to_owned()),
                }
            }
        };
        let count = number(self)?;
        let mut map = Map::new();
        for _ in 0..count {
            let (offset, length) = (number(self)?, number(self)?);
            push(&mut map, offset, length)?;
        }
        Ok(map)
    }
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(buf.len());
        if wanted == 0 {
            return Ok(0);
        }
        let count = self.from.read(&mut buf[..wanted])?;
        if count == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends too early"));
        }
        self.left -= count as u64;
        Ok(count)
    }
}

fn push(map: &mut Map, offset: u64, length: u64) -> Result<(), String> {
    if map.len() >= MAX_STRETCHES {
        return Err(format!("a sparse file of more than {MAX_STRETCHES} stretches"));
    }
    map.push(offset..offset.checked_add(length).ok_or("a number is too large")?);
    Ok(())
}

/// Checks that the ranges are in order and within the file, and that their lengths add up to the stored size.
fn check(map: &[Range<u64>], size: u64, stored: u64) -> Result<(), String> {
    let mut end = 0;
    let mut sum = 0;
    for stretch in map {
        if stretch.start < end || stretch.end > size {
            return Err("the map of a sparse file is damaged".to_owned());
        }
        end = stretch.end;
        sum += stretch.end - stretch.start;
    }
    if sum == stored { Ok(()) } else { Err("the map of a sparse file is damaged".to_owned()) }
}

/// Records of the form `LENGTH KEY=VALUE\n`.
fn records(bytes: &[u8]) -> Result<Vec<Record>, String> {
    let mut records = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let record = || {
            let space = rest.iter().position(|byte| *byte == b' ')?;
            let length: usize = std::str::from_utf8(rest.get(..space)?).ok()?.parse().ok()?;
            let (record, after) = rest.split_at_checked(length)?;
            let record = record.get(space + 1..)?.strip_suffix(b"\n")?;
            let equals = record.iter().position(|byte| *byte == b'=')?;
            Some((record.get(..equals)?.to_vec(), record.get(equals + 1..)?.to_vec(), after))
        };
        let (key, value, after) = record().ok_or("its attributes are damaged")?;
        records.push((key, value));
        rest = after;
    }
    Ok(records)
}

fn without_nul(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    bytes
}

fn text(error: io::Error) -> String {
    error.to_string()
}
