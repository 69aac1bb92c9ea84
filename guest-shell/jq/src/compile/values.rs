//! Functions that build values from the results of filters: `map`, `sort_by`, `paths`, `del`, `INDEX` and similar.

use super::Compiler;
use super::calls::elements;
use super::scope::Scope;
use crate::builtins::{self, arrays, events, is_scalar, paths, take};
use crate::code::{Generator, Native, Op, Slot};
use crate::lang::ast::{Ast, Node, Operator};
use crate::value::Val;
use std::rc::Rc;

impl Compiler<'_> {
    /// Compiles a call. Returns false for other functions.
    pub(super) fn values(&mut self, name: &str, arguments: &[Node], scope: &Scope, tail: bool) -> bool {
        match (name, arguments) {
            ("tostream", []) => self.generate(|args| Ok(Box::new(events::Events::of(take(args, 0))))),
            ("combinations", []) => self.generate(|args| arrays::combinations(take(args, 0))),
            ("combinations", [times]) => {
                let (list, first) = (self.slot(), self.slots(2));
                self.emit(Op::Save(list));
                self.collected(|c| {
                    c.sub(times, scope);
                    c.emit(Op::Simple(arrays::checked_count));
                });
                self.emit(Op::Store(first + 1));
                self.emit(Op::Take(list));
                let function: Generator = |args| arrays::powers(&take(args, 0), &take(args, 1));
                self.emit(Op::Generate { function, first, count: 2 });
            }
            ("map", [f]) => self.node(&each_through(f), scope, tail),
            ("map_values", [f]) => self.update(&elements(), scope, |c| c.node(f, scope, false)),
            ("with_entries", [f]) => {
                self.emit(Op::Simple(arrays::to_entries));
                self.node(&each_through(f), scope, false);
                self.emit(Op::Simple(arrays::from_entries));
            }
            ("add", [f]) => {
                let (sum, next) = (self.slot(), self.slot());
                self.emit(Op::Clear(sum));
                self.exhausted(|c| {
                    c.node(f, scope, false);
                    c.emit(Op::Store(next));
                    c.emit(Op::Take(sum));
                    c.emit(Op::Binary { op: Operator::Add, right: next, take: true });
                    c.emit(Op::Store(sum));
                });
                self.emit(Op::Take(sum));
            }
            ("in", [whole]) => self.reversed(paths::has, whole, scope),
            ("inside", [whole]) => self.reversed(arrays::contains, whole, scope),
            ("paths", []) => self.paths(|_| {}),
            ("paths", [f]) => self.paths(|c| c.select(f, scope)),
            ("leaf_paths", []) => self.paths(|c| {
                c.emit(Op::Keep(|v| v.truthy() && is_scalar(v)));
            }),
            ("del", [f]) => {
                self.on_paths(|args| paths::delete_paths(take(args, 0), &take(args, 1)), f, scope)
            }
            ("pick", [f]) => self.on_paths(paths::pick, f, scope),
            ("truncate_stream", [f]) => {
                let first = self.slots(2);
                self.emit(Op::Store(first + 1));
                self.emit(Op::Constant(Val::Null));
                self.node(f, scope, false);
                self.emit(Op::Generate { function: events::truncated, first, count: 2 });
            }
            ("fromstream", [f]) => {
                let partial = self.slot();
                self.emit(Op::Clear(partial));
                self.node(f, scope, false);
                self.emit(Op::FromStream(partial));
            }
            ("INDEX", [key]) => self.table(&elements(), key, scope),
            ("INDEX", [rows, key]) => self.table(rows, key, scope),
            ("JOIN", [table, key]) => {
                let slot = self.slot();
                self.argument(table, slot, scope);
                self.collected(|c| c.joined(slot, &elements(), key, scope));
            }
            ("JOIN", [table, rows, key, rest @ ..]) if rest.len() < 2 => {
                let slot = self.slot();
                self.argument(table, slot, scope);
                self.joined(slot, rows, key, scope);
                if let [join] = rest {
                    self.node(join, scope, tail);
                }
            }
            (_, [f]) => match builtins::keyed(name) {
                Some(function) => {
                    let first = self.slots(2);
                    // The key of an element is an array of all results of `f`.
                    let keys = each_through(&(Rc::new(Ast::Array(Some(Rc::clone(f)))) as Node));
                    self.argument(&keys, first + 1, scope);
                    self.emit(Op::Native { function, first, count: 2, keep: false });
                }
                None => return false,
            },
            _ => return false,
        }
        true
    }

    /// Generates the results of `function` for `.`.
    fn generate(&mut self, function: Generator) {
        let first = self.slot();
        self.emit(Op::Generate { function, first, count: 1 });
    }

    /// Calls `function` for each result of `whole`, with `.` as the argument.
    fn reversed(&mut self, function: Native, whole: &Ast, scope: &Scope) {
        let first = self.slots(2);
        self.emit(Op::Save(first + 1));
        self.sub(whole, scope);
        self.emit(Op::Native { function, first, count: 2, keep: true });
    }

    /// The paths to all values in `.` for which `pass` continues.
    fn paths(&mut self, pass: impl FnOnce(&mut Self)) {
        self.emit(Op::PathBegin);
        self.emit(Op::Recurse);
        self.emit(Op::BelowRoot);
        pass(self);
        self.emit(Op::PathEnd);
    }

    /// Calls `function` with the list of all paths from `f`.
    fn on_paths(&mut self, function: Native, f: &Ast, scope: &Scope) {
        let (list, root, first) = (self.slots(2), self.slot(), self.slots(2));
        self.collect_paths(f, scope, list, root);
        self.emit(Op::Store(first + 1));
        self.emit(Op::Take(root));
        self.emit(Op::Native { function, first, count: 2, keep: false });
    }

    /// An object of the rows. The result of `key` for a row is its key.
    fn table(&mut self, rows: &Ast, key: &Ast, scope: &Scope) {
        let (table, row, name) = (self.slot(), self.slot(), self.slot());
        self.emit(Op::BeginObject(table));
        self.exhausted(|c| {
            c.node(rows, scope, false);
            c.emit(Op::Save(row));
            c.sub(key, scope);
            c.emit(Op::Simple(|v| Ok(Val::Str(builtins::to_string(v)))));
            c.emit(Op::Store(name));
            c.emit(Op::Load(row));
            c.emit(Op::Insert { from: table, to: table, key: name });
        });
        self.emit(Op::Take(table));
    }

    /// For each row, an array of the row and of the table's entry for the row's key.
    fn joined(&mut self, table: Slot, rows: &Ast, key: &Ast, scope: &Scope) {
        let (row, name, pair) = (self.slot(), self.slot(), self.slot());
        self.node(rows, scope, false);
        self.emit(Op::Save(row));
        self.emit(Op::BeginArray(pair));
        self.emit(Op::Append(pair));
        self.emit(Op::Load(row));
        self.exhausted(|c| {
            c.sub(key, scope);
            c.emit(Op::Store(name));
            c.emit(Op::Load(table));
            c.emit(Op::Index { key: name, optional: false });
            c.emit(Op::Append(pair));
        });
        self.emit(Op::Take(pair));
    }
}

/// `[.[] | f]`
fn each_through(f: &Node) -> Node {
    Rc::new(Ast::Array(Some(Rc::new(Ast::Pipe(elements(), Rc::clone(f))))))
}
