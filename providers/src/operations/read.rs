//! Extracts a page from a file.

use std::borrow::Cow;

use bytes::Bytes;
use memchr::memchr2;

use crate::{FailureReason, LineRange, Page, ReadContent, ReadResult};

/// The largest file, in bytes, that is returned if it is binary by its extension.
pub const MAX_BINARY_BYTES: u64 = 512_000;

/// The largest page in bytes of UTF-8, including [`Page::TRUNCATION_NOTICE`] if it has one.
pub const MAX_PAGE_BYTES: usize = 512_000;

/// How many bytes of a file are examined to distinguish text from binary.
const SNIFFED_BYTES: usize = 8192;

const BINARY_EXTENSIONS: &[&str] = &[
    "png", "jpeg", "jpg", "webp", "gif", "heic", "heif", "mp4", "mpeg", "mov", "avi", "flv", "mpg", "webm",
    "wmv", "3gpp", "mkv", "wav", "mp3", "aiff", "aac", "ogg", "flac", "pdf", "ppt", "pptx",
];

/// The answer to reading `range` of a regular file with this path and content.
///
/// # Errors
///
/// `BinaryTooLarge`, `OffsetBeyondEnd`.
pub fn page(path: &str, content: Bytes, range: LineRange) -> Result<ReadResult, FailureReason> {
    if content.is_empty() {
        return Ok(ReadContent::Empty.into());
    }
    if has_binary_extension(path) {
        if content.len() as u64 > MAX_BINARY_BYTES {
            return Err(FailureReason::BinaryTooLarge { limit: MAX_BINARY_BYTES });
        }
        return Ok(ReadContent::Binary(content).into());
    }
    if !begins_as_text(&content) {
        return Ok(ReadContent::Binary(content).into());
    }
    if range.limit == 0 {
        return Ok(ReadContent::NoLines.into());
    }
    text_page(&content, range).map(|page| ReadContent::Text(page).into())
}

fn text_page(content: &[u8], range: LineRange) -> Result<Page, FailureReason> {
    let room = MAX_PAGE_BYTES - Page::TRUNCATION_NOTICE.len();
    let mut text = String::new();
    let mut total = 0u64;
    let mut returned = 0u64;
    let mut truncated = false;
    for line in Lines(Some(content)) {
        total += 1;
        if total <= range.offset || returned >= range.limit || truncated {
            continue;
        }
        let line = String::from_utf8_lossy(line);
        let piece = if returned == 0 { line } else { Cow::Owned(format!("\n{line}")) };
        if text.len() + piece.len() > room {
            truncated = true;
            let cut = piece.floor_char_boundary(room - text.len());
            text.push_str(piece.get(..cut).unwrap_or_default());
            text.push_str(Page::TRUNCATION_NOTICE);
        } else {
            text.push_str(&piece);
            returned += 1;
        }
    }
    if returned == 0 && !truncated {
        return Err(FailureReason::OffsetBeyondEnd { offset: range.offset, lines: total });
    }
    let end_line = range.offset + returned.max(1);
    Ok(Page {
        text,
        start_line: range.offset + 1,
        end_line,
        total_lines: Some(total),
        next_offset: (end_line < total).then_some(end_line),
        truncated,
    })
}

/// Splits text into lines that end with LF, CR LF or CR.
struct Lines<'a>(Option<&'a [u8]>);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.0.filter(|rest| !rest.is_empty())?;
        let Some(end) = memchr2(b'\n', b'\r', rest) else {
            self.0 = None;
            return Some(rest);
        };
        let (line, tail) = rest.split_at(end);
        self.0 = tail.strip_prefix(b"\r\n").or_else(|| tail.get(1..));
        Some(line)
    }
}

fn has_binary_extension(path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    // A name that begins with its only dot has no extension.
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    !stem.is_empty() && BINARY_EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
}

fn begins_as_text(content: &[u8]) -> bool {
    let start = content.get(..SNIFFED_BYTES).unwrap_or(content);
    match std::str::from_utf8(start) {
        Ok(_) => true,
        // A character that is cut by the end of the examined bytes is valid; one that is cut by the end of the file
        // is not.
        Err(error) => error.error_len().is_none() && start.len() < content.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str, offset: u64, limit: u64) -> Result<Page, FailureReason> {
        let result = page("/f.txt", Bytes::copy_from_slice(content.as_bytes()), LineRange { offset, limit })?;
        Ok(result.page().cloned().expect("a text page"))
    }

    fn summary(page: &Page) -> (&str, u64, u64, Option<u64>, Option<u64>) {
        (&page.text, page.start_line, page.end_line, page.total_lines, page.next_offset)
    }

    #[test]
    fn pages() {
        let all = read("a\nb\nc\n", 0, 2000).expect("page");
        assert_eq!(summary(&all), ("a\nb\nc", 1, 3, Some(3), None));
        let middle = read("a\nb\nc\nd", 1, 2).expect("page");
        assert_eq!(summary(&middle), ("b\nc", 2, 3, Some(4), Some(3)));
        let last = read("a\nb\nc\nd", 3, 2).expect("page");
        assert_eq!(summary(&last), ("d", 4, 4, Some(4), None));
        let blank = read("\n\n\n", 0, 2).expect("page");
        assert_eq!(summary(&blank), ("\n", 1, 2, Some(3), Some(2)));
    }

    #[test]
    fn every_line_end_counts() {
        let page = read("a\r\nb\rc\n\r\nd\r", 0, 2000).expect("page");
        assert_eq!(summary(&page), ("a\nb\nc\n\nd", 1, 5, Some(5), None));
    }

    #[test]
    fn beyond_the_end() {
        assert_eq!(read("a\nb\n", 2, 1), Err(FailureReason::OffsetBeyondEnd { offset: 2, lines: 2 }));
        assert_eq!(read("a\nb\n", 9, 1), Err(FailureReason::OffsetBeyondEnd { offset: 9, lines: 2 }));
        let huge = read("a", u64::MAX, u64::MAX);
        assert_eq!(huge, Err(FailureReason::OffsetBeyondEnd { offset: u64::MAX, lines: 1 }));
    }

    #[test]
    fn a_page_is_cut_at_its_size_limit_and_reading_goes_on() {
        let line = "x".repeat(1000);
        let content = vec![line.as_str(); 600].join("\n");
        let first = read(&content, 0, 2000).expect("page");
        assert!(first.truncated);
        assert!(first.text.ends_with(Page::TRUNCATION_NOTICE));
        assert_eq!(first.text.len(), MAX_PAGE_BYTES);
        let next = first.next_offset.expect("more to read");
        assert_eq!(next, first.end_line);
        assert_eq!(next, 511, "511 whole lines of 1,001 bytes fit");
        let second = read(&content, next, 2000).expect("page");
        assert_eq!((second.start_line, second.end_line, second.next_offset), (512, 600, None));
    }

    #[test]
    fn one_line_too_long_for_a_page_is_passed() {
        let content = format!("{}\nshort", "é".repeat(300_000));
        let first = read(&content, 0, 10).expect("page");
        assert_eq!((first.truncated, first.end_line, first.next_offset), (true, 1, Some(1)));
        assert!(first.text.len() <= MAX_PAGE_BYTES);
        assert_eq!(read(&content, 1, 10).expect("page").text, "short");
    }

    #[test]
    fn kinds_of_content() {
        let of = |path: &str, content: &[u8], limit: u64| {
            page(path, Bytes::copy_from_slice(content), LineRange::new(0, limit)).map(|result| result.content)
        };
        assert_eq!(of("/a.png", b"", 0), Ok(ReadContent::Empty), "emptiness comes first");
        assert_eq!(of("/a.txt", b"a", 0), Ok(ReadContent::NoLines));
        assert!(matches!(of("/a.PNG", b"text", 9), Ok(ReadContent::Binary(_))));
        assert!(
            matches!(of("/.png", b"text", 9), Ok(ReadContent::Text(_))),
            "a hidden file, not an extension"
        );
        assert!(matches!(of("/a", &[0, 159, 146, 150], 9), Ok(ReadContent::Binary(_))));
        assert!(
            matches!(of("/a", b"ab\xc3", 9), Ok(ReadContent::Binary(_))),
            "a character cut by the end of file"
        );
        let big = vec![b'x'; MAX_BINARY_BYTES as usize + 1];
        assert_eq!(of("/a.pdf", &big, 9), Err(FailureReason::BinaryTooLarge { limit: MAX_BINARY_BYTES }));
    }

    #[test]
    fn a_character_across_the_sniffed_part_is_text() {
        let content = format!("{}世界", "x".repeat(SNIFFED_BYTES - 1));
        assert!(read(&content, 0, 1).is_ok());
    }
}
