//! The patterns, of whichever kind.

use super::options::{Kind, Options};
use super::perl::{self, Perl};
use crate::out::message;
use sandshell_regex::{Flags, Regex, Syntax};

pub(crate) enum Matcher {
    Posix(Regex),
    Perl(Perl),
}

impl Matcher {
    /// Compiles the patterns, writes warnings.
    ///
    /// # Errors
    /// The text of the message.
    pub(crate) fn new(o: &Options) -> Result<Self, String> {
        let patterns: Vec<&[u8]> = o.patterns.iter().map(Vec::as_slice).collect();
        if o.kind == Kind::Perl {
            if patterns.len() > 1 {
                return Err("the -P option only supports a single pattern".into());
            }
            let Some(pattern) = patterns.first() else {
                let none = Regex::fixed(&[], Flags::default()).map_err(|e| e.to_string())?;
                return Ok(Self::Posix(none));
            };
            let flags = perl::Flags {
                icase: o.icase,
                word: o.word,
                line: o.line,
                bytes: o.bytes,
                terminator: o.terminator,
            };
            return Perl::new(pattern, flags).map(Self::Perl);
        }
        let flags = Flags {
            icase: o.icase,
            newline: false,
            lines: Some(o.terminator),
            word: o.word,
            line: o.line,
            bytes: o.bytes,
        };
        let regex = match o.kind {
            Kind::Fixed => Regex::fixed(&patterns, flags),
            Kind::Extended => Regex::any_of(&patterns, Syntax::EGREP, flags),
            _ => Regex::any_of(&patterns, Syntax::GREP, flags),
        };
        let regex = regex.map_err(|e| e.to_string())?;
        for w in regex.warnings() {
            message("grep", format!("warning: {w}").as_bytes());
        }
        Ok(Self::Posix(regex))
    }

    /// A position in the first line from `start` on that matches; the text ends with a terminator.
    pub(crate) fn matching_line(&self, text: &[u8], start: usize) -> Option<usize> {
        let hit = match self {
            Self::Posix(r) => r.matching_line(text, start),
            Self::Perl(p) => p.matching_line(text, start),
        };
        hit.filter(|h| *h < text.len())
    }

    /// The first match in a line, which has no terminator, at or behind `start`.
    pub(crate) fn find(&self, line: &[u8], start: usize) -> Option<(usize, usize)> {
        match self {
            Self::Posix(r) => r.find_at(line, start, false),
            Self::Perl(p) => p.find(line, start),
        }
    }

    /// Whether a match was given up because it took too long.
    pub(crate) fn gave_up(&self) -> bool {
        matches!(self, Self::Perl(p) if *p.gave_up.borrow())
    }
}
