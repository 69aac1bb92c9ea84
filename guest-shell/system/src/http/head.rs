//! The head of an answer, line by line, with the strictness of curl 7.88.

/// The longest line.
pub(crate) const LONGEST_LINE: usize = 100 * 1024;
/// The most bytes of all lines of one answer.
pub(crate) const LONGEST_HEAD: usize = 300 * 1024;

/// What is wrong with a head.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// It does not begin with `HTTP/`.
    NotHttp,
    /// There is no version that can be read.
    NoVersion,
    /// The version is none of those that exist.
    Version(u32, u32),
    /// There is a NUL.
    Nul,
    /// A line is no field.
    NoColon,
    /// A line is longer than [`LONGEST_LINE`].
    LongLine,
    /// All lines together have this many bytes, more than [`LONGEST_HEAD`].
    TooMuch(usize),
    /// `Content-Length` is no number.
    Length,
}

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) version: (u8, u8),
    pub(crate) code: u16,
    pub(crate) reason: Vec<u8>,
}

/// Collects lines from pieces of a stream.
#[derive(Default)]
pub(crate) struct Lines {
    line: Vec<u8>,
    total: usize,
}

impl Lines {
    /// Takes bytes until the end of a line. Returns how many were taken, and the line with its end if it is complete.
    ///
    /// # Errors
    /// If the line or all lines together are too long.
    pub(crate) fn feed(&mut self, input: &[u8]) -> Result<(usize, Option<Vec<u8>>), Bad> {
        let end = memchr::memchr(b'\n', input);
        let taken = end.map_or(input.len(), |i| i + 1);
        if self.line.len() + taken > LONGEST_LINE {
            return Err(Bad::LongLine);
        }
        self.line.extend_from_slice(input.get(..taken).unwrap_or_default());
        if end.is_none() {
            return Ok((taken, None));
        }
        // The line that is too much is still passed on; `check` tells.
        self.check()?;
        self.total += self.line.len();
        Ok((taken, Some(std::mem::take(&mut self.line))))
    }

    /// # Errors
    /// If all lines together are too long by now.
    pub(crate) fn check(&self) -> Result<(), Bad> {
        if self.total > LONGEST_HEAD { Err(Bad::TooMuch(self.total)) } else { Ok(()) }
    }

    /// What is there of a line whose end is missing.
    pub(crate) fn begun(&self) -> &[u8] {
        &self.line
    }
}

/// Whether these bytes can be the beginning of an answer.
pub(crate) fn may_begin(text: &[u8]) -> bool {
    let begin = b"HTTP/";
    let common = text.len().min(begin.len());
    text.get(..common) == begin.get(..common)
}

/// Reads the first line.
pub(crate) fn status(line: &[u8]) -> Result<Status, Bad> {
    let text = line.strip_prefix(b"HTTP/").ok_or(Bad::NotHttp)?;
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    let (version, rest) = match text.iter().position(|b| *b == b' ') {
        Some(at) => text.split_at(at),
        None => (text, &b""[..]),
    };
    let mut parts = version.splitn(2, |b| *b == b'.').map(digits);
    let major = parts.next().flatten();
    let minor = parts.next();
    let rest = rest.trim_ascii_start();
    let code = rest.get(..3).and_then(digits).filter(|_| matches!(rest.get(3), None | Some(b' ')));
    let (Some(major), Some(code)) = (major, code) else { return Err(Bad::NoVersion) };
    let version = match (major, minor) {
        (1, Some(Some(minor @ 0..=1))) => (1, if minor == 0 { 0 } else { 1 }),
        // HTTP/2 and 3 have no minor version, and are told so by servers that merely say it.
        (2, None) => (2, 0),
        (3, None) => (3, 0),
        (major, Some(Some(minor))) => return Err(Bad::Version(major, minor)),
        _ => return Err(Bad::NoVersion),
    };
    let reason = rest.get(4..).unwrap_or_default().to_vec();
    Ok(Status { version, code: u16::try_from(code).unwrap_or_default(), reason })
}

fn digits(text: &[u8]) -> Option<u32> {
    let digits = !text.is_empty() && text.len() <= 3 && text.iter().all(u8::is_ascii_digit);
    digits.then(|| text.iter().fold(0, |n, b| n * 10 + u32::from(b - b'0')))
}

/// The name and value of a line that is a field. A line that begins with a blank goes on with the one before, and has
/// no name.
pub(crate) fn field(line: &[u8]) -> Result<(&[u8], &[u8]), Bad> {
    if line.contains(&0) {
        return Err(Bad::Nul);
    }
    if matches!(line.first(), Some(b' ' | b'\t')) {
        return Ok((b"", line.trim_ascii()));
    }
    let colon = memchr::memchr(b':', line).ok_or(Bad::NoColon)?;
    let (name, value) = line.split_at(colon);
    Ok((name, value.get(1..).unwrap_or_default().trim_ascii()))
}

/// The value of `Content-Length`: `None` if it is larger than any file.
///
/// # Errors
/// If it is not a number.
pub(crate) fn content_length(value: &[u8]) -> Result<Option<u64>, Bad> {
    let end = value.iter().position(|b| !b.is_ascii_digit()).unwrap_or(value.len());
    let (number, rest) = value.split_at(end);
    if number.is_empty() || !rest.trim_ascii().is_empty() {
        return Err(Bad::Length);
    }
    let mut sum = 0u64;
    for digit in number {
        match sum.checked_mul(10).and_then(|n| n.checked_add(u64::from(digit - b'0'))) {
            Some(more) if more <= i64::MAX.cast_unsigned() => sum = more,
            _ => return Ok(None),
        }
    }
    Ok(Some(sum))
}

/// Whether a list of words separated by commas has this one.
pub(crate) fn lists(value: &[u8], word: &str) -> bool {
    value.split(|b| *b == b',').any(|part| part.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &[u8]) -> Result<u16, Bad> {
        status(line).map(|s| s.code)
    }

    #[test]
    fn first_lines() {
        assert_eq!(code(b"HTTP/1.1 200 OK\r\n"), Ok(200));
        assert_eq!(code(b"HTTP/1.0 404\n"), Ok(404));
        assert_eq!(code(b"HTTP/2 200\r\n"), Ok(200));
        assert_eq!(code(b"HTTP/3.7 200 OK\r\n"), Err(Bad::Version(3, 7)));
        assert_eq!(code(b"HTTP/1.1 2000 OK\r\n"), Err(Bad::NoVersion));
        assert_eq!(code(b"HTTP/1.1 abc\r\n"), Err(Bad::NoVersion));
        assert_eq!(code(b"HTTP/99999999999.1 200\r\n"), Err(Bad::NoVersion));
        assert_eq!(code(b"ICY 200 OK\r\n"), Err(Bad::NotHttp));
        assert_eq!(status(b"HTTP/1.1 404 Not Found\r\n").unwrap().reason, b"Not Found");
    }

    #[test]
    fn fields() {
        assert_eq!(field(b"A:  b c \r\n"), Ok((&b"A"[..], &b"b c"[..])));
        assert_eq!(field(b"nothing\r\n"), Err(Bad::NoColon));
        assert_eq!(field(b"A: \0\r\n"), Err(Bad::Nul));
        assert_eq!(field(b"  more\r\n"), Ok((&b""[..], &b"more"[..])));
    }

    #[test]
    fn lengths() {
        assert_eq!(content_length(b"12 "), Ok(Some(12)));
        assert_eq!(content_length(b"99999999999999999999999"), Ok(None));
        for wrong in ["", "-5", "+5", "abc", "1,2", "0x10", "1 2"] {
            assert_eq!(content_length(wrong.as_bytes()), Err(Bad::Length), "{wrong}");
        }
    }

    #[test]
    fn lines_have_a_limit() {
        let mut lines = Lines::default();
        assert_eq!(lines.feed(b"a\r\nb"), Ok((3, Some(b"a\r\n".to_vec()))));
        assert_eq!(lines.feed(b"b"), Ok((1, None)));
        let mut result = Ok((0, None));
        for _ in 0..20 {
            result = lines.feed(&[b'x'; 10_000]);
        }
        assert_eq!(result, Err(Bad::LongLine));
        assert!(lines.begun().len() <= LONGEST_LINE);
        let mut lines = Lines::default();
        let much = (0..10_000).find_map(|_| lines.feed(&[&[b'x'; 99][..], b"\n"].concat()).err());
        assert_eq!(much, Some(Bad::TooMuch(LONGEST_HEAD + 100)));
    }
}
