//! Searches bytes for literal text.

use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::{FailureReason, GrepMatch, GrepResult};

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

    /// Adds the matching lines of a file, until no more are wanted. Files with a NUL byte have no matches.
    pub fn search(&self, path: &str, content: &[u8], matches: &mut Matches) {
        if matches.more || memchr(0, content).is_some() {
            return;
        }
        let mut line = 1;
        let mut start = 0;
        let mut hits = Hits { needle: self, content, next: vec![Some(0); self.lines.len()], unknown: true };
        while start < content.len() && !matches.more {
            let Some(hit) = hits.first(start) else { return };
            let before = content.get(start..hit).unwrap_or_default();
            line += memchr_iter(b'\n', before).count() as u64;
            let line_start = memrchr(b'\n', before).map_or(start, |newline| start + newline + 1);
            let after = content.get(hit..).unwrap_or_default();
            let line_end = memchr(b'\n', after).map_or(content.len(), |newline| hit + newline);
            matches.add(path, line, content.get(line_start..line_end).unwrap_or_default());
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

/// Where each alternative occurs next. One that is far away, or nowhere, is not looked for again at each line.
struct Hits<'a> {
    needle: &'a Needle,
    content: &'a [u8],
    next: Vec<Option<usize>>,
    /// Nothing was looked for yet.
    unknown: bool,
}

impl Hits<'_> {
    /// The first occurrence of any alternative from here on.
    fn first(&mut self, start: usize) -> Option<usize> {
        if self.needle.empty {
            return Some(start);
        }
        let rest = self.content.get(start..)?;
        for (finder, next) in self.needle.lines.iter().zip(&mut self.next) {
            if self.unknown || next.is_some_and(|at| at < start) {
                *next = finder.find(rest).map(|at| start + at);
            }
        }
        self.unknown = false;
        self.next.iter().flatten().min().copied()
    }
}

/// The matches of a search, up to as many as are wanted and [`GrepResult::MAX_BYTES`].
#[derive(Debug)]
pub struct Matches {
    found: Vec<GrepMatch>,
    wanted: usize,
    room: usize,
    /// There is one that is not among those that were found.
    more: bool,
}

impl Matches {
    /// For a request's `max_count`.
    pub fn up_to(max_count: Option<u64>) -> Self {
        let wanted = max_count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
        Self { found: Vec::new(), wanted, room: GrepResult::MAX_BYTES, more: false }
    }

    /// Whether it is known that there are more than are wanted.
    pub fn are_enough(&self) -> bool {
        self.more
    }

    /// The answer.
    pub fn result(self) -> GrepResult {
        GrepResult { matches: self.found, truncated: self.more }
    }

    fn add(&mut self, path: &str, line: u64, text: &[u8]) {
        // Bytes that are no text take up to three times as much.
        let size = size_of::<GrepMatch>() + path.len() + text.len().saturating_mul(3);
        if self.found.len() == self.wanted || size > self.room {
            self.more = true;
            return;
        }
        let found =
            GrepMatch { path: path.to_owned(), line, text: String::from_utf8_lossy(text).into_owned() };
        self.room -= size_of::<GrepMatch>() + found.path.len() + found.text.len();
        self.found.push(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(pattern: &str, content: &[u8]) -> Vec<(u64, String)> {
        let mut matches = Matches::up_to(None);
        Needle::new(pattern).expect("valid").search("/f", content, &mut matches);
        matches.result().matches.into_iter().map(|found| (found.line, found.text)).collect()
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
        for (wanted, truncated) in [(3, true), (4, false)] {
            let mut matches = Matches::up_to(Some(wanted));
            needle.search("/1", b"a\na\n", &mut matches);
            needle.search("/2", b"a\na\n", &mut matches);
            assert_eq!(matches.are_enough(), truncated);
            let GrepResult { matches, truncated: more } = matches.result();
            assert_eq!((matches.len() as u64, more), (wanted, truncated));
            assert_eq!(matches.get(2).map(|found| (found.path.as_str(), found.line)), Some(("/2", 1)));
        }
    }

    /// A file of short lines has matches that take far more memory than the file.
    #[test]
    fn all_matches_together_have_a_limit() {
        let lines = GrepResult::MAX_BYTES / size_of::<GrepMatch>();
        let mut matches = Matches::up_to(None);
        Needle::new("a").expect("valid").search("/f", "a\n".repeat(lines).as_bytes(), &mut matches);
        assert!(matches.are_enough());
        let result = matches.result();
        assert!(result.truncated && result.matches.len() > lines / 2 && result.matches.len() < lines);
    }

    /// A search for each alternative at each line would take hours.
    #[test]
    fn an_alternative_that_is_nowhere_is_looked_for_once() {
        let content = "a\n".repeat(1 << 19);
        let found = search(&"a\nnowhere\nx".repeat(10), content.as_bytes());
        assert_eq!(found.len(), 1 << 19);
        assert_eq!(search("b\na", b"a\nb\nx\nab\n").len(), 3);
    }
}
