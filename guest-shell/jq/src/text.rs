//! Strings in UTF-8. Short ones are stored inline.

use std::cmp::Ordering;
use std::rc::Rc;

/// A string value. All constructors guarantee that its bytes are valid UTF-8.
#[derive(Clone)]
pub(crate) struct Text(Repr);

/// Strings of up to [`SHORT`] bytes are always `Short`, so that equal strings have the same variant.
#[derive(Clone)]
enum Repr {
    Short { len: u8, bytes: [u8; SHORT] },
    Long(Rc<Vec<u8>>),
}

const SHORT: usize = 14;

impl Text {
    /// A string from bytes that are known to be valid UTF-8.
    pub(crate) fn from_valid(bytes: &[u8]) -> Self {
        if bytes.len() <= SHORT {
            let mut short = [0; SHORT];
            short[..bytes.len()].copy_from_slice(bytes);
            Self(Repr::Short { len: bytes.len() as u8, bytes: short })
        } else {
            Self(Repr::Long(Rc::new(bytes.to_vec())))
        }
    }

    /// As [`Text::from_valid`], but does not copy long strings.
    pub(crate) fn from_valid_vec(bytes: Vec<u8>) -> Self {
        if bytes.len() <= SHORT { Self::from_valid(&bytes) } else { Self(Repr::Long(Rc::new(bytes))) }
    }

    /// A string from any bytes. As in jq, invalid UTF-8 becomes U+FFFD.
    pub(crate) fn lossy(bytes: &[u8]) -> Self {
        if std::str::from_utf8(bytes).is_ok() {
            Self::from_valid(bytes)
        } else {
            Self::from_valid_vec(replace_invalid(bytes))
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Short { len, bytes } => bytes.get(..usize::from(*len)).unwrap_or_default(),
            Repr::Long(bytes) => bytes,
        }
    }

    pub(crate) fn str(&self) -> &str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }

    /// Appends in place if the string is not shared.
    pub(crate) fn push(&mut self, more: &[u8]) {
        if let Repr::Long(bytes) = &mut self.0 {
            Rc::make_mut(bytes).extend_from_slice(more);
            return;
        }
        let mut all = Vec::with_capacity((self.bytes().len() + more.len()).max(2 * SHORT));
        all.extend_from_slice(self.bytes());
        all.extend_from_slice(more);
        *self = Self::from_valid_vec(all);
    }

    /// The number of code points.
    pub(crate) fn chars(&self) -> usize {
        count_chars(self.bytes())
    }

    /// Whether both are the same string: they share memory, or are short and equal.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Long(a), Repr::Long(b)) => Rc::ptr_eq(a, b),
            _ => self == other,
        }
    }
}

/// The number of code points in UTF-8 text.
pub(crate) fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| (**b & 0xC0) != 0x80).count()
}

impl From<&str> for Text {
    fn from(s: &str) -> Self {
        Self::from_valid(s.as_bytes())
    }
}

impl From<String> for Text {
    fn from(s: String) -> Self {
        Self::from_valid_vec(s.into_bytes())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Short { len: a, bytes: x }, Repr::Short { len: b, bytes: y }) => a == b && x == y,
            (Repr::Long(a), Repr::Long(b)) => Rc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes().cmp(other.bytes())
    }
}

/// Replaces each malformed sequence by one U+FFFD. A lead byte and the continuation bytes after it form one sequence.
fn replace_invalid(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 8);
    let mut at = 0;
    while let Some(&lead) = bytes.get(at) {
        let want = match lead {
            0..=0x7F => 1,
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 0,
        };
        let have = 1 + bytes
            .get(at + 1..)
            .unwrap_or_default()
            .iter()
            .take(usize::saturating_sub(want, 1))
            .take_while(|b| (**b & 0xC0) == 0x80)
            .count();
        let sequence = bytes.get(at..at + have).unwrap_or_default();
        if have == want && std::str::from_utf8(sequence).is_ok() {
            out.extend_from_slice(sequence);
        } else {
            out.extend_from_slice("\u{FFFD}".as_bytes());
        }
        at += have;
    }
    out
}
