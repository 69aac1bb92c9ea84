//! Values of variables, elements and expressions.

use crate::array::Array;
use crate::number;
use crate::pattern::Pattern;
use crate::text::Text;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// An array that several names may refer to.
pub(crate) type ArrayRef = Rc<RefCell<Array>>;

/// A value.
#[derive(Clone)]
pub(crate) enum Value {
    /// Never used. It may still become a scalar or an array.
    Untyped,
    /// A scalar without a value: both 0 and "".
    Unassigned,
    /// A field that does not exist: an empty string, and not a number.
    Missing,
    Num(f64),
    /// A result of `mkbool`: a number that is known to be a truth value.
    Bool(bool),
    Str(Text),
    /// Input. It counts as a number if it looks like one.
    Input(Text),
    /// The index of an integer element from `for (i in a)`. It is a number until its text is used.
    Index(Rc<Index>),
    /// `@/…/`.
    Regex(Rc<Pattern>),
    Array(ArrayRef),
}

/// See [`Value::Index`].
pub(crate) struct Index {
    pub(crate) number: i64,
    pub(crate) seen_as_text: Cell<bool>,
}

/// An operand of a comparison.
pub(crate) enum Operand<'a> {
    Num(f64),
    Str(&'a [u8]),
    /// No value. It takes the type of the other operand.
    Null,
}

impl Value {
    pub(crate) fn text(bytes: &[u8]) -> Self {
        Self::Str(Text::new(bytes))
    }

    pub(crate) fn bool(b: bool) -> Self {
        Self::Num(if b { 1.0 } else { 0.0 })
    }

    pub(crate) fn new_array() -> ArrayRef {
        Rc::new(RefCell::new(Array::default()))
    }

    /// The value as a number.
    pub(crate) fn num(&self) -> f64 {
        match self {
            Self::Num(n) => *n,
            Self::Bool(b) => f64::from(u8::from(*b)),
            Self::Str(t) | Self::Input(t) => number::prefix(t.as_bytes()),
            Self::Index(i) => i.number as f64,
            Self::Regex(p) => number::prefix(p.source()),
            Self::Untyped | Self::Unassigned | Self::Missing | Self::Array(_) => 0.0,
        }
    }

    /// Whether the value is true.
    pub(crate) fn truth(&self) -> bool {
        match self {
            Self::Num(n) => *n != 0.0,
            Self::Bool(b) => *b,
            Self::Str(t) => !t.as_bytes().is_empty(),
            Self::Input(t) => input_truth(t.as_bytes()),
            // This tests the text, which is never empty.
            Self::Index(i) => {
                i.seen_as_text.set(true);
                true
            }
            Self::Regex(p) => !p.source().is_empty(),
            Self::Untyped | Self::Unassigned | Self::Missing | Self::Array(_) => false,
        }
    }

    /// The value as an operand of a comparison. `scratch` holds the text if one must be made.
    pub(crate) fn operand<'a>(&'a self, scratch: &'a mut Vec<u8>) -> Operand<'a> {
        match self {
            Self::Num(n) => Operand::Num(*n),
            Self::Bool(_) => Operand::Num(self.num()),
            Self::Str(t) => Operand::Str(t.as_bytes()),
            Self::Input(t) => match number::whole(t.as_bytes()) {
                Some(n) => Operand::Num(n),
                None => Operand::Str(t.as_bytes()),
            },
            Self::Index(i) if i.seen_as_text.get() => {
                scratch.clear();
                number::push_int(scratch, i.number);
                Operand::Str(scratch)
            }
            Self::Index(i) => Operand::Num(i.number as f64),
            Self::Regex(p) => Operand::Str(p.source()),
            Self::Missing => Operand::Str(b""),
            Self::Untyped | Self::Unassigned | Self::Array(_) => Operand::Null,
        }
    }

    /// Whether the value is a number, including input that looks like one.
    pub(crate) fn is_number(&self) -> bool {
        match self {
            Self::Num(_) | Self::Bool(_) => true,
            Self::Input(t) => number::whole(t.as_bytes()).is_some(),
            Self::Index(i) => !i.seen_as_text.get(),
            _ => false,
        }
    }

    pub(crate) fn is_unset(&self) -> bool {
        matches!(self, Self::Untyped | Self::Unassigned)
    }
}

/// The truth of input. If it looks like a number, the number counts; otherwise whether the text is not empty.
pub(crate) fn input_truth(bytes: &[u8]) -> bool {
    match number::whole(bytes) {
        Some(n) => n != 0.0,
        None => !bytes.is_empty(),
    }
}
