//! The description of a terminal, in the form that `terminfo(5)` defines.

use std::collections::BTreeMap;

/// What a terminal can do.
#[derive(Debug)]
pub(super) struct Entry {
    /// The last of its names, which describes it.
    pub(super) long_name: &'static str,
    capabilities: BTreeMap<&'static str, Capability>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Capability {
    Switch,
    Number(i32),
    /// Bytes, which may have parameters.
    Text(Vec<u8>),
}

impl Entry {
    /// The terminal of this name.
    pub(super) fn of(terminal: &[u8]) -> Option<Self> {
        let name = std::str::from_utf8(terminal).ok()?;
        let has_name =
            |source: &&str| source.split(',').next().unwrap_or_default().split('|').any(|one| one == name);
        SOURCES.iter().copied().find(has_name).map(Self::parse)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Capability> {
        self.capabilities.get(name)
    }

    /// What is sent for a capability; nothing if the terminal does not have it.
    pub(super) fn text(&self, name: &str) -> &[u8] {
        match self.get(name) {
            Some(Capability::Text(text)) => text,
            _ => &[],
        }
    }

    fn parse(source: &'static str) -> Self {
        let mut fields = fields(source).into_iter();
        let names = fields.next().unwrap_or_default();
        let capabilities = fields.filter_map(|field| {
            if let Some((name, text)) = field.split_once('=') {
                return Some((name, Capability::Text(unescaped(text))));
            }
            let Some((name, number)) = field.split_once('#') else {
                return Some((field, Capability::Switch));
            };
            let number = match number.strip_prefix("0x") {
                Some(digits) => i32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            Some((name, Capability::Number(number.ok()?)))
        });
        Self { long_name: names.rsplit('|').next().unwrap_or_default(), capabilities: capabilities.collect() }
    }
}

/// The parts between commas that have no backslash before them.
fn fields(source: &'static str) -> Vec<&'static str> {
    let (mut fields, mut start, mut escaped) = (Vec::new(), 0, false);
    for (at, byte) in source.bytes().enumerate() {
        if byte == b',' && !escaped {
            fields.push(source.get(start..at).unwrap_or_default().trim_start());
            start = at + 1;
        }
        escaped = byte == b'\\' && !escaped;
    }
    fields
}

/// The bytes that a text stands for.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let next = rest.first().copied();
        match (first, next) {
            (b'^', Some(b'?')) => bytes.push(0x7f),
            (b'^', Some(letter)) => bytes.push(letter & 0x1f),
            (b'\\', Some(digit @ b'0'..=b'7')) => {
                let digits = rest.iter().take(3).take_while(|digit| matches!(digit, b'0'..=b'7'));
                let (count, value) = digits
                    .fold((0, 0), |(count, value), digit| (count + 1, value * 8 + u32::from(digit - b'0')));
                // A NUL ends texts, so it is written as this.
                bytes.push(if count == 1 && digit == b'0' { 0o200 } else { value as u8 });
                rest = rest.get(count..).unwrap_or_default();
                continue;
            }
            (b'\\', Some(letter)) => bytes.push(match letter {
                b'E' | b'e' => 0x1b,
                b'n' | b'l' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'b' => 8,
                b'f' => 12,
                b's' => b' ',
                b'a' => 7,
                other => other,
            }),
            _ => {
                bytes.push(*first);
                continue;
            }
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    bytes
}

const SOURCES: [&str; 14] = [
    include_str!("entries/ansi.ti"),
    include_str!("entries/dumb.ti"),
    include_str!("entries/linux.ti"),
    include_str!("entries/rxvt.ti"),
    include_str!("entries/rxvt-unicode-256color.ti"),
    include_str!("entries/screen.ti"),
    include_str!("entries/screen-256color.ti"),
    include_str!("entries/tmux.ti"),
    include_str!("entries/tmux-256color.ti"),
    include_str!("entries/vt100.ti"),
    include_str!("entries/vt220.ti"),
    include_str!("entries/xterm.ti"),
    include_str!("entries/xterm-256color.ti"),
    include_str!("entries/xterm-color.ti"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_descriptions_are_understood() {
        for source in SOURCES {
            let entry = Entry::parse(source);
            assert!(entry.capabilities.len() > 5, "{source}");
            assert_eq!(source.trim_end().bytes().last(), Some(b','));
        }
        let xterm = Entry::of(b"xterm-256color").unwrap();
        assert_eq!(xterm.get("colors"), Some(&Capability::Number(256)));
        assert_eq!(xterm.text("el"), b"\x1b[K");
        assert!(Entry::of(b"").is_none() && Entry::of(b"xterm with 256").is_none());
    }
}
