//! What is searched for.

use super::{Less, Place, plain};
use sandshell_regex::{Flags, Regex, Syntax};
use sandshell_sys::{self as sys, signal};
use std::ops::Range;

/// How many places of a line are shown in reverse.
const PLACES: usize = 1000;

/// A pattern.
pub(super) struct Search {
    regex: Regex,
    pub(super) backwards: bool,
    /// Lines without the pattern are searched.
    inverted: bool,
}

impl Search {
    /// `text` may begin with `!`: lines that do not match.
    pub(super) fn new(text: &[u8], backwards: bool, ignore_case: Option<bool>) -> Result<Search, String> {
        let (inverted, pattern) = match text.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let has_capitals = || pattern.iter().any(u8::is_ascii_uppercase);
        let icase = match ignore_case {
            None => false,
            Some(always) => always || !has_capitals(),
        };
        let flags = Flags { icase, ..Flags::default() };
        let regex = Regex::new(pattern, Syntax::POSIX_EXTENDED, flags);
        let regex = regex.map_err(|_| "Invalid pattern".to_owned())?;
        Ok(Search { regex, backwards, inverted })
    }

    fn is_in(&self, line: &[u8]) -> bool {
        self.regex.is_match(line) != self.inverted
    }

    /// Where the pattern is in a line.
    pub(super) fn places(&self, line: &[u8]) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        let mut at = 0;
        while !self.inverted
            && places.len() < PLACES
            && let Some((from, to)) = self.regex.find_at(line, at, at > 0)
        {
            places.push(from..to);
            at = if to > from { to } else { to + 1 };
            if at > line.len() {
                break;
            }
        }
        places
    }
}

impl Less {
    /// Goes to the `count`th line with the pattern, after the first line that is shown or before it.
    pub(super) fn find(&mut self, count: usize, against: bool, from_top: bool) {
        let Some(search) = self.search.take() else {
            self.message = Some("No previous regular expression".to_owned());
            return;
        };
        let backwards = search.backwards != against;
        let mut line = self.top.line;
        let mut left = count.max(1);
        let mut first = from_top;
        let found = loop {
            if !std::mem::take(&mut first) {
                match (backwards, line.checked_sub(1)) {
                    (false, _) => line += 1,
                    (true, Some(before)) => line = before,
                    (true, None) => break None,
                }
            }
            // Ctrl-C ends a long search.
            if line.is_multiple_of(4096) && sys::sigtake() == Some(signal::SIGINT) {
                break None;
            }
            let options = self.options.clone();
            let Some(text) = self.text.line(line) else { break None };
            if search.is_in(&plain(text, &options)) {
                left -= 1;
                if left == 0 {
                    break Some(line);
                }
            }
        };
        self.search = Some(search);
        match found {
            Some(line) => self.jump(Place { line, row: 0 }),
            None => self.message = Some("Pattern not found".to_owned()),
        }
    }

    /// Goes somewhere, and remembers where this began.
    pub(super) fn jump(&mut self, place: Place) {
        self.marks.insert(b'\'', self.top);
        self.top = place;
    }
}
