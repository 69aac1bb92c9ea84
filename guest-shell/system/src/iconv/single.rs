//! Character sets of single bytes.

use super::coder::{Char, Decode, Encode, Missing, State, Step};
use super::text;
use std::ops::RangeInclusive;

const TABLE: &str = include_str!("single.txt");
const PAIRS: &str = include_str!("pairs.txt");
const NONE: Char = 0xfffd;

/// A set: what its bytes stand for.
pub(super) struct Single {
    bytes: [Char; 256],
    /// Characters and their bytes, sorted.
    characters: Vec<(Char, u8)>,
    /// A letter and a mark, and what they are together.
    pairs: Vec<(Char, Char, Char)>,
    /// The characters between the first and the last letter of the pairs.
    letters: RangeInclusive<Char>,
    /// One of those, to which a mark could follow.
    held: Option<Char>,
}

/// The names of each set, in groups.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    text::lines(TABLE).filter_map(|line| line.split('\t').next()).filter(|names| *names != "e")
}

/// The set with this name.
pub(super) fn find(name: &str) -> Option<Single> {
    let has = |line: &&str| line.split('\t').next().is_some_and(|names| names.split(' ').any(|n| n == name));
    let mut fields = text::lines(TABLE).find(has)?.split('\t');
    let names = fields.next().unwrap_or_default();
    let first = fields.next().unwrap_or_default();
    let mut bytes: [Char; 256] = std::array::from_fn(|at| at.try_into().unwrap_or(NONE));
    let start = match first.strip_prefix('e') {
        Some(start) => {
            let controls = text::lines(TABLE).find_map(|line| line.strip_prefix("e\t0\t"));
            fill(&mut bytes, 0, controls.unwrap_or_default());
            start
        }
        None => first,
    };
    let end = fill(&mut bytes, text::hexadecimal(start) as usize, fields.next().unwrap_or_default());
    bytes.iter_mut().skip(end).for_each(|c| *c = NONE);
    let mut characters: Vec<(Char, u8)> =
        bytes.iter().zip(0..=u8::MAX).filter(|(c, _)| **c != NONE).map(|(c, byte)| (*c, byte)).collect();
    let mut pairs = Vec::new();
    for line in text::lines(PAIRS) {
        let mut fields = line.split('\t');
        if fields.next().is_some_and(|name| names.split(' ').any(|n| n == name)) {
            let mark = fields.next().and_then(|mark| text::characters(mark).next()).unwrap_or_default();
            let mut letters = text::characters(fields.next().unwrap_or_default());
            while let (Some(letter), Some(both)) = (letters.next(), letters.next()) {
                pairs.push((letter, mark, both));
            }
        }
    }
    let simple = || pairs.iter().map(|pair| pair.0).filter(|letter| *letter < 0x1000);
    let letters = simple().min().unwrap_or(1)..=simple().max().unwrap_or(0);
    let mut like = text::characters(fields.next().unwrap_or_default());
    while let (Some(c), Some(other)) = (like.next(), like.next()) {
        if let Some(byte) = characters.iter().find(|known| known.0 == other).map(|known| known.1) {
            characters.push((c, byte));
        } else if let Some(pair) = pairs.iter().find(|pair| pair.2 == other).copied() {
            // After the others, so that it is for encoding alone.
            pairs.push((pair.0, pair.1, c));
        }
    }
    characters.sort_unstable();
    Some(Single { bytes, characters, pairs, letters, held: None })
}

/// Sets the bytes from `start` on. Returns the first one that is not set.
fn fill(bytes: &mut [Char; 256], start: usize, characters: &str) -> usize {
    let mut at = start;
    for c in text::characters(characters) {
        if let Some(byte) = bytes.get_mut(at) {
            *byte = c;
        }
        at += 1;
    }
    at
}

impl Single {
    fn byte(&self, c: Char) -> Option<u8> {
        if c < 0x80 && self.bytes.get(c as usize) == Some(&c) {
            return u8::try_from(c).ok();
        }
        let at = self.characters.binary_search_by_key(&c, |known| known.0).ok()?;
        self.characters.get(at).map(|known| known.1)
    }

    fn together(&self, letter: Char, mark: Char) -> Option<Char> {
        self.pairs.iter().find(|pair| pair.0 == letter && pair.1 == mark).map(|pair| pair.2)
    }
}

impl Decode for Single {
    fn step(&mut self, input: &[u8]) -> Step {
        let Some(&byte) = input.first() else { return Step::Incomplete };
        let c = self.bytes.get(usize::from(byte)).copied().unwrap_or(NONE);
        if c == NONE {
            return Step::Wrong(1);
        }
        let is_letter = self.letters.contains(&c);
        let Some(held) = self.held.take() else {
            if is_letter {
                self.held = Some(c);
                return Step::Nothing(1);
            }
            return Step::Char(c, 1);
        };
        if let Some(both) = self.together(held, c) {
            self.held = Some(both);
            return Step::Nothing(1);
        }
        if is_letter {
            self.held = Some(c);
            return Step::Char(held, 1);
        }
        Step::Two(held, c, 1)
    }

    fn held(&mut self) -> Option<Char> {
        self.held.take()
    }

    fn reset(&mut self) {
        self.held = None;
    }
}

impl Encode for Single {
    fn put(&self, _: &mut State, c: Char, out: &mut Vec<u8>) -> Result<(), Missing> {
        if let Some(byte) = self.byte(c) {
            out.push(byte);
            return Ok(());
        }
        // A letter with two marks is three bytes.
        let (mut c, mut marks) = (c, Vec::new());
        for _ in 0..3 {
            let pair = self.pairs.iter().find(|pair| pair.2 == c).ok_or(Missing)?;
            marks.push(self.byte(pair.1).ok_or(Missing)?);
            c = pair.0;
            if let Some(byte) = self.byte(c) {
                out.push(byte);
                out.extend(marks.iter().rev());
                return Ok(());
            }
        }
        Err(Missing)
    }
}
