//! Parses pattern bytes into a [`Node`].

use crate::ast::{Anchor, Code, Node, RAW};
use crate::class;
use crate::error::Error;
use crate::syntax::{Flags, Syntax};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// glibc's limit for the bounds of an interval.
const DUP_MAX: u32 = 0x7fff;
/// The maximum nesting of groups. The parser and the compilers are recursive.
const DEPTH_MAX: usize = 500;

/// The results of parsing besides the tree.
#[derive(Default)]
pub(crate) struct Parsed {
    /// The number of groups so far, over all patterns.
    pub(crate) groups: usize,
    /// Whether there are back-references.
    pub(crate) backrefs: bool,
    /// The warnings that GNU grep prints.
    pub(crate) warnings: Vec<&'static str>,
}

/// Parses one pattern. Its groups are numbered from `out.groups` on, and its back-references count from there.
pub(crate) fn parse(pattern: &[u8], syntax: Syntax, flags: Flags, out: &mut Parsed) -> Result<Node, Error> {
    let mut p = Parser {
        src: decode(pattern, flags.bytes),
        at: 0,
        tok: Tok::End,
        len: 0,
        syntax,
        flags,
        base: out.groups,
        closed: Vec::new(),
        depth: 0,
        out,
    };
    p.fetch(false);
    let node = p.alternation(0)?;
    Ok(node)
}

/// The tree for a plain string.
pub(crate) fn literal(text: &[u8], flags: Flags) -> Node {
    Node::Concat(decode(text, flags.bytes).into_iter().map(|c| char_node(c, flags)).collect())
}

/// The characters of `bytes`.
pub(crate) fn decode(bytes: &[u8], single: bool) -> Vec<Code> {
    if single {
        return bytes.iter().map(|b| u32::from(*b)).collect();
    }
    let mut out = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.extend(chunk.valid().chars().map(u32::from));
        out.extend(chunk.invalid().iter().map(|b| RAW + u32::from(*b)));
    }
    out
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tok {
    End,
    Char(Code),
    Back(usize),
    Alternate,
    Star,
    Plus,
    Question,
    OpenBrace,
    CloseBrace,
    Open,
    Close,
    Bracket,
    Any,
    Anchor(Anchor),
    Word(bool),
    Space(bool),
    LoneBackslash,
}

struct Parser<'a> {
    src: Vec<Code>,
    /// Position of the current token.
    at: usize,
    tok: Tok,
    /// Length of the current token.
    len: usize,
    syntax: Syntax,
    flags: Flags,
    base: usize,
    /// Groups of this pattern that have been closed.
    closed: Vec<usize>,
    depth: usize,
    out: &'a mut Parsed,
}

impl Parser<'_> {
    fn has(&self, s: Syntax) -> bool {
        self.syntax.has(s)
    }

    fn ascii(&self, at: usize) -> Option<u8> {
        self.src.get(at).and_then(|c| u8::try_from(*c).ok()).filter(u8::is_ascii)
    }

    // Skips the current token and reads the next. `caret`: a `^` is an anchor here in every dialect.
    fn next(&mut self, caret: bool) {
        self.at += self.len;
        self.fetch(caret);
    }

    fn fetch(&mut self, caret: bool) {
        (self.tok, self.len) = self.lex(self.at, caret);
    }

    fn lex(&self, at: usize, caret: bool) -> (Tok, usize) {
        let Some(&code) = self.src.get(at) else { return (Tok::End, 0) };
        let Some(c) = self.ascii(at) else { return (Tok::Char(code), 1) };
        if c == b'\\' {
            return self.lex_escape(at);
        }
        let limited = self.has(Syntax::LIMITED_OPS);
        let braces = self.has(Syntax::INTERVALS) && self.has(Syntax::NO_BK_BRACES);
        let plus = !limited && !self.has(Syntax::BK_PLUS_QM);
        let parens = self.has(Syntax::NO_BK_PARENS);
        let tok = match c {
            b'\n' if self.has(Syntax::NEWLINE_ALT) => Tok::Alternate,
            b'|' if !limited && self.has(Syntax::NO_BK_VBAR) => Tok::Alternate,
            b'*' => Tok::Star,
            b'+' if plus => Tok::Plus,
            b'?' if plus => Tok::Question,
            b'{' if braces => Tok::OpenBrace,
            b'}' if braces => Tok::CloseBrace,
            b'(' if parens => Tok::Open,
            b')' if parens => Tok::Close,
            b'[' => Tok::Bracket,
            b'.' => Tok::Any,
            b'^' if self.caret_here(at, caret) => Tok::Anchor(Anchor::LineStart),
            b'$' if self.dollar_here(at) => Tok::Anchor(Anchor::LineEnd),
            _ => Tok::Char(code),
        };
        (tok, 1)
    }

    fn caret_here(&self, at: usize, caret: bool) -> bool {
        caret
            || at == 0
            || self.has(Syntax::CONTEXT_INDEP_ANCHORS)
            || (self.has(Syntax::NEWLINE_ALT) && self.ascii(at - 1) == Some(b'\n'))
    }

    fn dollar_here(&self, at: usize) -> bool {
        self.has(Syntax::CONTEXT_INDEP_ANCHORS)
            || at + 1 == self.src.len()
            || matches!(self.lex(at + 1, false).0, Tok::Alternate | Tok::Close)
    }

    fn lex_escape(&self, at: usize) -> (Tok, usize) {
        let Some(&code) = self.src.get(at + 1) else { return (Tok::LoneBackslash, 1) };
        let Some(c) = self.ascii(at + 1) else { return (Tok::Char(code), 2) };
        let limited = self.has(Syntax::LIMITED_OPS);
        let braces = self.has(Syntax::INTERVALS) && !self.has(Syntax::NO_BK_BRACES);
        let gnu = !self.has(Syntax::NO_GNU_OPS);
        let parens = !self.has(Syntax::NO_BK_PARENS);
        let plus = !limited && self.has(Syntax::BK_PLUS_QM);
        let tok = match c {
            b'|' if !limited && !self.has(Syntax::NO_BK_VBAR) => Tok::Alternate,
            b'1'..=b'9' if !self.has(Syntax::NO_BK_REFS) => Tok::Back(usize::from(c - b'0')),
            b'<' if gnu => Tok::Anchor(Anchor::WordStart),
            b'>' if gnu => Tok::Anchor(Anchor::WordEnd),
            b'b' if gnu => Tok::Anchor(Anchor::Boundary),
            b'B' if gnu => Tok::Anchor(Anchor::NotBoundary),
            b'`' if gnu => Tok::Anchor(Anchor::TextStart),
            b'\'' if gnu => Tok::Anchor(Anchor::TextEnd),
            b'w' | b'W' if gnu => Tok::Word(c == b'w'),
            b's' | b'S' if gnu => Tok::Space(c == b's'),
            b'(' if parens => Tok::Open,
            b')' if parens => Tok::Close,
            b'+' if plus => Tok::Plus,
            b'?' if plus => Tok::Question,
            b'{' if braces => Tok::OpenBrace,
            b'}' if braces => Tok::CloseBrace,
            _ => Tok::Char(code),
        };
        (tok, 2)
    }

    fn alternation(&mut self, nest: usize) -> Result<Node, Error> {
        let mut branches = vec![self.branch(nest)?];
        while self.tok == Tok::Alternate {
            self.next(true);
            branches.push(self.branch(nest)?);
        }
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Alternate(branches) })
    }

    fn branch(&mut self, nest: usize) -> Result<Node, Error> {
        let mut parts = Vec::new();
        while !(matches!(self.tok, Tok::End | Tok::Alternate) || (self.tok == Tok::Close && nest > 0)) {
            parts.push(self.expression(nest)?);
        }
        Ok(match parts.len() {
            0 => Node::Empty,
            1 => parts.remove(0),
            _ => Node::Concat(parts),
        })
    }

    fn expression(&mut self, nest: usize) -> Result<Node, Error> {
        let node = match self.tok {
            Tok::Char(c) => self.char(c),
            Tok::Open => self.group(nest)?,
            Tok::Bracket => {
                self.at += 1;
                self.bracket()?
            }
            Tok::Any => self.dot(),
            Tok::Word(yes) => self.class(class::word(self.flags), yes),
            Tok::Space(yes) => {
                let set = class::named("space", self.flags).unwrap_or_else(ClassUnicode::empty);
                self.class(set, yes)
            }
            Tok::Back(n) => {
                if !self.closed.contains(&n) {
                    return Err(Error::BackReference);
                }
                self.out.backrefs = true;
                Node::Back(self.base + n)
            }
            Tok::Anchor(a) => {
                self.next(false);
                // glibc never repeats an anchor, but GNU grep's own matcher does.
                if self.tok == Tok::OpenBrace && self.has(Syntax::DROP_LONE_BRACE) {
                    return Ok(Node::Anchor(a));
                }
                if self.has(Syntax::GREP_RULES) && self.has(Syntax::CONTEXT_INDEP_OPS) {
                    if self.tok == Tok::OpenBrace && self.brace_is_empty() {
                        self.tok = Tok::Char(u32::from(b'{'));
                    }
                    if a == Anchor::LineStart {
                        self.note_misplaced();
                    }
                    return self.repetitions(Node::Anchor(a));
                }
                return Ok(Node::Anchor(a));
            }
            Tok::Star | Tok::Plus | Tok::Question | Tok::OpenBrace => return self.misplaced(),
            Tok::Close => {
                if !self.has(Syntax::UNMATCHED_PAREN_ORD) {
                    return Err(Error::CloseParen);
                }
                self.char(u32::from(b')'))
            }
            Tok::CloseBrace => self.char(u32::from(b'}')),
            Tok::LoneBackslash => return Err(Error::Escape),
            Tok::End | Tok::Alternate => return Ok(Node::Empty),
        };
        self.next(false);
        self.repetitions(node)
    }

    // Handles a repetition operator without an operand.
    fn misplaced(&mut self) -> Result<Node, Error> {
        if self.tok == Tok::OpenBrace && self.has(Syntax::CONTEXT_INVALID_DUP) {
            return Err(Error::BadRepeat);
        }
        if self.has(Syntax::CONTEXT_INVALID_OPS) {
            return Err(Error::BadRepeat);
        }
        if self.tok == Tok::OpenBrace && self.has(Syntax::DROP_LONE_BRACE) {
            self.next(false);
            return Ok(Node::Empty);
        }
        if self.has(Syntax::CONTEXT_INDEP_OPS) {
            if self.tok == Tok::OpenBrace && self.has(Syntax::GREP_RULES) && self.brace_is_empty() {
                self.tok = Tok::Char(u32::from(b'{'));
                return Ok(Node::Empty);
            }
            let (at, notes) = (self.at, self.out.warnings.len());
            self.note_misplaced();
            let node = self.repetitions(Node::Empty)?;
            if self.at == at {
                // It was not an interval after all.
                self.out.warnings.truncate(notes);
            }
            return Ok(node);
        }
        let c = match self.tok {
            Tok::Star => b'*',
            Tok::Plus => b'+',
            Tok::Question => b'?',
            _ => b'{',
        };
        let node = self.char(u32::from(c));
        self.next(false);
        self.repetitions(node)
    }

    // Whether the interval that begins here is `{}`.
    fn brace_is_empty(&self) -> bool {
        self.lex(self.at + self.len, false).0 == Tok::CloseBrace
    }

    fn note_misplaced(&mut self) {
        let text = match self.tok {
            Tok::Star => "* at start of expression",
            Tok::Plus => "+ at start of expression",
            Tok::Question => "? at start of expression",
            Tok::OpenBrace => "{...} at start of expression",
            _ => return,
        };
        if self.has(Syntax::GREP_RULES) {
            self.out.warnings.push(text);
        }
    }

    fn repetitions(&mut self, mut node: Node) -> Result<Node, Error> {
        loop {
            let (min, max) = match self.tok {
                Tok::Star => (0, None),
                Tok::Plus => (1, None),
                Tok::Question => (0, Some(1)),
                Tok::OpenBrace => match self.interval()? {
                    Some(bounds) => bounds,
                    None => return Ok(node),
                },
                _ => return Ok(node),
            };
            self.next(false);
            node = match node {
                Node::Empty => Node::Empty,
                n => Node::Repeat(Box::new(n), min, max),
            };
            let again = matches!(self.tok, Tok::Star | Tok::OpenBrace);
            if again && self.has(Syntax::CONTEXT_INVALID_DUP) {
                return Err(Error::BadRepeat);
            }
        }
    }

    // Parses an interval. Afterwards, the current token is the closing brace. `None`: the text is not an interval; the
    // current token is then the brace as a character.
    fn interval(&mut self) -> Result<Option<(u32, Option<u32>)>, Error> {
        let (start_at, start_len) = (self.at, self.len);
        let mut first = self.number();
        let mut last = None;
        if first.is_none() {
            if self.tok == Tok::Char(u32::from(b',')) {
                first = Some(Ok(0));
            } else {
                return Err(if self.tok == Tok::End { Error::Brace } else { Error::BadBrace });
            }
        }
        let mut invalid = matches!(first, Some(Err(())));
        if !invalid {
            if self.tok == Tok::CloseBrace {
                last = first;
            } else if self.tok == Tok::Char(u32::from(b',')) {
                last = self.number();
                invalid = matches!(last, Some(Err(())));
                if self.tok != Tok::CloseBrace {
                    invalid = true;
                }
            } else {
                invalid = true;
            }
        }
        if invalid {
            if !self.has(Syntax::INVALID_INTERVAL_ORD) {
                return Err(if self.tok == Tok::End { Error::Brace } else { Error::BadBrace });
            }
            (self.at, self.len) = (start_at, start_len);
            self.tok = Tok::Char(u32::from(b'{'));
            return Ok(None);
        }
        let (min, max) = match (first, last) {
            (Some(Ok(a)), Some(Ok(b))) => (a, Some(b)),
            (Some(Ok(a)), _) => (a, None),
            _ => return Err(Error::BadBrace),
        };
        if max.is_some_and(|m| m < min) {
            return Err(Error::BadBrace);
        }
        if min > DUP_MAX || max.is_some_and(|m| m > DUP_MAX) {
            return Err(Error::Size);
        }
        Ok(Some((min, max)))
    }

    // Parses a number. `None` if there is nothing, `Err` if it is not a number. The current token is then the one that
    // ended it.
    fn number(&mut self) -> Option<Result<u32, ()>> {
        let mut value = None;
        loop {
            self.next(false);
            match self.tok {
                Tok::End => return Some(Err(())),
                Tok::CloseBrace => return value,
                Tok::Char(c) if c == u32::from(b',') => return value,
                Tok::Char(c @ 0x30..=0x39) if self.len == 1 => {
                    value = match value {
                        None => Some(Ok(c - 0x30)),
                        Some(Ok(v)) => Some(Ok((v * 10 + (c - 0x30)).min(DUP_MAX + 1))),
                        bad => bad,
                    };
                }
                _ => value = Some(Err(())),
            }
        }
    }

    // Parses a group. Afterwards, the current token is the closing parenthesis.
    fn group(&mut self, nest: usize) -> Result<Node, Error> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Error::Size);
        }
        self.out.groups += 1;
        let index = self.out.groups;
        self.next(true);
        let inner = if self.tok == Tok::Close { Node::Empty } else { self.alternation(nest + 1)? };
        if self.tok != Tok::Close {
            return Err(Error::Paren);
        }
        self.closed.push(index - self.base);
        self.depth -= 1;
        Ok(Node::Group(index, Box::new(inner)))
    }

    fn char(&self, c: Code) -> Node {
        char_node(c, self.flags)
    }

    fn dot(&self) -> Node {
        let mut gaps = ClassUnicode::empty();
        if !self.has(Syntax::DOT_NEWLINE) {
            gaps.push(class::range(10, 10));
        }
        if self.has(Syntax::DOT_NOT_NUL) {
            gaps.push(class::range(0, 0));
        }
        if self.flags.newline {
            gaps.push(class::range(10, 10));
        }
        self.class(gaps, false)
    }

    fn class(&self, set: ClassUnicode, positive: bool) -> Node {
        let mut set = if positive { set } else { class::complement(&set, self.flags) };
        if let Some(t) = self.flags.lines {
            set.difference(&ClassUnicode::new([class::range(t.into(), t.into())]));
        }
        Node::Set(set)
    }

    // Parses a bracket expression from after its opening bracket. Afterwards, the current token is the closing one,
    // with length 1.
    fn bracket(&mut self) -> Result<Node, Error> {
        let mut set = ClassUnicode::empty();
        let mut at = self.at;
        let negated = self.ascii(at) == Some(b'^');
        if negated {
            at += 1;
        }
        if at >= self.src.len() {
            return Err(Error::BadPattern);
        }
        let body = at;
        let mut plain = true;
        let mut first = true;
        loop {
            if !first && self.ascii(at) == Some(b']') {
                break;
            }
            let (start, next) = self.element(at, first)?;
            first = false;
            at = next;
            plain &= matches!(start, Element::Char(_));
            let dash = self.ascii(at) == Some(b'-') && !self.triple_dash(at);
            if !dash || self.ascii(at + 1) == Some(b']') {
                self.add(&mut set, start);
                continue;
            }
            if at + 1 >= self.src.len() {
                return Err(Error::Bracket);
            }
            let (end, next) = self.element(at + 1, true)?;
            at = next;
            plain = false;
            let (Element::Char(a) | Element::Symbol(a), Element::Char(b) | Element::Symbol(b)) = (start, end)
            else {
                return Err(Error::Range);
            };
            if a >= RAW || b >= RAW {
                return Err(Error::Range);
            }
            if a <= b {
                set.push(class::range(a, b));
            } else if self.has(Syntax::NO_EMPTY_RANGES) {
                return Err(Error::Range);
            }
        }
        if self.has(Syntax::GREP_RULES)
            && plain
            && at > body + 2
            && self.ascii(body) == Some(b':')
            && self.ascii(at - 1) == Some(b':')
        {
            return Err(Error::ClassSyntax);
        }
        self.at = at;
        self.len = 1;
        if self.flags.icase {
            class::fold(&mut set, self.flags);
        }
        if negated && (self.has(Syntax::HAT_NOT_NEWLINE) || self.flags.newline) {
            set.push(class::range(10, 10));
        }
        if negated && set.ranges().is_empty() {
            // The list contains only invalid bytes.
            return Ok(self.class(ClassUnicode::empty(), false));
        }
        Ok(self.class(set, !negated))
    }

    fn add(&self, set: &mut ClassUnicode, e: Element) {
        match e {
            Element::Char(c) | Element::Symbol(c) if c < RAW => set.push(class::range(c, c)),
            Element::Char(_) | Element::Symbol(_) => {}
            Element::Class(c) => set.union(&c),
        }
    }

    fn triple_dash(&self, at: usize) -> bool {
        (at..at + 3).all(|i| self.ascii(i) == Some(b'-'))
    }

    // Parses one element of a bracket expression. Also returns the position after it.
    fn element(&self, at: usize, accept_dash: bool) -> Result<(Element, usize), Error> {
        let Some(&code) = self.src.get(at) else { return Err(Error::Bracket) };
        match self.ascii(at) {
            Some(b'\\') if self.has(Syntax::BACKSLASH_IN_LISTS) && at + 1 < self.src.len() => {
                Ok((Element::Char(self.src.get(at + 1).copied().unwrap_or_default()), at + 2))
            }
            Some(b'[') => match self.ascii(at + 1) {
                Some(d @ (b'.' | b'=')) => self.symbol(at, d),
                Some(b':') if self.has(Syntax::CHAR_CLASSES) => self.symbol(at, b':'),
                _ => Ok((Element::Char(code), at + 1)),
            },
            Some(b'-') if self.triple_dash(at) => Ok((Element::Char(code), at + 3)),
            Some(b'-') if !accept_dash && self.ascii(at + 1) != Some(b']') => Err(Error::Range),
            _ => Ok((Element::Char(code), at + 1)),
        }
    }

    // `[.x.]`, `[=x=]`, `[:name:]`.
    fn symbol(&self, at: usize, delimiter: u8) -> Result<(Element, usize), Error> {
        let mut end = at + 2;
        loop {
            if end >= self.src.len() || end - at > 33 {
                return Err(Error::Bracket);
            }
            if self.ascii(end) == Some(delimiter) && self.ascii(end + 1) == Some(b']') {
                break;
            }
            end += 1;
        }
        let name = self.src.get(at + 2..end).unwrap_or_default();
        let element = if delimiter == b':' {
            let name: String = name.iter().filter_map(|c| char::from_u32(*c)).collect();
            Element::Class(class::named(&name, self.flags).ok_or(Error::ClassName)?)
        } else {
            match name {
                [c] if delimiter == b'.' => Element::Symbol(*c),
                [c] if *c < RAW => Element::Class(ClassUnicode::new([class::range(*c, *c)])),
                _ => return Err(Error::Collate),
            }
        };
        Ok((element, end + 2))
    }
}

fn char_node(c: Code, flags: Flags) -> Node {
    if flags.icase
        && let Some(ch) = char::from_u32(c)
    {
        let mut set = ClassUnicode::new([ClassUnicodeRange::new(ch, ch)]);
        class::fold(&mut set, flags);
        if set.ranges().len() > 1 {
            return Node::Set(set);
        }
    }
    Node::Char(c)
}

enum Element {
    Char(Code),
    /// `[.x.]`.
    Symbol(Code),
    Class(ClassUnicode),
}
