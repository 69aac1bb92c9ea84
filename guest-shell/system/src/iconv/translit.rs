//! What `//TRANSLIT` writes for a character that the target does not have.

use super::coder::Char;
use super::text::{characters, hexadecimal, lines};

const TABLE: &str = include_str!("translit.txt");

/// The texts for characters.
pub(super) struct Substitutes {
    /// A character and its texts in the order of preference; sorted.
    texts: Vec<(Char, Vec<Vec<Char>>)>,
}

impl Substitutes {
    /// The table of the locale.
    pub(super) fn new(is_utf8: bool) -> Self {
        let mut texts = Vec::new();
        let mut part = 0;
        for line in lines(TABLE) {
            if line == "%" {
                part += 1;
            } else if part == 0 || (part == 1) == is_utf8 {
                add(line, &mut texts);
            }
        }
        texts.sort_unstable_by_key(|entry: &(Char, _)| entry.0);
        Self { texts }
    }

    /// The texts for a character.
    pub(super) fn of(&self, c: Char) -> &[Vec<Char>] {
        let at = self.texts.binary_search_by_key(&c, |entry| entry.0);
        at.ok().and_then(|at| self.texts.get(at)).map(|entry| entry.1.as_slice()).unwrap_or_default()
    }
}

/// Adds what a line of the table says.
fn add(line: &str, texts: &mut Vec<(Char, Vec<Vec<Char>>)>) {
    let end = line.find(['*', '+', '=', '\t']).unwrap_or(line.len());
    let (first, rest) = line.split_at(end);
    let first = hexadecimal(first);
    let mut fields = rest.split('\t');
    let range = fields.next().unwrap_or_default();
    let count = hexadecimal(range.get(1..).unwrap_or_default());
    match range.chars().next() {
        Some('*') => texts.extend((first..first + count).map(|c| (c, vec![Vec::new()]))),
        Some('+') => {
            let to = characters(fields.next().unwrap_or_default()).next().unwrap_or_default();
            texts.extend((0..count).map(|at| (first + at, vec![vec![to + at]])));
        }
        Some(_) => {
            let each = characters(range.get(1..).unwrap_or_default());
            texts.extend((first..).zip(each).map(|(c, to)| (c, vec![vec![to]])));
        }
        None => texts.extend(
            (first..)
                .zip(fields)
                .map(|(c, field)| (c, field.split(',').map(|text| characters(text).collect()).collect())),
        ),
    }
}
