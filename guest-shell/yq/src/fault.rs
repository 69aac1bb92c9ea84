//! Errors, with the texts of Python's exceptions.

use libyaml_safer::{Error, ErrorKind, Mark};

/// An exception: its class and its text.
#[derive(Debug)]
pub(crate) struct Fault(pub(crate) String);

impl Fault {
    pub(crate) fn new(class: &str, text: impl AsRef<str>) -> Self {
        Self(format!("{class}: {}", text.as_ref()))
    }

    /// An error with positions. Each part is a text and, optionally, its position.
    pub(crate) fn marked(class: &str, name: &str, parts: &[(&str, Option<Mark>)]) -> Self {
        let mut lines = Vec::new();
        for (text, mark) in parts {
            lines.push((*text).to_owned());
            lines.extend(mark.as_ref().map(|m| place(name, m)));
        }
        Self::new(class, lines.join("\n"))
    }

    /// The exception for an error of the parser.
    pub(crate) fn parse(error: &Error, name: &str, text: &str) -> Self {
        let class = match error.kind() {
            ErrorKind::Scanner => "ScannerError",
            ErrorKind::Parser => "ParserError",
            ErrorKind::Composer => "ComposerError",
            _ => return unreadable(error, name, text),
        };
        let mut parts = Vec::new();
        let problem = error.problem_mark();
        if let (Some(context), Some(mark)) = (error.context(), error.context_mark()) {
            // If both positions are the same, only one is shown.
            parts.push((context, (problem != Some(mark)).then_some(mark)));
        }
        parts.push((error.problem(), problem));
        Self::marked(class, name, &parts)
    }
}

fn place(name: &str, mark: &Mark) -> String {
    format!("  in \"{name}\", line {}, column {}", mark.line + 1, mark.column + 1)
}

// Characters that YAML does not allow are reported before anything is parsed.
fn unreadable(error: &Error, name: &str, text: &str) -> Fault {
    match text.chars().enumerate().find(|(_, c)| !is_allowed(*c)) {
        Some((at, c)) => Fault::new(
            "ReaderError",
            format!(
                "unacceptable character #x{:04x}: control characters are not allowed\n  in \"{name}\", position {at}",
                u32::from(c)
            ),
        ),
        None => Fault::new("ReaderError", error.problem()),
    }
}

fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{7e}' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}
