//! The script formats: `ed` scripts, the same in forward order, and RCS.

use super::header;
use super::hunk::{self, Texts};
use super::line;
use super::normal::range;
use crate::engine::Change;
use sandshell_cli::out;
use std::ops::Range;

/// Prints commands for `ed`, from the end of the file to its beginning.
pub(crate) fn print_ed(work: &Texts<'_>, script: &[Change]) {
    each(work, script.iter().rev(), |extent| {
        let [old, new] = &extent.lines;
        out::put(format!("{}{}\n", range(old, ','), extent.letter()));
        if extent.inserts {
            put_input(work, new.clone());
        }
    });
}

/// Prints commands like those for `ed`, but in forward order and with the letter first. `ed` cannot read them.
pub(crate) fn print_forward(work: &Texts<'_>, script: &[Change]) {
    each(work, script.iter(), |extent| {
        let [old, new] = &extent.lines;
        out::put(format!("{}{}\n", extent.letter(), range(old, ' ')));
        if extent.inserts {
            new.clone().for_each(|i| put_line(work, i));
            out::put(".\n");
        }
    });
}

/// Prints the RCS format: deletions and additions with line counts.
pub(crate) fn print_rcs(work: &Texts<'_>, script: &[Change]) {
    each(work, script.iter(), |extent| {
        let [old, new] = &extent.lines;
        if extent.deletes {
            out::put(format!("d{} {}\n", old.start + 1, old.len()));
        }
        if extent.inserts {
            out::put(format!("a{} {}\n", old.end, new.len()));
            new.clone().for_each(|i| line::bare(work, work.texts[1].line(i)));
        }
    });
}

fn each<'c>(work: &Texts<'_>, script: impl Iterator<Item = &'c Change>, put: impl Fn(&hunk::Extent)) {
    let mut begun = false;
    for change in script {
        if let Some(extent) = hunk::extent(std::slice::from_ref(change)) {
            if !std::mem::replace(&mut begun, true) {
                header::command(work);
            }
            put(&extent);
        }
    }
}

// Prints lines as input of an `ed` command. A line with a single dot would end the input, so two dots are printed, and
// a command afterwards removes one of them.
fn put_input(work: &Texts<'_>, lines: Range<usize>) {
    let mut reading = true;
    for i in lines {
        if !reading {
            out::put("a\n");
            reading = true;
        }
        if work.texts[1].body(i) == b"." {
            out::put("..\n.\ns/.//\n");
            reading = false;
        } else {
            put_line(work, i);
        }
    }
    if reading {
        out::put(".\n");
    }
}

// An `ed` script cannot express a line without a newline.
fn put_line(work: &Texts<'_>, i: usize) {
    line::bare(work, work.texts[1].body(i));
    out::put("\n");
}
