//! Several regular expressions, at least one of which must match.

use sandshell_regex::{Flags, Regex, Syntax};

const SYNTAX: Syntax = Syntax::GREP.without(Syntax::GREP_RULES);

/// The patterns of `-I` or `-F`.
pub(crate) struct Regexps(Regex);

impl Regexps {
    /// Returns an error message if the pattern is not valid.
    pub(crate) fn check(pattern: &[u8]) -> Result<(), Vec<u8>> {
        Regex::new(pattern, SYNTAX, Flags::default()).map(drop).map_err(|e| e.to_string().into_bytes())
    }

    /// Compiles the patterns; `None` if there are none.
    pub(crate) fn new(patterns: Vec<Vec<u8>>) -> Option<Self> {
        if patterns.is_empty() {
            return None;
        }
        let all: Vec<&[u8]> = patterns.iter().map(Vec::as_slice).collect();
        Regex::any_of(&all, SYNTAX, Flags::default()).ok().map(Self)
    }

    /// Whether a pattern matches in the line.
    pub(crate) fn matches(&self, line: &[u8]) -> bool {
        self.0.is_match(line)
    }
}
