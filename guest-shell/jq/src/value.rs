//! Values, their order and their identity.

use crate::number::{self, Literal};
use crate::object::Object;
use crate::text::Text;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

/// A JSON value.
#[derive(Clone, Default)]
pub(crate) enum Val {
    #[default]
    Null,
    Bool(bool),
    Num(f64),
    /// A number in its original form, if that prints differently than the nearest double.
    Literal(Rc<Literal>),
    Str(Text),
    Arr(Rc<List>),
    Obj(Rc<Object>),
}

/// The elements of an array.
#[derive(Clone, Default)]
pub(crate) struct List(pub(crate) Vec<Val>);

impl Val {
    pub(crate) fn str(s: &str) -> Self {
        Self::Str(Text::from(s))
    }

    pub(crate) fn from_string(s: String) -> Self {
        Self::Str(Text::from(s))
    }

    pub(crate) fn arr(elements: Vec<Val>) -> Self {
        Self::Arr(Rc::new(List(elements)))
    }

    pub(crate) fn obj(object: Object) -> Self {
        Self::Obj(Rc::new(object))
    }

    pub(crate) fn object(entries: impl IntoIterator<Item = (&'static str, Val)>) -> Self {
        let mut object = Object::new();
        for (k, v) in entries {
            object.insert(Text::from(k), v);
        }
        Self::obj(object)
    }

    /// The name of the type, as `type` returns it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Num(_) | Self::Literal(_) => "number",
            Self::Str(_) => "string",
            Self::Arr(_) => "array",
            Self::Obj(_) => "object",
        }
    }

    pub(crate) fn truthy(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The number as a double.
    pub(crate) fn num(&self) -> Option<f64> {
        match self {
            Self::Num(n) => Some(*n),
            Self::Literal(l) => Some(l.value),
            _ => None,
        }
    }

    /// Whether both are the same value: equal scalars, or containers that share memory.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Num(a), Self::Num(b)) => a.to_bits() == b.to_bits(),
            (Self::Literal(a), Self::Literal(b)) => Rc::ptr_eq(a, b),
            (Self::Str(a), Self::Str(b)) => a.same(b),
            (Self::Arr(a), Self::Arr(b)) => Rc::ptr_eq(a, b),
            (Self::Obj(a), Self::Obj(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(false) => 1,
            Self::Bool(true) => 2,
            Self::Num(_) | Self::Literal(_) => 3,
            Self::Str(_) => 4,
            Self::Arr(_) => 5,
            Self::Obj(_) => 6,
        }
    }
}

impl PartialEq for Val {
    fn eq(&self, other: &Self) -> bool {
        // Containers that must still be compared. A list avoids recursion, because values can be nested without limit.
        let mut rest: Vec<(&Val, &Val)> = Vec::new();
        let mut pair = (self, other);
        loop {
            if !equal_here(pair.0, pair.1, &mut rest) {
                return false;
            }
            match rest.pop() {
                Some(next) => pair = next,
                None => return true,
            }
        }
    }
}

/// Compares scalars. For containers, adds the parts to `rest`.
fn equal_here<'v>(a: &'v Val, b: &'v Val, rest: &mut Vec<(&'v Val, &'v Val)>) -> bool {
    match (a, b) {
        (Val::Num(a), Val::Num(b)) => a == b,
        (Val::Str(a), Val::Str(b)) => a == b,
        (Val::Arr(a), Val::Arr(b)) => {
            a.0.len() == b.0.len()
                && a.0.iter().zip(&b.0).all(|(x, y)| match (x, y) {
                    (Val::Arr(_), Val::Arr(_)) | (Val::Obj(_), Val::Obj(_)) => {
                        rest.push((x, y));
                        true
                    }
                    _ => equal_here(x, y, rest),
                })
        }
        (Val::Obj(a), Val::Obj(b)) => {
            a.len() == b.len()
                && a.entries().iter().all(|(k, v)| {
                    b.get(k).is_some_and(|w| {
                        rest.push((v, w));
                        true
                    })
                })
        }
        _ => a.rank() == b.rank() && (a.num().is_none() || number::compare(a, b) == Ordering::Equal),
    }
}

/// The order of `sort`: null, false, true, numbers, strings, arrays, objects. NaN is less than any number.
pub(crate) fn compare(a: &Val, b: &Val) -> Ordering {
    compare_nested(a, b, 0)
}

/// Containers nested more deeply than this count as equal, which keeps the stack small. This limit is not jq's.
const DEEPEST: usize = 10_000;

fn compare_nested(a: &Val, b: &Val, depth: usize) -> Ordering {
    match (a, b) {
        (Val::Num(_) | Val::Literal(_), Val::Num(_) | Val::Literal(_)) => number::compare(a, b),
        (Val::Str(a), Val::Str(b)) => a.cmp(b),
        (Val::Arr(_), Val::Arr(_)) | (Val::Obj(_), Val::Obj(_)) if depth >= DEEPEST => Ordering::Equal,
        (Val::Arr(a), Val::Arr(b)) => {
            for (x, y) in a.0.iter().zip(&b.0) {
                let order = compare_nested(x, y, depth + 1);
                if order != Ordering::Equal {
                    return order;
                }
            }
            a.0.len().cmp(&b.0.len())
        }
        (Val::Obj(a), Val::Obj(b)) => {
            let (a, b) = (a.sorted(), b.sorted());
            let keys = a.iter().map(|e| &e.0).cmp(b.iter().map(|e| &e.0));
            if keys != Ordering::Equal {
                return keys;
            }
            a.iter()
                .zip(&b)
                .map(|(x, y)| compare_nested(&x.1, &y.1, depth + 1))
                .find(|o| *o != Ordering::Equal)
                .unwrap_or(Ordering::Equal)
        }
        _ => a.rank().cmp(&b.rank()),
    }
}

impl Drop for List {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            drop_values(self.0.drain(..));
        }
    }
}

thread_local! {
    /// The current depth of nested drops, and the containers that must be dropped later.
    static DEFERRED_DROPS: RefCell<(u32, Vec<Val>)> = const { RefCell::new((0, Vec::new())) };
}

/// Up to this depth, containers are dropped recursively. Deeper ones are dropped in a loop, because values can be
/// nested without limit.
const DEEP: u32 = 100;

/// Drops the values of a container without deep recursion.
pub(crate) fn drop_values(values: impl Iterator<Item = Val>) {
    let depth = DEFERRED_DROPS.with_borrow_mut(|g| {
        g.0 += 1;
        g.0
    });
    if depth > DEEP {
        let mut containers: Vec<Val> = values.filter(|v| matches!(v, Val::Arr(_) | Val::Obj(_))).collect();
        DEFERRED_DROPS.with_borrow_mut(|g| g.1.append(&mut containers));
    } else {
        values.for_each(drop);
        if depth == 1 {
            while let Some(v) = DEFERRED_DROPS.with_borrow_mut(|g| g.1.pop()) {
                drop(v);
            }
        }
    }
    DEFERRED_DROPS.with_borrow_mut(|g| g.0 -= 1);
}
