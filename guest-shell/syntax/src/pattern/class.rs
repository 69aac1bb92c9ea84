//! Characters and bracket expressions.

/// A bracket expression.
#[derive(Debug, Clone, Default)]
pub(super) struct Class {
    pub(super) negated: bool,
    pub(super) ranges: Vec<(u32, u32)>,
    pub(super) named: Vec<Named>,
}

/// The character classes of POSIX, and `[:word:]`, `[:ascii:]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Alnum,
    Alpha,
    Ascii,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Word,
    Xdigit,
}

impl Named {
    pub(super) fn parse(name: &[u8]) -> Option<Named> {
        Some(match name {
            b"alnum" => Named::Alnum,
            b"alpha" => Named::Alpha,
            b"ascii" => Named::Ascii,
            b"blank" => Named::Blank,
            b"cntrl" => Named::Cntrl,
            b"digit" => Named::Digit,
            b"graph" => Named::Graph,
            b"lower" => Named::Lower,
            b"print" => Named::Print,
            b"punct" => Named::Punct,
            b"space" => Named::Space,
            b"upper" => Named::Upper,
            b"word" => Named::Word,
            b"xdigit" => Named::Xdigit,
            _ => return None,
        })
    }

    fn contains(self, value: u32) -> bool {
        let Some(character) = char::from_u32(value) else { return false };
        let graphic = || !character.is_control() && !character.is_whitespace();
        match self {
            Named::Alnum => character.is_alphanumeric(),
            Named::Alpha => character.is_alphabetic(),
            Named::Ascii => character.is_ascii(),
            Named::Blank => character == ' ' || character == '\t',
            Named::Cntrl => character.is_control(),
            Named::Digit => character.is_ascii_digit(),
            Named::Graph => graphic(),
            Named::Lower => character.is_lowercase(),
            Named::Print => graphic() || (character.is_whitespace() && !character.is_control()),
            Named::Punct if character.is_ascii() => character.is_ascii_punctuation(),
            Named::Punct => graphic() && !character.is_alphanumeric(),
            Named::Space => character.is_whitespace(),
            Named::Upper => character.is_uppercase(),
            Named::Word => character.is_alphanumeric() || character == '_',
            Named::Xdigit => character.is_ascii_hexdigit(),
        }
    }
}

impl Class {
    pub(super) fn contains(&self, value: u32, nocase: bool) -> bool {
        let mut found = self.has(value);
        if nocase && !found {
            // Only ranges are tried in the other case; named classes test the character itself.
            found = self.in_range(fold(value)) || self.in_range(raise(value));
        }
        found != self.negated
    }

    fn has(&self, value: u32) -> bool {
        self.in_range(value) || self.named.iter().any(|named| named.contains(value))
    }

    fn in_range(&self, value: u32) -> bool {
        self.ranges.iter().any(|&(first, last)| (first..=last).contains(&value))
    }
}

/// The character at `at` and its length. A byte that is not valid UTF-8 counts as a character of its own, beyond
/// Unicode.
pub(super) fn decode(text: &[u8], at: usize) -> (u32, usize) {
    let Some(&first) = text.get(at) else { return (0, 1) };
    if first < 0x80 {
        return (u32::from(first), 1);
    }
    if crate::locale::is_bytes() {
        return (0x11_0000 + u32::from(first), 1);
    }
    let length = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return (0x11_0000 + u32::from(first), 1),
    };
    match text.get(at..at + length).and_then(|bytes| std::str::from_utf8(bytes).ok()) {
        Some(text) => (text.chars().next().map_or(0, u32::from), length),
        None => (0x11_0000 + u32::from(first), 1),
    }
}

/// Converts to lower case.
pub(super) fn fold(value: u32) -> u32 {
    let Some(character) = char::from_u32(value) else { return value };
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(single), None) => u32::from(single),
        _ => value,
    }
}

/// Converts to upper case.
fn raise(value: u32) -> u32 {
    let Some(character) = char::from_u32(value) else { return value };
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(single), None) => u32::from(single),
        _ => value,
    }
}
