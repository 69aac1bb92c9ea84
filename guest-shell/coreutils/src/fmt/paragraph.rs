//! A paragraph as it is gathered: its words, and the indentation of its lines.

use super::break_points::{self, Line, Measure};
use super::options::Style;
use super::output;
use super::words::{Ending, Word};
use sandshell_cli::out;

/// A paragraph is filled in parts when it gets this long, in words or in bytes: memory has its limits.
const MOST_WORDS: usize = 998;
const MOST_BYTES: usize = 5000;

#[derive(Debug, Default)]
pub(super) struct Paragraph {
    /// The words, without what is between them.
    text: Vec<u8>,
    words: Vec<Word>,
    pub(super) indents: Indents,
    /// The width of the last line written of it.
    written: Option<usize>,
}

/// What room was made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Room {
    Lines,
    /// The word at the end, as far as it was read, is longer than any paragraph may be.
    OfUnfinishedWord,
}

/// Columns before the words of a paragraph's lines.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Indents {
    /// Before the prefix.
    pub(super) prefix: usize,
    pub(super) first: usize,
    pub(super) other: usize,
}

impl Paragraph {
    pub(super) fn has_all_words_it_can(&self) -> bool {
        self.words.len() >= MOST_WORDS
    }

    /// How many bytes still fit.
    pub(super) fn room(&self) -> usize {
        MOST_BYTES - self.text.len()
    }

    /// Adds bytes, of which there is room for all.
    pub(super) fn add_text(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// Makes a word of the last bytes. `blanks` come after it on its line.
    pub(super) fn end_word(&mut self, length: usize, blanks: Option<usize>, uniform: bool) {
        let span = self.text.len() - length..self.text.len();
        self.words.push(Word::new(&self.text, span, blanks, uniform));
    }

    /// Writes all of it. It is empty then.
    pub(super) fn finish(&mut self, style: &Style, tabs: bool) {
        // Where a paragraph ends, a sentence does.
        if let Some(last) = self.words.last_mut() {
            last.ending = Ending::Sentence;
        }
        let lines = self.lines(style);
        self.write(&lines, style, tabs);
        self.text.clear();
        self.words.clear();
        self.written = None;
    }

    /// Writes the lines that may go, to make room. What is not yet a word stays at the text's end.
    pub(super) fn make_room(&mut self, style: &Style, tabs: bool) -> Room {
        let lines = self.lines(style);
        let (gone, _) = lines.split_at(break_points::best_parting(&lines));
        self.write(gone, style, tabs);
        let Some(last) = gone.last() else {
            out::put(std::mem::take(&mut self.text));
            return Room::OfUnfinishedWord;
        };
        self.written = Some(last.width);
        let bytes = self.words[last.words.end - 1].span.end;
        self.words.drain(..last.words.end);
        self.text.drain(..bytes);
        for word in &mut self.words {
            word.span = word.span.start - bytes..word.span.end - bytes;
        }
        Room::Lines
    }

    fn lines(&self, style: &Style) -> Vec<Line> {
        let measure = Measure {
            width: style.width,
            goal: style.goal,
            first_indent: self.indents.first,
            other_indent: self.indents.other,
            line_above: self.written,
        };
        break_points::choose(&self.words, &measure)
    }

    fn write(&self, lines: &[Line], style: &Style, tabs: bool) {
        for (i, line) in lines.iter().enumerate() {
            let indent = if i == 0 { self.indents.first } else { self.indents.other };
            let margin = output::Indent { prefix: self.indents.prefix, text: indent };
            output::line(&self.text, &self.words[line.words.clone()], margin, &style.prefix.text, tabs);
        }
    }
}
