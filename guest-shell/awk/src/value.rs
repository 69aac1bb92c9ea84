//! What variables, elements and expressions hold.

use crate::array::Array;
use crate::number;
use crate::pattern::Pattern;
use crate::text::Text;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// An array that several names may mean.
pub(crate) type ArrayRef = Rc<RefCell<Array>>;

/// A value.
#[derive(Clone)]
pub(crate) enum Value {
    /// Never used: may still become a scalar or an array.
    Untyped,
    /// A scalar without a value: both 0 and "".
    Unassigned,
    /// A field that is not there: an empty string, and no number.
    Missing,
    Num(f64),
    /// What `mkbool` makes: a number that is known to be a truth value.
    Bool(bool),
    Str(Text),
    /// Input, which counts as a number if it looks like one.
    Input(Text),
    /// The index of an integer element that `for (i in a)` yields: a number until somebody looks at its text.
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

/// How a value takes part in comparisons.
pub(crate) enum Operand<'a> {
    Num(f64),
    Str(&'a [u8]),
    /// Neither: it is what the other one is.
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
            // Whether there is any text.
            Self::Index(i) => {
                i.seen_as_text.set(true);
                true
            }
            Self::Regex(p) => !p.source().is_empty(),
            Self::Untyped | Self::Unassigned | Self::Missing | Self::Array(_) => false,
        }
    }

    /// Number or string, for a comparison. `scratch` keeps a text that has to be made.
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

    /// Whether the value is a number, looking at input.
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

/// The truth of input: of its number if it looks like one, else whether there is any.
pub(crate) fn input_truth(bytes: &[u8]) -> bool {
    match number::whole(bytes) {
        Some(n) => n != 0.0,
        None => !bytes.is_empty(),
    }
}
