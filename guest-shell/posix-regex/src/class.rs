//! Sets of characters.

use crate::syntax::Flags;
use crate::tables;
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// The named class. `None` if there is no such name. With `bytes`, only its ASCII part.
pub(crate) fn named(name: &str, flags: Flags) -> Option<ClassUnicode> {
    let mut set = match name {
        "alpha" => of(tables::ALPHA),
        // When case is ignored, glibc treats these as alpha.
        "upper" | "lower" if flags.icase => of(tables::ALPHA),
        "upper" => of(tables::UPPER),
        "lower" => of(tables::LOWER),
        "digit" => of(DIGIT),
        "xdigit" => of(&[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]),
        "alnum" => alnum(),
        "space" => of(tables::SPACE),
        "blank" => of(tables::BLANK),
        "cntrl" => of(tables::CNTRL),
        "print" => of(tables::PRINT),
        "graph" => graph(),
        "punct" => {
            let mut c = graph();
            c.difference(&alnum());
            c
        }
        _ => return None,
    };
    if flags.bytes {
        set.intersect(&of(&[(0, 0x7f)]));
    }
    Some(set)
}

/// The class of `\w`.
pub(crate) fn word(flags: Flags) -> ClassUnicode {
    let mut c = named("alnum", flags).unwrap_or_else(ClassUnicode::empty);
    c.push(range(0x5f, 0x5f));
    c
}

/// All characters.
pub(crate) fn all(flags: Flags) -> ClassUnicode {
    of(&[(0, if flags.bytes { 0xff } else { 0x10_ffff })])
}

/// All characters that are not in the set.
pub(crate) fn complement(set: &ClassUnicode, flags: Flags) -> ClassUnicode {
    let mut c = all(flags);
    c.difference(set);
    c
}

/// Adds the other cases of all members.
pub(crate) fn fold(set: &mut ClassUnicode, flags: Flags) {
    if !flags.bytes {
        set.case_fold_simple();
        return;
    }
    let mut ascii = set.clone();
    ascii.intersect(&of(&[(0, 0x7f)]));
    ascii.case_fold_simple();
    ascii.intersect(&of(&[(0, 0x7f)]));
    set.union(&ascii);
}

/// The range of scalar values between two numbers. An end that is a surrogate is moved inwards.
pub(crate) fn range(a: u32, b: u32) -> ClassUnicodeRange {
    let start = char::from_u32(a).unwrap_or('\u{e000}');
    let end = char::from_u32(b).unwrap_or('\u{d7ff}');
    ClassUnicodeRange::new(start, end)
}

/// Whether `c` is a member.
pub(crate) fn contains(set: &ClassUnicode, c: char) -> bool {
    let ranges = set.ranges();
    let at = ranges.partition_point(|r| r.end() < c);
    ranges.get(at).is_some_and(|r| r.start() <= c)
}

/// Whether `c` may be part of a word.
pub(crate) fn is_word(c: char, flags: Flags) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    let at = tables::ALPHA.partition_point(|r| r.1 < c as u32);
    !flags.bytes && tables::ALPHA.get(at).is_some_and(|r| r.0 <= c as u32)
}

const DIGIT: &[(u32, u32)] = &[(0x30, 0x39)];

fn of(ranges: &[(u32, u32)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|r| range(r.0, r.1)))
}

fn alnum() -> ClassUnicode {
    let mut c = of(tables::ALPHA);
    c.union(&of(DIGIT));
    c
}

fn graph() -> ClassUnicode {
    let mut c = of(tables::PRINT);
    c.difference(&of(tables::SPACE));
    c
}
