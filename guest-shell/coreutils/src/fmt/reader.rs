//! Reads lines and collects them into paragraphs.

use super::input_line::{Margin, Place};
use super::options::{Shape, Style};
use super::output;
use super::paragraph::{Indents, Paragraph, Room};
use sandshell_cli::input::Input;
use sandshell_cli::out;
use sandshell_sys as sys;

/// The indentation of further lines in a tagged paragraph that has only one line and begins at the margin.
const TAG_INDENT: usize = 3;

/// Formats a file.
pub(super) fn fill_paragraphs(style: &Style, input: &mut Input) -> sys::Result<()> {
    let mut reader = Reader {
        style,
        input,
        line: Vec::new(),
        has_newline: false,
        margin: Margin::of(b"", &style.prefix),
        at_end: false,
        failure: None,
        tabs: false,
        paragraph: Paragraph::default(),
    };
    reader.advance();
    while !reader.at_end && out::failure().is_none() {
        if reader.has_paragraph_text() {
            reader.paragraph();
        } else {
            reader.copy_line();
        }
    }
    reader.failure.map_or(Ok(()), Err)
}

struct Reader<'a> {
    style: &'a Style,
    input: &'a mut Input,
    /// The next line, without its newline.
    line: Vec<u8>,
    has_newline: bool,
    margin: Margin,
    /// Whether there are no more lines.
    at_end: bool,
    /// The error that ended reading. What was read before it is still formatted.
    failure: Option<sys::Errno>,
    /// Whether the input has had tabs so far. If so, the output has tabs too.
    tabs: bool,
    paragraph: Paragraph,
}

impl Reader<'_> {
    /// Reads the next line.
    fn advance(&mut self) {
        if self.failure.is_none()
            && let Err(e) = self.input.record(b'\n', &mut self.line)
        {
            self.failure = Some(e);
        } else if self.failure.is_some() {
            self.line.clear();
        }
        self.at_end = self.line.is_empty();
        self.has_newline = self.line.pop_if(|last| *last == b'\n').is_some();
        self.margin = Margin::of(&self.line, &self.style.prefix);
        self.tabs |= self.margin.has_tab;
    }

    fn has_paragraph_text(&self) -> bool {
        self.margin.offset < self.line.len() && self.margin.fits(&self.style.prefix)
    }

    fn copy_line(&mut self) {
        let (margin, prefix) = (self.margin, &self.style.prefix.text);
        output::copy(&self.line, &margin, prefix, self.tabs);
        // If the last line is only a margin, it gets a newline even if it had none.
        let is_margin =
            margin.offset == self.line.len() && margin.text >= margin.prefix + prefix.len().max(1);
        if self.has_newline || is_margin {
            out::put("\n");
        }
        self.advance();
    }

    fn paragraph(&mut self) {
        self.paragraph.indents.prefix = self.margin.prefix;
        self.paragraph.indents.first = self.margin.text;
        self.take_line();
        let second = self.continuation();
        self.indent_further_lines(second);
        let Indents { first, other, .. } = self.paragraph.indents;
        let mut goes_on = match self.style.shape {
            Shape::Block => second == Some(other),
            Shape::Crown => second.is_some(),
            Shape::Tagged => second.is_some_and(|column| column != first),
            Shape::Split => false,
        };
        while goes_on {
            self.take_line();
            goes_on = self.continuation() == Some(self.paragraph.indents.other);
        }
        self.paragraph.finish(self.style, self.tabs);
    }

    /// The column at which the text of the next line begins, if that line may belong to the paragraph.
    fn continuation(&self) -> Option<usize> {
        let may = self.has_paragraph_text() && self.margin.prefix == self.paragraph.indents.prefix;
        may.then_some(self.margin.text)
    }

    /// Sets the indentation of the lines after the first. `next` is the column at which the text of the next line
    /// begins.
    fn indent_further_lines(&mut self, next: Option<usize>) {
        let Indents { first, other, .. } = self.paragraph.indents;
        self.paragraph.indents.other = match (self.style.shape, next) {
            (Shape::Crown, Some(column)) => column,
            (Shape::Tagged, Some(column)) if column != first => column,
            // The indentation is that of the previous paragraph, if it differs from that of the first line.
            (Shape::Tagged, _) if other != first => other,
            (Shape::Tagged, _) if first == 0 => TAG_INDENT,
            (Shape::Tagged, _) => 0,
            _ => first,
        };
    }

    /// Adds the words of the next line to the paragraph.
    fn take_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let mut place = Place::after(&self.margin, &line);
        while let Some(word) = place.next_word() {
            let kept = self.add_text(word, place.column);
            place.column += kept;
            let blanks = place.blanks();
            self.tabs |= place.passed_tab;
            if self.paragraph.has_all_words_it_can() {
                self.make_room(place.column);
            }
            self.paragraph.end_word(kept, blanks, self.style.uniform);
        }
        self.line = line;
        self.advance();
    }

    /// Adds a word's bytes to the paragraph. Returns how many of them are still in it afterwards.
    fn add_text(&mut self, word: &[u8], column: usize) -> usize {
        let mut rest = word;
        let mut kept = 0;
        loop {
            let (fits, more) = rest.split_at(rest.len().min(self.paragraph.room()));
            self.paragraph.add_text(fits);
            kept += fits.len();
            if more.is_empty() {
                return kept;
            }
            if self.make_room(column) == Room::OfUnfinishedWord {
                kept = 0;
            }
            rest = more;
        }
    }

    /// Writes a part of the paragraph. Its indentation is the one for a next line that begins at `column`.
    fn make_room(&mut self, column: usize) -> Room {
        self.indent_further_lines(Some(column));
        self.paragraph.make_room(self.style, self.tabs)
    }
}
