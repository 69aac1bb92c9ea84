//! Functions that repeat filters or stop repetitions: `recurse`, `until`, `limit` and similar.

use super::calls::elements;
use super::scope::Scope;
use super::{Builder, Compiler, count};
use crate::builtins::{operators, take};
use crate::code::{Op, Slot, Special};
use crate::lang::ast::{Ast, Node, Operator};
use crate::value::{Val, compare};
use std::cmp::Ordering;
use std::rc::Rc;

impl Compiler<'_> {
    /// Compiles a call. Returns false for other functions.
    pub(super) fn loop_call(&mut self, name: &str, arguments: &[Node], scope: &Scope, tail: bool) -> bool {
        match (name, arguments) {
            ("recurse", [f]) => self.repeated(tail, |c, again| {
                c.give();
                c.node(f, scope, false);
                c.repeat(again, true);
            }),
            ("recurse", [f, condition]) => self.repeated(tail, |c, again| {
                c.give();
                c.node(f, scope, false);
                c.select(condition, scope);
                c.repeat(again, true);
            }),
            ("while", [condition, update]) => self.repeated(tail, |c, again| {
                c.select(condition, scope);
                c.give();
                c.node(update, scope, false);
                c.repeat(again, true);
            }),
            ("until", [condition, next]) => self.repeated(tail, |c, again| {
                let input = c.slot();
                c.emit(Op::Save(input));
                c.sub(condition, scope);
                let last = count::is_one(condition, scope);
                let falsy = c.emit(Op::JumpIfFalsy(0));
                c.reload(input, last);
                c.emit(Op::Return);
                c.land(falsy);
                c.reload(input, last);
                c.node(next, scope, false);
                c.repeat(again, true);
            }),
            ("repeat", [f]) => {
                // After the last result, the fork is made again.
                let start = self.here();
                self.emit(Op::Fork(start));
                self.node(f, scope, tail);
            }
            ("walk", [f]) => self.walk(f, scope, tail),
            ("inputs", []) => {
                self.emit(Op::Special(Special::Inputs));
            }
            ("range", [to]) => {
                let first = self.slots(2);
                self.argument(to, first + 1, scope);
                self.constant(first, Val::Num(0.0));
                self.emit(Op::Range { from: first, to: first + 1 });
            }
            ("range", [from, to]) => {
                let first = self.slots(2);
                self.argument(from, first, scope);
                self.argument(to, first + 1, scope);
                self.emit(Op::Range { from: first, to: first + 1 });
            }
            ("range", [from, to, by]) => {
                let first = self.slots(3);
                self.argument(from, first, scope);
                self.argument(to, first + 1, scope);
                self.argument(by, first + 2, scope);
                self.stride(first);
            }
            ("first", []) => self.place(Val::Num(0.0)),
            ("last", []) => self.place(Val::Num(-1.0)),
            ("nth", [n]) => self.index(&Ast::Identity, n, false, scope),
            ("first", [f]) => {
                let mark = self.slot();
                self.emit(Op::Mark(mark));
                self.node(f, scope, false);
                self.emit(Op::Cut(mark));
            }
            ("last", [f]) => {
                let state = self.slot();
                self.emit(Op::Clear(state));
                self.exhausted(|c| {
                    c.node(f, scope, false);
                    c.emit(Op::Store(state));
                });
                self.emit(Op::Take(state));
            }
            ("nth", [n, f]) => {
                let (first, mark) = (self.slots(2), self.slot());
                self.argument(n, first + 1, scope);
                let input = self.slot();
                self.emit(Op::Save(input));
                self.emit(Op::Native { function: checked_position, first, count: 2, keep: true });
                self.emit(Op::Take(input));
                self.emit(Op::Mark(mark));
                self.node(f, scope, false);
                self.emit(Op::Skip(first + 1));
                self.emit(Op::Cut(mark));
            }
            ("limit", [count, f]) => {
                let (first, mark) = (self.slot(), self.slot());
                self.argument(count, first, scope);
                self.emit(Op::LimitBegin { count: first, mark });
                self.node(f, scope, false);
                self.emit(Op::LimitEnd { count: first, mark });
            }
            _ => return false,
        }
        true
    }

    /// Indexes `.` by a constant.
    pub(super) fn place(&mut self, key: Val) {
        self.emit(Op::Field { key, optional: false });
    }

    /// Compiles an unnamed function that can call itself, and its first call.
    ///
    /// Each iteration has its own frame, so that its values are still there when the machine backtracks into it.
    fn repeated(&mut self, tail: bool, body: impl FnOnce(&mut Self, u32)) {
        let function = self.reserve();
        self.builders.push(Builder::default());
        body(self, function);
        self.emit(Op::Return);
        self.finish(function as usize);
        self.emit(Op::Call { function, up: 0, closures: Rc::new([]), tail });
    }

    /// Calls the next iteration.
    fn repeat(&mut self, function: u32, tail: bool) {
        self.emit(Op::Call { function, up: 1, closures: Rc::new([]), tail });
    }

    /// Makes `.` a result of the iteration. On backtracking, execution continues after this.
    fn give(&mut self) {
        let more = self.emit(Op::Fork(0));
        self.emit(Op::Return);
        self.land(more);
    }

    /// `walk`: processes the elements first, and then the container.
    fn walk(&mut self, f: &Ast, scope: &Scope, tail: bool) {
        self.repeated(tail, |c, again| {
            let no_object = c.emit(Op::JumpUnless(|v| matches!(v, Val::Obj(_)), 0));
            c.update(&elements(), scope, |c| c.repeat(again, false));
            let whole = c.emit(Op::Jump(0));
            c.land(no_object);
            let scalar = c.emit(Op::JumpUnless(|v| matches!(v, Val::Arr(_)), 0));
            c.collected(|c| {
                c.emit(Op::Each { optional: false });
                c.repeat(again, false);
            });
            c.land(scalar);
            c.land(whole);
            c.node(f, scope, true);
        });
    }

    /// `range` with a step. Start, end and step are in three consecutive slots.
    fn stride(&mut self, first: Slot) {
        let (arguments, next) = (self.slots(3), self.slot());
        self.emit(Op::Load(first));
        self.emit(Op::Save(next));
        let start = self.here();
        for i in 1..3 {
            self.emit(Op::Load(first + i));
            self.emit(Op::Store(arguments + i));
        }
        self.emit(Op::Load(next));
        self.emit(Op::Native { function: is_before, first: arguments, count: 3, keep: false });
        self.emit(Op::Keep(Val::truthy));
        self.emit(Op::Load(next));
        let more = self.emit(Op::Fork(0));
        let end = self.emit(Op::Jump(0));
        self.land(more);
        self.emit(Op::Binary { op: Operator::Add, right: first + 2, take: false });
        self.emit(Op::Save(next));
        self.emit(Op::Jump(start));
        self.land(end);
    }
}

/// Whether `range` continues at `args[0]` with the end `args[1]` and the step `args[2]`.
fn is_before(args: &mut [Val]) -> Result<Val, Val> {
    let [at, to, by] = args else { return Ok(Val::Bool(false)) };
    let ahead = compare(by, &Val::Num(0.0));
    Ok(Val::Bool(ahead != Ordering::Equal && compare(to, at) == ahead))
}

/// Refuses a value that is not a position.
fn checked_position(args: &mut [Val]) -> Result<Val, Val> {
    let n = take(args, 1);
    if compare(&n, &Val::Num(0.0)) == Ordering::Less {
        return Err(Val::str("nth doesn't support negative indices"));
    }
    operators::add(n, Val::Num(1.0))
}
