//! A line of input: where its margin ends, and its words.

use super::options::Prefix;

const TAB: usize = 8;

/// What precedes the first word of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Margin {
    /// The column of the prefix.
    pub(super) prefix: usize,
    /// The column of the first word.
    pub(super) text: usize,
    /// The offset of the first word.
    pub(super) offset: usize,
    pub(super) has_tab: bool,
}

impl Margin {
    /// The margin of a line without its newline.
    pub(super) fn of(line: &[u8], prefix: &Prefix) -> Self {
        let mut place = Place { line, offset: 0, column: 0, passed_tab: false };
        place.pass_blanks();
        let mut at = place.column;
        if prefix.text.is_empty() {
            at = at.min(prefix.blanks_before);
        } else {
            let common = line[place.offset..].iter().zip(&prefix.text).take_while(|(a, b)| a == b).count();
            place.offset += common;
            place.column += common;
            if common == prefix.text.len() {
                place.pass_blanks();
            }
        }
        Self { prefix: at, text: place.column, offset: place.offset, has_tab: place.passed_tab }
    }

    /// Whether the line has the complete prefix.
    pub(super) fn fits(&self, prefix: &Prefix) -> bool {
        self.prefix >= prefix.blanks_before && self.text >= self.prefix + prefix.columns
    }
}

/// A position in a line.
#[derive(Debug)]
pub(super) struct Place<'a> {
    line: &'a [u8],
    offset: usize,
    pub(super) column: usize,
    /// Whether there was a tab before it.
    pub(super) passed_tab: bool,
}

impl<'a> Place<'a> {
    /// The position after the margin.
    pub(super) fn after(margin: &Margin, line: &'a [u8]) -> Self {
        Self { line, offset: margin.offset, column: margin.text, passed_tab: false }
    }

    /// Returns the next word and moves to its end.
    pub(super) fn next_word(&mut self) -> Option<&'a [u8]> {
        let rest = &self.line[self.offset..];
        // White space other than blanks does not separate columns. It begins a new word.
        let after_first = rest.iter().skip(1).position(|b| is_white(*b));
        let length = after_first.map_or(rest.len(), |n| n + 1);
        self.offset += length;
        (length > 0).then(|| &rest[..length])
    }

    /// Skips blanks. Returns their number of columns, or `None` if they are at the end of the line.
    pub(super) fn blanks(&mut self) -> Option<usize> {
        let from = self.column;
        self.pass_blanks();
        (self.offset < self.line.len()).then(|| self.column - from)
    }

    fn pass_blanks(&mut self) {
        for byte in &self.line[self.offset..] {
            match byte {
                b' ' => self.column += 1,
                b'\t' => {
                    self.column = (self.column / TAB + 1) * TAB;
                    self.passed_tab = true;
                }
                _ => break,
            }
            self.offset += 1;
        }
    }
}

fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Appends blanks from one column to another. Tabs are only used for more than one column.
pub(super) fn push_blanks(text: &mut Vec<u8>, from: usize, to: usize, tabs: bool) {
    let last_stop = to / TAB * TAB;
    let mut column = from;
    if tabs && last_stop > from + 1 {
        let stops = last_stop / TAB - from / TAB;
        text.resize(text.len() + stops, b'\t');
        column = last_stop;
    }
    text.resize(text.len() + to.saturating_sub(column), b' ');
}
