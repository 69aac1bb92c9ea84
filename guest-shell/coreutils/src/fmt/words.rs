//! Words, and what they tell about the places between them.

use std::ops::Range;

// A NUL byte passes for any of these.
const OPENING: &[u8] = b"\"'([`\0";
const CLOSING: &[u8] = b"\"')]\0";
const SENTENCE_END: &[u8] = b".?!\0";

/// A word of a paragraph. Words are runs of bytes between blanks.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// Where it lies in the paragraph's text.
    pub(super) span: Range<usize>,
    /// Columns of blanks after it, on a line that goes on.
    pub(super) gap: usize,
    /// Its first byte opens a parenthesis or a quotation.
    pub(super) opens: bool,
    pub(super) ending: Ending,
}

/// How a word ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    Plain,
    Punctuation,
    /// As a sentence does, but the next word follows too closely: an abbreviation, most likely.
    Abbreviation,
    /// The sentence is over.
    Sentence,
}

impl Word {
    /// The word at `span`. `blanks` are the columns to the next word, none at the end of an input line.
    pub(super) fn new(text: &[u8], span: Range<usize>, blanks: Option<usize>, uniform: bool) -> Self {
        let bytes = &text[span.clone()];
        let ending = ending(bytes, blanks.is_none_or(|columns| columns > 1));
        let between = if ending == Ending::Sentence { 2 } else { 1 };
        let gap = match blanks {
            Some(columns) if !uniform => columns,
            _ => between,
        };
        Self { span, gap, opens: bytes.first().is_some_and(|b| OPENING.contains(b)), ending }
    }

    pub(super) fn length(&self) -> usize {
        self.span.len()
    }

    pub(super) fn ends_sentence(&self) -> bool {
        self.ending == Ending::Sentence
    }
}

/// A sentence ends with a full stop, a question mark or an exclamation mark, closing quotes and parentheses aside.
fn ending(word: &[u8], is_well_apart: bool) -> Ending {
    let unclosed = word.iter().rposition(|b| !CLOSING.contains(b)).unwrap_or(0);
    if word.get(unclosed).is_some_and(|b| SENTENCE_END.contains(b)) {
        if is_well_apart { Ending::Sentence } else { Ending::Abbreviation }
    } else if word.last().is_some_and(u8::is_ascii_punctuation) {
        Ending::Punctuation
    } else {
        Ending::Plain
    }
}
