//! Words, and what they tell about breaks between them.

use std::ops::Range;

// A NUL byte counts as any of these.
const OPENING: &[u8] = b"\"'([`\0";
const CLOSING: &[u8] = b"\"')]\0";
const SENTENCE_END: &[u8] = b".?!\0";

/// A word of a paragraph. Words are runs of bytes between blanks.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// The position of the word in the paragraph's text.
    pub(super) span: Range<usize>,
    /// The number of blanks after it, if its line continues.
    pub(super) gap: usize,
    /// Whether it begins with an opening parenthesis or quote.
    pub(super) opens: bool,
    pub(super) ending: Ending,
}

/// How a word ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    Plain,
    Punctuation,
    /// It ends like a sentence, but the next word follows too closely: it is probably an abbreviation.
    Abbreviation,
    /// It ends a sentence.
    Sentence,
}

impl Word {
    /// The word at `span`. `blanks` is the number of columns to the next word, or `None` at the end of an input line.
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

/// A sentence ends with a full stop, a question mark or an exclamation mark, which closing quotes and parentheses may
/// follow.
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
