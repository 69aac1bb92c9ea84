//! Matches patterns with the engine that their syntax needs.

use super::options::{Kind, Options};
use super::perl::{self, Perl};
use crate::out::message;
use sandshell_regex::{Flags, Regex, Syntax};

pub(crate) enum Matcher {
    /// The expression that selects lines, and the one that finds matches in a line, if that is a different one.
    Posix(Box<Regex>, Option<Box<Regex>>),
    Perl(Perl),
}

impl Matcher {
    /// Compiles the patterns and prints warnings.
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
                return Ok(Self::Posix(Box::new(none), None));
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
        let braces = o.kind == Kind::Extended && patterns.iter().any(|p| p.contains(&b'{'));
        let places = if braces && (o.only || o.colors.is_some()) {
            let places = Regex::any_of(&patterns, Syntax::EGREP_PLACES, flags).map_err(|e| e.to_string())?;
            Some(Box::new(places))
        } else {
            None
        };
        Ok(Self::Posix(Box::new(regex), places))
    }

    /// A position in the first matching line from `start` on. The text must end with a line terminator.
    pub(crate) fn matching_line(&self, text: &[u8], start: usize) -> Option<usize> {
        let hit = match self {
            Self::Posix(r, _) => r.matching_line(text, start),
            Self::Perl(p) => p.matching_line(text, start),
        };
        hit.filter(|h| *h < text.len())
    }

    /// The first match at or after `start` in a line without terminator.
    pub(crate) fn find(&self, line: &[u8], start: usize) -> Option<(usize, usize)> {
        match self {
            Self::Posix(r, places) => places.as_deref().unwrap_or(r).find_at(line, start, false),
            Self::Perl(p) => p.find(line, start),
        }
    }

    /// Whether the search for a match was given up because it took too long.
    pub(crate) fn gave_up(&self) -> bool {
        matches!(self, Self::Perl(p) if *p.gave_up.borrow())
    }
}
