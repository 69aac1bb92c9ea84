//! Glob patterns. They are compiled once and match bytes, which are read as UTF-8 where they are valid.
//!
//! Matching never takes exponential time: sets of positions are moved through the pattern.
//!
//! These patterns differ from those that the utilities use for names (`sandshell-posix`). They have groups, find parts
//! of a text for `${x#pattern}` and `${x/pattern/}`, and read bracket expressions as leniently as bash.

mod class;
mod collate;
mod compile;
mod sets;
mod wrong_length;

use class::{Class, decode, fold};

/// Options for matching patterns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PatternOptions {
    /// Whether `?( *( +( @( !(` are operators.
    pub extglob: bool,
    /// Whether case is ignored.
    pub nocase: bool,
}

impl PatternOptions {
    /// The options as a number for [`crate::ast::PatternCache`].
    pub fn bits(self) -> u8 {
        u8::from(self.extglob) | u8::from(self.nocase) << 1
    }
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    nodes: Vec<Node>,
    nocase: bool,
    extended: bool,
    wrong_length: bool,
}

#[derive(Debug, Clone)]
enum Node {
    Literal(Box<[u8]>),
    /// `?`
    Any,
    /// `*`
    Star,
    Class(Box<Class>),
    Group(Box<Group>),
}

#[derive(Debug, Clone)]
struct Group {
    /// One of `? * + @ !`
    kind: u8,
    choices: Vec<Vec<Node>>,
}

impl Pattern {
    /// Compiles `text`, in which a backslash makes the next character literal. Quoted parts of a word must be passed
    /// through [`escape`] first.
    pub fn new(text: &[u8], options: PatternOptions) -> Pattern {
        let nodes = compile::compile(text, options);
        let extended = nodes.iter().any(|node| matches!(node, Node::Group(_)));
        let wrong_length = wrong_length::has_wrong_length(text, options.extglob);
        Pattern { nodes, nocase: options.nocase, extended, wrong_length }
    }

    /// Whether `${x/pattern/}` never replaces anything, because bash computes a wrong length for the pattern.
    pub fn replaces_nothing(&self) -> bool {
        self.wrong_length
    }

    /// Whether the pattern matches the whole `text`.
    pub fn matches(&self, text: &[u8]) -> bool {
        if self.extended {
            return self.sets(text).ends(0).contains(text.len());
        }
        self.matches_plain(text)
    }

    /// The length of the shortest or longest prefix of `text` that matches.
    pub fn match_prefix(&self, text: &[u8], longest: bool) -> Option<usize> {
        if let Some(literal) = self.literal() {
            return text.starts_with(literal).then_some(literal.len());
        }
        let ends = self.sets(text).ends(0);
        if longest { ends.last(text.len()) } else { ends.first() }
    }

    /// The start of the shortest or longest suffix of `text` that matches.
    pub fn match_suffix(&self, text: &[u8], longest: bool) -> Option<usize> {
        if let Some(literal) = self.literal() {
            return text.ends_with(literal).then(|| text.len() - literal.len());
        }
        let starts = self.sets(text).starts();
        if longest { starts.first() } else { starts.last(text.len()) }
    }

    /// The start and end of the leftmost match at or after `from`, and of the longest one there.
    pub fn find(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        if let Some(literal) = self.literal() {
            if literal.is_empty() {
                return (from <= text.len()).then_some((from, from));
            }
            let at = find_bytes(text, literal, from)?;
            return Some((at, at + literal.len()));
        }
        let mut sets = self.sets(text);
        let mut at = from;
        while at <= text.len() {
            if let Some(Node::Literal(first)) = self.nodes.first()
                && !self.nocase
            {
                at = find_bytes(text, first, at)?;
            }
            if let Some(end) = sets.ends(at).last(text.len()) {
                return Some((at, end));
            }
            if matches!(self.nodes.first(), Some(Node::Star)) || at == text.len() {
                // A pattern with a star at its start would have matched at the first position.
                return None;
            }
            at += decode(text, at).1;
        }
        None
    }

    /// The only text that matches, if the pattern has no operators and case is not ignored.
    pub fn literal(&self) -> Option<&[u8]> {
        match self.nodes.as_slice() {
            [] => Some(b""),
            [Node::Literal(text)] if !self.nocase => Some(text),
            _ => None,
        }
    }

    fn sets<'a>(&'a self, text: &'a [u8]) -> sets::Sets<'a> {
        sets::Sets::new(&self.nodes, text, self.nocase)
    }

    /// Matches a pattern without groups. After a failure it is enough to retry from the last star.
    fn matches_plain(&self, text: &[u8]) -> bool {
        let nodes = &self.nodes;
        let (mut node, mut at) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            let step = match nodes.get(node) {
                None if at == text.len() => return true,
                None => None,
                Some(Node::Star) => {
                    if node + 1 == nodes.len() {
                        return true;
                    }
                    retry = Some((node, at));
                    Some(0)
                }
                Some(single) => match_one(single, text, at, self.nocase),
            };
            match (step, &mut retry) {
                (Some(length), _) => {
                    node += 1;
                    at += length;
                }
                (None, Some((star, from))) if *from < text.len() => {
                    *from += decode(text, *from).1;
                    if let (Some(Node::Literal(next)), false) = (nodes.get(*star + 1), self.nocase) {
                        match find_bytes(text, next, *from) {
                            Some(found) => *from = found,
                            None => return false,
                        }
                    }
                    node = *star + 1;
                    at = *from;
                }
                _ => return false,
            }
        }
    }
}

/// How many bytes a node matches at `at`. Only for nodes that can match no more than one length there.
fn match_one(node: &Node, text: &[u8], at: usize, nocase: bool) -> Option<usize> {
    let rest = text.get(at..)?;
    match node {
        Node::Literal(literal) if !nocase => rest.starts_with(literal).then_some(literal.len()),
        Node::Literal(literal) => {
            let (mut mine, mut theirs) = (0, at);
            while mine < literal.len() {
                if theirs >= text.len() {
                    return None;
                }
                let (want, width) = decode(literal, mine);
                let (have, length) = decode(text, theirs);
                if fold(want) != fold(have) {
                    return None;
                }
                mine += width;
                theirs += length;
            }
            Some(theirs - at)
        }
        _ if rest.is_empty() => None,
        Node::Any => Some(decode(text, at).1),
        Node::Class(class) => {
            let (character, length) = decode(text, at);
            class.contains(character, nocase).then_some(length)
        }
        Node::Star | Node::Group(_) => None,
    }
}

/// The first occurrence of `what` at or after `from`.
fn find_bytes(text: &[u8], what: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let Some((&first, tail)) = what.split_first() else { return Some(from) };
    let mut at = 0;
    loop {
        let found = at + rest.get(at..)?.iter().position(|&byte| byte == first)?;
        if rest.get(found + 1..)?.starts_with(tail) {
            return Some(from + found);
        }
        at = found + 1;
    }
}

/// Appends `text` to a pattern in escaped form, so that it matches only itself.
pub fn escape(text: &[u8], pattern: &mut Vec<u8>) {
    for &byte in text {
        if byte.is_ascii_punctuation() && !matches!(byte, b'_' | b'/' | b',') {
            pattern.push(b'\\');
        }
        pattern.push(byte);
    }
}

/// Removes the backslashes from a pattern without operators. Returns the text that it matches.
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

/// Whether `pattern` contains an unescaped operator, so that pathname expansion applies. A `[` counts only if `]`
/// follows before the next slash.
pub fn is_glob(pattern: &[u8], extglob: bool) -> bool {
    let mut at = 0;
    let mut open = false;
    while let Some(&byte) = pattern.get(at) {
        match byte {
            b'*' | b'?' => return true,
            b'[' => open = true,
            b']' if open => return true,
            b'/' => open = false,
            b'+' | b'@' | b'!' if extglob && pattern.get(at + 1) == Some(&b'(') => return true,
            b'\\' => at += 1,
            _ => {}
        }
        at += 1;
    }
    false
}
