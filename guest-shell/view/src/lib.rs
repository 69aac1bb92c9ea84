//! Programs that show and change text on a terminal: `less`, `more` and `vi`.

mod less;
mod more;
mod text;
mod vi;

pub use less::less_main;
pub use more::more_main;
pub use vi::vi_main;

/// Text without its escape sequences.
fn without_escapes(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == 0x1b {
            let length = escape_length(after);
            rest = after.get(length..).unwrap_or_default();
        } else {
            out.push(byte);
        }
    }
    out
}

/// The length of an escape sequence, without the escape character: `[`, numbers and a letter.
fn escape_length(after: &[u8]) -> usize {
    if after.first() != Some(&b'[') {
        return 0;
    }
    let end = after.iter().skip(1).position(|b| (0x40..0x7f).contains(b));
    end.map_or(after.len(), |at| at + 2)
}

/// A part of a line whose colours are shown: columns `from` to `from + width`. Other escape sequences are dropped.
fn coloured(line: &[u8], from: usize, width: usize, tab: usize) -> Vec<u8> {
    let (mut out, mut column, mut rest) = (Vec::new(), 0, line);
    while !rest.is_empty() {
        if rest.first() == Some(&0x1b) {
            let length = 1 + escape_length(rest.get(1..).unwrap_or_default());
            let (sequence, after) = rest.split_at(length.min(rest.len()));
            if sequence.last() == Some(&b'm') {
                out.extend_from_slice(sequence);
            }
            rest = after;
            continue;
        }
        let end = rest.iter().position(|b| *b == 0x1b).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        for glyph in sandshell_terminal::glyphs(part) {
            let (text, columns) = match glyph.text.as_slice() {
                b"\t" => (vec![b' '; tab - column % tab], tab - column % tab),
                _ => (glyph.text, glyph.columns),
            };
            if column >= from && column + columns <= from + width {
                out.extend_from_slice(&text);
            }
            column += columns;
        }
        rest = after;
    }
    out.extend_from_slice(b"\x1b[m");
    out
}
