//! Words, patterns and names of files in bytes.

/// What strings are here.
pub(crate) type Text = Vec<u8>;

pub(crate) fn is_blank(b: u8) -> bool {
    b == b' ' || b == b'\t'
}

pub(crate) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 11 | 12)
}

/// The words between white space.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|b| is_space(*b)).filter(|w| !w.is_empty())
}

/// Without white space at both ends.
pub(crate) fn strip(text: &[u8]) -> &[u8] {
    strip_end(strip_start(text))
}

pub(crate) fn strip_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|b| !is_space(*b)).unwrap_or(text.len());
    text.get(start..).unwrap_or_default()
}

pub(crate) fn strip_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| !is_space(*b)).map_or(0, |p| p + 1);
    text.get(..end).unwrap_or_default()
}

/// The words between white space outside of references.
pub(crate) fn reference_words(text: &[u8]) -> Vec<&[u8]> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(b) = text.get(at) {
        if *b == b'$' {
            at += crate::vars::reference_len(text.get(at..).unwrap_or_default());
            continue;
        }
        if is_space(*b) {
            out.extend(text.get(start..at).filter(|w| !w.is_empty()));
            start = at + 1;
        }
        at += 1;
    }
    out.extend(text.get(start..).filter(|w| !w.is_empty()));
    out
}

/// Joins with spaces.
pub(crate) fn join<W: AsRef<[u8]>>(list: impl IntoIterator<Item = W>) -> Text {
    let mut out = Text::new();
    for (i, word) in list.into_iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(word.as_ref());
    }
    out
}

/// A pattern split at its first `%` that is not quoted with a backslash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) prefix: Text,
    /// None if there is no `%`.
    pub(crate) suffix: Option<Text>,
}

impl Pattern {
    pub(crate) fn new(text: &[u8]) -> Self {
        let mut prefix = Text::new();
        let mut at = 0;
        while let Some(b) = text.get(at) {
            if *b == b'%' {
                let suffix = text.get(at + 1..).map(<[u8]>::to_vec);
                return Self { prefix, suffix };
            }
            if *b == b'\\' {
                let slashes = text.iter().skip(at).take_while(|b| **b == b'\\').count();
                if text.get(at + slashes) == Some(&b'%') {
                    // Half of the backslashes stay; an odd one quotes the percent sign.
                    prefix.extend(std::iter::repeat_n(b'\\', slashes / 2));
                    at += slashes;
                    if slashes % 2 == 1 {
                        prefix.push(b'%');
                        at += 1;
                    }
                    continue;
                }
                prefix.extend(std::iter::repeat_n(b'\\', slashes));
                at += slashes;
                continue;
            }
            prefix.push(*b);
            at += 1;
        }
        Self { prefix, suffix: None }
    }

    /// What `%` stands for in a word that matches; empty for a pattern without it.
    pub(crate) fn stem<'a>(&self, word: &'a [u8]) -> Option<&'a [u8]> {
        match &self.suffix {
            None => (word == self.prefix).then_some(&[]),
            Some(suffix) => {
                if word.len() < self.prefix.len() + suffix.len() {
                    return None;
                }
                word.strip_prefix(self.prefix.as_slice())?.strip_suffix(suffix.as_slice())
            }
        }
    }

    /// The pattern with `%` replaced.
    pub(crate) fn fill(&self, stem: &[u8]) -> Text {
        match &self.suffix {
            None => self.prefix.clone(),
            Some(suffix) => [self.prefix.as_slice(), stem, suffix].concat(),
        }
    }
}

/// Everything up to the last slash, with it; `./` if there is none.
pub(crate) fn dir(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|b| *b == b'/') {
        Some(at) => name.get(..=at).unwrap_or_default(),
        None => b"./",
    }
}

pub(crate) fn notdir(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|b| *b == b'/') {
        Some(at) => name.get(at + 1..).unwrap_or_default(),
        None => name,
    }
}

/// Where the suffix of a name begins: its last dot behind the last slash.
pub(crate) fn suffix_at(name: &[u8]) -> Option<usize> {
    let dot = name.iter().rposition(|b| *b == b'.')?;
    let slash = name.iter().rposition(|b| *b == b'/');
    slash.is_none_or(|s| s < dot).then_some(dot)
}

/// Replaces each occurrence of a text.
pub(crate) fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Text {
    if from.is_empty() {
        return [text, to].concat();
    }
    let mut out = Text::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with(from) {
            out.extend_from_slice(to);
            at += from.len();
        } else {
            out.extend(rest.first());
            at += 1;
        }
    }
    out
}
