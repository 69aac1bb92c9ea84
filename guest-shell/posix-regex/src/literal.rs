//! Fast search for plain text: strings in any case, and strings that every match must contain.

use crate::ast::Node;
use crate::class;
use crate::hir::encode;
use crate::syntax::Flags;
use memchr::{memchr, memchr2, memchr3};

/// A string with all case variants of each character.
pub(crate) struct AnyCase {
    /// The encodings of all variants, for each character.
    chars: Vec<Vec<Vec<u8>>>,
    /// The character to search for first. `leads` are the first bytes of its encodings (one to three).
    anchor: usize,
    leads: Vec<u8>,
    /// Two characters to search for at once.
    pair: Option<Pair>,
}

/// Two characters that take one byte each, at a fixed distance.
struct Pair {
    /// Index of the first one.
    first: usize,
    distance: usize,
    a: OneByte,
    b: OneByte,
}

/// All variants of a one-byte character: the bytes that become this byte when these bits are set.
#[derive(Clone, Copy)]
struct OneByte {
    bits: u8,
    byte: u8,
}

impl AnyCase {
    /// The string that `node` matches. `None` if it is not a string, or if none of its characters is rare enough to
    /// search for.
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
        let pair = Pair::new(&chars);
        Some(Self { anchor, leads: leads(anchor)?, chars, pair })
    }

    /// The first match in a range.
    pub(crate) fn find(&self, text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
        let text = text.get(..end)?;
        let mut at = start;
        if let Some(pair) = &self.pair {
            loop {
                let hit = pair.find(text, at)?;
                if let Some(found) = self.around(text, start, pair.first, hit) {
                    return Some(found);
                }
                at = hit + 1;
            }
        }
        loop {
            let rest = text.get(at..)?;
            let hit = at
                + match *self.leads.as_slice() {
                    [a] => memchr(a, rest),
                    [a, b] => memchr2(a, b, rest),
                    [a, b, c] => memchr3(a, b, c, rest),
                    _ => None,
                }?;
            if let Some(found) = self.around(text, start, self.anchor, hit) {
                return Some(found);
            }
            at = hit + 1;
        }
    }

    // The match that has its character number `index` at this position.
    fn around(&self, text: &[u8], start: usize, index: usize, anchor: usize) -> Option<(usize, usize)> {
        let (before, after) = self.chars.split_at_checked(index)?;
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

/// How many bytes are compared at once.
const LANES: usize = 32;

impl Pair {
    // Chooses the two rarest characters such that all characters between them take one byte.
    fn new(chars: &[Vec<Vec<u8>>]) -> Option<Self> {
        let bytes: Vec<Option<OneByte>> = chars.iter().map(|c| OneByte::new(c)).collect();
        let rarity = |c: &OneByte| commonness(c.byte) + if c.bits == 0 { 0 } else { 1 };
        let mut best: Option<(u32, Self)> = None;
        for run in runs(&bytes) {
            let mut ranked: Vec<(u32, usize, OneByte)> =
                run.iter().map(|(i, c)| (rarity(c), *i, *c)).collect();
            ranked.sort_by_key(|r| r.0);
            let [x, y, ..] = ranked.as_slice() else { continue };
            let ((_, first, a), (_, last, b)) = if x.1 < y.1 { (*x, *y) } else { (*y, *x) };
            let sum = x.0 + y.0;
            if best.as_ref().is_none_or(|b| sum < b.0) {
                best = Some((sum, Self { first, distance: last - first, a, b }));
            }
        }
        best.map(|b| b.1)
    }

    // Finds the first character with the second one at its distance. Many positions are compared at once, in loops that
    // the compiler turns into vector instructions.
    fn find(&self, text: &[u8], at: usize) -> Option<usize> {
        let first = text.get(at..)?;
        let second = first.get(self.distance..)?;
        let (a, b) = (self.a, self.b);
        let mut i = 0;
        for (x, y) in first.chunks_exact(LANES).zip(second.chunks_exact(LANES)) {
            let mut hit = 0;
            for (x, y) in x.iter().zip(y) {
                hit |= u8::from(x | a.bits == a.byte) & u8::from(y | b.bits == b.byte);
            }
            if hit != 0 {
                break;
            }
            i += LANES;
        }
        let rest = first.get(i..)?.iter().zip(second.get(i..)?);
        let found = rest.into_iter().position(|(x, y)| x | a.bits == a.byte && y | b.bits == b.byte)?;
        Some(at + i + found)
    }
}

impl OneByte {
    fn new(variants: &[Vec<u8>]) -> Option<Self> {
        match variants {
            [one] => match *one.as_slice() {
                [byte] => Some(Self { bits: 0, byte }),
                _ => None,
            },
            [one, two] => match (one.as_slice(), two.as_slice()) {
                ([x], [y]) if x ^ y == 0x20 => Some(Self { bits: 0x20, byte: x | y }),
                _ => None,
            },
            _ => None,
        }
    }
}

// Runs of one-byte characters, with their indices.
fn runs(bytes: &[Option<OneByte>]) -> Vec<Vec<(usize, OneByte)>> {
    let mut all = vec![Vec::new()];
    for (i, byte) in bytes.iter().enumerate() {
        match (byte, all.last_mut()) {
            (Some(byte), Some(run)) => run.push((i, *byte)),
            _ => all.push(Vec::new()),
        }
    }
    all
}

// A rough frequency of a byte in usual text.
fn commonness(b: u8) -> u32 {
    match b {
        b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 10,
        b'l' | b'd' | b'u' | b'c' | b'm' | b'f' | b'p' | b'h' => 6,
        b'g' | b'b' | b'y' | b'w' | b'_' | b'.' | b'(' | b')' => 3,
        b'0'..=b'9' => 3,
        _ => 1,
    }
}

// The encodings of a node that is a character, or a small set that contains the cases of one character.
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

/// The longest string that every match contains. `None` if there is none of at least two bytes.
pub(crate) fn required(node: &Node, flags: Flags) -> Option<Vec<u8>> {
    let mut best = Vec::new();
    let mut run = Vec::new();
    collect(node, flags, &mut run, &mut best);
    keep_longer(&mut run, &mut best);
    (best.len() >= 2).then_some(best)
}

fn collect(node: &Node, flags: Flags, run: &mut Vec<u8>, best: &mut Vec<u8>) {
    match node {
        Node::Char(c) => run.extend(encode(*c, flags)),
        Node::Concat(v) => v.iter().for_each(|n| collect(n, flags, run, best)),
        Node::Group(_, n) => collect(n, flags, run, best),
        Node::Empty | Node::Anchor(_) => {}
        Node::Repeat(n, min, _) if *min > 0 => {
            keep_longer(run, best);
            collect(n, flags, run, best);
            keep_longer(run, best);
        }
        _ => keep_longer(run, best),
    }
}

fn keep_longer(run: &mut Vec<u8>, best: &mut Vec<u8>) {
    if run.len() > best.len() {
        best.clone_from(run);
    }
    run.clear();
}

#[cfg(test)]
mod tests {
    use crate::{Flags, Regex};

    #[test]
    fn a_string_of_any_case_is_found_wherever_it_is() {
        let flags = Flags { icase: true, lines: Some(b'\n'), ..Flags::default() };
        for needle in ["needle", "a_b-C 12", "xq", "Straße", "kelvin", "ss"] {
            let re = Regex::fixed(&[needle.as_bytes()], flags).expect("a plain string");
            for before in 0..100 {
                let mut text = "dlDL eNe ".repeat(20).into_bytes();
                text.truncate(before);
                text.extend(needle.to_uppercase().replace("SS", "ss").replace("STRAssE", "STRAßE").bytes());
                let end = text.len();
                text.extend_from_slice(&b"d le ".repeat(before)[..]);
                assert!(re.matching_line(&text, 0).is_some(), "{needle} behind {before}");
                assert_eq!(re.find_at(&text, 0, false).map(|m| m.1), Some(end), "{needle} behind {before}");
            }
        }
    }
}
