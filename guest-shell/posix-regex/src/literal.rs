//! Finding plain text fast: strings whatever their case, and strings that every match must have.

use crate::ast::Node;
use crate::class;
use crate::hir::encode;
use crate::syntax::Flags;
use memchr::{memchr, memchr2, memchr3};

/// A string with all ways to write each of its characters.
pub(crate) struct AnyCase {
    /// For each character its encodings.
    chars: Vec<Vec<Vec<u8>>>,
    /// The character to look for first, and the bytes that its encodings begin with (one to three).
    anchor: usize,
    leads: Vec<u8>,
}

impl AnyCase {
    /// The string that `node` is; `None` if it is none, or if none of its characters is good to look for.
    pub(crate) fn new(node: &Node, flags: Flags) -> Option<Self> {
        let Node::Concat(parts) = node else { return None };
        let chars = parts.iter().map(|p| variants(p, flags)).collect::<Option<Vec<_>>>()?;
        let leads = |at: usize| {
            let mut leads: Vec<u8> = chars.get(at)?.iter().filter_map(|v| v.first().copied()).collect();
            leads.sort_unstable();
            leads.dedup();
            (leads.len() <= 3).then_some(leads)
        };
        let anchor = (0..chars.len())
            .filter(|i| leads(*i).is_some())
            .min_by_key(|i| leads(*i).unwrap_or_default().iter().map(|b| commonness(*b)).sum::<u32>())?;
        Some(Self { anchor, leads: leads(anchor)?, chars })
    }

    /// The first match in a range.
    pub(crate) fn find(&self, text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
        let text = text.get(..end)?;
        let mut at = start;
        loop {
            let rest = text.get(at..)?;
            let hit = at
                + match *self.leads.as_slice() {
                    [a] => memchr(a, rest),
                    [a, b] => memchr2(a, b, rest),
                    [a, b, c] => memchr3(a, b, c, rest),
                    _ => None,
                }?;
            if let Some(found) = self.around(text, start, hit) {
                return Some(found);
            }
            at = hit + 1;
        }
    }

    // The match whose anchor is at a position.
    fn around(&self, text: &[u8], start: usize, anchor: usize) -> Option<(usize, usize)> {
        let (before, after) = self.chars.split_at(self.anchor);
        let mut end = anchor;
        for c in after {
            let rest = text.get(end..)?;
            end += c.iter().find(|v| rest.starts_with(v))?.len();
        }
        let mut begin = anchor;
        for c in before.iter().rev() {
            let rest = text.get(start..begin)?;
            begin -= c.iter().find(|v| rest.ends_with(v))?.len();
        }
        Some((begin, end))
    }
}

// How often a byte occurs in usual text, roughly.
fn commonness(b: u8) -> u32 {
    match b {
        b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 10,
        b'l' | b'd' | b'u' | b'c' | b'm' | b'f' | b'p' | b'h' => 6,
        b'g' | b'b' | b'y' | b'w' | b'_' | b'.' | b'(' | b')' => 3,
        b'0'..=b'9' => 3,
        _ => 1,
    }
}

// The encodings of a character that is a character or a small set of one character's cases.
fn variants(node: &Node, flags: Flags) -> Option<Vec<Vec<u8>>> {
    match node {
        Node::Char(c) => Some(vec![encode(*c, flags)]),
        Node::Set(set) => {
            let mut out = Vec::new();
            for r in set.ranges() {
                for c in r.start()..=r.end() {
                    if out.len() == 4 {
                        return None;
                    }
                    out.push(encode(u32::from(c), flags));
                }
            }
            let first = set.ranges().first()?.start();
            let mut cases = regex_syntax::hir::ClassUnicode::new([class::range(first.into(), first.into())]);
            class::fold(&mut cases, flags);
            (*set == cases && !out.is_empty()).then_some(out)
        }
        _ => None,
    }
}

/// The longest string that every match has; `None` if there is none of at least two bytes.
pub(crate) fn required(node: &Node, flags: Flags) -> Option<Vec<u8>> {
    let mut best = Vec::new();
    let mut run = Vec::new();
    collect(node, flags, &mut run, &mut best);
    settle(&mut run, &mut best);
    (best.len() >= 2).then_some(best)
}

fn collect(node: &Node, flags: Flags, run: &mut Vec<u8>, best: &mut Vec<u8>) {
    match node {
        Node::Char(c) => run.extend(encode(*c, flags)),
        Node::Concat(v) => v.iter().for_each(|n| collect(n, flags, run, best)),
        Node::Group(_, n) => collect(n, flags, run, best),
        Node::Empty | Node::Anchor(_) => {}
        Node::Repeat(n, min, _) if *min > 0 => {
            settle(run, best);
            collect(n, flags, run, best);
            settle(run, best);
        }
        _ => settle(run, best),
    }
}

fn settle(run: &mut Vec<u8>, best: &mut Vec<u8>) {
    if run.len() > best.len() {
        best.clone_from(run);
    }
    run.clear();
}
