//! Patterns for file names, as POSIX defines them for `fnmatch`.
//!
//! Matching takes at most time proportional to the product of the lengths of name and pattern. The shell's own patterns
//! are in `sandshell-syntax`, because they have groups and find parts of a text.

use crate::locale;

/// Whether `pattern` matches the whole `name`. It can contain `*`, `?`, bracket expressions and backslashes. `/` and a
/// leading `.` are ordinary characters.
pub fn matches(pattern: &[u8], name: &[u8]) -> bool {
    Matching::default().matches(pattern, name)
}

/// `path` and the text after each of its slashes, for a pattern that is not anchored to the start.
pub fn tails(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let behind_slash = |at: &usize| path[*at] == b'/' && path.get(at + 1).is_some_and(|next| *next != b'/');
    std::iter::once(path).chain((0..path.len()).filter(behind_slash).map(|at| &path[at + 1..]))
}

/// The rules of matching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// A slash matches only a slash.
    pub pathname: bool,
    /// Only a dot matches a leading dot; with [`pathname`](Self::pathname), this holds for each component.
    pub period: bool,
    /// Case is ignored.
    pub ignore_case: bool,
}

impl Matching {
    /// Whether `pattern` matches the whole `name`. A pattern that ends with a backslash matches nothing. Bytes that are
    /// not valid UTF-8, and all bytes in the locale `C`, are characters of their own.
    pub fn matches(self, pattern: &[u8], name: &[u8]) -> bool {
        Matcher { rules: self, bytes: locale::is_bytes() }.path(pattern, name)
    }
}

#[derive(Clone, Copy)]
struct Matcher {
    rules: Matching,
    bytes: bool,
}

/// Values from here on stand for bytes that are not valid UTF-8.
const INVALID: u32 = 0x11_0000;

impl Matcher {
    fn path(self, pattern: &[u8], name: &[u8]) -> bool {
        if !self.rules.pathname {
            return self.part(pattern, name);
        }
        let (mut patterns, mut names) = (pattern.split(|b| *b == b'/'), name.split(|b| *b == b'/'));
        loop {
            match (patterns.next(), names.next()) {
                (None, None) => return true,
                (Some(pattern), Some(name)) if self.part(pattern, name) => {}
                _ => return false,
            }
        }
    }

    fn part(self, pattern: &[u8], name: &[u8]) -> bool {
        let dotted = pattern.strip_prefix(b"\\").unwrap_or(pattern).starts_with(b".");
        if self.rules.period && name.starts_with(b".") && !dotted {
            return false;
        }
        let (mut p, mut n) = (0, 0);
        // The position of the last star, and the position in the name where it was last tried.
        let mut star: Option<(usize, usize)> = None;
        loop {
            let step = match pattern.get(p) {
                None if n == name.len() => return true,
                None => None,
                Some(b'*') => {
                    if let Some(end) = self.literal(pattern, p + 1) {
                        return name.len() - n >= end.len() && name.ends_with(end);
                    }
                    star = Some((p + 1, n));
                    p += 1;
                    continue;
                }
                Some(_) if n == name.len() => None,
                Some(_) => self.one(pattern, p, name, n),
            };
            match step {
                Some((dp, dn)) => {
                    p += dp;
                    n += dn;
                }
                None => {
                    let Some((sp, sn)) = star else { return false };
                    if sn >= name.len() {
                        return false;
                    }
                    let next = sn + self.char(name, sn).1;
                    star = Some((sp, next));
                    (p, n) = (sp, next);
                }
            }
        }
    }

    // The rest of a pattern, if it contains no operators. Names that match must then end with these bytes.
    fn literal(self, pattern: &[u8], at: usize) -> Option<&[u8]> {
        let rest = pattern.get(at..)?;
        let plain = |b: &u8| b.is_ascii() && !matches!(b, b'*' | b'?' | b'[' | b'\\');
        (!self.rules.ignore_case && rest.iter().all(plain)).then_some(rest)
    }

    // Matches one character of the name. Returns the lengths in pattern and name.
    fn one(self, pattern: &[u8], p: usize, name: &[u8], n: usize) -> Option<(usize, usize)> {
        let (c, len) = self.char(name, n);
        match pattern.get(p)? {
            b'?' => Some((1, len)),
            b'[' => match self.bracket(pattern, p, c) {
                Some((true, used)) => Some((used, len)),
                Some((false, _)) => None,
                None => (c == u32::from(b'[')).then_some((1, len)),
            },
            b'\\' => {
                let (want, used) = pattern.get(p + 1).map(|_| self.char(pattern, p + 1))?;
                self.same(want, c).then_some((used + 1, len))
            }
            _ => {
                let (want, used) = self.char(pattern, p);
                self.same(want, c).then_some((used, len))
            }
        }
    }

    // Whether the bracket expression at `p` contains `c`, and the length of the expression. `None` if there is none.
    fn bracket(self, pattern: &[u8], p: usize, c: u32) -> Option<(bool, usize)> {
        let mut at = p + 1;
        let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
        at += usize::from(negated);
        let first = at;
        let mut hit = false;
        loop {
            match pattern.get(at)? {
                b']' if at > first => break,
                b'[' if pattern.get(at + 1) == Some(&b':') => {
                    let rest = pattern.get(at + 2..)?;
                    if let Some(end) = rest.windows(2).position(|w| w == b":]") {
                        hit |= self.class(rest.get(..end)?, c);
                        at += end + 4;
                        continue;
                    }
                }
                _ => {}
            }
            let (lo, next) = self.element(pattern, at)?;
            at = next;
            let range = pattern.get(at) == Some(&b'-') && pattern.get(at + 1).is_some_and(|b| *b != b']');
            let hi = if range {
                let (hi, next) = self.element(pattern, at + 1)?;
                at = next;
                hi
            } else {
                lo
            };
            hit |= self.variants(c).any(|v| lo <= v && v <= hi);
        }
        Some((hit != negated, at + 1 - p))
    }

    fn element(self, pattern: &[u8], at: usize) -> Option<(u32, usize)> {
        match (pattern.get(at)?, pattern.get(at + 1)) {
            (b'\\', Some(_)) => {
                let (c, len) = self.char(pattern, at + 1);
                Some((c, at + 1 + len))
            }
            (b'[', Some(d @ (b'.' | b'='))) => {
                let (c, len) = self.char(pattern, at + 2);
                let end = at + 2 + len;
                (pattern.get(end..end + 2)? == [*d, b']']).then_some((c, end + 2))
            }
            _ => {
                let (c, len) = self.char(pattern, at);
                Some((c, at + len))
            }
        }
    }

    fn class(self, name: &[u8], c: u32) -> bool {
        let Some(c) = char::from_u32(c).filter(|c| !self.bytes || c.is_ascii()) else { return false };
        match name {
            b"alpha" => c.is_alphabetic(),
            b"digit" => c.is_ascii_digit(),
            b"alnum" => c.is_alphabetic() || c.is_ascii_digit(),
            b"upper" => c.is_uppercase() || (self.rules.ignore_case && c.is_lowercase()),
            b"lower" => c.is_lowercase() || (self.rules.ignore_case && c.is_uppercase()),
            b"space" => c.is_whitespace() && !matches!(c, '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}'),
            b"blank" => c == ' ' || c == '\t',
            b"punct" => !c.is_control() && !c.is_whitespace() && !c.is_alphabetic() && !c.is_ascii_digit(),
            b"print" => !c.is_control(),
            b"graph" => !c.is_control() && !c.is_whitespace(),
            b"cntrl" => c.is_control(),
            b"xdigit" => c.is_ascii_hexdigit(),
            _ => false,
        }
    }

    fn same(self, a: u32, b: u32) -> bool {
        a == b || (self.rules.ignore_case && self.variants(a).any(|v| v == b))
    }

    // The character and, if case is ignored, its other cases.
    fn variants(self, c: u32) -> impl Iterator<Item = u32> {
        let ch = char::from_u32(c).filter(|ch| self.rules.ignore_case && (!self.bytes || ch.is_ascii()));
        let lower = ch.and_then(|ch| ch.to_lowercase().next()).map(u32::from);
        let upper = ch.and_then(|ch| ch.to_uppercase().next()).map(u32::from);
        std::iter::once(c).chain(lower).chain(upper)
    }

    // The character at a position and its length. A byte that is not valid UTF-8 has a value of at least `INVALID`.
    fn char(self, text: &[u8], at: usize) -> (u32, usize) {
        let Some(&first) = text.get(at) else { return (INVALID, 1) };
        if first < 0x80 || self.bytes {
            return (first.into(), 1);
        }
        let rest = text.get(at..(at + 4).min(text.len())).unwrap_or_default();
        match rest.utf8_chunks().next().and_then(|c| c.valid().chars().next()) {
            Some(c) => (c.into(), c.len_utf8()),
            None => (INVALID + u32::from(first), 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_as_fnmatch() {
        let plain = Matching::default();
        let matches = |rules, pattern: &str, name: &str| {
            Matcher { rules, bytes: false }.path(pattern.as_bytes(), name.as_bytes())
        };
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*.c", "a/b.c", true),
            ("?", "é", true),
            ("?", "ab", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]]", "]", true),
            ("[a", "[a", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("a\\", "a\\", false),
            ("*a*b*c", "xaybzc", true),
            ("*a*b*c", "xaybz", false),
            ("a*a", "a", false),
            ("a*ba", "aba", true),
            ("é*.c", "é.c", true),
            ("[[:digit:]]*", "1a", true),
            ("[a-]", "-", true),
        ] {
            assert_eq!(matches(plain, pattern, name), expected, "{pattern} {name}");
        }
        let fold = Matching { ignore_case: true, ..plain };
        assert!(matches(fold, "[a-c]X*É", "BxYé"));
        let pathname = Matching { pathname: true, ..plain };
        assert!(matches(pathname, "a/*/c", "a/b/c") && !matches(pathname, "a*c", "a/c"));
        assert!(!matches(pathname, "a[/]c", "a/c") && !matches(pathname, "a?c", "a/c"));
        let period = Matching { pathname: true, period: true, ..plain };
        for (pattern, expected) in [("*/*", false), ("*/.*", true), ("*/[.]b", false), ("*/\\.b", true)] {
            assert_eq!(matches(period, pattern, "a/.b"), expected, "{pattern}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_characters() {
        let matches =
            |pattern: &[u8], bytes| Matcher { rules: Matching::default(), bytes }.path(pattern, b"a\xff");
        for bytes in [false, true] {
            assert!(matches(b"a?", bytes) && matches(b"a[!b]", bytes) && matches(b"a[\xfe-\xff]", bytes));
            assert!(!matches(b"a[[:alpha:]]", bytes));
        }
    }

    #[test]
    fn many_stars_take_no_longer() {
        let name = [b'a'; 4000];
        assert!(!matches(&[&b"*a".repeat(500)[..], b"*b"].concat(), &name));
        assert!(matches(&b"*a".repeat(500), &name));
    }
}
