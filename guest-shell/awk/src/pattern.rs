//! gawk's regular expressions.

use crate::diag::bytes;
use crate::escape;
use sandshell_regex::{Flags, Regex, Syntax};
use std::cell::OnceCell;

/// The dialect of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) posix: bool,
    pub(crate) traditional: bool,
    /// `-b`, or a locale without multibyte characters.
    pub(crate) bytes: bool,
}

/// A regular expression, compiled both for exact case and for ignored case.
pub(crate) struct Pattern {
    source: Vec<u8>,
    translated: Vec<u8>,
    dialect: Dialect,
    exact: Regex,
    any_case: OnceCell<Option<Regex>>,
}

impl Pattern {
    /// Compiles an expression. gawk's warnings are added to `warnings`.
    ///
    /// # Errors
    /// The text of the message, without `fatal: `.
    pub(crate) fn new(source: &[u8], dialect: Dialect, warnings: &mut Vec<Vec<u8>>) -> Result<Self, Vec<u8>> {
        let translated = translate(source, dialect, warnings);
        let exact = compile(&translated, dialect, false)
            .map_err(|e| bytes!("invalid regexp: ", e.to_string(), ": /", source, "/"))?;
        Ok(Self { source: source.to_vec(), translated, dialect, exact, any_case: OnceCell::new() })
    }

    /// The source text.
    pub(crate) fn source(&self) -> &[u8] {
        &self.source
    }

    /// The compiled expression, with or without ignoring case.
    pub(crate) fn regex(&self, ignore_case: bool) -> &Regex {
        if !ignore_case {
            return &self.exact;
        }
        let any = self.any_case.get_or_init(|| compile(&self.translated, self.dialect, true).ok());
        any.as_ref().unwrap_or(&self.exact)
    }
}

fn compile(pattern: &[u8], dialect: Dialect, icase: bool) -> Result<Regex, sandshell_regex::Error> {
    let syntax = if dialect.traditional {
        Syntax::AWK | Syntax::INTERVALS | Syntax::NO_BK_BRACES | Syntax::INVALID_INTERVAL_ORD
    } else if dialect.posix {
        Syntax::POSIX_AWK
    } else {
        Syntax::GNU_AWK
    };
    let pattern: &[u8] = if pattern.is_empty() { b"()" } else { pattern };
    Regex::new(pattern, syntax, Flags { icase, bytes: dialect.bytes, ..Flags::default() })
}

/// Whether a character other than a letter may follow a backslash without a warning.
fn may_be_escaped(b: u8, dialect: Dialect) -> bool {
    b"()|*+?.^$\\[]/-'`<>".contains(&b) || (!dialect.traditional && b"{}".contains(&b))
}

// Replaces awk's escapes by those that the regular expression compiler knows.
fn translate(source: &[u8], dialect: Dialect, warnings: &mut Vec<Vec<u8>>) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len() + 2);
    let mut at = 0;
    // Where the content of the current bracket expression begins, if inside one.
    let mut content: Option<usize> = None;
    while let Some(b) = source.get(at).copied() {
        if b == b'\\'
            && let Some(next) = source.get(at + 1).copied()
        {
            at += 2;
            if let Some(c) = escape::simple(next) {
                out.push(c);
            } else if let Some((c, end)) = escape::numeric(source, at - 1, dialect.posix) {
                let literal = dialect.traditional && !dialect.posix && b"()|*+?.^$[]/-".contains(&c);
                if literal || c == b'\\' || (content.is_some() && b"]-^\\".contains(&c)) {
                    out.push(b'\\');
                }
                out.push(c);
                at = end;
            } else {
                match next {
                    b'x' if !dialect.posix => {
                        warnings.push(b"no hex digits in `\\x' escape sequence".to_vec());
                        out.push(b'x');
                    }
                    b'8' | b'9' => {
                        warnings.push(bytes!(
                            "regexp escape sequence `\\",
                            [next],
                            "' treated as plain `",
                            [next],
                            "'"
                        ));
                        out.push(next);
                    }
                    b'y' if !dialect.traditional && !dialect.posix && content.is_none() => out.extend(b"\\b"),
                    b'/' | b'"' | b'&' => {
                        if next != b'/' {
                            warn_unknown(next, warnings);
                        }
                        out.push(next);
                    }
                    b'\n' => {}
                    _ => {
                        let known = may_be_escaped(next, dialect) || b"BwWsSy".contains(&next);
                        if !known && next.is_ascii() {
                            warn_unknown(next, warnings);
                        }
                        if !known && next.is_ascii_alphanumeric() {
                            out.push(next);
                        } else {
                            out.extend([b'\\', next]);
                        }
                    }
                }
            }
            continue;
        }
        match (content, b) {
            (None, b'[') => {
                let mut begin = out.len() + 1;
                out.push(b'[');
                at += 1;
                if source.get(at) == Some(&b'^') {
                    out.push(b'^');
                    at += 1;
                    begin += 1;
                }
                content = Some(begin);
                continue;
            }
            (Some(_), b'[') if matches!(source.get(at + 1), Some(b':' | b'.' | b'=')) => {
                let kind = source[at + 1];
                let rest = source.get(at + 2..).unwrap_or_default();
                if let Some(n) = rest.windows(2).position(|w| w == [kind, b']']) {
                    out.extend_from_slice(source.get(at..at + n + 4).unwrap_or_default());
                    at += n + 4;
                    continue;
                }
            }
            (Some(begin), b']') if out.len() > begin => content = None,
            _ => {}
        }
        out.push(b);
        at += 1;
    }
    out
}

thread_local! {
    // There is one warning for each character.
    static WARNED: std::cell::RefCell<[bool; 256]> = const { std::cell::RefCell::new([false; 256]) };
}

fn warn_unknown(b: u8, warnings: &mut Vec<Vec<u8>>) {
    if WARNED.with(|w| std::mem::replace(&mut w.borrow_mut()[usize::from(b)], true)) {
        return;
    }
    let text = bytes!("regexp escape sequence `\\", [b], "' is not a known regexp operator");
    if !warnings.contains(&text) {
        warnings.push(text);
    }
}
