//! Prints lines of the files.

use super::hunk::Texts;
use super::screen::{self, Paint};
use sandshell_cli::out;

const NO_NEWLINE: &str = "\n\\ No newline at end of file\n";

/// Prints a line after a mark and a space (or tab), as in the normal and the context format.
pub(crate) fn marked(work: &Texts<'_>, f: usize, i: usize, mark: &str, paint: Option<Paint>) {
    let o = work.options;
    let line = work.texts[f].line(i);
    if let Some(p) = paint {
        screen::begin(o.palette.as_ref(), p);
    }
    let empty = o.suppress_blank_empty && line == b"\n";
    let flag = match (o.initial_tab, empty) {
        (_, true) => mark.trim_end_matches(' ').to_string(),
        (true, false) => format!("{mark}\t"),
        (false, false) => format!("{mark} "),
    };
    out::put(&flag);
    finish(work, line, &flag, paint.is_some());
}

/// Prints a line directly after a mark, as in the unified format.
pub(crate) fn tight(work: &Texts<'_>, f: usize, i: usize, mark: &str, paint: Option<Paint>) {
    let o = work.options;
    let line = work.texts[f].line(i);
    if let Some(p) = paint {
        screen::begin(o.palette.as_ref(), p);
    }
    let empty = o.suppress_blank_empty && line == b"\n";
    match mark {
        " " if empty => {}
        " " => out::put(if o.initial_tab { "\t" } else { " " }),
        _ => {
            out::put(mark);
            if o.initial_tab && !empty {
                out::put("\t");
            }
        }
    }
    finish(work, line, "", paint.is_some());
}

/// Prints a line as it is, without a note about a missing newline.
pub(crate) fn bare(work: &Texts<'_>, line: &[u8]) {
    body(work, line, "");
}

fn finish(work: &Texts<'_>, line: &[u8], flag: &str, painted: bool) {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    body(work, text, flag);
    if painted {
        screen::end(work.options.palette.as_ref());
    }
    out::put(if text.len() < line.len() { "\n" } else { NO_NEWLINE });
}

// Prints the text of a line, with tabs expanded to spaces if asked for.
fn body(work: &Texts<'_>, text: &[u8], flag: &str) {
    let o = work.options;
    if !o.expand_tabs {
        out::put(text);
        return;
    }
    let size = o.compare.same.tab_size;
    let mut shown = Vec::with_capacity(text.len());
    let mut column = 0usize;
    for (i, b) in text.iter().enumerate() {
        match b {
            b'\t' => {
                let width = size - column % size;
                shown.extend(std::iter::repeat_n(b' ', width));
                column = column.wrapping_add(width);
                continue;
            }
            b'\r' => {
                shown.push(b'\r');
                if i + 1 < text.len() && text[i + 1] != b'\n' {
                    shown.extend_from_slice(flag.as_bytes());
                }
                column = 0;
                continue;
            }
            8 if column == 0 => continue,
            8 => column -= 1,
            b' '..=b'~' => column += 1,
            _ => {}
        }
        shown.push(*b);
    }
    out::put(shown);
}
