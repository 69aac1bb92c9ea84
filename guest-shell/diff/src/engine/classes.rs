//! Lines as class numbers: lines that count as the same have the same number.

use super::Compare;
use crate::text::Text;
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// Which white space is ignored, in increasing order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Space {
    #[default]
    Counts,
    /// `-E`
    TabExpansion,
    /// `-Z`
    Trailing,
    /// `-b`
    Change,
    /// `-w`
    All,
}

/// What makes two lines count as the same.
#[derive(Clone, Debug)]
pub(crate) struct Sameness {
    /// `-i`
    pub(crate) ignore_case: bool,
    pub(crate) space: Space,
    pub(crate) tab_size: usize,
}

impl Default for Sameness {
    fn default() -> Self {
        Self { ignore_case: false, space: Space::Counts, tab_size: 8 }
    }
}

/// C's `isspace`.
pub(crate) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | 9..=13)
}

impl Sameness {
    /// A line without what is ignored. Two lines are the same if their normal forms are equal.
    pub(crate) fn normal_form<'a>(&self, body: &'a [u8]) -> Cow<'a, [u8]> {
        let trimmed = if self.space >= Space::Trailing { trim_end(body) } else { body };
        let mut form: Cow<'a, [u8]> = match self.space {
            Space::Counts | Space::Trailing => trimmed.into(),
            Space::All => trimmed.iter().copied().filter(|b| !is_space(*b)).collect::<Vec<_>>().into(),
            Space::Change => squeeze(trimmed).into(),
            Space::TabExpansion => expand(trimmed, self.tab_size).into(),
        };
        if self.ignore_case {
            form.to_mut().make_ascii_lowercase();
        }
        form
    }
}

/// The class numbers of the lines in the ranges. They count up from 0 without gaps.
pub(super) fn classify(texts: [&Text; 2], ranges: [Range<usize>; 2], how: &Compare) -> [Vec<u32>; 2] {
    // An incomplete line never equals a complete one, unless trailing white space is ignored.
    let incomplete_differs = how.newline_counts && how.same.space < Space::Trailing;
    let mut known: HashMap<(bool, Cow<'_, [u8]>), u32, BuildHasherDefault<Fold>> = HashMap::default();
    let [first, second] = [0, 1].map(|f| {
        let text = texts[f];
        let mut numbers = Vec::with_capacity(ranges[f].len());
        for i in ranges[f].clone() {
            let cut = incomplete_differs && i + 1 == text.len() && text.is_incomplete();
            let next = known.len() as u32;
            numbers.push(*known.entry((cut, how.same.normal_form(text.body(i)))).or_insert(next));
        }
        numbers
    });
    [first, second]
}

fn trim_end(body: &[u8]) -> &[u8] {
    let end = body.iter().rposition(|b| !is_space(*b)).map_or(0, |i| i + 1);
    &body[..end]
}

fn squeeze(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut in_space = false;
    for b in body {
        match (is_space(*b), in_space) {
            (true, true) => {}
            (true, false) => out.push(b' '),
            (false, _) => out.push(*b),
        }
        in_space = is_space(*b);
    }
    out
}

fn expand(body: &[u8], tab_size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut column = 0usize;
    for b in body {
        match b {
            b'\t' => {
                let width = tab_size - column % tab_size;
                out.extend(std::iter::repeat_n(b' ', width));
                column += width;
                continue;
            }
            8 => column = column.saturating_sub(1),
            b'\r' => column = 0,
            _ => column += 1,
        }
        out.push(*b);
    }
    out
}

/// A quick hash of a few words (multiply and rotate). The map checks equality.
#[derive(Default)]
struct Fold(u64);

impl Fold {
    fn word(&mut self, w: u64) {
        self.0 = (self.0.rotate_left(5) ^ w).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for w in words {
            self.word(u64::from_le_bytes(*w));
        }
        let mut last = [0; 8];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        self.word(u64::from_le_bytes(last));
    }

    fn write_u8(&mut self, n: u8) {
        self.word(n.into());
    }

    fn write_usize(&mut self, n: usize) {
        self.word(n as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
