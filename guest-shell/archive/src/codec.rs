//! The compressed formats as readers and writers.

use crate::gzip::member::GzipReader;
use crate::gzip::writer::GzipWriter;
use crate::sink::Sink;
use std::io::{BufRead, BufReader, Chain, Cursor, Error, ErrorKind, Read, Result, Write};

/// A compressed format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Gzip,
    Bzip2,
    Xz,
    Lzma,
    Zstd,
    /// The format of `compress`, recognised only to be refused.
    Compress,
}

impl Format {
    /// Detects the format from the first bytes of a file.
    pub(crate) fn detect(start: &[u8]) -> Option<Self> {
        Some(match start {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x1f, 0x9d, ..] => Self::Compress,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [0x5d, 0, 0, _, _, ..] => Self::Lzma,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            _ => return None,
        })
    }

    /// The format that a file name's suffix stands for.
    pub(crate) fn of_suffix(name: &[u8]) -> Option<Self> {
        const SUFFIXES: [(&[u8], Format); 12] = [
            (b".gz", Format::Gzip),
            (b".tgz", Format::Gzip),
            (b".taz", Format::Gzip),
            (b".bz2", Format::Bzip2),
            (b".tbz2", Format::Bzip2),
            (b".tbz", Format::Bzip2),
            (b".xz", Format::Xz),
            (b".txz", Format::Xz),
            (b".lzma", Format::Lzma),
            (b".tlz", Format::Lzma),
            (b".zst", Format::Zstd),
            (b".tzst", Format::Zstd),
        ];
        SUFFIXES.iter().find(|(s, _)| name.ends_with(s)).map(|(_, f)| *f)
    }

    /// The name of the program for the format.
    pub(crate) fn program(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Lzma => "lzma",
            Self::Zstd => "zstd",
            Self::Compress => "compress",
        }
    }
}

/// A larger dictionary is refused; no preset of `xz` makes one.
const MEMORY_KIB: u32 = 160 * 1024;

/// Decompresses `from`.
pub(crate) fn reader<'a>(format: Format, from: impl Read + 'a) -> Result<Box<dyn Read + 'a>> {
    let mut from = BufReader::with_capacity(64 * 1024, from);
    Ok(match format {
        Format::Gzip => Box::new(Whole(GzipReader::new(from))),
        Format::Bzip2 => Box::new(Bzip2Streams::new(from)),
        Format::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(from, true, MEMORY_KIB)),
        Format::Lzma => {
            if from.fill_buf()?.is_empty() {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            Box::new(lzma_rust2::LzmaReader::new_mem_limit(from, MEMORY_KIB, None)?)
        }
        Format::Zstd => Box::new(ZstdFrames { state: Zstd::Between(from), first: true }),
        Format::Compress => {
            return Err(Error::new(ErrorKind::Unsupported, "the format of compress is not supported"));
        }
    })
}

/// Reads gzip members. Anything else after them is an error.
struct Whole<R>(GzipReader<R>);

/// There was something else after the compressed data.
#[derive(Debug)]
struct Garbage;

impl std::fmt::Display for Garbage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("decompression OK, trailing garbage ignored")
    }
}

impl std::error::Error for Garbage {}

/// Whether the error means that all data was correct, but something else followed it.
pub(crate) fn is_garbage(e: &Error) -> bool {
    e.get_ref().is_some_and(|inner| inner.is::<Garbage>())
}

impl<R: BufRead> Read for Whole<R> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let n = self.0.read(buf)?;
        if n == 0 && !buf.is_empty() && std::mem::take(&mut self.0.garbage) {
            return Err(Error::other(Garbage));
        }
        Ok(n)
    }
}

/// Reads consecutive bzip2 streams. Anything else after them is ignored.
pub(crate) struct Bzip2Streams<R> {
    stream: Option<::bzip2::bufread::BzDecoder<R>>,
    /// Whether something else followed the streams.
    pub(crate) garbage: bool,
}

impl<R: BufRead> Bzip2Streams<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { stream: Some(::bzip2::bufread::BzDecoder::new(from)), garbage: false }
    }
}

impl<R: BufRead> Read for Bzip2Streams<R> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        loop {
            let Some(stream) = &mut self.stream else { return Ok(0) };
            let n = stream.read(buf)?;
            if n > 0 || buf.is_empty() {
                return Ok(n);
            }
            let Some(mut from) = self.stream.take().map(::bzip2::bufread::BzDecoder::into_inner) else {
                return Ok(0);
            };
            match from.fill_buf()? {
                [] => return Ok(0),
                [b'B', ..] => self.stream = Some(::bzip2::bufread::BzDecoder::new(from)),
                _ => {
                    self.garbage = true;
                    return Ok(0);
                }
            }
        }
    }
}

/// No compression.
pub(crate) struct Plain<W>(pub(crate) W);

impl<W: Write> Write for Plain<W> {
    fn write(&mut self, buf: &[u8]) -> Result<usize> {
        self.0.write(buf)
    }
    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

impl<W: Write> Sink for Plain<W> {
    fn finish(mut self: Box<Self>) -> Result<()> {
        self.0.flush()
    }
}

/// Compresses what is written, at `level` (`None` is the default of the format's program).
pub(crate) fn writer<'a>(
    format: Format,
    level: Option<u32>,
    to: impl Write + 'a,
) -> Result<Box<dyn Sink + 'a>> {
    Ok(match format {
        Format::Gzip => Box::new(GzipWriter::new(to, level.unwrap_or(6), None, 0)?),
        Format::Bzip2 => {
            let level = ::bzip2::Compression::new(level.unwrap_or(9).clamp(1, 9));
            Box::new(::bzip2::write::BzEncoder::new(to, level))
        }
        Format::Xz => {
            let options = lzma_rust2::XzOptions::with_preset(level.unwrap_or(6).min(9));
            Box::new(lzma_rust2::XzWriter::new(to, options)?)
        }
        Format::Lzma => {
            let options = lzma_rust2::LzmaOptions::with_preset(level.unwrap_or(6).min(9));
            Box::new(lzma_rust2::LzmaWriter::new_use_header(to, &options, None)?)
        }
        Format::Zstd => Box::new(ZstdWriter { to, held: Vec::new(), written: false }),
        Format::Compress => {
            return Err(Error::new(ErrorKind::Unsupported, "the format of compress is not supported"));
        }
    })
}

impl<W: Write> Sink for ::bzip2::write::BzEncoder<W> {
    fn finish(self: Box<Self>) -> Result<()> {
        (*self).finish()?.flush()
    }
}

impl<W: Write> Sink for lzma_rust2::XzWriter<W> {
    fn finish(self: Box<Self>) -> Result<()> {
        (*self).finish()?.flush()
    }
}

impl<W: Write> Sink for lzma_rust2::LzmaWriter<W> {
    fn finish(self: Box<Self>) -> Result<()> {
        (*self).finish()?.flush()
    }
}

/// The largest frame that is written. The encoder takes a whole frame at once.
const ZSTD_FRAME: usize = 8 << 20;

struct ZstdWriter<W> {
    to: W,
    held: Vec<u8>,
    written: bool,
}

impl<W: Write> ZstdWriter<W> {
    fn frame(&mut self) -> Result<()> {
        let frame = ruzstd::encoding::compress_to_vec(
            self.held.as_slice(),
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        self.held.clear();
        self.written = true;
        self.to.write_all(&frame)
    }
}

impl<W: Write> Write for ZstdWriter<W> {
    fn write(&mut self, buf: &[u8]) -> Result<usize> {
        let n = buf.len().min(ZSTD_FRAME - self.held.len().min(ZSTD_FRAME));
        self.held.extend_from_slice(buf.get(..n).unwrap_or_default());
        if self.held.len() >= ZSTD_FRAME {
            self.frame()?;
        }
        Ok(n)
    }
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl<W: Write> Sink for ZstdWriter<W> {
    fn finish(mut self: Box<Self>) -> Result<()> {
        if !self.held.is_empty() || !self.written {
            self.frame()?;
        }
        self.to.flush()
    }
}

/// Reads consecutive zstd frames, including skippable ones.
struct ZstdFrames<R: BufRead> {
    state: Zstd<R>,
    first: bool,
}

type Source<R> = Chain<Cursor<[u8; 4]>, R>;
type ZstdDecoder<R> = ruzstd::decoding::StreamingDecoder<Source<R>, ruzstd::decoding::FrameDecoder>;

enum Zstd<R: BufRead> {
    Between(R),
    Frame(Box<ZstdDecoder<R>>),
    End,
}

/// Converts the decoder's error. It becomes `UnexpectedEof` if one of its causes is that the input ended.
fn zstd_error(e: &(dyn std::error::Error + 'static)) -> Error {
    let mut cause = Some(e);
    while let Some(e) = cause {
        let io = e.downcast_ref::<Error>();
        if io.is_some_and(|io| io.kind() == ErrorKind::UnexpectedEof) {
            return ErrorKind::UnexpectedEof.into();
        }
        cause = match io.and_then(Error::get_ref) {
            Some(inner) => Some(inner),
            None => e.source(),
        };
    }
    Error::new(ErrorKind::InvalidData, e.to_string())
}

/// The same limit as `zstd` without `--long`.
const ZSTD_WINDOW: u64 = 128 << 20;

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        loop {
            match std::mem::replace(&mut self.state, Zstd::End) {
                Zstd::End => return Ok(0),
                Zstd::Frame(mut frame) => match frame.read(buf).map_err(|e| zstd_error(&e))? {
                    0 if !buf.is_empty() => {
                        let (from, decoder) = frame.into_parts();
                        if decoder.get_checksum_from_data().is_some()
                            && decoder.get_checksum_from_data() != decoder.get_calculated_checksum()
                        {
                            return Err(Error::new(
                                ErrorKind::InvalidData,
                                "Restored data doesn't match checksum",
                            ));
                        }
                        self.state = Zstd::Between(from.into_inner().1);
                    }
                    n => {
                        self.state = Zstd::Frame(frame);
                        return Ok(n);
                    }
                },
                Zstd::Between(mut from) => {
                    if from.fill_buf()?.is_empty() && !self.first {
                        return Ok(0);
                    }
                    self.first = false;
                    let mut magic = [0; 4];
                    match crate::io::read_full(&mut from, &mut magic)? {
                        4 => {}
                        0 => return Err(Error::new(ErrorKind::InvalidInput, "unexpected end of file")),
                        _ => return Err(Error::new(ErrorKind::InvalidInput, "unknown header")),
                    }
                    if magic[0] & 0xf0 == 0x50 && magic[1..] == [0x2a, 0x4d, 0x18] {
                        let mut size = [0; 4];
                        from.read_exact(&mut size)?;
                        let size = u64::from(u32::from_le_bytes(size));
                        if std::io::copy(&mut (&mut from).take(size), &mut std::io::sink())? < size {
                            return Err(ErrorKind::UnexpectedEof.into());
                        }
                        self.state = Zstd::Between(from);
                        continue;
                    }
                    if magic != [0x28, 0xb5, 0x2f, 0xfd] {
                        return Err(Error::new(ErrorKind::InvalidInput, "unsupported format"));
                    }
                    let frame =
                        ZstdDecoder::new_with_max_window_size(Cursor::new(magic).chain(from), ZSTD_WINDOW);
                    self.state = Zstd::Frame(Box::new(frame.map_err(|e| zstd_error(&e))?));
                }
            }
        }
    }
}
