//! Combines two comparisons with a common file into the places where the three files differ.

use crate::engine::Change;
use crate::text::Text;
use std::ops::Range;

/// Which file differs from the other two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Odd {
    One(usize),
    /// All three differ from each other.
    All,
}

/// A place where the files differ: its lines in each file.
pub(super) struct Block {
    pub(super) lines: [Range<usize>; 3],
    pub(super) odd: Odd,
}

/// Combines two lists of changes: from the first file to the common one, and from the remaining file to the common one.
/// Changes that touch or overlap in the common file form one block.
pub(super) fn combine(texts: &[Text; 3], common: usize, first: &[Change], other: &[Change]) -> Vec<Block> {
    let files = [0, 3 - common];
    let lists = [first, other];
    let mut next = [0, 0];
    let mut blocks: Vec<Block> = Vec::new();
    loop {
        let pending = |side: usize, next: &[usize; 2]| lists[side].get(next[side]);
        let base = match (pending(0, &next), pending(1, &next)) {
            (None, None) => return blocks,
            (None, Some(_)) => 1,
            (Some(_), None) => 0,
            (Some(a), Some(b)) => usize::from(a.line1 > b.line1),
        };
        let from = next;
        let Some(seed) = pending(base, &next) else { return blocks };
        let mut end = seed.end1();
        next[base] += 1;
        // Takes the other side's changes up to the end of the side that reaches furthest.
        let mut high = base;
        while let Some(change) = pending(1 - high, &next).filter(|c| c.line1 <= end) {
            next[1 - high] += 1;
            if change.end1() > end {
                end = change.end1();
                high = 1 - high;
            }
        }
        let start = seed.line1;
        let mut lines = [start..end, start..end, start..end];
        for side in [0, 1] {
            let used = lists[side].get(from[side]..next[side]).unwrap_or_default();
            lines[files[side]] = match (used.first(), used.last()) {
                (Some(f), Some(l)) => shift(start, f.line1, f.line0)..shift(end, l.end1(), l.end0()),
                _ => {
                    let (there, here) =
                        blocks.last().map_or((0, 0), |b| (b.lines[common].end, b.lines[files[side]].end));
                    shift(start, there, here)..shift(end, there, here)
                }
            };
        }
        let odd = if from[0] == next[0] {
            Odd::One(files[1])
        } else if from[1] == next[1] {
            Odd::One(files[0])
        } else if same(texts, files, &lines) {
            Odd::One(common)
        } else {
            Odd::All
        };
        blocks.push(Block { lines, odd });
    }
}

// The line that corresponds to `line`, given that `from` corresponds to `to`.
fn shift(line: usize, from: usize, to: usize) -> usize {
    (line + to).saturating_sub(from)
}

fn same(texts: &[Text; 3], files: [usize; 2], lines: &[Range<usize>; 3]) -> bool {
    let [a, b] = files.map(|f| texts[f].lines(lines[f].clone()));
    a == b
}
