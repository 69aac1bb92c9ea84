//! `Content-Encoding`: `gzip` and `deflate`, as streams.

use flate2::{Decompress, FlushDecompress, Status};

/// The most bytes that one piece of 64 KiB is decoded to at a time.
const ROOM: usize = 64 * 1024;
/// The most bytes of the head of a gzip stream: names and comments have no limit of their own.
const LONGEST_HEAD: usize = 64 * 1024;

/// What cannot be decoded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// The stream does not begin as one.
    Head,
    /// What follows is damaged.
    Data,
}

/// Decodes a stream.
pub(crate) struct Decoder {
    form: Form,
    engine: Decompress,
    /// The head of a gzip stream, until it is complete.
    head: Vec<u8>,
    done: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The head is awaited.
    Gzip,
    /// The first byte tells whether there is a zlib head; many servers leave it out.
    Deflate,
    Body,
}

impl Decoder {
    /// The decoder for a coding with this name, if it is known.
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        let form = match name.to_ascii_lowercase().as_slice() {
            b"gzip" | b"x-gzip" => Form::Gzip,
            b"deflate" => Form::Deflate,
            _ => return None,
        };
        Some(Self { form, engine: Decompress::new(false), head: Vec::new(), done: false })
    }

    /// Decodes a piece, and passes what it stands for on in pieces of 64 KiB at most.
    pub(crate) fn feed<E: From<Bad>>(
        &mut self,
        input: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.form {
            Form::Body => self.inflate(input, &mut take),
            Form::Deflate => {
                let Some(first) = input.first() else { return Ok(()) };
                // A zlib head says method 8 in its low bits; a raw stream's first block does not, in practice.
                self.engine = Decompress::new(first & 0x0f == 8);
                self.form = Form::Body;
                self.inflate(input, &mut take)
            }
            Form::Gzip => {
                self.head.extend_from_slice(input);
                let Some(end) = gzip_head(&self.head)? else {
                    return if self.head.len() > LONGEST_HEAD { Err(Bad::Head.into()) } else { Ok(()) };
                };
                let head = std::mem::take(&mut self.head);
                self.form = Form::Body;
                self.inflate(head.get(end..).unwrap_or_default(), &mut take)
            }
        }
    }

    fn inflate<E: From<Bad>>(
        &mut self,
        mut input: &[u8],
        take: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut out = vec![0; ROOM];
        // What follows the end is a checksum, or nothing of interest.
        while !self.done {
            let (before_in, before_out) = (self.engine.total_in(), self.engine.total_out());
            let status =
                self.engine.decompress(input, &mut out, FlushDecompress::None).map_err(|_| Bad::Data)?;
            let used = usize::try_from(self.engine.total_in() - before_in).unwrap_or(input.len());
            let made = usize::try_from(self.engine.total_out() - before_out).unwrap_or_default();
            input = input.get(used..).unwrap_or_default();
            take(out.get(..made).unwrap_or_default())?;
            self.done = status == Status::StreamEnd;
            if made == 0 && (used == 0 || input.is_empty()) {
                break;
            }
        }
        Ok(())
    }
}

/// Where the head of a gzip stream ends (RFC 1952), if all of it is there.
fn gzip_head(data: &[u8]) -> Result<Option<usize>, Bad> {
    let begin = [0x1f, 0x8b, 8];
    let common = data.len().min(begin.len());
    if data.get(..common) != begin.get(..common) {
        return Err(Bad::Head);
    }
    let Some(flags) = data.get(3) else { return Ok(None) };
    let mut at = 10;
    if flags & 4 != 0 {
        let (Some(low), Some(high)) = (data.get(at), data.get(at + 1)) else { return Ok(None) };
        at += 2 + usize::from(u16::from_le_bytes([*low, *high]));
    }
    for bit in [8, 16] {
        if flags & bit != 0 {
            let rest = data.get(at..).unwrap_or_default();
            let Some(end) = memchr::memchr(0, rest) else { return Ok(None) };
            at += end + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    Ok((data.len() >= at).then_some(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn decoded(name: &str, input: &[u8], size: usize) -> Result<Vec<u8>, Bad> {
        let (mut decoder, mut out) = (Decoder::named(name.as_bytes()).unwrap(), Vec::new());
        for piece in input.chunks(size) {
            decoder.feed(piece, |data| {
                out.extend_from_slice(data);
                Ok::<(), Bad>(())
            })?;
        }
        Ok(out)
    }

    fn text() -> Vec<u8> {
        (0..200_000u32).flat_map(|n| (n % 977).to_string().into_bytes()).collect()
    }

    #[test]
    fn pieces_of_every_size() {
        let level = flate2::Compression::default();
        let mut gzip =
            flate2::GzBuilder::new().filename("a").comment("b").extra("ccc").write(Vec::new(), level);
        gzip.write_all(&text()).unwrap();
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), level);
        zlib.write_all(&text()).unwrap();
        let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), level);
        raw.write_all(&text()).unwrap();
        for (name, data) in [
            ("gzip", gzip.finish().unwrap()),
            ("deflate", zlib.finish().unwrap()),
            ("Deflate", raw.finish().unwrap()),
        ] {
            for size in [1, 7, 1000, data.len()] {
                assert_eq!(decoded(name, &data, size), Ok(text()), "{name} {size}");
            }
        }
    }

    #[test]
    fn damage_is_an_error() {
        assert_eq!(decoded("gzip", b"not gzip at all", 3), Err(Bad::Head));
        assert_eq!(decoded("deflate", &[0xff; 50], 50), Err(Bad::Data));
        // A name without an end.
        let endless = [&[0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0][..], &[b'x'; LONGEST_HEAD]].concat();
        assert_eq!(decoded("gzip", &endless, 1000), Err(Bad::Head));
    }
}
