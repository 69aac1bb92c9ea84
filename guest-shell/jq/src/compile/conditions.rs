//! Functions that select values or return true or false: `select`, `any`, `IN` and similar.

use super::calls::elements;
use super::scope::Scope;
use super::{Compiler, count};
use crate::builtins;
use crate::code::Op;
use crate::lang::ast::{Ast, Node, Operator};
use crate::value::Val;

impl Compiler<'_> {
    /// Compiles a call. Returns false for other functions.
    pub(super) fn condition(&mut self, name: &str, arguments: &[Node], scope: &Scope) -> bool {
        match (name, arguments) {
            ("select", [f]) => self.select(f, scope),
            ("isempty", [f]) => self.first_or(true, |c| {
                c.node(f, scope, false);
                c.emit(Op::Constant(Val::Bool(false)));
            }),
            ("any" | "all", [condition]) => {
                self.decided(name == "any", |c| {
                    c.node(&elements(), scope, false);
                    c.node(condition, scope, false);
                });
            }
            ("any" | "all", [source, condition]) => {
                self.decided(name == "any", |c| {
                    c.node(source, scope, false);
                    c.node(condition, scope, false);
                });
            }
            ("IN", [source]) => {
                let wanted = self.slot();
                self.emit(Op::Save(wanted));
                self.decided(true, |c| {
                    c.node(source, scope, false);
                    c.emit(Op::Binary { op: Operator::Equal, right: wanted, take: false });
                });
            }
            ("IN", [values, source]) => {
                self.decided(true, |c| c.binary(Operator::Equal, values, source, scope));
            }
            (selector, []) => match builtins::selector(selector) {
                Some(holds) => {
                    self.emit(Op::Keep(holds));
                }
                None => return false,
            },
            _ => return false,
        }
        true
    }

    /// Continues with `.` for each result of `f` that is true.
    pub(super) fn select(&mut self, f: &Ast, scope: &Scope) {
        let input = self.slot();
        self.emit(Op::Save(input));
        self.sub(f, scope);
        let falsy = self.emit(Op::JumpIfFalsy(0));
        self.reload(input, count::is_one(f, scope));
        let end = self.emit(Op::Jump(0));
        self.land(falsy);
        self.emit(Op::Backtrack);
        self.land(end);
    }

    /// Returns `verdict` at the first result of `each` with this truth value. If there is none, returns the opposite.
    fn decided(&mut self, verdict: bool, each: impl FnOnce(&mut Self)) {
        self.first_or(!verdict, |c| {
            each(c);
            if !verdict {
                c.emit(Op::Not);
            }
            c.emit(Op::Keep(Val::truthy));
            c.emit(Op::Constant(Val::Bool(verdict)));
        });
    }

    /// The first result of `each`. If there is none, a constant.
    fn first_or(&mut self, otherwise: bool, each: impl FnOnce(&mut Self)) {
        let mark = self.slot();
        self.emit(Op::Mark(mark));
        let none = self.emit(Op::Fork(0));
        each(self);
        let end = self.emit(Op::Jump(0));
        self.land(none);
        self.emit(Op::Constant(Val::Bool(otherwise)));
        self.land(end);
        self.emit(Op::Cut(mark));
    }
}
