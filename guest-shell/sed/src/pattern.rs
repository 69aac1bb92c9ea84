//! Regular expressions in scripts.

use crate::options::Options;
use crate::text::{Escape, RECURSIVE, escape};
use crate::{Failure, Result};
use sandshell_regex::{Flags, Regex, Syntax};
use std::rc::Rc;

/// A regular expression. The empty one means the last one that was used.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Last,
    Own(Rc<Regex>),
}

/// The flags `I` and `M`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Modifiers {
    pub(crate) icase: bool,
    pub(crate) multiline: bool,
}

/// Compiles the text between the delimiters. The error does not contain its position.
pub(crate) fn compile(
    text: &[u8],
    modifiers: Modifiers,
    options: &Options,
) -> std::result::Result<Pattern, String> {
    if text.is_empty() {
        if modifiers.icase || modifiers.multiline {
            return Err("cannot specify modifiers on empty regexp".into());
        }
        return Ok(Pattern::Last);
    }
    let text = normalize(text, options.posix)?;
    let syntax = match (options.extended, options.posix) {
        (true, _) => Syntax::SED_EXTENDED,
        (false, false) => Syntax::SED,
        (false, true) => Syntax::POSIX_MINIMAL_BASIC,
    };
    // If lines end with NUL, a newline has no special meaning.
    let newline = modifiers.multiline && !options.null_data;
    let lines = (modifiers.multiline && options.null_data).then_some(0);
    let flags = Flags { icase: modifiers.icase, newline, lines, ..Flags::default() };
    match Regex::new(&text, syntax, flags) {
        Ok(regex) => Ok(Pattern::Own(Rc::new(regex))),
        Err(error) => Err(error.to_string()),
    }
}

impl Pattern {
    /// The expression to match with. It is remembered as the last one.
    pub(crate) fn resolve(&self, last: &mut Option<Rc<Regex>>) -> Result<Rc<Regex>> {
        match self {
            Pattern::Own(regex) => {
                *last = Some(regex.clone());
                Ok(regex.clone())
            }
            Pattern::Last => last.clone().ok_or_else(|| {
                Failure::usage(&[b"-e expression #1, char 0: no previous regular expression"])
            }),
        }
    }

    /// The number of groups, if known.
    pub(crate) fn groups(&self) -> Option<usize> {
        match self {
            Pattern::Own(regex) => Some(regex.groups()),
            Pattern::Last => None,
        }
    }
}

// Replaces escapes that stand for bytes. As in GNU sed, the resulting byte may be an operator.
fn normalize(text: &[u8], posix: bool) -> std::result::Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    let mut bracket = Bracket::default();
    while let Some(&b) = text.get(at) {
        let inside = bracket.inside();
        if b != b'\\' {
            bracket.step(text, at);
            out.push(b);
            at += 1;
            continue;
        }
        // In POSIX mode, a backslash in a list is literal.
        let found = if inside && posix { Escape::None } else { escape(&text[at + 1..]) };
        match found {
            Escape::Byte(byte, len) => {
                out.push(byte);
                bracket.content();
                at += len + 1;
            }
            Escape::Recursive => return Err(RECURSIVE.into()),
            Escape::Cut => {
                out.push(b'\\');
                at += 2;
            }
            Escape::None => {
                out.push(b'\\');
                at += 1;
                if inside {
                    // The backslash is literal here. The next character may begin an escape or end the list.
                    bracket.content();
                } else if let Some(&next) = text.get(at) {
                    out.push(next);
                    at += 1;
                }
            }
        }
    }
    Ok(out)
}

/// Tracks bracket expressions through a pattern, byte by byte.
#[derive(Default)]
pub(crate) struct Bracket {
    // The number of bytes in the list so far, if one is open.
    open: Option<usize>,
    // Inside `[.`, `[=` or `[:`: the byte that ends it, and the position where it began.
    class: Option<(u8, usize)>,
    negated: bool,
}

impl Bracket {
    pub(crate) fn inside(&self) -> bool {
        self.open.is_some()
    }

    fn content(&mut self) {
        if let Some(n) = &mut self.open {
            *n += 1;
        }
    }

    /// Processes the byte at `at`.
    pub(crate) fn step(&mut self, text: &[u8], at: usize) {
        let b = text.get(at).copied().unwrap_or_default();
        match (self.open, self.class) {
            (None, _) => {
                if b == b'[' {
                    (self.open, self.negated) = (Some(0), false);
                }
            }
            (Some(_), Some((end, from))) => {
                if b == b']' && at > from + 1 && text.get(at - 1) == Some(&end) {
                    self.class = None;
                }
                self.content();
            }
            (Some(0), None) if b == b'^' && !self.negated => self.negated = true,
            (Some(n), None) if b == b']' && n > 0 => self.open = None,
            (Some(_), None) => {
                if b == b'['
                    && let Some(next @ (b'.' | b':' | b'=')) = text.get(at + 1).copied()
                {
                    self.class = Some((next, at + 1));
                }
                self.content();
            }
        }
    }
}
