//! Reads an archive member by member.

use super::header::{self, BLOCK, Entry};
use super::log::{self, Fatal};
use super::options::Counter;
use super::sparse;
use std::io::{ErrorKind, Read};

/// Larger extended headers and long names are refused.
const EXTENSION_MAX: u64 = 8 << 20;

/// An archive being read.
pub(crate) struct Archive<'a> {
    from: Box<dyn Read + 'a>,
    /// How many bytes of the current member are still unread; `padding` is the size of the padding after them.
    left: u64,
    padding: u64,
    /// How many bytes have been read.
    pub(crate) offset: u64,
    /// The offset of the current member's first header.
    pub(crate) start: u64,
    /// The current member's headers, unparsed.
    pub(crate) headers: Vec<u8>,
    global: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) ignore_zeros: bool,
    seen: bool,
    /// Whether the archive ended with a block of zeros.
    pub(crate) zeros: bool,
    /// Whether the first block of zeros ends the archive, whatever follows it.
    pub(crate) first_zeros: bool,
    /// How many bytes are read at once.
    pub(crate) record: usize,
    /// Whether members can be skipped by seeking.
    pub(crate) seekable: bool,
    /// Whether GNU tar would run a program to decompress the archive.
    pub(crate) packed: bool,
    pub(crate) counter: Counter,
    held: Held,
    /// The exit status of that program, if it failed.
    failed: Option<i32>,
}

/// The current record.
#[derive(Default)]
struct Held {
    bytes: Vec<u8>,
    at: usize,
    /// How many bytes have been read from the file.
    total: u64,
    /// Whether the file's end was reached.
    ended: bool,
}

enum Block {
    Header(Box<[u8; BLOCK]>),
    Zeros,
    End,
}

impl<'a> Archive<'a> {
    pub(crate) fn new(from: Box<dyn Read + 'a>) -> Self {
        Self {
            from,
            left: 0,
            padding: 0,
            offset: 0,
            start: 0,
            headers: Vec::new(),
            global: Vec::new(),
            ignore_zeros: false,
            seen: false,
            zeros: false,
            first_zeros: false,
            record: 20 * BLOCK,
            seekable: false,
            packed: false,
            counter: Counter::default(),
            held: Held::default(),
            failed: None,
        }
    }

    /// Finishes reading. A decompressing program reads all of its input and may fail after the archive's end.
    pub(crate) fn finish(&mut self) -> Result<(), Fatal> {
        while self.packed && self.refill()? {}
        match self.failed {
            Some(status) => Err(log::fatal(format!("Child returned status {status}"))),
            None => Ok(()),
        }
    }

    fn block(&mut self) -> Result<Block, Fatal> {
        let mut block = Box::new([0; BLOCK]);
        if self.take(&mut block[..])? == 0 {
            return Ok(Block::End);
        }
        if block.iter().all(|b| *b == 0) {
            return Ok(Block::Zeros);
        }
        self.headers.extend_from_slice(&block[..]);
        Ok(Block::Header(block))
    }

    /// Fills `buf` from the current record, or the next one if it is used up. Returns the number of bytes. Bytes after
    /// the last whole block do not belong to the archive.
    fn take(&mut self, buf: &mut [u8]) -> Result<usize, Fatal> {
        if self.held.at == self.held.bytes.len() && !self.refill()? {
            return Ok(0);
        }
        let rest = self.held.bytes.get(self.held.at..).unwrap_or_default();
        let n = rest.len().min(buf.len());
        for (to, from) in buf.iter_mut().zip(rest) {
            *to = *from;
        }
        self.held.at += n;
        self.offset += n as u64;
        Ok(n)
    }

    /// Reads the next record. Returns false at the end.
    fn refill(&mut self) -> Result<bool, Fatal> {
        let held = &mut self.held;
        held.at = 0;
        held.bytes.clear();
        if held.ended {
            return Ok(false);
        }
        held.bytes.resize(self.record, 0);
        let mut n = 0;
        while let Some(rest) = held.bytes.get_mut(n..).filter(|r| !r.is_empty()) {
            match self.from.read(rest) {
                Ok(0) => break,
                Ok(more) => n += more,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => {
                    self.failed = Some(super::unpacking::read_failure(&e)?);
                    break;
                }
            }
        }
        held.ended = n < self.record;
        held.total += n as u64;
        held.bytes.truncate(n - n % BLOCK);
        if n > 0 {
            self.counter.record();
        }
        Ok(!held.bytes.is_empty())
    }

    /// Returns the archive's first header without consuming it.
    pub(crate) fn first(&mut self) -> Result<Option<Entry>, Fatal> {
        if self.held.total == 0 {
            self.refill()?;
        }
        let block = self.held.bytes.first_chunk::<BLOCK>().filter(|b| header::sum_is_right(b));
        Ok(block.and_then(header::parse))
    }

    /// Reads the next member. The rest of the current one is skipped.
    pub(crate) fn next(&mut self) -> Result<Option<Entry>, Fatal> {
        self.skip()?;
        self.start = self.offset;
        self.headers.clear();
        let mut long_name = None;
        let mut long_link = None;
        let mut records = self.global.clone();
        let mut bad = false;
        loop {
            let block = match self.block()? {
                Block::End => return Ok(None),
                Block::Zeros => {
                    if self.ignore_zeros {
                        self.start = self.offset;
                        continue;
                    }
                    let at = self.offset / BLOCK as u64;
                    self.seen = true;
                    if !self.first_zeros && !matches!(self.block()?, Block::Zeros) {
                        log::warn(format!("A lone zero block at {at}"));
                    }
                    self.zeros = true;
                    return Ok(None);
                }
                Block::Header(block) => block,
            };
            let parsed = header::parse(&block).filter(|_| header::sum_is_right(&block));
            let Some(mut entry) = parsed else {
                if !bad {
                    if !self.seen {
                        log::error("This does not look like a tar archive");
                    }
                    log::error("Skipping to next header");
                }
                bad = true;
                self.seen = true;
                self.headers.clear();
                self.start = self.offset;
                continue;
            };
            bad = false;
            self.seen = true;
            match entry.kind {
                b'L' => long_name = Some(header::text(&self.extension(entry.stored)?).to_vec()),
                b'K' => long_link = Some(header::text(&self.extension(entry.stored)?).to_vec()),
                b'x' | b'X' => {
                    let data = self.extension(entry.stored)?;
                    records.extend(super::pax::records(&data));
                }
                b'g' => {
                    let data = self.extension(entry.stored)?;
                    self.global.extend(super::pax::records(&data));
                    self.global.truncate(4096);
                    records = self.global.clone();
                }
                _ => {
                    if let Some(name) = long_name {
                        entry.name = name;
                    }
                    if let Some(link) = long_link {
                        entry.link = link;
                    }
                    if matches!(entry.kind, b'1'..=b'6') && !matches!(entry.kind, b'1') {
                        entry.stored = 0;
                    }
                    let map = super::pax::apply(&mut entry, &records);
                    if entry.kind == b'1' && entry.stored > 0 && records.is_empty() {
                        entry.stored = 0;
                    }
                    self.left = entry.stored;
                    self.padding = padding(entry.stored);
                    if entry.kind == b'S' {
                        entry.sparse = Some(self.old_sparse(&block)?);
                    } else if map.version_1 {
                        entry.sparse = Some(self.new_sparse(&mut entry)?);
                    } else if map.sparse.is_some() {
                        entry.sparse = map.sparse;
                    }
                    if let Some(map) = &entry.sparse
                        && !sparse::fits(map, self.left, entry.size)
                    {
                        log::error(
                            [&log::colon(&entry.name)[..], b": invalid sparse archive member"].concat(),
                        );
                        entry.sparse = Some(Vec::new());
                    }
                    return Ok(Some(entry));
                }
            }
        }
    }

    /// Reads the data of an extended header or a long name.
    fn extension(&mut self, size: u64) -> Result<Vec<u8>, Fatal> {
        if size > EXTENSION_MAX {
            return Err(log::fatal("Malformed extended header: too long"));
        }
        let mut data = Vec::new();
        let mut left = size + padding(size);
        while left > 0 {
            self.block_of_data(&mut data)?;
            left = left.saturating_sub(BLOCK as u64);
        }
        self.headers.extend_from_slice(&data);
        data.truncate(size as usize);
        Ok(data)
    }

    fn block_of_data(&mut self, data: &mut Vec<u8>) -> Result<(), Fatal> {
        let mut block = [0; BLOCK];
        if self.take(&mut block)? == 0 {
            return Err(unexpected_end());
        }
        data.extend_from_slice(&block);
        Ok(())
    }

    /// Reads the map of sparse members in GNU's old format: it is in the header and in blocks after it.
    fn old_sparse(&mut self, block: &[u8; BLOCK]) -> Result<Vec<(u64, u64)>, Fatal> {
        let mut map = Vec::new();
        sparse::pairs(block.get(386..482).unwrap_or_default(), &mut map);
        let mut more = block.get(482).is_some_and(|b| *b != 0);
        while more {
            let mut next = Vec::new();
            self.block_of_data(&mut next)?;
            self.headers.extend_from_slice(&next);
            sparse::pairs(next.get(..504).unwrap_or_default(), &mut map);
            more = next.get(504).is_some_and(|b| *b != 0);
            if map.len() > sparse::MAP_MAX {
                return Err(log::fatal("Sparse map is too long"));
            }
        }
        Ok(map)
    }

    /// Reads the map at the start of the data (format 1.0): lines with numbers, padded to a block.
    fn new_sparse(&mut self, entry: &mut Entry) -> Result<Vec<(u64, u64)>, Fatal> {
        let mut numbers: Vec<u64> = Vec::new();
        let mut digits = 0u64;
        let mut data = Vec::new();
        loop {
            data.clear();
            if self.left < BLOCK as u64 {
                return Ok(Vec::new());
            }
            self.block_of_data(&mut data)?;
            self.left -= BLOCK as u64;
            entry.stored = self.left;
            for b in &data {
                match b {
                    b'0'..=b'9' => digits = digits.wrapping_mul(10).wrapping_add(u64::from(b - b'0')),
                    b'\n' => {
                        numbers.push(std::mem::take(&mut digits));
                        let count = numbers.first().copied().unwrap_or_default();
                        if count > sparse::MAP_MAX as u64 {
                            return Err(log::fatal("Sparse map is too long"));
                        }
                        if numbers.len() as u64 > 2 * count {
                            let pairs = numbers.get(1..).unwrap_or_default().chunks_exact(2);
                            return Ok(pairs.filter_map(|p| Some((*p.first()?, *p.get(1)?))).collect());
                        }
                    }
                    _ => return Ok(Vec::new()),
                }
            }
        }
    }

    /// Reads the member's data as stored. Returns 0 at its end.
    pub(crate) fn read(&mut self, buf: &mut [u8]) -> Result<usize, Fatal> {
        match self.read_some(buf)? {
            Some(n) => Ok(n),
            None => Err(unexpected_end()),
        }
    }

    /// Like `read`, but reports a truncated archive as an unexpected end before trying to skip the rest.
    pub(crate) fn read_wanted(&mut self, buf: &mut [u8]) -> Result<usize, Fatal> {
        match self.read_some(buf)? {
            Some(n) => Ok(n),
            None => {
                log::error("Unexpected EOF in archive");
                Err(self.skip().err().unwrap_or(Fatal))
            }
        }
    }

    /// Reads data; `None` if the archive ends before the data does.
    fn read_some(&mut self, buf: &mut [u8]) -> Result<Option<usize>, Fatal> {
        let n = buf.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let Some(part) = buf.get_mut(..n).filter(|p| !p.is_empty()) else { return Ok(Some(0)) };
        let got = self.take(part)?;
        self.left -= got as u64;
        Ok((got > 0).then_some(got))
    }

    /// Skips the rest of the current member.
    pub(crate) fn skip(&mut self) -> Result<(), Fatal> {
        let mut buf = vec![0; 32 * 1024];
        self.left = self.left.saturating_add(std::mem::take(&mut self.padding));
        let record = self.record as u64;
        let beyond = self.left.saturating_sub(record.saturating_sub(self.held.at as u64));
        if self.seekable && self.held.ended && !self.held.total.is_multiple_of(record) && beyond >= record {
            return Err(log::fatal("rmtlseek not stopped at a record boundary"));
        }
        while self.left > 0 {
            self.read(&mut buf)?;
        }
        Ok(())
    }
}

/// The size of the padding after `size` bytes of data.
pub(crate) fn padding(size: u64) -> u64 {
    size.wrapping_neg() % BLOCK as u64
}

fn unexpected_end() -> Fatal {
    log::error("Unexpected EOF in archive");
    log::warn("Error is not recoverable: exiting now");
    Fatal
}
