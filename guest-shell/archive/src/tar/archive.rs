//! Opens the archive file, compressed or not.

use super::header;
use super::log::{self, Fatal};
use super::options::{Counter, Options, Packing};
use super::reader::Archive;
use crate::codec::{self, Format, Plain, Sink};
use crate::io::{FdReader, FdWriter, errno, read_full};
use sandshell_cli::out;
use sandshell_sys::{self as sys, open_flags as o};
use std::io::{Cursor, Error, ErrorKind, Read, Result as IoResult, Write};

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

/// Input that is in none of the formats of `xz`.
struct Unrecognised;

impl Read for Unrecognised {
    fn read(&mut self, _: &mut [u8]) -> IoResult<usize> {
        Err(Error::new(ErrorKind::InvalidInput, "File format not recognized"))
    }
}

/// Adds to errors which program would have failed.
struct Named<R> {
    inner: R,
    format: Format,
}

#[derive(Debug)]
struct Unpacking(Format, Error);

impl std::fmt::Display for Unpacking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.1)
    }
}

impl std::error::Error for Unpacking {}

impl<R: Read> Read for Named<R> {
    fn read(&mut self, buf: &mut [u8]) -> IoResult<usize> {
        self.inner.read(buf).map_err(|e| match e.raw_os_error() {
            Some(_) => e,
            None => Error::other(Unpacking(self.format, e)),
        })
    }
}

/// Reports an error of reading the archive in the words of the program that would have decompressed it, and returns
/// that program's exit status.
pub(crate) fn read_failure(e: &Error) -> Result<i32, Fatal> {
    match e.get_ref().and_then(|inner| inner.downcast_ref::<Unpacking>()) {
        Some(Unpacking(format, e)) => Ok(unpacking(*format, e)),
        None => Err(log::fatal(format!("-: Cannot read: {}", errno(e)))),
    }
}

/// Reports that the decompressing program failed at the start.
fn child_failed(format: Format, e: &Error) -> Fatal {
    log::fatal(format!("Child returned status {}", unpacking(format, e)))
}

/// Reports that the child process of tar could not open the archive.
fn child_open(file: &[u8], e: sys::Errno) -> Fatal {
    log::child([&log::colon(file)[..], b": Cannot open: ", e.to_string().as_bytes()].concat());
    log::child("Error is not recoverable: exiting now");
    log::fatal("Child returned status 2")
}

fn child_read(format: Format, file: &[u8], e: sys::Errno) -> Fatal {
    log::child([&log::colon(file)[..], b": Cannot read: ", e.to_string().as_bytes()].concat());
    log::child("At beginning of tape, quitting now");
    log::child("Error is not recoverable: exiting now");
    unpacking(format, &ErrorKind::UnexpectedEof.into());
    log::fatal("Child returned status 2")
}

/// Prints what the decompressing program would print, and returns its exit status.
fn unpacking(format: Format, e: &Error) -> i32 {
    let end = e.kind() == ErrorKind::UnexpectedEof;
    let (text, status) = match format {
        Format::Gzip if end => ("\ngzip: stdin: unexpected end of file".into(), 1),
        Format::Gzip => (format!("\ngzip: stdin: {e}"), if codec::is_garbage(e) { 2 } else { 1 }),
        Format::Bzip2 if end => (
            "\nbzip2: Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* reason follows.\nbzip2: Inappropriate ioctl for device\n\tInput file = (stdin), output file = (stdout)\n\nIt is possible that the compressed file(s) have become corrupted.\nYou can use the -tvv option to test integrity of such files.\n\nYou can use the `bzip2recover' program to attempt to recover\ndata from undamaged sections of corrupted files.\n".into(),
            2,
        ),
        Format::Bzip2 => ("bzip2: (stdin) is not a bzip2 file.".into(), 2),
        Format::Xz | Format::Lzma if end => ("xz: (stdin): Unexpected end of input".into(), 1),
        Format::Xz | Format::Lzma if e.kind() == ErrorKind::InvalidInput => {
            ("xz: (stdin): File format not recognized".into(), 1)
        }
        Format::Xz | Format::Lzma => ("xz: (stdin): Compressed data is corrupt".into(), 1),
        Format::Zstd if end => ("/*stdin*\\ : Read error (39) : premature end ".into(), 1),
        Format::Zstd if e.kind() == ErrorKind::InvalidInput => (format!("zstd: /*stdin*\\: {e} "), 1),
        Format::Zstd => ("/*stdin*\\ : Decoding error (36) : Data corruption detected ".into(), 1),
        Format::Compress => (format!("compress: {e}"), 1),
    };
    out::flush();
    let _ = sys::write_all(2, &[text.as_bytes(), b"\n"].concat());
    status
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
