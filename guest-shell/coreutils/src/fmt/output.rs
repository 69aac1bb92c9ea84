//! Writes lines.

use super::input_line::{Margin, push_blanks};
use super::words::Word;
use sandshell_cli::out;

/// The columns where the prefix and the text begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Indent {
    pub(super) prefix: usize,
    pub(super) text: usize,
}

/// Writes a line of words.
pub(super) fn line(text: &[u8], words: &[Word], indent: Indent, prefix: &[u8], tabs: bool) {
    let mut line = Vec::new();
    push_blanks(&mut line, 0, indent.prefix, tabs);
    line.extend_from_slice(prefix);
    let mut column = indent.prefix + prefix.len();
    let mut next = indent.text;
    for word in words {
        push_blanks(&mut line, column, next, tabs);
        line.extend_from_slice(&text[word.span.clone()]);
        column = next.max(column) + word.length();
        next = column + word.gap;
    }
    line.push(b'\n');
    out::put(line);
}

/// Writes a line that belongs to no paragraph. Only the blanks of its margin may change.
pub(super) fn copy(line: &[u8], margin: &Margin, prefix: &[u8], tabs: bool) {
    let rest = &line[margin.offset..];
    let mut copy = Vec::new();
    if margin.text > margin.prefix || !rest.is_empty() {
        push_blanks(&mut copy, 0, margin.prefix, tabs);
        let shown = &prefix[..prefix.len().min(margin.text - margin.prefix)];
        copy.extend_from_slice(shown);
        if !rest.is_empty() {
            push_blanks(&mut copy, margin.prefix + shown.len(), margin.text, tabs);
            copy.extend_from_slice(rest);
        }
    }
    out::put(copy);
}
