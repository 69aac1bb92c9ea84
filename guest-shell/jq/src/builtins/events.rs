//! Values as events, in the form of `--stream`: `[path, leaf]` for each leaf, and `[path]` with the path of the last
//! element at the end of each array or object that is not empty.

use crate::builtins::arrays::length;
use crate::builtins::paths::{index, set_path};
use crate::builtins::{is_scalar, take};
use crate::code::Results;
use crate::object::Object;
use crate::value::{List, Val, compare};
use std::cmp::Ordering;
use std::rc::Rc;

/// Generates the events of a value one at a time.
pub(crate) struct Events {
    /// The whole value, before the first event.
    whole: Option<Val>,
    /// The open containers from the outermost one, each with the number of its next element.
    open: Vec<(Container, usize)>,
    /// The keys that lead to the current element.
    path: Vec<Val>,
}

enum Container {
    Array(Rc<List>),
    Object(Rc<Object>),
}

impl Container {
    /// The container for a value. `None` if it is a scalar or empty.
    fn filled(v: &Val) -> Option<Self> {
        match v {
            Val::Arr(list) if !list.0.is_empty() => Some(Self::Array(Rc::clone(list))),
            Val::Obj(object) if !object.is_empty() => Some(Self::Object(Rc::clone(object))),
            _ => None,
        }
    }

    fn get(&self, i: usize) -> Option<(Val, Val)> {
        match self {
            Self::Array(list) => list.0.get(i).map(|v| (Val::Num(i as f64), v.clone())),
            Self::Object(object) => object.entries().get(i).map(|(k, v)| (Val::Str(k.clone()), v.clone())),
        }
    }
}

impl Events {
    pub(crate) fn of(v: Val) -> Self {
        Self { whole: Some(v), open: Vec::new(), path: Vec::new() }
    }

    /// Opens a container. For other values, returns the event.
    fn enter(&mut self, v: Val) -> Option<Val> {
        match Container::filled(&v) {
            Some(container) => {
                self.open.push((container, 0));
                None
            }
            None => Some(Val::arr(vec![Val::arr(self.path.clone()), v])),
        }
    }
}

impl Iterator for Events {
    type Item = Val;

    fn next(&mut self) -> Option<Val> {
        if let Some(event) = self.whole.take().and_then(|v| self.enter(v)) {
            return Some(event);
        }
        loop {
            let depth = self.open.len();
            let (container, next) = self.open.last_mut()?;
            let found = container.get(*next);
            *next += 1;
            match found {
                Some((key, v)) => {
                    // The key replaces that of the previous element.
                    self.path.truncate(depth - 1);
                    self.path.push(key);
                    if let Some(event) = self.enter(v) {
                        return Some(event);
                    }
                }
                None => {
                    self.open.pop();
                    let end = Val::arr(vec![Val::arr(self.path[..depth].to_vec())]);
                    self.path.truncate(depth - 1);
                    return Some(end);
                }
            }
        }
    }
}

/// Adds an event to the value that `partial` has collected. Returns the value when it is complete.
pub(crate) fn absorb(partial: &mut Val, event: &Val) -> Result<Option<Val>, Val> {
    let path = index(event, &Val::Num(0.0))?;
    let keys = match &path {
        Val::Arr(list) => list.0.len(),
        _ => 0,
    };
    match event {
        Val::Arr(list) if list.0.len() == 2 => {
            let leaf = list.0.get(1).cloned().unwrap_or_default();
            if path.is_null() || (keys == 0 && !is_scalar(&path)) {
                *partial = Val::Null;
                return Ok(Some(leaf));
            }
            *partial = set_path(std::mem::take(partial), &path, leaf)?;
            Ok(None)
        }
        _ => Ok((keys == 1).then(|| std::mem::take(partial))),
    }
}

/// The event in `args` without a number of its outermost keys, if its path is longer than that.
pub(crate) fn truncated(args: &mut [Val]) -> Result<Results, Val> {
    let (mut event, depth) = (take(args, 0), take(args, 1));
    let path = index(&event, &Val::Num(0.0))?;
    if compare(&length(path.clone())?, &depth) != Ordering::Greater {
        return Ok(Box::new(std::iter::empty()));
    }
    let rest = index(&path, &Val::object([("start", depth), ("end", Val::Null)]))?;
    if let Val::Arr(list) = &mut event
        && let Some(first) = Rc::make_mut(list).0.first_mut()
    {
        *first = rest;
    }
    Ok(Box::new(std::iter::once(event)))
}
