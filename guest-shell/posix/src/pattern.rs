//! Shell patterns on single names.

use crate::characters::characters;

/// Whether `name` matches `pattern`, as `fnmatch(3)`; with `period`, a leading dot is matched by a dot only.
pub fn matches(pattern: &[u8], name: &[u8], period: bool) -> bool {
    if period && name.starts_with(b".") && !pattern.starts_with(b".") && !pattern.starts_with(b"\\.") {
        return false;
    }
    let pattern: Vec<&[u8]> = characters(pattern).map(|c| c.0).collect();
    let name: Vec<&[u8]> = characters(name).map(|c| c.0).collect();
    let (mut p, mut n) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(p) {
            None if n == name.len() => return true,
            None => None,
            Some(&b"*") => {
                back = Some((p + 1, n));
                p += 1;
                continue;
            }
            Some(_) if n == name.len() => None,
            Some(&b"?") => Some(p + 1),
            Some(&b"[") => match bracket(&pattern[p..], name[n]) {
                Some((true, used)) => Some(p + used),
                Some((false, _)) => None,
                None => (name[n] == b"[").then_some(p + 1),
            },
            Some(&b"\\") if p + 1 < pattern.len() => (pattern[p + 1] == name[n]).then_some(p + 2),
            Some(c) => (*c == name[n]).then_some(p + 1),
        };
        match (step, back) {
            (Some(next), _) => {
                p = next;
                n += 1;
            }
            (None, Some((bp, bn))) if bn < name.len() => {
                back = Some((bp, bn + 1));
                p = bp;
                n = bn + 1;
            }
            _ => return false,
        }
    }
}

/// Whether the bracket expression at the start of `pattern` matches, and its length; `None` if it has no end.
fn bracket(pattern: &[&[u8]], c: &[u8]) -> Option<(bool, usize)> {
    let mut i = 1;
    let negated = matches!(pattern.get(i), Some(&b"!") | Some(&b"^"));
    i += usize::from(negated);
    let first = i;
    let mut found = false;
    loop {
        let mut low = *pattern.get(i)?;
        if low == b"]" && i > first {
            return Some((found != negated, i + 1));
        }
        if low == b"[" && pattern.get(i + 1) == Some(&&b":"[..]) {
            let end = (i + 2..pattern.len())
                .find(|e| pattern[*e] == b":" && pattern.get(e + 1) == Some(&&b"]"[..]));
            if let Some(end) = end {
                let class: Vec<u8> = pattern[i + 2..end].concat();
                found |= c.len() == 1 && in_class(&class, c[0]);
                i = end + 2;
                continue;
            }
        }
        if low == b"\\" {
            i += 1;
            low = pattern.get(i)?;
        }
        if pattern.get(i + 1) == Some(&&b"-"[..]) && pattern.get(i + 2).is_some_and(|h| *h != b"]") {
            found |= low <= c && c <= pattern[i + 2];
            i += 3;
        } else {
            found |= low == c;
            i += 1;
        }
    }
}

fn in_class(class: &[u8], b: u8) -> bool {
    match class {
        b"alpha" => b.is_ascii_alphabetic(),
        b"digit" => b.is_ascii_digit(),
        b"alnum" => b.is_ascii_alphanumeric(),
        b"upper" => b.is_ascii_uppercase(),
        b"lower" => b.is_ascii_lowercase(),
        b"space" => b.is_ascii_whitespace() || b == 11,
        b"blank" => b == b' ' || b == b'\t',
        b"punct" => b.is_ascii_punctuation(),
        b"print" => (0x20..0x7f).contains(&b),
        b"graph" => b.is_ascii_graphic(),
        b"cntrl" => b.is_ascii_control(),
        b"xdigit" => b.is_ascii_hexdigit(),
        _ => false,
    }
}
