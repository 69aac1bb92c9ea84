//! Errors of archives that are compressed, in the words of the program that would have decompressed them.

use super::log::{self, Fatal};
use crate::codec::{self, Format};
use crate::io::errno;
use sandshell_cli::out;
use sandshell_sys as sys;
use std::io::{Error, ErrorKind, Read, Result as IoResult};

/// Input that is in none of the formats of `xz`.
pub(crate) struct Unrecognised;

impl Read for Unrecognised {
    fn read(&mut self, _: &mut [u8]) -> IoResult<usize> {
        Err(Error::new(ErrorKind::InvalidInput, "File format not recognized"))
    }
}

/// Adds to errors which program would have failed.
pub(crate) struct Named<R> {
    pub(crate) inner: R,
    pub(crate) format: Format,
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
pub(crate) fn child_failed(format: Format, e: &Error) -> Fatal {
    log::fatal(format!("Child returned status {}", unpacking(format, e)))
}

/// Reports that the child process of tar could not open the archive.
pub(crate) fn child_open(file: &[u8], e: sys::Errno) -> Fatal {
    log::child([&log::colon(file)[..], b": Cannot open: ", e.to_string().as_bytes()].concat());
    log::child("Error is not recoverable: exiting now");
    log::fatal("Child returned status 2")
}

/// Reports that the child process of tar could not read it.
pub(crate) fn child_read(format: Format, file: &[u8], e: sys::Errno) -> Fatal {
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
