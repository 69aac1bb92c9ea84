//! Scripts: for `ed`, in the order of the files, and for RCS.

use super::header;
use super::hunk::{self, Texts};
use super::line;
use super::normal::range;
use crate::engine::Change;
use sandshell_cli::out;
use std::ops::Range;

/// Commands for `ed`, from the end of the file to its beginning.
pub(crate) fn print_ed(work: &Texts<'_>, script: &[Change]) {
    each(work, script.iter().rev(), |extent| {
        let [old, new] = &extent.lines;
        out::put(format!("{}{}\n", range(old, ','), extent.letter()));
        if extent.inserts {
            put_input(work, new.clone());
        }
    });
}

/// Like an `ed` script, but forwards and with the command in front; not usable with `ed`.
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

/// Counted deletions and additions.
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

// Lines for `ed` to read. A lone dot would end them: two dots are given, and one is taken away afterwards.
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

// `ed` knows no line without a newline.
fn put_line(work: &Texts<'_>, i: usize) {
    line::bare(work, work.texts[1].body(i));
    out::put("\n");
}
