//! Where a paragraph breaks into lines.
//!
//! The method is that of Knuth and Plass ("Breaking Paragraphs into Lines", Software: Practice and Experience 11,
//! 1981): each line has demerits, and the lines are chosen whose demerits add up to least. It works from the last word
//! to the first: the best lines for the words from here on are one first line and the best lines for the words after
//! it. How uneven a line is to the next is counted when the next is known already, so that a pair of lines is weighed
//! only with the best continuation, as the utility does that is measured here.
//!
//! The demerits are measured, not copied: they are those of GNU fmt 9.1, got by linear programming from what it chose
//! in thousands of random paragraphs (`docs/fmt-demerits.md`). The unit is a hundredth of a squared column.

use super::words::{Ending, Word};
use std::ops::Range;

/// For every line.
const LINE: i64 = 4_900;
/// For a squared column that a line is away from the goal.
const OFF_GOAL: i64 = 100;
/// For a squared column that a line is longer or shorter than the next.
const UNEVEN: i64 = 50;
/// After a sentence is the best place.
const AFTER_SENTENCE: i64 = -2_500;
/// After an abbreviation, or what may be one.
const AFTER_ABBREVIATION: i64 = 360_000;
const AFTER_PUNCTUATION: i64 = -1_600;
const BEFORE_OPENING: i64 = -1_600;
/// After the first word of a sentence: less for long words.
const AFTER_FIRST_WORD: i64 = 40_000;
/// Before the last word of a sentence: less for long words.
const BEFORE_LAST_WORD: i64 = 22_500;
/// For each line that is let go earlier than needed, in [`best_parting`].
const CREDIT_OF_LINE: i64 = 9;

/// The widths that lines are measured by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    /// Lines of several words are narrower than this.
    pub(super) width: usize,
    pub(super) goal: usize,
    /// The columns before the first word of the first line and of the others.
    pub(super) first_indent: usize,
    pub(super) other_indent: usize,
    /// The width of the line above the first, if it belongs to the same paragraph.
    pub(super) line_above: Option<usize>,
}

/// A line of a filled paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) words: Range<usize>,
    /// In columns, with the indentation.
    pub(super) width: usize,
    /// Its own.
    pub(super) demerits: i64,
}

/// The best lines for the words from some word on.
#[derive(Clone, Default)]
struct Choice {
    /// Of all these lines.
    demerits: i64,
    /// The word after the first line.
    end: usize,
    /// The width of the first line.
    width: usize,
}

/// Breaks words into lines.
pub(super) fn choose(words: &[Word], measure: &Measure) -> Vec<Line> {
    let mut choices = vec![Choice::default(); words.len() + 1];
    for start in (0..words.len()).rev() {
        choices[start] = best_choice(words, start, measure, &choices);
    }
    let mut lines = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let Choice { demerits, end, width } = choices[start];
        lines.push(Line { words: start..end, width, demerits: demerits - choices[end].demerits });
        start = end;
    }
    lines
}

fn best_choice(words: &[Word], start: usize, measure: &Measure, later: &[Choice]) -> Choice {
    let (mut width, above) = match start {
        0 => (measure.first_indent, measure.line_above),
        _ => (measure.other_indent, None),
    };
    let mut best: Option<Choice> = None;
    for end in start + 1..=words.len() {
        width += words[end - 1].length();
        if end > start + 1 {
            width += words[end - 2].gap;
            if width >= measure.width {
                break;
            }
        }
        let below = (end < words.len()).then(|| &later[end]);
        let mut demerits = above.map_or(0, |above| unevenness(width, above));
        if let Some(below) = below {
            demerits += OFF_GOAL * squared(width, measure.goal) + below.demerits;
            // The last line may be as short as it likes.
            if below.end < words.len() {
                demerits += unevenness(width, below.width);
            }
        }
        if best.as_ref().is_none_or(|best| demerits < best.demerits) {
            best = Some(Choice { demerits, end, width });
        }
    }
    let mut best = best.unwrap_or_default();
    best.demerits += LINE + demerits_of_break(words, start);
    best
}

/// The demerits of a break before the word at `start`.
fn demerits_of_break(words: &[Word], start: usize) -> i64 {
    let Some(before) = start.checked_sub(1) else { return demerits_before(&words[start]) };
    let begins_sentence = before > 0 && words[before - 1].ends_sentence();
    let after = match words[before].ending {
        Ending::Sentence => AFTER_SENTENCE,
        Ending::Abbreviation => AFTER_ABBREVIATION,
        Ending::Punctuation => AFTER_PUNCTUATION,
        Ending::Plain if begins_sentence => AFTER_FIRST_WORD / shortness(&words[before]),
        Ending::Plain => 0,
    };
    after + demerits_before(&words[start])
}

fn demerits_before(word: &Word) -> i64 {
    if word.opens {
        BEFORE_OPENING
    } else if word.ends_sentence() {
        BEFORE_LAST_WORD / shortness(word)
    } else {
        0
    }
}

/// What demerits of single words are divided by.
fn shortness(word: &Word) -> i64 {
    word.length() as i64 + 2
}

fn unevenness(one: usize, other: usize) -> i64 {
    UNEVEN * squared(one, other)
}

fn squared(one: usize, other: usize) -> i64 {
    let apart = one.abs_diff(other) as i64;
    apart * apart
}

/// How many of a paragraph's first lines are best written already when the paragraph is too long to be filled as a
/// whole: what follows is broken again, together with the words to come. The line below this place should be a good
/// one, and far down.
pub(super) fn best_parting(lines: &[Line]) -> usize {
    let candidates = lines.iter().enumerate().skip(1);
    let best = candidates.min_by_key(|(above, line)| line.demerits - CREDIT_OF_LINE * *above as i64);
    best.map_or(lines.len(), |(above, _)| above)
}
