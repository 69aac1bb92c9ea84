//! Searches bytes for literal text.

use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::{FailureReason, GrepMatch};

/// Literal text to look for, prepared for many files.
#[derive(Debug)]
pub struct Needle {
    /// The alternatives. An empty one matches every line.
    lines: Vec<memmem::Finder<'static>>,
    empty: bool,
}

impl Needle {
    /// Prepares `pattern`, whose lines are alternatives. A newline at its end adds no alternative.
    ///
    /// # Errors
    ///
    /// `InvalidPattern` for a pattern with NUL: files with NUL are not searched.
    pub fn new(pattern: &str) -> Result<Self, FailureReason> {
        if pattern.contains('\0') {
            return Err(FailureReason::InvalidPattern);
        }
        let alternatives = pattern.strip_suffix('\n').unwrap_or(pattern).split('\n');
        let (empty, lines): (Vec<&str>, Vec<&str>) = alternatives.partition(|line| line.is_empty());
        let lines = lines.into_iter().map(|line| memmem::Finder::new(line).into_owned()).collect();
        Ok(Self { lines, empty: !empty.is_empty() })
    }

    /// Whether any line of this content matches. The content must not have a NUL byte.
    pub fn occurs(&self, content: &[u8]) -> bool {
        !content.is_empty() && self.find(content, 0).is_some()
    }

    /// Appends the matching lines of a file to `matches`, until it holds `limit` entries. Files with a NUL byte
    /// have no matches.
    pub fn search(&self, path: &str, content: &[u8], limit: usize, matches: &mut Vec<GrepMatch>) {
        if matches.len() >= limit || memchr(0, content).is_some() {
            return;
        }
        let mut line = 1;
        let mut start = 0;
        while start < content.len() && matches.len() < limit {
            let Some(hit) = self.find(content, start) else { return };
            let before = content.get(start..hit).unwrap_or_default();
            line += memchr_iter(b'\n', before).count() as u64;
            let line_start = memrchr(b'\n', before).map_or(start, |newline| start + newline + 1);
            let after = content.get(hit..).unwrap_or_default();
            let line_end = memchr(b'\n', after).map_or(content.len(), |newline| hit + newline);
            let text = content.get(line_start..line_end).unwrap_or_default();
            matches.push(GrepMatch {
                path: path.to_owned(),
                line,
                text: String::from_utf8_lossy(text).into_owned(),
            });
            line += 1;
            start = line_end + 1;
        }
    }

    fn find(&self, content: &[u8], start: usize) -> Option<usize> {
        if self.empty {
            return Some(start);
        }
        let rest = content.get(start..)?;
        self.lines.iter().filter_map(|finder| finder.find(rest)).min().map(|at| start + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(pattern: &str, content: &[u8]) -> Vec<(u64, String)> {
        let mut matches = Vec::new();
        Needle::new(pattern).expect("valid").search("/f", content, usize::MAX, &mut matches);
        matches.into_iter().map(|found| (found.line, found.text)).collect()
    }

    fn lines(expected: &[(u64, &str)]) -> Vec<(u64, String)> {
        expected.iter().map(|(line, text)| (*line, (*text).to_owned())).collect()
    }

    #[test]
    fn lines_are_found_once_each_with_their_numbers() {
        assert_eq!(search("a", b"aa\nb\ncac\na"), lines(&[(1, "aa"), (3, "cac"), (4, "a")]));
        assert_eq!(search("x", b"\n\n\nx\n"), lines(&[(4, "x")]));
        assert_eq!(search("x", b""), lines(&[]));
    }

    #[test]
    fn the_pattern_is_literal() {
        assert_eq!(search("a.c", b"abc\na.c\n"), lines(&[(2, "a.c")]));
        assert_eq!(search("Hello", b"hello\nHello\n"), lines(&[(2, "Hello")]));
    }

    #[test]
    fn lines_of_the_pattern_are_alternatives() {
        assert_eq!(search("b\na", b"a\nx\nb\n"), lines(&[(1, "a"), (3, "b")]));
        assert_eq!(search("b\n", b"a\nb\n"), lines(&[(2, "b")]));
        assert_eq!(search("", b"a\n\nb"), lines(&[(1, "a"), (2, ""), (3, "b")]));
    }

    #[test]
    fn carriage_returns_stay_and_binary_files_have_no_lines() {
        assert_eq!(search("a", b"a\r\n"), lines(&[(1, "a\r")]));
        assert_eq!(search("a", b"a\0\n"), lines(&[]));
        assert_eq!(search("a", b"a\xff\n"), lines(&[(1, "a\u{fffd}")]));
    }

    #[test]
    fn the_limit_counts_over_files() {
        let needle = Needle::new("a").expect("valid");
        let mut matches = Vec::new();
        needle.search("/1", b"a\na\n", 3, &mut matches);
        needle.search("/2", b"a\na\n", 3, &mut matches);
        assert_eq!(matches.len(), 3);
        assert_eq!(matches.last().map(|found| (found.path.as_str(), found.line)), Some(("/2", 1)));
    }
}
