//! Where a body ends: chunks.

/// The most digits of a chunk's size.
const MOST_DIGITS: usize = 16;
/// The most bytes of extensions of one chunk, and of all trailers.
const MOST_EXTRA: usize = 64 * 1024;

/// What is wrong with chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// There is no size.
    NoSize,
    /// The size has too many digits.
    LongSize,
    /// A chunk does not end where it should.
    NoEnd,
    /// Extensions or trailers have no end.
    TooMuch,
}

/// What the next byte belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Size { value: u64, digits: usize },
    Extension { size: u64, used: usize },
    Data(u64),
    DataEnd,
    Trailer,
    Done,
}

/// Takes chunks apart.
pub(crate) struct Chunks {
    state: State,
    trailers: Vec<u8>,
}

impl Chunks {
    pub(crate) fn new() -> Self {
        Self { state: State::Size { value: 0, digits: 0 }, trailers: Vec::new() }
    }

    /// Takes a piece. Returns how many bytes of it belong to the body, and the range of them that is content.
    pub(crate) fn feed(&mut self, input: &[u8]) -> Result<(usize, std::ops::Range<usize>), Bad> {
        let mut at = 0;
        while let Some(byte) = input.get(at) {
            match self.state {
                State::Done => break,
                State::Data(left) => {
                    let here = input.len() - at;
                    let take = usize::try_from(left).unwrap_or(usize::MAX).min(here);
                    let left = left - take as u64;
                    self.state = if left == 0 { State::DataEnd } else { State::Data(left) };
                    return Ok((at + take, at..at + take));
                }
                State::Size { value, digits } => match char::from(*byte).to_digit(16) {
                    Some(_) if digits == MOST_DIGITS => return Err(Bad::LongSize),
                    Some(digit) => {
                        let value = value << 4 | u64::from(digit);
                        self.state = State::Size { value, digits: digits + 1 };
                    }
                    None if digits == 0 => return Err(Bad::NoSize),
                    None => {
                        self.state = State::Extension { size: value, used: 0 };
                        continue;
                    }
                },
                State::Extension { size: 0, .. } if *byte == b'\n' => self.state = State::Trailer,
                State::Extension { size, .. } if *byte == b'\n' => self.state = State::Data(size),
                State::Extension { used: MOST_EXTRA, .. } => return Err(Bad::TooMuch),
                State::Extension { size, used } => self.state = State::Extension { size, used: used + 1 },
                State::DataEnd => match byte {
                    b'\r' => {}
                    b'\n' => self.state = State::Size { value: 0, digits: 0 },
                    _ => return Err(Bad::NoEnd),
                },
                State::Trailer => {
                    if self.trailers.len() == MOST_EXTRA {
                        return Err(Bad::TooMuch);
                    }
                    self.trailers.push(*byte);
                    let empty = matches!(self.trailers.as_slice(), b"\n" | b"\r\n");
                    if empty || self.trailers.ends_with(b"\n\r\n") || self.trailers.ends_with(b"\n\n") {
                        self.state = State::Done;
                    }
                }
            }
            at += 1;
        }
        Ok((at, at..at))
    }

    /// Whether the last one was there.
    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// The lines after the last chunk, without the empty one.
    pub(crate) fn trailers(&self) -> impl Iterator<Item = &[u8]> {
        self.trailers.split_inclusive(|b| *b == b'\n').filter(|line| !matches!(*line, b"\n" | b"\r\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds pieces of this size. Returns the content, and whether it was complete.
    fn decoded(input: &[u8], size: usize) -> Result<(Vec<u8>, bool), Bad> {
        let (mut chunks, mut content) = (Chunks::new(), Vec::new());
        for mut piece in input.chunks(size) {
            while !piece.is_empty() && !chunks.is_done() {
                let (used, range) = chunks.feed(piece)?;
                content.extend_from_slice(&piece[range]);
                piece = &piece[used..];
            }
        }
        Ok((content, chunks.is_done()))
    }

    #[test]
    fn chunks_in_pieces_of_every_size() {
        let input = b"4;a=b\r\none\n\r\n00a\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n";
        for size in 1..=input.len() {
            assert_eq!(decoded(input, size), Ok((b"one\n0123456789".to_vec(), true)), "{size}");
        }
    }

    #[test]
    fn what_is_no_chunk_is_an_error() {
        for (input, error) in [
            (&b"zz\r\n"[..], Bad::NoSize),
            (b"-5\r\n", Bad::NoSize),
            (b"ffffffffffffffffff\r\n", Bad::LongSize),
            (b"1\r\naX", Bad::NoEnd),
        ] {
            for size in 1..=input.len() {
                assert_eq!(decoded(input, size), Err(error), "{size}");
            }
        }
    }

    #[test]
    fn what_has_no_end_is_an_error() {
        let extension = [b"1;".to_vec(), vec![b'x'; MOST_EXTRA + 9]].concat();
        assert_eq!(decoded(&extension, 1000), Err(Bad::TooMuch));
        let trailers = [b"0\r\n".to_vec(), b"a: b\r\n".repeat(MOST_EXTRA)].concat();
        assert_eq!(decoded(&trailers, 1000), Err(Bad::TooMuch));
    }

    #[test]
    fn the_largest_chunk_allocates_nothing() {
        assert_eq!(decoded(b"ffffffffffffffff\r\nabc", 5), Ok((b"abc".to_vec(), false)));
    }

    #[test]
    fn trailers_are_kept() {
        let mut chunks = Chunks::new();
        let input = b"0\r\nA: 1\r\nB: 2\r\n\r\nmore";
        assert_eq!(chunks.feed(input).map(|(used, _)| used), Ok(input.len() - 4));
        assert_eq!(chunks.trailers().collect::<Vec<_>>(), [b"A: 1\r\n", b"B: 2\r\n"]);
    }
}
