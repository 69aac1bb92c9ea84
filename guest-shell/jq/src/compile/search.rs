//! Functions that search: `index` for strings and elements; `match`, `sub` and similar for regular expressions.

use super::scope::Scope;
use super::{Compiler, count};
use crate::builtins::{regex, strings};
use crate::code::{Native, Op, Slot};
use crate::lang::ast::{Ast, Node, Operator};
use crate::value::Val;

impl Compiler<'_> {
    /// Compiles a call. Returns false for other functions.
    pub(super) fn search(&mut self, name: &str, arguments: &[Node], scope: &Scope) -> bool {
        let each = Op::Each { optional: false };
        match (name, arguments) {
            ("index", [_]) => {
                self.native_call(strings::indices, arguments, scope);
                self.place(Val::Num(0.0));
            }
            ("rindex", [_]) => {
                self.native_call(strings::indices, arguments, scope);
                self.place(Val::object([("start", Val::Num(-1.0)), ("end", Val::Null)]));
                self.place(Val::Num(0.0));
            }
            ("match" | "capture", [_] | [_, _]) => {
                let one = arguments.len() == 1;
                self.native_call(if one { regex::matches_one } else { regex::matches }, arguments, scope);
                self.emit(each);
                if name == "capture" {
                    self.emit(Op::Simple(regex::named_groups));
                }
            }
            ("scan", [pattern, flags @ ..]) if flags.len() < 2 => {
                let first = self.slots(3);
                self.argument(pattern, first + 1, scope);
                self.global(flags.first().map(|f| &**f), first + 2, true, scope);
                self.matches(first);
                self.emit(Op::Simple(regex::scanned));
            }
            ("split", [pattern, flags]) => self.split(pattern, flags, scope),
            ("splits", [pattern]) => {
                self.split(pattern, &Ast::Literal(Val::Null), scope);
                self.emit(each);
            }
            ("splits", [pattern, flags]) => {
                self.split(pattern, flags, scope);
                self.emit(each);
            }
            ("sub" | "gsub", [pattern, replacement, flags @ ..]) if flags.len() < 2 => {
                let first = self.slots(3);
                self.argument(pattern, first + 1, scope);
                match flags.first() {
                    _ if name == "gsub" => self.global(flags.first().map(|f| &**f), first + 2, false, scope),
                    Some(flags) => self.argument(flags, first + 2, scope),
                    None => self.constant(first + 2, Val::Null),
                }
                self.substitute(first, replacement, scope);
            }
            _ => return false,
        }
        true
    }

    /// Generates each match in `.`. Expression and flags are in the slots after `first`.
    fn matches(&mut self, first: Slot) {
        self.emit(Op::Native { function: regex::matches, first, count: 3, keep: true });
        self.emit(Op::Each { optional: false });
    }

    /// Adds a `g` before or after the flags.
    fn global(&mut self, flags: Option<&Ast>, slot: Slot, before: bool, scope: &Scope) {
        let g = Ast::Literal(Val::str("g"));
        match flags {
            None => self.constant(slot, Val::str("g")),
            Some(flags) => {
                let input = self.slot();
                self.emit(Op::Save(input));
                let (left, right) = if before { (&g, flags) } else { (flags, &g) };
                self.binary(Operator::Add, left, right, scope);
                self.emit(Op::Store(slot));
                self.reload(input, count::is_one(flags, scope));
            }
        }
    }

    /// The parts between the matches. If there are several flags, the matches of all of them count together.
    fn split(&mut self, pattern: &Ast, flags: &Ast, scope: &Scope) {
        let (input, first) = (self.slot(), self.slots(3));
        self.argument(pattern, first + 1, scope);
        self.emit(Op::Save(input));
        self.collected(|c| {
            c.global(Some(flags), first + 2, true, scope);
            c.matches(first);
        });
        self.finish_search(regex::between, input);
    }

    /// Replaces matches by the results of a filter, whose input is the named groups.
    fn substitute(&mut self, first: Slot, replacement: &Node, scope: &Scope) {
        let (input, found, edits) = (self.slot(), self.slot(), self.slot());
        self.emit(Op::Save(input));
        self.emit(Op::BeginArray(edits));
        self.exhausted(|c| {
            c.matches(first);
            c.emit(Op::Save(found));
            c.emit(Op::Append(edits));
            c.emit(Op::Take(found));
            c.emit(Op::Simple(regex::named_groups));
            c.array(Some(replacement), scope);
            c.emit(Op::Append(edits));
        });
        self.emit(Op::Take(edits));
        self.finish_search(regex::replaced, input);
        self.emit(Op::Each { optional: false });
    }

    /// Calls a function of the searched string and of `.`.
    fn finish_search(&mut self, function: Native, input: Slot) {
        let first = self.slots(2);
        self.emit(Op::Store(first + 1));
        self.emit(Op::Load(input));
        self.emit(Op::Native { function, first, count: 2, keep: false });
    }
}
