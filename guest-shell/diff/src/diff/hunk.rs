//! Hunks: groups of changes that are shown together.

use super::file::File;
use super::options::Options;
use crate::engine::{Change, Space, is_space};
use crate::text::Text;
use std::ops::Range;

/// The input of a comparison.
pub(crate) struct Texts<'a> {
    pub(crate) options: &'a Options,
    pub(crate) files: &'a [File; 2],
    pub(crate) texts: &'a [Text; 2],
    /// Whether the files are entries of the directories being compared.
    pub(crate) in_directories: bool,
}

/// The lines of a hunk in both texts, and whether it deletes or inserts lines.
#[derive(Clone)]
pub(crate) struct Extent {
    pub(crate) lines: [Range<usize>; 2],
    pub(crate) deletes: bool,
    pub(crate) inserts: bool,
}

impl Extent {
    /// The letter of the corresponding `ed` command.
    pub(crate) fn letter(&self) -> &'static str {
        match (self.deletes, self.inserts) {
            (true, true) => "c",
            (true, false) => "d",
            _ => "a",
        }
    }

    /// The lines with up to `context` more on each side.
    pub(crate) fn widened(&self, context: usize, texts: &[Text; 2]) -> [Range<usize>; 2] {
        [0, 1].map(|f| {
            let Range { start, end } = self.lines[f];
            start.saturating_sub(context)..end.saturating_add(context).min(texts[f].len())
        })
    }
}

/// The extent of the changes; `None` if all of them may be ignored.
pub(crate) fn extent(changes: &[Change]) -> Option<Extent> {
    let (first, last) = (changes.first()?, changes.last()?);
    if changes.iter().all(|c| c.ignore) {
        return None;
    }
    Some(Extent {
        lines: [first.line0..last.end0(), first.line1..last.end1()],
        deletes: changes.iter().any(|c| c.deleted > 0),
        inserts: changes.iter().any(|c| c.inserted > 0),
    })
}

/// Marks the changes that the options say to ignore. Returns whether any other change is left.
pub(crate) fn mark_ignorable(options: &Options, texts: &[Text; 2], script: &mut [Change]) -> bool {
    if options.ignore_blank_lines || options.ignore_matching.is_some() {
        for change in script.iter_mut() {
            let mut lines = (change.line0..change.end0())
                .map(|i| texts[0].body(i))
                .chain((change.line1..change.end1()).map(|i| texts[1].body(i)));
            change.ignore = lines.all(|l| is_ignorable(options, l));
        }
    }
    script.iter().any(|c| !c.ignore)
}

/// Splits a script into hunks: changes belong together if at most twice the context is between them.
pub(crate) fn hunks(script: &[Change], context: usize) -> impl Iterator<Item = &[Change]> {
    script.chunk_by(move |a, b| {
        let gap = b.line0 - a.end0();
        // An ignorable change is shown only if it is in the context of another.
        if b.ignore { gap < context } else { gap <= 2 * context }
    })
}

fn is_ignorable(options: &Options, line: &[u8]) -> bool {
    let space_too = options.compare.same.space >= Space::Trailing;
    let blank = line.is_empty() || space_too && line.iter().all(|b| is_space(*b));
    options.ignore_blank_lines && blank || options.ignore_matching.as_ref().is_some_and(|re| re.matches(line))
}
