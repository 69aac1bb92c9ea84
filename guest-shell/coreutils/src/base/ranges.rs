//! Lists of ranges: `cut -f 1,3-5,7-`, `numfmt --field`.

use sandshell_cli::bytes;
use sandshell_cli::options::Spec;
use sandshell_cli::quote::quote;

/// What the numbers of a list count. This decides which messages are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counted {
    /// Fields.
    Fields,
    /// Bytes or characters.
    Positions,
}

/// Parses a list of ranges. The result is sorted and has no overlaps; its bounds are inclusive and count from 1.
/// Adjacent ranges are not merged, because `cut` prints its output delimiter between them.
pub(crate) fn parse(spec: &Spec, list: &[u8], counted: Counted) -> Result<Vec<(u64, u64)>, i32> {
    let fields = counted == Counted::Fields;
    let (numbered, range, value, large, missing) = if fields {
        (
            "fields are numbered from 1",
            "invalid field range",
            "invalid field value ",
            "field number ",
            "missing list of fields",
        )
    } else {
        (
            "byte/character positions are numbered from 1",
            "invalid byte or character range",
            "invalid byte/character position ",
            "byte/character offset ",
            "missing list of byte/character positions",
        )
    };
    let mut ranges = Vec::new();
    let mut rest = list;
    let mut one = One::default();
    let lone_dash_is_all = spec.name == "numfmt";
    loop {
        match rest.first() {
            Some(b'-') => {
                rest = &rest[1..];
                if one.dash {
                    return Err(spec.usage(range));
                }
                one.dash = true;
                if one.left && one.value == 0 {
                    return Err(spec.usage(numbered));
                }
                one.start = if one.left { one.value } else { 1 };
                one.value = 0;
            }
            None | Some(b',' | b' ' | b'\t') => {
                if one.dash {
                    if !one.left && !one.right && !lone_dash_is_all {
                        return Err(spec.usage("invalid range with no endpoint: -"));
                    }
                    if one.right && one.value < one.start {
                        return Err(spec.usage("invalid decreasing range"));
                    }
                    ranges.push((one.start, if one.right { one.value } else { u64::MAX }));
                } else {
                    if one.value == 0 {
                        return Err(spec.usage(numbered));
                    }
                    ranges.push((one.value, one.value));
                }
                one = One::default();
                if rest.is_empty() {
                    break;
                }
                rest = &rest[1..];
            }
            Some(d) if d.is_ascii_digit() => {
                let start = rest;
                while let Some(d) = rest.first().filter(|d| d.is_ascii_digit()) {
                    let next = one.value.checked_mul(10).and_then(|v| v.checked_add(u64::from(d - b'0')));
                    let Some(next) = next.filter(|n| *n < u64::MAX) else {
                        let digits = start.iter().take_while(|b| b.is_ascii_digit()).count();
                        return Err(spec.usage(bytes!(large, quote(&start[..digits]), " is too large")));
                    };
                    one.value = next;
                    rest = &rest[1..];
                }
                if one.dash {
                    one.right = true;
                } else {
                    one.left = true;
                }
            }
            Some(_) => return Err(spec.usage(bytes!(value, quote(rest)))),
        }
    }
    if ranges.is_empty() {
        return Err(spec.usage(missing));
    }
    ranges.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::with_capacity(ranges.len());
    for (from, to) in ranges {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    Ok(merged)
}

/// The gaps between the ranges.
pub(crate) fn complement(ranges: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut out = Vec::new();
    let mut next = 1;
    for (from, to) in ranges {
        if *from > next {
            out.push((next, from - 1));
        }
        next = to.saturating_add(1);
    }
    if next < u64::MAX {
        out.push((next, u64::MAX));
    }
    out
}

#[derive(Default)]
struct One {
    start: u64,
    value: u64,
    left: bool,
    right: bool,
    dash: bool,
}
