//! The context format.

use super::function::Function;
use super::header;
use super::hunk::{self, Texts};
use super::line;
use super::normal::range;
use super::screen::{self, Paint};
use crate::engine::Change;
use sandshell_cli::out;
use std::ops::Range;

/// Prints the hunks that contain a change that is not ignored.
pub(crate) fn print(work: &Texts<'_>, script: &[Change]) {
    let context = work.options.context;
    let mut function = Function::new(work);
    let mut begun = false;
    for changes in hunk::hunks(script, context) {
        let Some(extent) = hunk::extent(changes) else { continue };
        let [old, new] = extent.widened(context, work.texts);
        if !std::mem::replace(&mut begun, true) {
            header::names(work, ["***", "---"]);
        }
        out::put("***************");
        function.put_before(old.start);
        out::put("\n");
        let old_changes = changes.iter().map(|c| (c.line0..c.end0(), c.inserted > 0));
        let new_changes = changes.iter().map(|c| (c.line1..c.end1(), c.deleted > 0));
        half(work, 0, old, extent.deletes.then_some(old_changes));
        half(work, 1, new, extent.inserts.then_some(new_changes));
    }
}

// Prints one file's part of a hunk. Its lines are left out if none of them changes. Each change comes with whether the
// other file has lines for it.
fn half(
    work: &Texts<'_>,
    f: usize,
    lines: Range<usize>,
    changes: Option<impl Iterator<Item = (Range<usize>, bool)>>,
) {
    let palette = work.options.palette.as_ref();
    let (sign, mark, paint) = [("***", "-", Paint::Deleted), ("---", "+", Paint::Added)][f];
    screen::begin(palette, Paint::LineNumber);
    out::put(format!("{sign} {} {sign}{}", range(&lines, ','), &sign[..1]));
    screen::end(palette);
    out::put("\n");
    let Some(changes) = changes else { return };
    let mut at = lines.start;
    for (change, replaced) in changes {
        for i in at..change.start {
            line::marked(work, f, i, " ", Some(paint));
        }
        for i in change.clone() {
            line::marked(work, f, i, if replaced { "!" } else { mark }, Some(paint));
        }
        at = change.end;
    }
    for i in at..lines.end {
        line::marked(work, f, i, " ", Some(paint));
    }
}
