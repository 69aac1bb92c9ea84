//! Converts [`Node`] to the intermediate representation of the automata.

use crate::ast::{Anchor, Node, RAW};
use crate::syntax::Flags;
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, ClassUnicode, Hir, Look, Repetition};

/// The exact pattern. It cannot contain back-references, which would match nothing.
pub(crate) fn exact(node: &Node, flags: Flags) -> Hir {
    Translator { flags, relaxed: None }.node(node)
}

/// A pattern that matches at least wherever the exact one does. Word boundaries are ignored, and a back-reference
/// matches whatever its group can match.
pub(crate) fn relaxed(node: &Node, flags: Flags) -> Hir {
    let mut groups = Vec::new();
    collect(node, &mut groups);
    Translator { flags, relaxed: Some(groups) }.node(node)
}

fn collect<'a>(node: &'a Node, out: &mut Vec<(usize, &'a Node)>) {
    match node {
        Node::Group(i, n) => {
            out.push((*i, n));
            collect(n, out);
        }
        Node::Repeat(n, ..) => collect(n, out),
        Node::Concat(v) | Node::Alternate(v) => v.iter().for_each(|n| collect(n, out)),
        _ => {}
    }
}

struct Translator<'a> {
    flags: Flags,
    relaxed: Option<Vec<(usize, &'a Node)>>,
}

impl Translator<'_> {
    fn node(&self, node: &Node) -> Hir {
        match node {
            Node::Empty => Hir::empty(),
            Node::Char(c) => Hir::literal(encode(*c, self.flags)),
            Node::Set(set) => self.set(set),
            Node::Anchor(a) => self.anchor(*a),
            Node::Group(_, n) => self.node(n),
            Node::Repeat(n, min, max) => Hir::repetition(Repetition {
                min: *min,
                max: *max,
                greedy: true,
                sub: Box::new(self.node(n)),
            }),
            Node::Concat(v) => Hir::concat(v.iter().map(|n| self.node(n)).collect()),
            Node::Alternate(v) => Hir::alternation(v.iter().map(|n| self.node(n)).collect()),
            Node::Back(n) => self.back(*n),
        }
    }

    fn back(&self, n: usize) -> Hir {
        let group = self.relaxed.as_ref().and_then(|g| g.iter().find(|(i, _)| *i == n));
        match group {
            None => Hir::fail(),
            // Anchors in the group would be tested at the wrong position, and nested references would multiply the
            // size.
            Some((_, g))
                if g.any(&mut |n| matches!(n, Node::Back(_) | Node::Anchor(_))) || g.cost() > 1000 =>
            {
                Hir::dot(regex_syntax::hir::Dot::AnyByte).repeat()
            }
            Some((_, g)) => self.node(g),
        }
    }

    fn set(&self, set: &ClassUnicode) -> Hir {
        if !self.flags.bytes {
            return Hir::class(Class::Unicode(set.clone()));
        }
        let byte = |c: char| u8::try_from(c as u32).unwrap_or(0xff);
        let ranges = set.ranges().iter().map(|r| ClassBytesRange::new(byte(r.start()), byte(r.end())));
        Hir::class(Class::Bytes(ClassBytes::new(ranges)))
    }

    fn anchor(&self, a: Anchor) -> Hir {
        let lines = self.flags.lines.is_some();
        let unicode = !self.flags.bytes;
        let look = match a {
            Anchor::LineStart if lines || self.flags.newline => Look::StartLF,
            Anchor::LineEnd if lines || self.flags.newline => Look::EndLF,
            Anchor::TextStart if lines => Look::StartLF,
            Anchor::TextEnd if lines => Look::EndLF,
            Anchor::LineStart | Anchor::TextStart => Look::Start,
            Anchor::LineEnd | Anchor::TextEnd => Look::End,
            _ if self.relaxed.is_some() => return Hir::empty(),
            Anchor::WordStart if unicode => Look::WordStartUnicode,
            Anchor::WordEnd if unicode => Look::WordEndUnicode,
            Anchor::Boundary if unicode => Look::WordUnicode,
            Anchor::NotBoundary if unicode => Look::WordUnicodeNegate,
            Anchor::NotAfterWord if unicode => Look::WordStartHalfUnicode,
            Anchor::NotBeforeWord if unicode => Look::WordEndHalfUnicode,
            Anchor::WordStart => Look::WordStartAscii,
            Anchor::WordEnd => Look::WordEndAscii,
            Anchor::Boundary => Look::WordAscii,
            Anchor::NotBoundary => Look::WordAsciiNegate,
            Anchor::NotAfterWord => Look::WordStartHalfAscii,
            Anchor::NotBeforeWord => Look::WordEndHalfAscii,
        };
        Hir::look(look)
    }
}

/// The bytes that encode a character of a pattern.
pub(crate) fn encode(c: u32, flags: Flags) -> Vec<u8> {
    match char::from_u32(c) {
        Some(ch) if !flags.bytes => ch.encode_utf8(&mut [0; 4]).as_bytes().to_vec(),
        _ => vec![u8::try_from(if c >= RAW { c - RAW } else { c }).unwrap_or(b'?')],
    }
}

trait Repeat {
    fn repeat(self) -> Hir;
}

impl Repeat for Hir {
    fn repeat(self) -> Hir {
        Hir::repetition(Repetition { min: 0, max: None, greedy: true, sub: Box::new(self) })
    }
}
