//! Writes gzip files (RFC 1952).

use crate::sink::Sink;
use flate2::{Compression, write::DeflateEncoder};
use std::io::{Result, Write};

/// Compresses what is written into one member.
pub(crate) struct GzipWriter<W: Write> {
    deflate: DeflateEncoder<W>,
    crc: crc32fast::Hasher,
    size: u32,
}

impl<W: Write> GzipWriter<W> {
    /// Writes the header, with `name` and `mtime` of the original file if they are to be stored.
    pub(crate) fn new(mut to: W, level: u32, name: Option<&[u8]>, mtime: u32) -> Result<Self> {
        let mut header = vec![0x1f, 0x8b, 8, if name.is_some() { 8 } else { 0 }];
        header.extend_from_slice(&mtime.to_le_bytes());
        header.push(match level {
            1 => 4,
            9 => 2,
            _ => 0,
        });
        header.push(3);
        if let Some(name) = name {
            header.extend_from_slice(name);
            header.push(0);
        }
        to.write_all(&header)?;
        let deflate = DeflateEncoder::new(to, Compression::new(level.min(9)));
        Ok(Self { deflate, crc: crc32fast::Hasher::new(), size: 0 })
    }
}

impl<W: Write> Write for GzipWriter<W> {
    fn write(&mut self, buf: &[u8]) -> Result<usize> {
        self.deflate.write_all(buf)?;
        self.crc.update(buf);
        self.size = self.size.wrapping_add(buf.len() as u32);
        Ok(buf.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl<W: Write> Sink for GzipWriter<W> {
    fn finish(self: Box<Self>) -> Result<()> {
        let this = *self;
        let mut to = this.deflate.finish()?;
        to.write_all(&this.crc.finalize().to_le_bytes())?;
        to.write_all(&this.size.to_le_bytes())?;
        to.flush()
    }
}
