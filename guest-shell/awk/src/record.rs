//! The record and its fields. Splitting is done as late as possible, and only as far as needed.

mod split;

pub(crate) use split::{Separator, split_all, split_pieces};

use crate::text::Text;
use crate::value::Value;

/// `$0`, `$1`…
#[derive(Default)]
pub(crate) struct Record {
    text: Vec<u8>,
    /// Whether `text` agrees with the fields.
    whole: bool,
    /// The fields found so far, as ranges of the text.
    spans: Vec<(u32, u32)>,
    /// Where splitting continues.
    at: usize,
    /// Whether all fields have been found.
    done: bool,
    /// Values that were assigned to fields. Empty if there are none.
    assigned: Vec<Option<Value>>,
    /// Whether a record has been read yet.
    pub(crate) set: bool,
    kind: Kind,
}

/// The kind of value that `$0` is.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum Kind {
    #[default]
    Input,
    /// A string: rebuilt from the fields or assigned.
    Text,
    /// An assigned number.
    Number(f64),
}

impl Record {
    /// Sets a new text.
    pub(crate) fn set(&mut self, text: &[u8]) {
        self.text.clear();
        self.text.extend_from_slice(text);
        self.reset();
    }

    /// Sets the text of a value that was assigned to `$0`.
    pub(crate) fn set_as(&mut self, text: &[u8], kind: Kind) {
        self.set(text);
        self.kind = kind;
    }

    /// Whether `$0` counts as input.
    pub(crate) fn is_input(&self) -> bool {
        self.kind == Kind::Input
    }

    /// The value of `$0`, which must have been rebuilt.
    pub(crate) fn value(&self) -> Value {
        match self.kind {
            Kind::Input => Value::Input(Text::new(&self.text)),
            Kind::Text => Value::Str(Text::new(&self.text)),
            Kind::Number(n) => Value::Num(n),
        }
    }

    /// Ensures that there are at least `n` fields. The text does not change. All fields must have been found.
    pub(crate) fn extend(&mut self, n: usize) {
        if n > self.spans.len() {
            self.resize(n);
        }
    }

    fn reset(&mut self) {
        self.kind = Kind::Input;
        self.spans.clear();
        self.assigned.clear();
        self.at = 0;
        self.whole = true;
        self.done = false;
        self.set = true;
    }

    /// Returns to the state before the first record.
    pub(crate) fn unset(&mut self) {
        self.set = false;
    }

    /// The text, unless a field has been assigned since it was last rebuilt.
    pub(crate) fn text(&self) -> Option<&[u8]> {
        self.whole.then_some(&self.text)
    }

    /// Finds fields up to number `n`, or as many as there are.
    pub(crate) fn find(&mut self, n: usize, separator: &Separator) {
        if !self.done && self.spans.len() < n {
            self.done = split::more(&self.text, &mut self.spans, &mut self.at, n, separator);
        }
    }

    /// Finds all fields and returns their number.
    pub(crate) fn count(&mut self, separator: &Separator) -> usize {
        self.find(usize::MAX, separator);
        self.spans.len()
    }

    /// The text of field `n` (from 1), if it has been found and not been assigned.
    pub(crate) fn slice(&self, n: usize) -> Option<&[u8]> {
        if !self.assigned.is_empty() && self.assigned.get(n - 1).is_some_and(Option::is_some) {
            return None;
        }
        let (a, b) = *self.spans.get(n - 1)?;
        self.text.get(a as usize..b as usize)
    }

    /// The value of field `n` (from 1), which must have been found.
    pub(crate) fn field(&self, n: usize) -> Value {
        if let Some(Some(v)) = self.assigned.get(n - 1) {
            return v.clone();
        }
        match self.slice(n) {
            Some(t) => Value::Input(Text::new(t)),
            None => Value::Missing,
        }
    }

    /// Assigns to field `n` (from 1). All fields must have been found.
    pub(crate) fn assign(&mut self, n: usize, value: Value) {
        self.resize(n.max(self.spans.len()));
        if self.assigned.len() < self.spans.len() {
            self.assigned.resize(self.spans.len(), None);
        }
        if let Some(slot) = self.assigned.get_mut(n - 1) {
            *slot = Some(value);
        }
        self.whole = false;
    }

    /// Sets the number of fields. All fields must have been found.
    pub(crate) fn set_count(&mut self, n: usize) {
        self.resize(n);
        self.whole = false;
    }

    fn resize(&mut self, n: usize) {
        let old = self.spans.len();
        self.spans.resize(n, (0, 0));
        if !self.assigned.is_empty() || n > old {
            self.assigned.resize(n, None);
            for slot in self.assigned.iter_mut().skip(old) {
                *slot = Some(Value::Missing);
            }
        }
    }

    /// Rebuilds the text from the fields. `push` appends a value's text.
    pub(crate) fn rebuild(&mut self, separator: &[u8], push: &dyn Fn(&Value, &mut Vec<u8>)) {
        if self.whole {
            return;
        }
        let mut text = Vec::with_capacity(self.text.len() + 16);
        for (i, span) in self.spans.iter_mut().enumerate() {
            if i > 0 {
                text.extend_from_slice(separator);
            }
            let begin = text.len();
            match self.assigned.get(i) {
                Some(Some(v)) => push(v, &mut text),
                _ => text
                    .extend_from_slice(self.text.get(span.0 as usize..span.1 as usize).unwrap_or_default()),
            }
            *span = (begin as u32, text.len() as u32);
        }
        self.text = text;
        self.kind = Kind::Text;
        self.whole = true;
        self.done = true;
    }
}
