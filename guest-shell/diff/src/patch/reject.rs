//! Writes the hunks that could not be applied.

use super::header::Patch;
use super::hunk::{Hunk, Line, Step};
use super::read::Format;
use sandshell_cli::bytes;

/// The lines that name the files; `named` tells whether the file to patch was given.
pub(super) fn header(patch: &Patch, unified: bool, reverse: bool, named: bool) -> Vec<u8> {
    let mut text = Vec::new();
    let index = patch.names[2].as_ref().or(patch.index.as_ref().filter(|_| named));
    if let Some(index) = index {
        text.extend(bytes!("Index: ", index, "\n"));
    }
    let [old, new] = if unified { ["---", "+++"] } else { ["***", "---"] };
    for (mark, f) in [(old, usize::from(reverse)), (new, usize::from(!reverse))] {
        let name = patch.names[f].as_deref().unwrap_or(b"/dev/null");
        text.extend(bytes!(mark, " ", name, patch.time_texts[f], "\n"));
    }
    text
}

/// A hunk in the unified format; `moved` is how far the file's lines have moved.
pub(super) fn unified(hunk: &Hunk, moved: isize) -> Vec<u8> {
    let range = |first: usize, count: usize| {
        let first = first as isize + moved;
        match count {
            0 => format!("{},0", first - 1),
            1 => first.to_string(),
            n => format!("{first},{n}"),
        }
    };
    let (old, new) = (&hunk.old, &hunk.new);
    let mut text = bytes!(
        "@@ -",
        range(old.first, old.lines.len()),
        " +",
        range(new.first, new.lines.len()),
        " @@",
        hunk.function,
        "\n"
    );
    for step in hunk.steps() {
        let (mark, line) = match step {
            Step::Keep(l) => (b' ', l),
            Step::Delete(l) => (b'-', l),
            Step::Insert(l) => (b'+', l),
        };
        text.push(mark);
        put(&mut text, line);
    }
    text
}

/// A hunk in the context format.
pub(super) fn context(hunk: &Hunk, moved: isize, format: Format) -> Vec<u8> {
    let modern = format == Format::Context { modern: true } || format == Format::Unified;
    let [stars, minuses] = if modern { [" ****", " ----"] } else { ["", " -----"] };
    let range = |first: usize, count: usize| {
        let first = first as isize + moved;
        match count {
            0 => "0".to_string(),
            1 => first.to_string(),
            n => format!("{first},{}", first + n as isize - 1),
        }
    };
    let (old, new) = (&hunk.old, &hunk.new);
    let mut text = bytes!("***************", hunk.function, "\n");
    text.extend(bytes!("*** ", range(old.first, old.lines.len()), stars, "\n"));
    let marks = if format == Format::Unified { replaced(hunk) } else { [Vec::new(), Vec::new()] };
    let lines = |text: &mut Vec<u8>, lines: &[Line], replaced: &[bool]| {
        for (i, line) in lines.iter().enumerate() {
            let mark = if replaced.get(i) == Some(&true) { b'!' } else { line.mark };
            text.extend_from_slice(&[mark, b' ']);
            put(text, line);
        }
    };
    lines(&mut text, &old.lines, &marks[0]);
    text.extend(bytes!("--- ", range(new.first, new.lines.len()), minuses, "\n"));
    lines(&mut text, &new.lines, &marks[1]);
    text
}

// Whether each line of both sides is replaced, not just deleted or inserted.
fn replaced(hunk: &Hunk) -> [Vec<bool>; 2] {
    let mut marks = [Vec::new(), Vec::new()];
    let steps = hunk.steps();
    let keeps = |step: &Step<'_>| matches!(step, Step::Keep(_));
    for group in steps.chunk_by(|a, b| keeps(a) == keeps(b)) {
        let deletes = group.iter().filter(|s| matches!(s, Step::Delete(_))).count();
        let inserts = group.iter().filter(|s| matches!(s, Step::Insert(_))).count();
        let both = deletes > 0 && inserts > 0;
        let kept = group.len() - deletes - inserts;
        marks[0].extend(std::iter::repeat_n(both, deletes + kept));
        marks[1].extend(std::iter::repeat_n(both, inserts + kept));
    }
    marks
}

// A line without a newline gets no note about it, as in GNU patch.
fn put(text: &mut Vec<u8>, line: &Line) {
    text.extend_from_slice(&line.text);
}
