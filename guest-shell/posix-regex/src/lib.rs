//! POSIX regular expressions with GNU's extensions: basic, extended, and related dialects. Matching is leftmost-longest
//! and supports back-references. Groups are the same as in glibc.
//!
//! ```
//! use sandshell_regex::{Flags, Regex, Syntax};
//! let re = Regex::new(b"(a|ab)(c|bcd)?", Syntax::POSIX_EXTENDED, Flags::default())?;
//! assert_eq!(re.find_at(b"xabcd", 0, false), Some((1, 5)));            // leftmost, then longest
//! let groups = re.captures_at(b"xabcd", 0, false).unwrap_or_default(); // group 0 is the match
//! assert_eq!(groups[1], Some((1, 2)));
//! # Ok::<(), sandshell_regex::Error>(())
//! ```
//!
//! * [`Syntax`] has a constant for each dialect: `SED`, `SED_EXTENDED`, `GREP`, `EGREP`, `GNU_AWK`, `POSIX_BASIC`
//!   (`expr`), `POSIX_EXTENDED` (bash's `=~`), `FIND`, `EMACS`…; [`Regex::fixed`] takes plain strings.
//! * [`Flags`]: `icase`; `newline` is `REG_NEWLINE` (sed's `M`); `lines` is for searching many lines at once (grep);
//!   `bytes` is the locale `C`.
//! * To iterate over all matches of a text, call [`Regex::find_at`] again with a larger `start` and the same text. What
//!   precedes `start` still matters for `^` and `\b`. `notbol` means that the text does not begin a line. After an
//!   empty match, the caller must advance by one character.
//! * [`Regex::new`] parses the pattern and reports errors with glibc's texts. The automata are built at the first
//!   search, and those for groups when groups are first requested.
//! * A `Regex` contains scratch memory, so it cannot be shared between threads.

mod ast;
mod backtrack;
mod class;
mod engine;
mod error;
mod hir;
mod literal;
mod parse;
mod syntax;
mod tables;

pub use error::Error;
pub use syntax::{Flags, Syntax};

use ast::{Anchor, Node};
use backtrack::{Program, Span};
use engine::{Finder, Longest};
use memchr::{memchr, memmem, memrchr};
use std::cell::{Cell, OnceCell};

/// The limit of the estimated states of a compiled pattern.
const COST_MAX: u64 = 2_000_000;

/// A parsed pattern, ready to search.
pub struct Regex {
    node: Node,
    groups: usize,
    backrefs: bool,
    // Whether to search with a pattern that matches more, and then check what it finds.
    relax: bool,
    // Whether the first match by priority is always the longest one.
    first_is_longest: bool,
    flags: Flags,
    warnings: Vec<&'static str>,
    literal: Option<Box<memmem::Finder<'static>>>,
    any_case: Option<Box<literal::AnyCase>>,
    // A string that every match contains, used to find candidate lines.
    required: Option<Box<memmem::Finder<'static>>>,
    // How many candidate lines were searched, and how many bytes were skipped.
    tried: Cell<(u32, usize)>,
    finder: OnceCell<Option<Box<Finder>>>,
    relaxed: OnceCell<Option<Box<Finder>>>,
    longest: OnceCell<Option<Box<Longest>>>,
    program: OnceCell<Box<Program>>,
}

impl Regex {
    /// Parses a pattern.
    ///
    /// # Errors
    /// An error in the pattern.
    pub fn new(pattern: &[u8], syntax: Syntax, flags: Flags) -> Result<Self, Error> {
        Self::any_of(&[pattern], syntax, flags)
    }

    /// Parses several patterns, and matches what any of them matches. Back-references count only the groups of their
    /// own pattern. An empty list matches nothing.
    ///
    /// # Errors
    /// The error of the first invalid pattern.
    pub fn any_of(patterns: &[&[u8]], syntax: Syntax, flags: Flags) -> Result<Self, Error> {
        let mut parsed = parse::Parsed::default();
        let nodes = patterns
            .iter()
            .map(|p| parse::parse(p, syntax, flags, &mut parsed))
            .collect::<Result<Vec<_>, _>>()?;
        Self::build(nodes, parsed, flags)
    }

    /// Matches any of these plain strings: the longest one at the leftmost position.
    ///
    /// # Errors
    /// [`Error::Size`] if the strings are too long in total.
    pub fn fixed(strings: &[&[u8]], flags: Flags) -> Result<Self, Error> {
        let parsed = parse::Parsed::default();
        let nodes = strings.iter().map(|s| parse::literal(s, flags)).collect();
        Self::build(nodes, parsed, flags)
    }

    fn build(mut nodes: Vec<Node>, parsed: parse::Parsed, flags: Flags) -> Result<Self, Error> {
        let mut node = if nodes.len() == 1 { nodes.remove(0) } else { Node::Alternate(nodes) };
        if flags.line {
            node = Node::Concat(vec![Node::Anchor(Anchor::LineStart), node, Node::Anchor(Anchor::LineEnd)]);
        } else if flags.word {
            let (a, b) = (Node::Anchor(Anchor::NotAfterWord), Node::Anchor(Anchor::NotBeforeWord));
            node = Node::Concat(vec![a, node, b]);
        }
        if node.cost() > COST_MAX {
            return Err(Error::Size);
        }
        let words = !flags.bytes
            && node.any(&mut |n| {
                matches!(n, Node::Anchor(a) if !matches!(a,
                    Anchor::LineStart | Anchor::LineEnd | Anchor::TextStart | Anchor::TextEnd))
            });
        let any_case = if flags.icase { literal::AnyCase::new(&node, flags).map(Box::new) } else { None };
        let required = flags.lines.and_then(|_| literal::required(&node, flags));
        let required = required.map(|l| Box::new(memmem::Finder::new(&l).into_owned()));
        let literal = plain(&node, flags).map(|l| Box::new(memmem::Finder::new(&l).into_owned()));
        Ok(Self {
            first_is_longest: first_is_longest(&node),
            node,
            groups: parsed.groups,
            backrefs: parsed.backrefs,
            relax: parsed.backrefs || words,
            flags,
            warnings: parsed.warnings,
            literal,
            any_case,
            required,
            tried: Cell::new((0, 0)),
            finder: OnceCell::new(),
            relaxed: OnceCell::new(),
            longest: OnceCell::new(),
            program: OnceCell::new(),
        })
    }

    /// The number of groups in the pattern.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The warnings that GNU grep prints, in the order of the pattern. Empty for other dialects.
    pub fn warnings(&self) -> &[&'static str] {
        &self.warnings
    }

    /// Whether there is a match anywhere.
    pub fn is_match(&self, text: &[u8]) -> bool {
        if let Some(l) = &self.literal {
            return l.find(text).is_some();
        }
        if let Some(c) = &self.any_case {
            return c.find(text, 0, text.len()).is_some();
        }
        match self.finder() {
            Some(f) if !self.backrefs => f.earliest_end(text, 0, text.len()).is_some(),
            _ if self.flags.lines.is_none() => self.has_backtracking_match(text, 0, text.len()),
            _ => self.find_in(text, 0, text.len()).is_some(),
        }
    }

    /// The leftmost-longest match that begins at or after `start`. With `notbol`, the start of the text is not the
    /// start of a line.
    pub fn find_at(&self, text: &[u8], start: usize, notbol: bool) -> Option<(usize, usize)> {
        if start > text.len() {
            return None;
        }
        if notbol && self.literal.is_none() {
            let (a, b) = self.find_in(&shifted(text), start + 1, text.len() + 1)?;
            return Some((a - 1, b - 1));
        }
        self.find_in(text, start, text.len())
    }

    /// As [`find_at`](Self::find_at), with the spans of the groups. Index 0 is the match. `None` is a group that did
    /// not take part.
    pub fn captures_at(
        &self,
        text: &[u8],
        start: usize,
        notbol: bool,
    ) -> Option<Vec<Option<(usize, usize)>>> {
        if start > text.len() {
            return None;
        }
        if notbol && self.literal.is_none() {
            let mut groups = self.captures_in(&shifted(text), start + 1)?;
            for (a, b) in groups.iter_mut().flatten() {
                *a -= 1;
                *b -= 1;
            }
            return Some(groups);
        }
        self.captures_in(text, start)
    }

    /// With [`Flags::lines`]: finds the first line that contains a match, beginning at `start` (the start of a line),
    /// and returns a position in it. The position may be that of the line's terminator. If the empty line after the
    /// last terminator matches, it can be `text.len()`.
    pub fn matching_line(&self, text: &[u8], start: usize) -> Option<usize> {
        if let Some(l) = &self.literal {
            return l.find(text.get(start..)?).map(|i| start + i);
        }
        if start > text.len() {
            return None;
        }
        if let Some(c) = &self.any_case {
            return c.find(text, start, text.len()).map(|m| m.0);
        }
        let terminator = self.flags.lines.unwrap_or(b'\n');
        let mut at = start;
        loop {
            let required = self.required.as_ref().filter(|_| self.required_pays());
            if required.is_none() && !self.relax {
                return match self.finder() {
                    Some(f) => f.earliest_end(text, at, text.len()),
                    None => self.find_in(text, at, text.len()).map(|m| m.0),
                };
            }
            let hit = match (required, self.relaxed_if_needed()) {
                (Some(r), _) => {
                    let hit = at + r.find(text.get(at..)?)?;
                    let (n, bytes) = self.tried.get();
                    self.tried.set((n.saturating_add(1), bytes.saturating_add(hit - at)));
                    hit
                }
                (None, Some(f)) => f.earliest_end(text, at, text.len())?,
                (None, None) => at,
            };
            let begin = text.get(at..hit).and_then(|t| memrchr(terminator, t)).map_or(at, |i| at + i + 1);
            let end = text.get(hit..).and_then(|t| memchr(terminator, t)).map_or(text.len(), |i| hit + i);
            if self.backrefs {
                if self.has_backtracking_match(text, begin, end) {
                    return Some(begin);
                }
            } else if let Some((m, _)) = self.find_in(text, begin, end) {
                return Some(m);
            }
            at = end + 1;
            if at > text.len() {
                return None;
            }
        }
    }

    // Whether to search for the required string first. That does not pay if nearly every line contains it.
    fn required_pays(&self) -> bool {
        let (n, bytes) = self.tried.get();
        n < 100 || bytes / (n as usize) > 200
    }

    fn relaxed_if_needed(&self) -> Option<&Finder> {
        if self.relax { self.relaxed() } else { None }
    }

    fn finder(&self) -> Option<&Finder> {
        self.finder
            .get_or_init(|| Finder::new(&hir::exact(&self.node, self.flags), self.flags).map(Box::new))
            .as_deref()
    }

    fn relaxed(&self) -> Option<&Finder> {
        self.relaxed
            .get_or_init(|| Finder::new(&hir::relaxed(&self.node, self.flags), self.flags).map(Box::new))
            .as_deref()
    }

    fn longest(&self) -> Option<&Longest> {
        self.longest
            .get_or_init(|| Longest::new(&hir::exact(&self.node, self.flags), self.flags).map(Box::new))
            .as_deref()
    }

    fn program(&self) -> &Program {
        self.program.get_or_init(|| Box::new(Program::new(&self.node, self.groups, self.flags)))
    }

    fn find_in(&self, text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
        if let Some(l) = &self.literal {
            return l.find(text.get(start..end)?).map(|i| (start + i, start + i + l.needle().len()));
        }
        if let Some(c) = &self.any_case {
            return c.find(text, start, end);
        }
        if self.backrefs {
            return self.backtrack(text, start, end)?.first().copied().flatten();
        }
        let Some(finder) = self.finder() else {
            return self.backtrack(text, start, end)?.first().copied().flatten();
        };
        let (a, b) = finder.find(text, start, end)?;
        if self.first_is_longest {
            return Some((a, b));
        }
        let longest = self.longest().and_then(|l| l.end(text, a, end));
        Some((a, longest.unwrap_or(b).max(b)))
    }

    fn captures_in(&self, text: &[u8], start: usize) -> Option<Vec<Span>> {
        if self.backrefs {
            return self.backtrack(text, start, text.len());
        }
        let found = self.find_in(text, start, text.len())?;
        if self.groups == 0 {
            return Some(vec![Some(found)]);
        }
        let groups = self.program().groups_between(text, found.0, found.1);
        Some(groups.unwrap_or_else(|| {
            let mut g = vec![None; self.groups + 1];
            if let Some(first) = g.first_mut() {
                *first = Some(found);
            }
            g
        }))
    }

    // The match of a pattern with back-references.
    fn backtrack(&self, text: &[u8], start: usize, end: usize) -> Option<Vec<Span>> {
        self.each_start(text, start, end, &mut |at| {
            let limit = match self.flags.lines {
                Some(t) => text.get(at..end).and_then(|rest| memchr(t, rest)).map_or(end, |i| at + i),
                None => end,
            };
            self.program().longest_at(text, at, limit)
        })
    }

    // Whether a range has a match with back-references. If lines matter, the range is one line.
    fn has_backtracking_match(&self, text: &[u8], start: usize, end: usize) -> bool {
        self.each_start(text, start, end, &mut |at| self.program().matches_at(text, at, end).then_some(()))
            .is_some()
    }

    // Calls `f` for each position where a match may begin, as found by the pattern that matches more.
    fn each_start<T>(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        f: &mut dyn FnMut(usize) -> Option<T>,
    ) -> Option<T> {
        let mut at = start;
        while at <= end {
            if let Some(finder) = self.relaxed() {
                at = finder.find(text, at, end)?.0;
            }
            if let Some(found) = f(at) {
                return Some(found);
            }
            at += 1;
            while !self.flags.bytes && text.get(at).is_some_and(|b| b & 0xc0 == 0x80) {
                at += 1;
            }
        }
        None
    }
}

impl std::fmt::Debug for Regex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Regex").field("node", &self.node).field("flags", &self.flags).finish_non_exhaustive()
    }
}

// The text after one byte that is neither a newline nor a word character.
fn shifted(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 1);
    out.push(1);
    out.extend_from_slice(text);
    out
}

// The string that the pattern matches, if it is only a string.
fn plain(node: &Node, flags: Flags) -> Option<Vec<u8>> {
    match node {
        Node::Char(c) => Some(hir::encode(*c, flags)),
        Node::Concat(v) => v.iter().try_fold(Vec::new(), |mut all, n| match n {
            Node::Char(c) => {
                all.extend(hir::encode(*c, flags));
                Some(all)
            }
            _ => None,
        }),
        _ => None,
    }
}

// Whether there is at most one way to match at each position.
fn one_way(node: &Node) -> bool {
    match node {
        Node::Empty | Node::Char(_) | Node::Set(_) | Node::Anchor(_) => true,
        Node::Group(_, n) => one_way(n),
        Node::Repeat(n, min, max) => Some(*min) == *max && one_way(n),
        Node::Concat(v) => v.iter().all(one_way),
        Node::Alternate(_) | Node::Back(_) => false,
    }
}

// Whether greedy matching finds the longest match. This holds if only the last part can match in several ways, and that
// part is a repetition, where more iterations are always longer.
fn first_is_longest(node: &Node) -> bool {
    match node {
        Node::Repeat(n, ..) => one_way(n) && !n.nullable(),
        Node::Group(_, n) => first_is_longest(n),
        Node::Concat(v) => match v.split_last() {
            Some((last, rest)) => rest.iter().all(one_way) && first_is_longest(last),
            None => true,
        },
        _ => one_way(node),
    }
}
