//! Reads gzip files (RFC 1952): all members, as one stream.

use crate::io::read_full;
use flate2::{Decompress, FlushDecompress, Status};
use std::io::{BufRead, Error, ErrorKind, Read, Result};

/// The fields of a member's header.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    /// The name of the original file, if it is stored.
    pub(crate) name: Option<Vec<u8>>,
    /// The modification time of the original file; 0 if it is not stored.
    pub(crate) mtime: u32,
}

/// Longer names in headers are cut.
const NAME_MAX: usize = 64 * 1024;

/// Decompresses all members up to the end of the file. Errors have the texts of `gzip`'s messages.
pub(crate) struct GzipReader<R> {
    from: R,
    state: State,
    inflate: Decompress,
    crc: crc32fast::Hasher,
    size: u32,
    /// The first member's header, after it was read.
    pub(crate) header: Option<Header>,
    /// Whether the last member is followed by bytes that are neither a member nor zeros.
    pub(crate) garbage: bool,
    /// The last member's checksum.
    pub(crate) last_crc: u32,
    /// The last member's size.
    pub(crate) last_size: u32,
    /// How many members were read completely.
    pub(crate) members: u64,
    /// Whether data after the last member that is not a member is passed through unchanged.
    pub(crate) pass: bool,
    pending: Vec<u8>,
}

#[derive(PartialEq)]
enum State {
    Between,
    Data,
    Trailer,
    Plain,
    End,
}

impl<R: BufRead> GzipReader<R> {
    pub(crate) fn new(from: R) -> Self {
        Self {
            from,
            state: State::Between,
            inflate: Decompress::new(false),
            crc: crc32fast::Hasher::new(),
            size: 0,
            header: None,
            garbage: false,
            last_crc: 0,
            last_size: 0,
            members: 0,
            pass: false,
            pending: Vec::new(),
        }
    }

    /// Reads the next member's header. Returns false at the end.
    pub(crate) fn start(&mut self) -> Result<bool> {
        let mut magic = [0; 2];
        let n = read_full(&mut self.from, &mut magic)?;
        if n < 2 || magic != [0x1f, 0x8b] {
            if self.header.is_none() {
                return match n {
                    2 => Err(Error::new(ErrorKind::InvalidInput, "not in gzip format")),
                    _ => Err(ErrorKind::UnexpectedEof.into()),
                };
            }
            if self.pass {
                self.pending = magic.get(..n).unwrap_or_default().to_vec();
                return Ok(false);
            }
            if n == 1 && magic[0] != 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            if magic.get(..n).unwrap_or_default().iter().any(|b| *b != 0) || (n == 2 && !self.only_zeros()?) {
                self.garbage = true;
            }
            return Ok(false);
        }
        let mut fixed = [0; 8];
        self.from.read_exact(&mut fixed)?;
        let [method, flags, t0, t1, t2, t3, _, _] = fixed;
        if method != 8 {
            let text = format!("unknown method {method} -- not supported");
            return Err(Error::new(ErrorKind::Unsupported, text));
        }
        if flags & 0x20 != 0 {
            return Err(Error::new(ErrorKind::Unsupported, "is encrypted -- not supported"));
        }
        if flags & 0xc0 != 0 {
            let text = format!("has flags 0x{flags:x} -- not supported");
            return Err(Error::new(ErrorKind::Unsupported, text));
        }
        let mut header = Header { name: None, mtime: u32::from_le_bytes([t0, t1, t2, t3]) };
        if flags & 4 != 0 {
            let mut size = [0; 2];
            self.from.read_exact(&mut size)?;
            let size = u64::from(u16::from_le_bytes(size));
            if std::io::copy(&mut (&mut self.from).take(size), &mut std::io::sink())? < size {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        if flags & 8 != 0 {
            header.name = Some(self.string()?);
        }
        if flags & 16 != 0 {
            self.string()?;
        }
        if flags & 2 != 0 {
            self.from.read_exact(&mut [0; 2])?;
        }
        self.header.get_or_insert(header);
        self.inflate.reset(false);
        self.crc = crc32fast::Hasher::new();
        self.size = 0;
        self.state = State::Data;
        Ok(true)
    }

    fn only_zeros(&mut self) -> Result<bool> {
        loop {
            let there = self.from.fill_buf()?;
            if there.is_empty() {
                return Ok(true);
            }
            if there.iter().any(|b| *b != 0) {
                return Ok(false);
            }
            let n = there.len();
            self.from.consume(n);
        }
    }

    fn string(&mut self) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            let mut byte = [0];
            self.from.read_exact(&mut byte)?;
            match byte {
                [0] => return Ok(text),
                [b] if text.len() < NAME_MAX => text.push(b),
                _ => {}
            }
        }
    }

    fn trailer(&mut self) -> Result<()> {
        let mut trailer = [0; 8];
        self.from.read_exact(&mut trailer)?;
        let [a, b, c, d, e, f, g, h] = trailer;
        self.last_crc = u32::from_le_bytes([a, b, c, d]);
        if self.last_crc != std::mem::take(&mut self.crc).finalize() {
            return Err(Error::new(ErrorKind::InvalidData, "invalid compressed data--crc error"));
        }
        self.members += 1;
        self.last_size = u32::from_le_bytes([e, f, g, h]);
        if self.last_size != self.size {
            return Err(Error::new(ErrorKind::InvalidData, "invalid compressed data--length error"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            match self.state {
                State::End => return Ok(0),
                State::Between => {
                    if !self.start()? {
                        self.state = if self.pass { State::Plain } else { State::End };
                    }
                }
                State::Plain if self.pending.is_empty() => return self.from.read(buf),
                State::Plain => {
                    let n = self.pending.len().min(buf.len());
                    for (to, from) in buf.iter_mut().zip(self.pending.drain(..n)) {
                        *to = from;
                    }
                    return Ok(n);
                }
                State::Trailer => {
                    self.state = State::Between;
                    self.trailer()?;
                }
                State::Data => {
                    let input = self.from.fill_buf()?;
                    let ended = input.is_empty();
                    let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
                    let status =
                        self.inflate.decompress(input, buf, FlushDecompress::None).map_err(|_| {
                            Error::new(ErrorKind::InvalidData, "invalid compressed data--format violated")
                        })?;
                    let used = (self.inflate.total_in() - before_in) as usize;
                    let made = (self.inflate.total_out() - before_out) as usize;
                    self.from.consume(used);
                    let bytes = buf.get(..made).unwrap_or_default();
                    self.crc.update(bytes);
                    self.size = self.size.wrapping_add(made as u32);
                    if status == Status::StreamEnd {
                        self.state = State::Trailer;
                    } else if ended && made == 0 {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                    if made > 0 {
                        return Ok(made);
                    }
                }
            }
        }
    }
}
