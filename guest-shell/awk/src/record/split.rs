//! Splits text into fields.

use crate::pattern::Pattern;
use crate::text::char_len;
use memchr::memchr;
use std::rc::Rc;

/// The separators of fields, or the fields themselves.
#[derive(Clone)]
pub(crate) enum Separator {
    /// Runs of blanks. Those at the start and end are ignored.
    Blanks,
    /// One byte.
    Byte(u8),
    /// Either of two bytes, as with `RS = ""`. Newlines at the start are ignored.
    Bytes(u8, u8),
    /// Matches of an expression, and whether case is ignored.
    Regex(Rc<Pattern>, bool),
    /// Each character is a field.
    Chars,
    /// Fields of fixed widths, each after a number of skipped characters. `None` means the rest of the text.
    Widths(Vec<(usize, Option<usize>)>),
    /// Fields are the matches of an expression.
    Content(Rc<Pattern>, bool),
}

type Spans = Vec<(u32, u32)>;

fn blank(b: u8) -> bool {
    b == b' ' || b == b'\t' || b == b'\n'
}

/// Finds fields from `at` on until there are `want`. Returns true if there are no more.
pub(super) fn more(
    text: &[u8],
    spans: &mut Spans,
    at: &mut usize,
    want: usize,
    separator: &Separator,
) -> bool {
    match separator {
        Separator::Blanks => {
            let mut i = *at;
            let n = text.len();
            while spans.len() < want {
                while i < n && blank(text[i]) {
                    i += 1;
                }
                if i >= n {
                    *at = i;
                    return true;
                }
                let begin = i;
                while i < n && !blank(text[i]) {
                    i += 1;
                }
                spans.push((begin as u32, i as u32));
            }
            *at = i;
            false
        }
        Separator::Byte(b) => {
            if text.is_empty() {
                return true;
            }
            while spans.len() < want {
                let rest = text.get(*at..).unwrap_or_default();
                match memchr(*b, rest) {
                    Some(n) => {
                        spans.push((*at as u32, (*at + n) as u32));
                        *at += n + 1;
                    }
                    None => {
                        spans.push((*at as u32, text.len() as u32));
                        return true;
                    }
                }
            }
            false
        }
        _ => {
            pieces(text, separator, &mut |field, _| spans.push((field.0 as u32, field.1 as u32)));
            true
        }
    }
}

/// A range of a text.
type Span = (usize, usize);

/// All fields of a text.
pub(crate) fn split_all(text: &[u8], separator: &Separator) -> Vec<Span> {
    split_pieces(text, separator).into_iter().map(|p| p.0).collect()
}

/// All fields of a text, each with the separator after it. After the last field, it is empty.
pub(crate) fn split_pieces(text: &[u8], separator: &Separator) -> Vec<(Span, Span)> {
    let mut all = Vec::new();
    pieces(text, separator, &mut |field, sep| all.push((field, sep)));
    all
}

// Calls `f` with each field and the separator after it.
fn pieces(text: &[u8], separator: &Separator, f: &mut dyn FnMut(Span, Span)) {
    let n = text.len();
    match separator {
        Separator::Blanks => {
            let mut i = 0;
            while i < n && blank(text[i]) {
                i += 1;
            }
            while i < n {
                let begin = i;
                while i < n && !blank(text[i]) {
                    i += 1;
                }
                let end = i;
                while i < n && blank(text[i]) {
                    i += 1;
                }
                f((begin, end), (end, i));
            }
        }
        Separator::Byte(b) => until(text, 0, &|t| memchr(*b, t), f),
        Separator::Bytes(a, b) => {
            let start = text.iter().take_while(|c| **c == b'\n').count();
            until(text, start, &|t| memchr::memchr2(*a, *b, t), f);
        }
        Separator::Chars => {
            let mut i = 0;
            while i < n {
                let end = i + char_len(text, i);
                f((i, end), (end, end));
                i = end;
            }
        }
        Separator::Regex(pattern, icase) => {
            if n == 0 {
                return;
            }
            let re = pattern.regex(*icase);
            let (mut begin, mut from) = (0, 0);
            while let Some((a, b)) = re.find_at(text, from, false) {
                if a == b {
                    // An empty match does not separate.
                    from = a + char_len(text, a).max(1);
                    if from > n {
                        break;
                    }
                    continue;
                }
                f((begin, a), (a, b));
                begin = b;
                from = b;
            }
            f((begin, n), (n, n));
        }
        Separator::Widths(widths) => {
            let mut i = 0;
            let step = |mut i: usize, chars: usize| {
                for _ in 0..chars {
                    if i >= n {
                        break;
                    }
                    i += char_len(text, i);
                }
                i
            };
            for (skip, width) in widths {
                i = step(i, *skip);
                if i >= n {
                    break;
                }
                let end = width.map_or(n, |w| step(i, w));
                f((i, end), (end, end));
                i = end;
            }
        }
        Separator::Content(pattern, icase) => {
            contents(text, pattern, *icase, &mut |field, _| f(field, (field.1, field.1)));
        }
    }
}

fn until(text: &[u8], start: usize, find: &dyn Fn(&[u8]) -> Option<usize>, f: &mut dyn FnMut(Span, Span)) {
    if start >= text.len() {
        return;
    }
    let mut at = start;
    while let Some(i) = text.get(at..).and_then(find) {
        f((at, at + i), (at + i, at + i + 1));
        at += i + 1;
    }
    f((at, text.len()), (text.len(), text.len()));
}

/// Calls `f` with each match and the text before it. The last call gets an empty match at the end and the rest of the
/// text.
pub(super) fn contents(text: &[u8], pattern: &Pattern, icase: bool, f: &mut dyn FnMut(Span, Span)) {
    // An empty text has no fields, whatever the pattern.
    if text.is_empty() {
        return;
    }
    let re = pattern.regex(icase);
    let mut from = 0;
    let mut after = 0;
    let mut nonempty_before = false;
    while from <= text.len() {
        let Some((a, b)) = re.find_at(text, from, false) else { break };
        if a == b {
            // An empty match directly after a field does not count. Elsewhere, even at the end, it is an empty field.
            if !(nonempty_before && a == after) {
                f((a, a), (after, a));
                after = a;
            }
            nonempty_before = false;
            from = a + char_len(text, a).max(1);
            continue;
        }
        f((a, b), (after, a));
        after = b;
        from = b;
        nonempty_before = true;
    }
}
