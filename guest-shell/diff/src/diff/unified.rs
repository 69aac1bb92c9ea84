//! The unified format.

use super::function::Function;
use super::header;
use super::hunk::{self, Texts};
use super::line;
use super::screen::{self, Paint};
use crate::engine::Change;
use sandshell_cli::out;
use std::ops::Range;

/// Prints the hunks that contain a change that is not ignored.
pub(crate) fn print(work: &Texts<'_>, script: &[Change]) {
    let context = work.options.context;
    let palette = work.options.palette.as_ref();
    let mut function = Function::new(work);
    let mut begun = false;
    for changes in hunk::hunks(script, context) {
        let Some(extent) = hunk::extent(changes) else { continue };
        let [old, new] = extent.widened(context, work.texts);
        if !std::mem::replace(&mut begun, true) {
            header::names(work, ["---", "+++"]);
        }
        screen::begin(palette, Paint::LineNumber);
        out::put(format!("@@ -{} +{} @@", range(&old), range(&new)));
        screen::end(palette);
        function.put_before(old.start);
        out::put("\n");
        let mut at = old.start;
        for change in changes {
            for i in at..change.line0 {
                line::tight(work, 0, i, " ", None);
            }
            for i in change.line0..change.end0() {
                line::tight(work, 0, i, "-", Some(Paint::Deleted));
            }
            for i in change.line1..change.end1() {
                line::tight(work, 1, i, "+", Some(Paint::Added));
            }
            at = change.end0();
        }
        for i in at..old.end {
            line::tight(work, 0, i, " ", None);
        }
    }
}

// The first line and the number of lines. For an empty range, the line before it.
fn range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => lines.end.to_string(),
        n => format!("{},{n}", lines.start + 1),
    }
}
