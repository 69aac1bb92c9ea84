//! Modifiers of an event's words: `:h`, `:s/old/new/`, `:q` and others.

use super::words::tokens;
use super::{Expansion, Result, failed};
use sandshell_syntax::print::single_quoted;

/// The places that a substitution changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Places {
    First,
    All,
    FirstOfEachWord,
}

impl Expansion<'_> {
    /// Applies the modifiers at `at` to `text`, and moves `at` to their end.
    pub(super) fn modified(&mut self, line: &[u8], at: &mut usize, mut text: Vec<u8>) -> Result<Vec<u8>> {
        let start = *at;
        let mut quoting = None;
        while line.get(*at) == Some(&b':') {
            let mut i = *at + 1;
            let places = match line.get(i) {
                Some(b'g' | b'a') => Places::All,
                Some(b'G') => Places::FirstOfEachWord,
                _ => Places::First,
            };
            i += usize::from(places != Places::First);
            let last = |wanted: u8| text.iter().rposition(|b| *b == wanted);
            match line.get(i) {
                Some(b'q') => quoting = Some(false),
                Some(b'x') => quoting = Some(true),
                Some(b'p') => self.print_only = true,
                Some(b't') => drop(last(b'/').map(|slash| text.drain(..=slash).count())),
                Some(b'h') => {
                    if let Some(slash) = last(b'/') {
                        text.truncate(slash);
                    }
                }
                Some(b'r') => {
                    if let Some(dot) = last(b'.') {
                        text.truncate(dot);
                    }
                }
                Some(b'e') => drop(last(b'.').map(|dot| text.drain(..dot).count())),
                Some(b'&') => text = self.substituted(line, start, i + 1, &text, places)?,
                Some(b's') => {
                    i += 1;
                    self.read_substitution(line, &mut i);
                    text = self.substituted(line, start, i, &text, places)?;
                    *at = i;
                    continue;
                }
                _ => return Err(failed(line, i, i + 1, "unrecognized history modifier")),
            }
            *at = i + 1;
        }
        Ok(match quoting {
            None => text,
            Some(false) => single_quoted(&text),
            Some(true) => {
                let words = text.split(|b| matches!(b, b' ' | b'\t' | b'\n'));
                words
                    .map(|word| if word.is_empty() { Vec::new() } else { single_quoted(word) })
                    .collect::<Vec<_>>()
                    .join(&b' ')
            }
        })
    }

    /// Reads both sides of a substitution, beginning at its delimiter. An empty left side means the previous one, or
    /// else the last search text.
    fn read_substitution(&mut self, line: &[u8], at: &mut usize) {
        let Some(&delimiter) = line.get(*at) else { return };
        *at += 1;
        let mut side = || {
            let mut text = Vec::new();
            while let Some(&byte) = line.get(*at).filter(|b| **b != b'\n') {
                *at += 1;
                match line.get(*at) {
                    Some(&next) if byte == b'\\' && next == delimiter => {
                        text.push(next);
                        *at += 1;
                    }
                    _ if byte == delimiter => break,
                    _ => text.push(byte),
                }
            }
            text
        };
        let (old, new) = (side(), side());
        let before = self.memory.substitution.as_ref().map(|(old, _)| old.clone());
        let old = if old.is_empty() { before.or(self.memory.search.clone()) } else { Some(old) };
        self.memory.substitution = old.map(|old| {
            let new = with_old(&new, &old);
            (old, new)
        });
    }

    fn substituted(
        &self,
        line: &[u8],
        start: usize,
        end: usize,
        text: &[u8],
        places: Places,
    ) -> Result<Vec<u8>> {
        let Some((old, new)) = &self.memory.substitution else {
            return Err(failed(line, start, end, "no previous substitution"));
        };
        let mut out = Vec::new();
        let (mut at, mut found, mut word_end) = (0, false, 0);
        let words = if places == Places::FirstOfEachWord { tokens(text) } else { Vec::new() };
        while at < text.len() {
            let rest = text.get(at..).unwrap_or_default();
            let wanted = match places {
                Places::First => !found,
                Places::All => true,
                Places::FirstOfEachWord => at >= word_end,
            };
            if wanted && !old.is_empty() && rest.starts_with(old) {
                out.extend_from_slice(new);
                let word = words.get(words.partition_point(|word| word.end <= at));
                word_end = word.map_or(at, |word| word.end);
                at += old.len();
                found = true;
            } else {
                out.extend(rest.first());
                at += 1;
            }
        }
        if found { Ok(out) } else { Err(failed(line, start, end, "substitution failed")) }
    }
}

/// Replaces `&` in the new text by the old one.
fn with_old(new: &[u8], old: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = new.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if bytes.peek() == Some(&b'&') => out.extend(bytes.next()),
            b'&' => out.extend_from_slice(old),
            _ => out.push(byte),
        }
    }
    out
}
