//! Finding arrays.

use super::{Interp, Origin, R, Unwind};
use crate::array::{Key, OwnKey};
use crate::ast::*;
use crate::diag::bytes;
use crate::special;
use crate::text::Text;
use crate::value::{ArrayRef, Value};

impl<'p> Interp<'p> {
    /// The array at a place. A place without a value becomes an array.
    #[inline(never)]
    pub(super) fn array(&mut self, place: &'p ArrayPlace) -> R<ArrayRef> {
        match place {
            ArrayPlace::Var(v) => match self.var(*v) {
                Value::Array(a) => Ok(a.clone()),
                Value::Untyped => self.make_array(*v),
                _ => Err(self.scalar_as_array(*v)),
            },
            ArrayPlace::Table(g) => self.table(*g),
            ArrayPlace::Elem(outer, index) => {
                let mut buf = self.take_scratch();
                let subscript = self.subscript(index, &mut buf)?;
                let outer_array = self.array(outer)?;
                if let ArrayPlace::Table(g) = **outer
                    && outer_array.borrow().get(subscript.key(&buf)).is_none()
                {
                    self.give_scratch(buf);
                    return Err(match self.table_elem(g, index) {
                        Err(e) => e,
                        Ok(_) => self.fatal("attempt to use a scalar as an array"),
                    });
                }
                if self.lints() && outer_array.borrow().get(subscript.key(&buf)).is_none() {
                    let text = self.subscript_text(&subscript, &buf);
                    self.lint_element(&outer_array, &text)?;
                }
                let found = {
                    let mut a = outer_array.borrow_mut();
                    let slot = a.slot(subscript.key(&buf));
                    match slot {
                        Value::Array(inner) => Some(inner.clone()),
                        Value::Untyped => {
                            let inner = Value::new_array();
                            *slot = Value::Array(inner.clone());
                            Some(inner)
                        }
                        _ => None,
                    }
                };
                if let Some(inner) = found {
                    self.give_scratch(buf);
                    return Ok(inner);
                }
                let index_text = self.subscript_text(&subscript, &buf);
                let name = self.array_name(outer);
                Err(self.fatal(bytes!(
                    "attempt to use scalar `",
                    name,
                    "[\"",
                    index_text,
                    "\"]' as an array"
                )))
            }
        }
    }

    /// Makes a variable without a value an array.
    pub(super) fn untyped_array(&mut self, v: Var) -> R<ArrayRef> {
        self.make_array(v)
    }

    // Makes a variable without a value an array, and also the variable that it came from. If that one has become an
    // array meanwhile, it is used; it may also have become a scalar.
    fn make_array(&mut self, v: Var) -> R<ArrayRef> {
        let array = match self.origin_value(v) {
            Some(Value::Array(array)) => array,
            Some(Value::Untyped) | None => Value::new_array(),
            Some(_) => return Err(self.scalar_as_array(v)),
        };
        match v {
            Var::Global(g) => {
                if let Some(slot) = self.globals.get_mut(g as usize) {
                    *slot = Value::Array(array.clone());
                }
            }
            Var::Local(l) => self.make_stack_array(self.base + l as usize, &array),
        }
        Ok(array)
    }

    /// The current value of the variable that a parameter without a value came from, if it is an array or a scalar by
    /// now.
    pub(super) fn origin_value(&self, v: Var) -> Option<Value> {
        let Var::Local(l) = v else { return None };
        let mut at = self.base + l as usize;
        loop {
            match self.origins.get(at)? {
                Origin::Stack(outer) => {
                    at = *outer;
                    if let Some(value @ Value::Array(_)) = self.stack.get(at) {
                        return Some(value.clone());
                    }
                }
                Origin::Global(g) => return self.globals.get(*g as usize).cloned(),
                _ => return None,
            }
        }
    }

    /// A parameter without a value becomes a scalar. The variable that it came from can then no longer become an array.
    pub(super) fn make_origin_scalar(&mut self, v: Var) -> R<()> {
        let Var::Local(l) = v else { return Ok(()) };
        let mut at = self.base + l as usize;
        while let Some(Origin::Stack(outer)) = self.origins.get(at) {
            at = *outer;
        }
        let Some(Origin::Global(g)) = self.origins.get(at) else { return Ok(()) };
        let slot = self.globals.get_mut(*g as usize);
        match slot {
            Some(Value::Array(_)) => Err(self.array_as_scalar(v)),
            Some(slot @ Value::Untyped) => {
                *slot = Value::Unassigned;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn make_stack_array(&mut self, at: usize, array: &ArrayRef) {
        let mut at = at;
        loop {
            if let Some(slot) = self.stack.get_mut(at) {
                *slot = Value::Array(array.clone());
            }
            match self.origins.get(at).cloned() {
                Some(Origin::Stack(outer)) => at = outer,
                Some(Origin::Global(g)) => {
                    if let Some(slot) = self.globals.get_mut(g as usize)
                        && slot.is_unset()
                    {
                        *slot = Value::Array(array.clone());
                    }
                    return;
                }
                Some(Origin::Elem(outer, key)) => {
                    let mut outer = outer.borrow_mut();
                    let slot = outer.slot(key.as_key());
                    if slot.is_unset() {
                        *slot = Value::Array(array.clone());
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    /// The name of an array for messages: the variable that contains it, with the indices that lead to it.
    pub(super) fn array_name(&mut self, place: &'p ArrayPlace) -> Vec<u8> {
        match place {
            ArrayPlace::Table(g) => self.var_name(Var::Global(*g)),
            place => match self.array(place) {
                Ok(array) => self.path(&array).unwrap_or_default(),
                Err(_) => Vec::new(),
            },
        }
    }

    /// The first path to an array, searched in the global variables, in their elements, and in the variables of the
    /// functions being run.
    pub(super) fn path(&self, wanted: &ArrayRef) -> Option<Vec<u8>> {
        let is_it = |v: &Value| matches!(v, Value::Array(a) if std::rc::Rc::ptr_eq(a, wanted));
        if let Some(g) = self.globals.iter().position(is_it) {
            return Some(self.global_name(g));
        }
        let mut globals = self.globals.iter().enumerate().filter(|(g, _)| *g != special::SYMTAB as usize);
        let found = globals.find_map(|(g, v)| path_within(v, self.global_name(g), wanted));
        let mut stack = self.stack.iter().enumerate();
        found.or_else(|| stack.find_map(|(at, v)| path_within(v, self.stack_name(at), wanted)))
    }

    pub(super) fn global_name(&self, g: usize) -> Vec<u8> {
        self.program.globals.get(g).cloned().unwrap_or_default()
    }

    /// A variable's name. For a parameter, with the place that it came from.
    pub(super) fn var_name(&self, v: Var) -> Vec<u8> {
        match v {
            Var::Global(g) => self.global_name(g as usize),
            Var::Local(l) => {
                let name = self.param_name(self.frames.last().copied(), l);
                let mut from = Vec::new();
                let mut at = self.base + l as usize;
                loop {
                    let outer = match self.origins.get(at) {
                        Some(Origin::Global(g)) => {
                            from.push(bytes!("from ", self.global_name(*g as usize)));
                            break;
                        }
                        Some(Origin::Stack(outer)) => *outer,
                        _ => {
                            // The argument was an element of an array.
                            let path = match self.stack.get(at) {
                                Some(Value::Array(array)) => self.path(array),
                                _ => None,
                            };
                            from.extend(path.filter(|p| p.ends_with(b"]")).map(|p| bytes!("from ", p)));
                            break;
                        }
                    };
                    from.push(bytes!("from ", self.stack_name(outer)));
                    at = outer;
                }
                if from.is_empty() { name } else { bytes!(name, " (", from.join(&b", "[..]), ")") }
            }
        }
    }

    // The name of the parameter at a position on the stack.
    fn stack_name(&self, at: usize) -> Vec<u8> {
        let frame = self.bases.iter().rposition(|b| *b <= at);
        let base = frame.and_then(|f| self.bases.get(f)).copied().unwrap_or(0);
        self.param_name(frame.and_then(|f| self.frames.get(f)).copied(), (at - base) as u32)
    }

    pub(super) fn param_name(&self, frame: Option<u32>, l: u32) -> Vec<u8> {
        frame
            .and_then(|f| self.program.functions.get(f as usize)?.params.get(l as usize))
            .cloned()
            .unwrap_or_default()
    }

    pub(super) fn array_as_scalar(&mut self, v: Var) -> Unwind {
        let name = self.var_name(v);
        self.fatal(bytes!("attempt to use array `", name, "' in a scalar context"))
    }

    fn scalar_as_array(&mut self, v: Var) -> Unwind {
        match v {
            Var::Global(_) => {
                let name = self.var_name(v);
                self.fatal(bytes!("attempt to use scalar `", name, "' as an array"))
            }
            Var::Local(l) => {
                let name = self.param_name(self.frames.last().copied(), l);
                self.fatal(bytes!("attempt to use scalar parameter `", name, "' as an array"))
            }
        }
    }

    /// An element, which may be an array. It is created if it does not exist.
    #[inline(never)]
    pub(super) fn any_elem(&mut self, place: &'p ArrayPlace, index: &'p [Expr]) -> R<Value> {
        let mut buf = self.take_scratch();
        let subscript = self.subscript(index, &mut buf)?;
        let array = self.array(place)?;
        if let ArrayPlace::Table(g) = place
            && array.borrow().get(subscript.key(&buf)).is_none()
        {
            return self.table_elem(*g, index);
        }
        self.note_index(index, &array);
        let value = array.borrow_mut().slot(subscript.key(&buf)).clone();
        self.give_scratch(buf);
        Ok(value)
    }

    /// The value for an index in `for (i in a)` or in a sort.
    pub(super) fn index_value(key: &OwnKey) -> Value {
        match key {
            OwnKey::Int(n) => Value::Index(std::rc::Rc::new(crate::value::Index {
                number: *n,
                seen_as_text: std::cell::Cell::new(false),
            })),
            OwnKey::Text(t) => Value::Str(t.clone()),
        }
    }

    /// Makes an owned index.
    pub(super) fn own_key(key: Key<'_>) -> OwnKey {
        match key {
            Key::Int(n) => OwnKey::Int(n),
            Key::Text(t) => OwnKey::Text(Text::new(t)),
        }
    }

    #[inline(never)]
    pub(super) fn delete(&mut self, place: &'p ArrayPlace, index: &'p [Expr]) -> R<()> {
        let mut buf = self.take_scratch();
        let subscript = self.subscript(index, &mut buf)?;
        let array = self.array(place)?;
        if self.lints() && array.borrow().get(subscript.key(&buf)).is_none() {
            let text = self.subscript_text(&subscript, &buf);
            self.lint_delete(&array, &text)?;
        }
        array.borrow_mut().remove(subscript.key(&buf));
        self.give_scratch(buf);
        Ok(())
    }
}

// Arrays nested more deeply than this are not searched.
const PATH_MAX: usize = 50;

// The name of an array that is this value or is contained in it.
fn path_within(value: &Value, name: Vec<u8>, wanted: &ArrayRef) -> Option<Vec<u8>> {
    let Value::Array(array) = value else { return None };
    if std::rc::Rc::ptr_eq(array, wanted) {
        return Some(name);
    }
    if name.iter().filter(|b| **b == b'[').count() > PATH_MAX {
        return None;
    }
    let mut found = None;
    array.try_borrow().ok()?.each(&mut |key, value| {
        if found.is_none()
            && let Value::Array(_) = value
        {
            let key = Interp::own_key(key).text();
            found = path_within(value, bytes!(name, "[\"", key.as_bytes(), "\"]"), wanted);
        }
    });
    found
}
