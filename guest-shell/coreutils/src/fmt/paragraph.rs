//! A paragraph being collected: its words, and the indentation of its lines.

use super::break_points::{self, Line, Measure};
use super::options::Style;
use super::output;
use super::words::{Ending, Word};
use sandshell_cli::out;

/// A paragraph with more words or bytes than this is filled in parts, to limit memory.
const MOST_WORDS: usize = 998;
const MOST_BYTES: usize = 5000;

#[derive(Debug, Default)]
pub(super) struct Paragraph {
    /// The words, without the blanks between them.
    text: Vec<u8>,
    words: Vec<Word>,
    pub(super) indents: Indents,
    /// The width of its last line that was written.
    written: Option<usize>,
}

/// What was written to make room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Room {
    Lines,
    /// The beginning of an unfinished word that is longer than any paragraph may be.
    OfUnfinishedWord,
}

/// The columns before the words of a paragraph's lines.
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

    /// Appends bytes. There must be room for them.
    pub(super) fn add_text(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// Makes the last `length` bytes a word. `blanks` is the number of blanks after it on its line.
    pub(super) fn end_word(&mut self, length: usize, blanks: Option<usize>, uniform: bool) {
        let span = self.text.len() - length..self.text.len();
        self.words.push(Word::new(&self.text, span, blanks, uniform));
    }

    /// Writes the whole paragraph and empties it.
    pub(super) fn finish(&mut self, style: &Style, tabs: bool) {
        // The end of a paragraph is the end of a sentence.
        if let Some(last) = self.words.last_mut() {
            last.ending = Ending::Sentence;
        }
        let lines = self.lines(style);
        self.write(&lines, style, tabs);
        self.text.clear();
        self.words.clear();
        self.written = None;
    }

    /// Writes the first lines to make room. An unfinished word stays at the end of the text.
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
