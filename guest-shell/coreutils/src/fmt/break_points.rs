//! Chooses where a paragraph breaks into lines.
//!
//! The method is that of Knuth and Plass ("Breaking Paragraphs into Lines", Software: Practice and Experience 11,
//! 1981): each line has demerits, and the lines with the smallest sum of demerits are chosen. It works from the last
//! word to the first: the best lines for the words from some word on are one first line and the best lines for the
//! words after it. The difference in width between a line and the next is counted when the next line is already known.
//! So only the best continuation is considered for each pair of lines, as in GNU fmt.
//!
//! The demerits are measured, not copied: they were derived by linear programming from the breaks that GNU fmt 9.1
//! chose in thousands of random paragraphs (`docs/fmt-demerits.md`). The unit is a hundredth of a squared column.

use super::words::{Ending, Word};
use std::ops::Range;

/// For each line.
const LINE: i64 = 4_900;
/// For each squared column of difference between a line's width and the goal.
const OFF_GOAL: i64 = 100;
/// For each squared column of difference between the widths of a line and the next.
const UNEVEN: i64 = 50;
/// For a break after a sentence, which is the best place.
const AFTER_SENTENCE: i64 = -2_500;
/// For a break after an abbreviation, or a word that may be one.
const AFTER_ABBREVIATION: i64 = 360_000;
const AFTER_PUNCTUATION: i64 = -1_600;
const BEFORE_OPENING: i64 = -1_600;
/// For a break after the first word of a sentence. Longer words have less.
const AFTER_FIRST_WORD: i64 = 40_000;
/// For a break before the last word of a sentence. Longer words have less.
const BEFORE_LAST_WORD: i64 = 22_500;
/// What [`best_parting`] subtracts for each line above the place where it divides a paragraph.
const CREDIT_OF_LINE: i64 = 9;

/// The widths for measuring lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    /// Lines with several words must be narrower than this.
    pub(super) width: usize,
    pub(super) goal: usize,
    /// The columns before the first word of the first line and of the others.
    pub(super) first_indent: usize,
    pub(super) other_indent: usize,
    /// The width of the line before the first one, if it belongs to the same paragraph.
    pub(super) line_above: Option<usize>,
}

/// A line of a filled paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) words: Range<usize>,
    /// The width in columns, including the indentation.
    pub(super) width: usize,
    /// The demerits of this line alone.
    pub(super) demerits: i64,
}

/// The best lines for the words from some word on.
#[derive(Clone, Default)]
struct Choice {
    /// The sum for all these lines.
    demerits: i64,
    /// The index of the word after the first line.
    end: usize,
    /// The width of the first line.
    width: usize,
}

/// Chooses the lines for some words.
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
            // The width of the last line does not matter.
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

/// The divisor for demerits that depend on a word's length.
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

/// When a paragraph is too long to be filled as a whole, this is how many of its first lines to write now. The rest is
/// broken again, together with the following words. The line after this place should have few demerits and be far down.
pub(super) fn best_parting(lines: &[Line]) -> usize {
    let candidates = lines.iter().enumerate().skip(1);
    let best = candidates.min_by_key(|(above, line)| line.demerits - CREDIT_OF_LINE * *above as i64);
    best.map_or(lines.len(), |(above, _)| above)
}
