//! Associative arrays that list their elements in gawk's order.
//!
//! An array is one of three tables, depending on its first index: a natural number, another integer, or a text. The
//! first two tables pass indices that do not fit them on to a table of the next kind. A listing begins with the
//! elements that were passed on.

mod integers;
mod naturals;
mod texts;

use crate::number;
use crate::text::Text;
use crate::value::Value;
use integers::Integers;
use naturals::Naturals;
use texts::Texts;

/// An index to look up. A 32-bit integer is always `Int`, whether it was a number or a text: see [`Key::of_text`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key<'a> {
    Int(i64),
    Text(&'a [u8]),
}

/// An owned index, as stored in an array.
#[derive(Clone, Debug)]
pub(crate) enum OwnKey {
    Int(i64),
    Text(Text),
}

impl<'a> Key<'a> {
    /// The key for a text. It is an integer if the text is the integer's usual decimal form.
    pub(crate) fn of_text(text: &'a [u8]) -> Self {
        let (digits, negative) = match text {
            [b'-', rest @ ..] => (rest, true),
            _ => (text, false),
        };
        let canonical = match digits {
            [b'0'] => !negative,
            [b'1'..=b'9', rest @ ..] => rest.len() < 10 && rest.iter().all(u8::is_ascii_digit),
            _ => false,
        };
        if !canonical {
            return Self::Text(text);
        }
        let n = digits.iter().fold(0i64, |n, d| n * 10 + i64::from(d - b'0'));
        let n = if negative { -n } else { n };
        if i32::try_from(n).is_ok() { Self::Int(n) } else { Self::Text(text) }
    }

    /// The integer key for a number. `None` if it is not a 32-bit integer.
    pub(crate) fn of_number(n: f64) -> Option<Self> {
        let i = n as i32;
        (f64::from(i) == n).then_some(Self::Int(i.into()))
    }
}

impl OwnKey {
    pub(crate) fn as_key(&self) -> Key<'_> {
        match self {
            Self::Int(n) => Key::Int(*n),
            Self::Text(t) => Key::Text(t.as_bytes()),
        }
    }

    pub(crate) fn text(&self) -> Text {
        match self {
            Self::Int(n) => int_text(*n),
            Self::Text(t) => t.clone(),
        }
    }
}

pub(crate) fn int_text(n: i64) -> Text {
    let mut buf = Vec::with_capacity(12);
    number::push_int(&mut buf, n);
    Text::new(&buf)
}

/// An associative array.
#[derive(Default)]
pub(crate) struct Array {
    table: Table,
}

#[derive(Default)]
enum Table {
    #[default]
    Empty,
    Naturals(Box<Naturals>),
    Integers(Box<Integers>),
    Texts(Box<Texts>),
}

impl Array {
    pub(crate) fn len(&self) -> usize {
        match &self.table {
            Table::Empty => 0,
            Table::Naturals(t) => t.len(),
            Table::Integers(t) => t.len(),
            Table::Texts(t) => t.len(),
        }
    }

    /// Whether all indices are stored as texts, including integers.
    pub(crate) fn is_texts(&self) -> bool {
        matches!(self.table, Table::Texts(_))
    }

    pub(crate) fn get(&self, key: Key<'_>) -> Option<&Value> {
        match &self.table {
            Table::Empty => None,
            Table::Naturals(t) => t.get(key),
            Table::Integers(t) => t.get(key),
            Table::Texts(t) => t.get(key),
        }
    }

    /// The element, which is created untyped if it does not exist.
    pub(crate) fn slot(&mut self, key: Key<'_>) -> &mut Value {
        if let Table::Empty = self.table {
            self.table = match key {
                Key::Int(0..) => Table::Naturals(Box::default()),
                Key::Int(_) => Table::Integers(Box::default()),
                Key::Text(_) => Table::Texts(Box::default()),
            };
        }
        match &mut self.table {
            Table::Naturals(t) => t.slot(key),
            Table::Integers(t) => t.slot(key),
            Table::Texts(t) => t.slot(key),
            Table::Empty => unreachable!("chosen above"),
        }
    }

    /// A table for an index that the table of naturals passes on.
    fn for_overflow(key: Key<'_>) -> Self {
        let table = match key {
            Key::Int(_) => Table::Integers(Box::default()),
            Key::Text(_) => Table::Texts(Box::default()),
        };
        Self { table }
    }

    pub(crate) fn remove(&mut self, key: Key<'_>) {
        let rest = match &mut self.table {
            Table::Empty => return,
            Table::Naturals(t) => t.remove(key).then(|| t.take_rest()),
            Table::Integers(t) => t.remove(key).then(|| t.take_rest()),
            Table::Texts(t) => t.remove(key).then_some(None),
        };
        if rest.is_some() && self.own_len() == 0 {
            // The table that holds the remaining elements becomes the array.
            *self = rest.flatten().map(|b| *b).unwrap_or_default();
        }
    }

    // The number of elements that were not passed on. Called after a removal, when `take_rest` may have left nothing
    // else.
    fn own_len(&self) -> usize {
        match &self.table {
            Table::Empty => 0,
            Table::Naturals(t) => t.own_len(),
            Table::Integers(t) => t.own_len(),
            Table::Texts(t) => t.len(),
        }
    }

    /// gawk's name for the way in which the elements are stored.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.table {
            Table::Empty => "null",
            Table::Naturals(_) => "cint",
            Table::Integers(_) => "int",
            Table::Texts(_) => "str",
        }
    }

    pub(crate) fn clear(&mut self) {
        self.table = Table::Empty;
    }

    /// Calls `f` with each element, in gawk's order.
    pub(crate) fn each(&self, f: &mut dyn FnMut(Key<'_>, &Value)) {
        match &self.table {
            Table::Empty => {}
            Table::Naturals(t) => t.each(f),
            Table::Integers(t) => t.each(f),
            Table::Texts(t) => t.each(f),
        }
    }

    /// All indices, in gawk's order.
    pub(crate) fn keys(&self) -> Vec<OwnKey> {
        let mut keys = Vec::with_capacity(self.len());
        self.each(&mut |k, _| {
            keys.push(match k {
                Key::Int(n) => OwnKey::Int(n),
                Key::Text(t) => OwnKey::Text(Text::new(t)),
            });
        });
        keys
    }
}

/// Sizes of hash tables, in the order of growth. They are primes near powers of two, as the order of keys in `for (k in
/// a)` shows: up to 2^15 the largest prime below the power, from 2^17 on the smallest prime above it.
const SIZES: [usize; 21] = sizes();

const fn sizes() -> [usize; 21] {
    let mut sizes = [0; 21];
    let below = [4, 7, 10, 13, 14, 15];
    let mut at = 0;
    while at < below.len() {
        sizes[at] = prime((1 << below[at]) - 1, false);
        at += 1;
    }
    // The only size that is not the prime next to its power of two.
    sizes[at] = 65_497;
    let mut power = 17;
    while power <= 30 {
        at += 1;
        sizes[at] = prime((1 << power) + 1, true);
        power += 1;
    }
    sizes
}

/// The first prime at or after `number`, going up or down in steps of two. `number` must be odd.
const fn prime(mut number: usize, up: bool) -> usize {
    loop {
        let mut factor = 3;
        while factor * factor <= number && !number.is_multiple_of(factor) {
            factor += 2;
        }
        if factor * factor > number {
            return number;
        }
        number = if up { number + 2 } else { number - 2 };
    }
}

/// The next size after `size`, if there is one.
fn next_size(size: usize) -> Option<usize> {
    SIZES.iter().copied().find(|s| *s > size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_by_primes() {
        assert!(SIZES.is_sorted());
        assert_eq!(&SIZES[..7], [13, 127, 1021, 8191, 16_381, 32_749, 65_497]);
        assert_eq!((SIZES[7], SIZES[20]), (131_101, 1_073_741_827));
    }

    fn order(keys: &[&str]) -> String {
        let mut array = Array::default();
        for key in keys {
            array.slot(Key::of_text(key.as_bytes()));
        }
        let keys: Vec<_> =
            array.keys().iter().map(|k| String::from_utf8_lossy(k.text().as_bytes()).into_owned()).collect();
        keys.join(" ")
    }

    #[test]
    fn elements_are_listed_as_gawk_does() {
        assert_eq!(order(&["10", "9", "1", "2"]), "1 2 9 10");
        assert_eq!(order(&["a", "b", "c", "1", "2", "3", "0"]), "a b c 0 1 2 3");
        assert_eq!(order(&["5", "x", "foo", "-5", "-3", "01", "0"]), "x foo -3 01 -5 0 5");
    }

    #[test]
    fn what_is_removed_is_gone() {
        let mut array = Array::default();
        for n in 0..5000 {
            array.slot(Key::Int(n * 7919 % 100_003 - 50));
        }
        array.slot(Key::Text(b"text"));
        let keys = array.keys();
        assert_eq!(keys.len(), array.len());
        for key in &keys {
            assert!(array.get(key.as_key()).is_some());
            array.remove(key.as_key());
            assert!(array.get(key.as_key()).is_none());
        }
        assert_eq!(array.len(), 0);
    }
}
