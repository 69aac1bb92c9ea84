//! Finds which lines of two texts differ: the same answer as GNU diff's, line for line.
//!
//! The steps are those that its manual and the literature describe. Equal beginnings and ends are set aside. Lines
//! become numbers of equivalence classes ([`classes`]). Lines without a counterpart are taken out ([`discard`]). Myers'
//! divide and conquer algorithm compares the rest ([`myers`]). Finally, runs of changes are moved to where they read
//! best ([`slide`]).

mod classes;
mod discard;
mod myers;
mod slide;

use crate::text::Text;
pub(crate) use classes::{Sameness, Space, is_space};

/// How to compare.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compare {
    /// Which lines count as the same.
    pub(crate) same: Sameness,
    /// `-d`: the smallest set of changes, however long it takes.
    pub(crate) minimal: bool,
    /// `--speed-large-files`.
    pub(crate) speed_large_files: bool,
    /// How many lines of the common beginning and end are kept for the search.
    pub(crate) horizon: usize,
    /// Whether a missing newline at the end counts as a difference.
    pub(crate) newline_counts: bool,
}

/// A place where the texts differ: `deleted` lines from `line0` on are replaced by `inserted` lines from `line1` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) line0: usize,
    pub(crate) line1: usize,
    pub(crate) deleted: usize,
    pub(crate) inserted: usize,
    /// Whether the options say to ignore this change.
    pub(crate) ignore: bool,
}

impl Change {
    /// The line after the change, in the first text.
    pub(crate) fn end0(&self) -> usize {
        self.line0 + self.deleted
    }

    /// The line after the change, in the second text.
    pub(crate) fn end1(&self) -> usize {
        self.line1 + self.inserted
    }
}

/// The differences, from top to bottom.
pub(crate) fn script(a: &Text, b: &Text, how: &Compare) -> Vec<Change> {
    let (prefix, suffix) = common_ends(a, b, how);
    let ranges = [prefix..a.len() - suffix, prefix..b.len() - suffix];
    let classes = classes::classify([a, b], ranges, how);
    let mut changed = discard::confusing([&classes[0], &classes[1]], how.minimal);
    myers::mark(&classes, &mut changed, how.minimal, how.speed_large_files);
    let [c0, c1] = changed;
    let mut marks = [slide::padded(&c0.changed), slide::padded(&c1.changed)];
    slide::runs(&classes, &mut marks);
    collect(&marks, prefix)
}

// Counts the lines that the texts share at their beginnings and ends, without those kept for the search.
fn common_ends(a: &Text, b: &Text, how: &Compare) -> (usize, usize) {
    let most = a.len().min(b.len());
    let newline_differs = |i: usize, j: usize| {
        let cut = |t: &Text, n: usize| n + 1 == t.len() && t.is_incomplete();
        how.newline_counts && cut(a, i) != cut(b, j)
    };
    let same = |i: usize, j: usize| a.body(i) == b.body(j) && !newline_differs(i, j);
    let mut prefix = 0;
    while prefix < most && same(prefix, prefix) {
        prefix += 1;
    }
    prefix = prefix.saturating_sub(how.horizon);
    let mut suffix = 0;
    if !how.newline_counts || a.is_incomplete() == b.is_incomplete() {
        while suffix < most - prefix && same(a.len() - 1 - suffix, b.len() - 1 - suffix) {
            suffix += 1;
        }
    }
    (prefix, suffix.saturating_sub(how.horizon))
}

// Collects the runs of marked lines as changes. Unmarked lines of both texts correspond to each other.
fn collect(marks: &[Vec<bool>; 2], offset: usize) -> Vec<Change> {
    let is = |f: usize, i: usize| marks[f].get(i).copied().unwrap_or(false);
    let count = |f: usize| marks[f].len() - 2;
    let mut script = Vec::new();
    let (mut i, mut j) = (1, 1);
    while i <= count(0) || j <= count(1) {
        let (from0, from1) = (i, j);
        while is(0, i) {
            i += 1;
        }
        while is(1, j) {
            j += 1;
        }
        if i > from0 || j > from1 {
            script.push(Change {
                line0: offset + from0 - 1,
                line1: offset + from1 - 1,
                deleted: i - from0,
                inserted: j - from1,
                ignore: false,
            });
        }
        i += 1;
        j += 1;
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(a: &str, b: &str) -> Vec<(usize, usize, usize, usize)> {
        let how = Compare { newline_counts: true, ..Compare::default() };
        let texts = [a, b].map(|t| Text::new(t.as_bytes().to_vec()));
        script(&texts[0], &texts[1], &how).iter().map(|c| (c.line0, c.deleted, c.line1, c.inserted)).collect()
    }

    #[test]
    fn finds_what_gnu_diff_finds() {
        assert_eq!(changes("", ""), []);
        assert_eq!(changes("a\n", "a\n"), []);
        assert_eq!(changes("", "a\n"), [(0, 0, 0, 1)]);
        assert_eq!(changes("a\nb\nc\n", "a\nx\nc\n"), [(1, 1, 1, 1)]);
        // The inserted block is moved down as far as possible.
        assert_eq!(changes("{\n}\n\n{\n}\n", "{\n}\n\n{\n}\n\n{\n}\n"), [(5, 0, 5, 3)]);
    }

    #[test]
    fn a_missing_newline_is_a_difference() {
        assert_eq!(changes("a\nb", "a\nb\n"), [(1, 1, 1, 1)]);
        assert_eq!(changes("a\nb", "x\nb"), [(0, 1, 0, 1)]);
    }

    #[test]
    fn applying_the_script_gives_the_second_text() {
        // A fixed sequence of pseudo-random lines, so that all parts of the search are used.
        let mut seed = 1u32;
        let mut next = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        };
        for size in [1, 10, 100, 1000] {
            let mut text = |k| (0..size).map(|_| format!("{}\n", next(k))).collect::<String>();
            for k in [2, 7, 50] {
                let (a, b) = (text(k), text(k));
                let (old, new): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
                let mut made: Vec<&str> = Vec::new();
                let mut at = 0;
                for (line0, deleted, line1, inserted) in changes(&a, &b) {
                    made.extend(&old[at..line0]);
                    made.extend(&new[line1..line1 + inserted]);
                    at = line0 + deleted;
                }
                made.extend(&old[at..]);
                assert_eq!(made, new);
            }
        }
    }
}
