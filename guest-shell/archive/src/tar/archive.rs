//! Opens the archive file, compressed or not.

use super::header;
use super::log::{self, Fatal};
use super::options::{Counter, Options, Packing};
use super::reader::Archive;
use super::unpacking::{Named, Unrecognised, child_failed, child_open, child_read};
use crate::codec::{self, Format, Plain};
use crate::io::{FdReader, FdWriter, errno, read_full};
use crate::sink::Sink;
use sandshell_sys::{self as sys, open_flags as o};
use std::io::{Cursor, Error, Read, Result as IoResult, Write};

/// Opens an archive for reading.
pub(crate) fn open(options: &Options, file: &[u8]) -> Result<Archive<'static>, Fatal> {
    let given = match options.packing {
        Packing::Fixed(format) => Some(format),
        _ => None,
    };
    let opened = match file {
        b"-" => Ok(FdReader(0)),
        _ => FdReader::open(file),
    };
    let mut from =
        opened.map_err(|e| if given.is_some() { child_open(file, e) } else { cannot_open(file, e) })?;
    let stat = sys::fstat(from.0).ok();
    let mut start = vec![0; header::BLOCK];
    let n = read_full(&mut from, &mut start).map_err(|e| match given {
        Some(format) => child_read(format, file, errno(&e)),
        None => cannot_read(file, errno(&e)),
    })?;
    start.truncate(n);
    let format = match given {
        Some(format) => Some(format),
        None => recognised(file, &start)?,
    };
    let xz = matches!(format, Some(Format::Xz | Format::Lzma));
    let from = Cursor::new(start.clone()).chain(from);
    let from: Box<dyn Read> = match format {
        None => Box::new(from),
        Some(format) if xz && !matches!(Format::detect(&start), Some(Format::Xz | Format::Lzma)) => {
            Box::new(Named { inner: Unrecognised, format })
        }
        Some(f) => {
            // `xz` reads both .xz and .lzma.
            let kind = Format::detect(&start).filter(|_| xz).unwrap_or(f);
            Box::new(Named { inner: codec::reader(kind, from).map_err(|e| child_failed(f, &e))?, format: f })
        }
    };
    let mut archive = Archive::new(from);
    archive.counter = Counter::new(options, false);
    archive.ignore_zeros = options.ignore_zeros;
    archive.packed = format.is_some();
    archive.record = options.record;
    archive.seekable = format.is_none() && file != b"-" && stat.is_some_and(|s| s.is_file());
    super::label::check(options, &mut archive)?;
    Ok(archive)
}

/// Detects the format from an archive's first bytes, if no option names it.
fn recognised(file: &[u8], start: &[u8]) -> Result<Option<Format>, Fatal> {
    let found = match <&[u8; header::BLOCK]>::try_from(start) {
        Ok(block) if header::has_magic(block) => return Ok(None),
        _ => Format::detect(start),
    };
    if let Some(format) = found.filter(|_| file == b"-") {
        return Err(log::fatal(format!("Archive is compressed. Use {} option", option(format))));
    }
    if found.is_none() && start.len() < header::BLOCK {
        log::error("This does not look like a tar archive");
    }
    Ok(found.or_else(|| Format::of_suffix(file)))
}

fn option(format: Format) -> &'static str {
    match format {
        Format::Gzip => "-z",
        Format::Bzip2 => "-j",
        Format::Xz => "-J",
        Format::Lzma => "--lzma",
        Format::Zstd => "--zstd",
        Format::Compress => "-Z",
    }
}

/// An archive to write, and the device and inode that identify its file.
pub(crate) type Opened = (Box<dyn Sink>, Option<(u64, u64)>);

/// Opens an archive for writing.
pub(crate) fn create(options: &Options) -> Result<Opened, Fatal> {
    let file = &options.file;
    let format = match options.packing {
        Packing::Fixed(format) => Some(format),
        Packing::BySuffix => Format::of_suffix(file),
        Packing::Detect => None,
    };
    let cannot = |e| if format.is_some() { child_open(file, e) } else { cannot_open(file, e) };
    let fd = match file.as_slice() {
        b"-" => 1,
        _ => sys::open(file, o::WRITE | o::CREATE | o::TRUNC | o::CLOEXEC, 0o666).map_err(cannot)?,
    };
    let stat = sys::fstat(fd).ok().filter(sys::Stat::is_file).map(|s| (s.dev, s.ino));
    let sink = match format {
        None => Box::new(Plain(FdWriter(fd))),
        Some(f) => codec::writer(f, options.level, FdWriter(fd))
            .map_err(|e| log::fatal(format!("{}: {e}", f.program())))?,
    };
    Ok((
        Box::new(Records {
            to: sink,
            held: Vec::new(),
            record: options.record,
            counter: Counter::new(options, true),
        }),
        stat,
    ))
}

/// Writes whole records. The last one is filled up with zeros.
pub(crate) struct Records {
    pub(crate) to: Box<dyn Sink>,
    pub(crate) held: Vec<u8>,
    pub(crate) record: usize,
    pub(crate) counter: Counter,
}

impl Write for Records {
    fn write(&mut self, buf: &[u8]) -> IoResult<usize> {
        let n = buf.len().min(self.record.saturating_sub(self.held.len()));
        self.held.extend_from_slice(buf.get(..n).unwrap_or_default());
        if self.held.len() >= self.record {
            self.to.write_all(&self.held)?;
            self.counter.record();
            self.held.clear();
        }
        Ok(n)
    }

    fn flush(&mut self) -> IoResult<()> {
        Ok(())
    }
}

impl Sink for Records {
    fn finish(mut self: Box<Self>) -> IoResult<()> {
        if !self.held.is_empty() {
            self.held.resize(self.record, 0);
            self.to.write_all(&self.held)?;
            self.counter.record();
        }
        self.to.finish()
    }
}

pub(crate) fn cannot_open(file: &[u8], e: sys::Errno) -> Fatal {
    log::fatal([&log::colon(file)[..], b": Cannot open: ", e.to_string().as_bytes()].concat())
}

fn cannot_read(file: &[u8], e: sys::Errno) -> Fatal {
    if e == sys::Errno::ISDIR {
        log::warn([&log::colon(file)[..], b": Cannot read: ", e.to_string().as_bytes()].concat());
        log::set_status(2);
        log::warn("At beginning of tape, quitting now");
        log::warn("Error is not recoverable: exiting now");
        return Fatal;
    }
    log::fatal([&log::colon(file)[..], b": Cannot read: ", e.to_string().as_bytes()].concat())
}

/// Reports that the archive could not be written.
pub(crate) fn cannot_write(file: &[u8], e: &Error) -> Fatal {
    log::fatal([&log::colon(file)[..], b": Cannot write: ", errno(e).to_string().as_bytes()].concat())
}
