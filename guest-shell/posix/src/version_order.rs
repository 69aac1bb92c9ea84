//! Version order of names, as `ls -v` and `sort -V` use it.

use std::cmp::Ordering;

/// Compares names such that numbers inside them count by value, and suffixes like `.tar.gz` are compared last.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Less,
        (false, true) => return Ordering::Greater,
        _ => {}
    }
    // `.`, then `..`, then other hidden names, then the rest.
    let rank = |n: &[u8]| match n {
        b"." => 0,
        b".." => 1,
        [b'.', ..] => 2,
        _ => 3,
    };
    match rank(a).cmp(&rank(b)) {
        Ordering::Equal if rank(a) < 2 => return Ordering::Equal,
        Ordering::Equal => {}
        other => return other,
    }
    let (pa, pb) = (prefix(a), prefix(b));
    match revisions(&a[..pa], &b[..pb]) {
        Ordering::Equal if pa != a.len() || pb != b.len() => revisions(a, b),
        other => other,
    }
}

/// The length without suffixes of the form `(\.[A-Za-z~][A-Za-z0-9~]*)*`.
fn prefix(s: &[u8]) -> usize {
    let mut i = 0;
    loop {
        let len = i;
        while i + 1 < s.len() && s[i] == b'.' && (s[i + 1].is_ascii_alphabetic() || s[i + 1] == b'~') {
            i += 2;
            while i < s.len() && (s[i].is_ascii_alphanumeric() || s[i] == b'~') {
                i += 1;
            }
        }
        if i >= s.len() {
            return len;
        }
        i += 1;
    }
}

fn order(c: Option<&u8>) -> i32 {
    match c {
        None => -1,
        Some(c) if c.is_ascii_digit() => 0,
        Some(b'~') => -2,
        Some(c) if c.is_ascii_alphabetic() => i32::from(*c),
        Some(c) => i32::from(*c) + 256,
    }
}

fn revisions(a: &[u8], b: &[u8]) -> Ordering {
    let (mut i, mut j) = (0, 0);
    let digit = |s: &[u8], i: usize| s.get(i).is_some_and(u8::is_ascii_digit);
    while i < a.len() || j < b.len() {
        while (i < a.len() && !digit(a, i)) || (j < b.len() && !digit(b, j)) {
            match order(a.get(i)).cmp(&order(b.get(j))) {
                Ordering::Equal => {}
                other => return other,
            }
            i += 1;
            j += 1;
        }
        while a.get(i) == Some(&b'0') {
            i += 1;
        }
        while b.get(j) == Some(&b'0') {
            j += 1;
        }
        let mut first = Ordering::Equal;
        while digit(a, i) && digit(b, j) {
            first = first.then(a[i].cmp(&b[j]));
            i += 1;
            j += 1;
        }
        if digit(a, i) {
            return Ordering::Greater;
        }
        if digit(b, j) {
            return Ordering::Less;
        }
        if first != Ordering::Equal {
            return first;
        }
    }
    Ordering::Equal
}
