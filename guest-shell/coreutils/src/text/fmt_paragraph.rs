//! A paragraph of `fmt`: its words, where its lines break, and their printing. The costs are GNU's.

use crate::base::out;
use crate::text::fmt::pad;

/// Bytes and words that a paragraph holds; of longer ones the beginning is printed on the way.
const TEXT: usize = 5000;
const WORDS: usize = 1000 - 2;

const LINE_COST: i64 = 70 * 70;
const SENTENCE_BONUS: i64 = 50 * 50;
const NO_BREAK_COST: i64 = 600 * 600;
const PAREN_BONUS: i64 = 40 * 40;
const PUNCT_BONUS: i64 = 40 * 40;
const LINE_CREDIT: i64 = 3 * 3;

/// Columns of the prefix, of the first line, and of the others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Indents {
    pub(crate) prefix: usize,
    pub(crate) first: usize,
    pub(crate) other: usize,
}

#[derive(Clone, Debug, Default)]
struct Word {
    text: Vec<u8>,
    /// Columns behind it.
    space: usize,
    /// It begins with an opening bracket.
    paren: bool,
    /// It ends a sentence, as far as it shows.
    period: bool,
    punct: bool,
    /// It ends a sentence.
    last: bool,
    /// Of the best line that begins here: its length, where the next begins, the cost from here on.
    line_length: usize,
    next_break: usize,
    best_cost: i64,
}

/// Words and how lines are made of them.
pub(crate) struct Paragraph {
    max_width: usize,
    goal_width: usize,
    prefix: Vec<u8>,
    words: Vec<Word>,
    /// The word being read.
    current: Word,
    bytes: usize,
    last_line_length: usize,
}

impl Paragraph {
    pub(crate) fn new(max_width: usize, goal_width: usize, prefix: Vec<u8>) -> Self {
        let current = Word::default();
        Self { max_width, goal_width, prefix, words: Vec::new(), current, bytes: 0, last_line_length: 0 }
    }

    /// Begins another paragraph.
    pub(crate) fn begin(&mut self) {
        self.words.clear();
        self.bytes = 0;
        self.last_line_length = 0;
    }

    pub(crate) fn begin_word(&mut self) {
        self.current = Word::default();
    }

    pub(crate) fn push(&mut self, byte: u8) {
        self.current.text.push(byte);
        self.bytes += 1;
    }

    /// Completes the word: the columns of `space` behind it, and whether the file or the line ends there.
    pub(crate) fn end_word(&mut self, space: usize, file_ends: bool, line_ends: bool, uniform: bool) {
        let word = &mut self.current;
        let first = word.text.first().copied().unwrap_or_default();
        let last = word.text.last().copied().unwrap_or_default();
        word.paren = b"(['`\"\0".contains(&first);
        word.punct = last.is_ascii_punctuation();
        let close = word.text.iter().skip(1).rev().take_while(|b| b")]'\"\0".contains(b)).count();
        let end = word.text.get((word.text.len() - close).saturating_sub(1)).copied().unwrap_or_default();
        word.period = b".?!\0".contains(&end);
        word.last = file_ends || word.period && (line_ends || space > 1);
        word.space = if !line_ends && !uniform {
            space
        } else if word.last {
            2
        } else {
            1
        };
    }

    pub(crate) fn keep_word(&mut self) {
        self.words.push(std::mem::take(&mut self.current));
    }

    pub(crate) fn text_is_full(&self) -> bool {
        self.bytes == TEXT
    }

    pub(crate) fn words_are_full(&self) -> bool {
        self.words.len() == WORDS
    }

    /// Prints the whole paragraph.
    pub(crate) fn finish(&mut self, indents: Indents, tabs: bool) {
        if let Some(last) = self.words.last_mut() {
            last.period = true;
            last.last = true;
            self.choose_breaks(indents);
            self.print(self.words.len(), indents, tabs);
        }
    }

    /// Prints what is best printed of a paragraph that is too long; whether the word being read was, too.
    pub(crate) fn flush(&mut self, indents: Indents, tabs: bool) -> bool {
        if self.words.is_empty() {
            out::put(&self.current.text);
            self.current.text.clear();
            self.bytes = 0;
            return true;
        }
        self.choose_breaks(indents);
        let count = self.words.len();
        let (mut split, mut best) = (count, i64::MAX);
        let mut at = self.words[0].next_break;
        while at < count {
            let next = self.words[at].next_break;
            let cost = self.words[at].best_cost - self.words.get(next).map_or(0, |w| w.best_cost);
            if cost < best {
                (split, best) = (at, cost);
            }
            if best <= i64::MAX - LINE_CREDIT {
                best += LINE_CREDIT;
            }
            at = next;
        }
        self.print(split, indents, tabs);
        self.words.drain(..split);
        self.bytes = self.words.iter().map(|w| w.text.len()).sum::<usize>() + self.current.text.len();
        false
    }

    /// Finds, from the last word to the first, the best line that begins with each.
    fn choose_breaks(&mut self, indents: Indents) {
        let count = self.words.len();
        for start in (0..count).rev() {
            let mut best = i64::MAX;
            let mut length = if start == 0 { indents.first } else { indents.other };
            length += self.words[start].text.len();
            let mut next = start;
            loop {
                next += 1;
                let mut cost = self.line_cost(next, length) + self.words.get(next).map_or(0, |w| w.best_cost);
                if start == 0 && self.last_line_length > 0 {
                    cost += ragged(length, self.last_line_length);
                }
                if cost < best {
                    best = cost;
                    self.words[start].next_break = next;
                    self.words[start].line_length = length;
                }
                if next == count {
                    break;
                }
                length += self.words[next - 1].space + self.words[next].text.len();
                if length >= self.max_width {
                    break;
                }
            }
            self.words[start].best_cost = best.saturating_add(self.base_cost(start));
        }
    }

    /// The cost of a line of this length before the word `next`.
    fn line_cost(&self, next: usize, length: usize) -> i64 {
        let Some(word) = self.words.get(next) else { return 0 };
        let short = (self.goal_width as i64 - length as i64) * 10;
        let mut cost = short * short;
        if word.next_break != self.words.len() {
            cost += ragged(length, word.line_length);
        }
        cost
    }

    /// The cost of a line that begins with this word, whatever its length.
    fn base_cost(&self, at: usize) -> i64 {
        let mut cost = LINE_COST;
        let this = &self.words[at];
        if at > 0 {
            let before = &self.words[at - 1];
            if before.period {
                cost += if before.last { -SENTENCE_BONUS } else { NO_BREAK_COST };
            } else if before.punct {
                cost -= PUNCT_BONUS;
            } else if at > 1 && self.words[at - 2].last {
                cost += 200 * 200 / (before.text.len() as i64 + 2);
            }
        }
        if this.paren {
            cost -= PAREN_BONUS;
        } else if this.last {
            cost += 150 * 150 / (this.text.len() as i64 + 2);
        }
        cost
    }

    /// Prints the lines before the word `end`.
    fn print(&mut self, end: usize, indents: Indents, tabs: bool) {
        let mut at = 0;
        let mut line = Vec::new();
        while at < end {
            let next = self.words[at].next_break;
            line.clear();
            pad(&mut line, 0, indents.prefix, tabs);
            line.extend_from_slice(&self.prefix);
            let mut column = indents.prefix + self.prefix.len();
            let indent = if at == 0 { indents.first } else { indents.other };
            pad(&mut line, column, indent.saturating_sub(column), tabs);
            column = column.max(indent);
            for (i, word) in self.words[at..next].iter().enumerate() {
                line.extend_from_slice(&word.text);
                column += word.text.len();
                if at + i + 1 < next {
                    pad(&mut line, column, word.space, tabs);
                    column += word.space;
                }
            }
            self.last_line_length = column;
            line.push(b'\n');
            out::put(&line);
            at = next;
        }
    }
}

fn ragged(length: usize, other: usize) -> i64 {
    let n = (length as i64 - other as i64) * 10;
    n * n / 2
}
