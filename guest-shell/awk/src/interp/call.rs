//! Function calls.

use super::{Interp, Origin, R};
use crate::ast::*;
use crate::builtin::Builtin;
use crate::diag::{Pos, bytes};
use crate::value::Value;

/// How much of the native stack calls may use.
const STACK_MAX: usize = if cfg!(target_os = "wasi") { 3 << 20 } else { 6 << 20 };
/// How deeply calls may be nested. In a sandbox, a program also has a second stack, whose use cannot be measured.
const DEPTH_MAX: usize = if cfg!(target_os = "wasi") { 3_000 } else { 1_000_000 };

impl<'p> Interp<'p> {
    pub(super) fn call(&mut self, id: u32, args: &'p [Expr], pos: Pos) -> R<Value> {
        self.pos = pos;
        let base = self.stack.len();
        for arg in args {
            let (value, origin) = self.argument(arg)?;
            self.stack.push(value);
            self.origins.push(origin);
        }
        self.enter_at(id, base, pos)
    }

    // The value of an argument and its origin.
    #[inline(never)]
    fn argument(&mut self, arg: &'p Expr) -> R<(Value, Origin)> {
        match arg {
            Expr::Var(v) => {
                let value = self.var(*v).clone();
                // The origin gives the name for messages. If the parameter becomes an array, its origin becomes the
                // same array.
                let origin = match (&value, v) {
                    (Value::Untyped | Value::Array(_), Var::Global(g)) => Origin::Global(*g),
                    (Value::Untyped | Value::Array(_), Var::Local(l)) => {
                        Origin::Stack(self.base + *l as usize)
                    }
                    _ => Origin::None,
                };
                Ok((value, origin))
            }
            Expr::Special(g @ crate::special::SYMTAB) => Ok((Value::Array(self.table(*g)?), Origin::None)),
            Expr::Elem(place @ ArrayPlace::Table(_), index) => {
                Ok((self.any_elem(place, index)?, Origin::None))
            }
            Expr::Elem(place, index) => {
                let mut buf = self.take_scratch();
                let subscript = self.subscript(index, &mut buf)?;
                let array = self.array(place)?;
                self.note_index(index, &array);
                let key = subscript.key(&buf);
                let value = array.borrow_mut().slot(key).clone();
                let origin = match value {
                    Value::Untyped => Origin::Elem(array, Self::own_key(key)),
                    _ => Origin::None,
                };
                self.give_scratch(buf);
                Ok((value, origin))
            }
            e => Ok((self.eval(e)?, Origin::None)),
        }
    }

    /// Runs a function with these parameter values.
    #[inline(never)]
    pub(super) fn enter(&mut self, id: u32, values: Vec<(Value, Origin)>, pos: Pos) -> R<Value> {
        let base = self.stack.len();
        for (value, origin) in values {
            self.stack.push(value);
            self.origins.push(origin);
        }
        self.enter_at(id, base, pos)
    }

    // Runs a function whose arguments are on the stack from `base` on.
    fn enter_at(&mut self, id: u32, base: usize, pos: Pos) -> R<Value> {
        let Some(function) = self.program.functions.get(id as usize) else {
            return Ok(Value::Unassigned);
        };
        if !function.defined {
            return Err(self.fatal(bytes!("function `", function.name, "' not defined")));
        }
        // The address of a local variable shows how much of the native stack is in use.
        let here = std::ptr::from_ref(&function).addr();
        if self.stack_top == 0 {
            self.stack_top = here;
        }
        if self.stack_top.abs_diff(here) > STACK_MAX || self.frames.len() >= DEPTH_MAX {
            return Err(self.fatal("function calls nested too deeply"));
        }
        if self.stack.len() > base + function.params.len() {
            self.warn(bytes!("function `", function.name, "' called with more arguments than declared"));
        }
        self.stack.resize(base + function.params.len(), Value::Untyped);
        self.origins.resize(base + function.params.len(), Origin::None);
        let outer = std::mem::replace(&mut self.base, base);
        self.frames.push(id);
        self.bases.push(base);
        self.returned = Value::Unassigned;
        let result = self.exec_block(&function.body);
        self.frames.pop();
        self.bases.pop();
        self.base = outer;
        self.stack.truncate(base);
        self.origins.truncate(base);
        self.pos = pos;
        let value = std::mem::replace(&mut self.returned, Value::Unassigned);
        result?;
        Ok(value)
    }

    /// The function that the program defines with this name.
    pub(super) fn find_function(&self, name: &[u8]) -> Option<u32> {
        let at = self.program.functions.iter().position(|f| f.defined && f.name == name)?;
        u32::try_from(at).ok()
    }

    #[inline(never)]
    pub(super) fn indirect(&mut self, var: Var, name: &[u8], args: &'p [Expr], pos: Pos) -> R<Value> {
        self.pos = pos;
        let value = self.var(var).clone();
        let called = self.text_of(&value);
        let called = called.strip_prefix(b"awk::").map_or(called.clone(), <[u8]>::to_vec);
        if let Some(id) = self.find_function(&called) {
            return self.call(id, args, pos);
        }
        let builtin = std::str::from_utf8(&called).ok().and_then(|n| Builtin::find(n, false));
        if let Some(b) = builtin {
            if matches!(b, Builtin::Sub | Builtin::Gsub) && args.len() != 2 {
                let text = ": can be called indirectly only with two arguments";
                return Err(self.fatal(bytes!(called, text)));
            }
            if matches!(b, Builtin::And | Builtin::Or | Builtin::Xor) && args.len() < 2 {
                return Err(self.fatal(bytes!(called, ": called with less than two arguments")));
            }
            if !b.takes(args.len()) {
                let count = args.len().to_string();
                return Err(self.fatal(bytes!(called, ": called with ", count, " arguments")));
            }
            return self.builtin(b, args, pos);
        }
        let _ = name;
        Err(self.fatal(bytes!("`", called, "' is not a function, so it cannot be called indirectly")))
    }
}
