//! The normal format: differences without context.

use super::header;
use super::hunk::{self, Texts};
use super::line;
use super::screen::{self, Paint};
use crate::engine::Change;
use sandshell_cli::out;
use std::ops::Range;

/// Prints all changes that are not ignored.
pub(crate) fn print(work: &Texts<'_>, script: &[Change]) {
    let palette = work.options.palette.as_ref();
    let mut begun = false;
    for change in script {
        let Some(extent) = hunk::extent(std::slice::from_ref(change)) else { continue };
        if !std::mem::replace(&mut begun, true) {
            header::command(work);
        }
        let [old, new] = extent.lines.clone();
        screen::begin(palette, Paint::LineNumber);
        out::put(format!("{}{}{}", range(&old, ','), extent.letter(), range(&new, ',')));
        screen::end(palette);
        out::put("\n");
        for i in old {
            line::marked(work, 0, i, "<", Some(Paint::Deleted));
        }
        if extent.deletes && extent.inserts {
            out::put("---\n");
        }
        for i in new {
            line::marked(work, 1, i, ">", Some(Paint::Added));
        }
    }
}

/// A range of line numbers: the first and the last line, or a single line. For an empty range, the line before it.
pub(crate) fn range(lines: &Range<usize>, separator: char) -> String {
    if lines.len() > 1 {
        format!("{}{separator}{}", lines.start + 1, lines.end)
    } else {
        lines.end.to_string()
    }
}
