//! The instructions that do more than move a value.

use super::{Event, Fork, Kind, Machine, Step};
use crate::builtins::{self, events, operators};
use crate::code::{Generator, Native, Pc, Piece, Slot, Special};
use crate::dump::{self, Style};
use crate::lang::ast::Operator;
use crate::text::Text;
use crate::value::Val;
use sandshell_sys as sys;
use std::rc::Rc;

impl Machine {
    pub(super) fn store(&mut self, slot: Slot) {
        let v = std::mem::take(&mut self.cur);
        self.set(slot, v);
    }

    /// The value of a variable of a function around this one.
    pub(super) fn outer_value(&self, up: u16, slot: Slot) -> Val {
        let frame = self.outer(up);
        let at = self.frames.get(frame).map_or(0, |f| f.base) + usize::from(slot);
        self.slots.get(at).cloned().unwrap_or_default()
    }

    /// Replaces `.` by what a function makes of it.
    pub(super) fn change(&mut self, function: impl FnOnce(Val) -> Result<Val, Val>) -> Result<(), Step> {
        self.cur = function(std::mem::take(&mut self.cur)).map_err(Step::Raise)?;
        Ok(())
    }

    pub(super) fn binary(&mut self, op: Operator, right: Val) -> Result<(), Step> {
        self.change(|left| operators::binary(op, left, right))
    }

    /// The key of a slice.
    pub(super) fn bounds(&self, from: Slot, to: Slot) -> Val {
        Val::object([("start", self.get(from).clone()), ("end", self.get(to).clone())])
    }

    pub(super) fn append(&mut self, slot: Slot) {
        let v = std::mem::take(&mut self.cur);
        if let Val::Arr(list) = self.slot(slot) {
            Rc::make_mut(list).0.push(v);
        }
    }

    /// Inserts `.` under a key that must be a string.
    pub(super) fn insert_computed(&mut self, from: Slot, to: Slot, key: Slot) -> Result<(), Step> {
        let Val::Str(key) = self.get(key).clone() else {
            return Err(Step::Raise(operators::bad_key(self.get(key))));
        };
        self.insert(from, to, key);
        Ok(())
    }

    pub(super) fn end_try(&mut self) {
        // If the body left no forks, its `try` is over.
        if matches!(self.forks.last(), Some(Fork { kind: Kind::Try(_), .. })) {
            self.forks.pop();
        } else {
            self.fork(Kind::TryEnd, Val::Null);
        }
    }

    pub(super) fn label(&mut self, slot: Slot) {
        let id = self.labels;
        self.labels += 1;
        self.set(slot, Val::Num(id as f64));
        self.fork(Kind::Label(id), Val::Null);
    }

    pub(super) fn begin_limit(&mut self, count: Slot, mark: Slot) -> Result<(), Step> {
        self.set(mark, Val::Num(self.forks.len() as f64));
        match self.get(count).num() {
            Some(0.0) => Err(Step::Backtrack),
            Some(_) => Ok(()),
            // The error is that of a subtraction.
            None => operators::binary(Operator::Subtract, self.get(count).clone(), Val::Num(1.0))
                .map(drop)
                .map_err(Step::Raise),
        }
    }

    pub(super) fn end_limit(&mut self, count: Slot, mark: Slot) {
        let n = self.get(count).num().unwrap_or(0.0);
        if n > 0.0 {
            self.set(count, Val::Num(n - 1.0));
            if n - 1.0 <= 0.0 {
                self.cut(mark);
            }
        }
    }

    pub(super) fn range(&mut self, from: Slot, to: Slot) -> Result<(), Step> {
        let (Some(from), Some(to)) = (self.get(from).num(), self.get(to).num()) else {
            return Err(Step::Raise(Val::str("Range bounds must be numeric")));
        };
        if from.is_nan() || from >= to {
            return Err(Step::Backtrack);
        }
        if from + 1.0 < to {
            let pc = self.pc as Pc;
            self.fork(Kind::Range { pc, next: from + 1.0, end: to }, Val::Null);
        }
        self.cur = Val::Num(from);
        Ok(())
    }

    /// Calls a function whose arguments lie in slots; the first one is `.`.
    pub(super) fn native(
        &mut self,
        function: Native,
        first: Slot,
        count: u16,
        keep: bool,
    ) -> Result<(), Step> {
        let base = self.base() + usize::from(first);
        let input = std::mem::take(&mut self.cur);
        let args = self.slots.get_mut(base..base + usize::from(count)).unwrap_or_default();
        let answer =
            if keep { call(function, &mut args.to_vec(), input) } else { call(function, args, input) };
        self.cur = answer.map_err(Step::Raise)?;
        Ok(())
    }

    /// Backtracks until a counter is down.
    pub(super) fn skip(&mut self, slot: Slot) -> Result<(), Step> {
        let left = self.get(slot).num().unwrap_or(0.0);
        if left > 0.0 {
            self.set(slot, Val::Num(left - 1.0));
            return Err(Step::Backtrack);
        }
        Ok(())
    }

    /// Takes an event of a stream. Backtracks until a value is complete.
    pub(super) fn absorb(&mut self, slot: Slot) -> Result<(), Step> {
        let event = std::mem::take(&mut self.cur);
        self.cur = events::absorb(self.slot(slot), &event).map_err(Step::Raise)?.ok_or(Step::Backtrack)?;
        Ok(())
    }

    pub(super) fn insert(&mut self, from: Slot, to: Slot, key: Text) {
        let v = std::mem::take(&mut self.cur);
        if from != to {
            let object = self.get(from).clone();
            self.set(to, object);
        }
        if let Val::Obj(object) = self.slot(to) {
            Rc::make_mut(object).insert(key, v);
        }
    }

    pub(super) fn generate(&mut self, function: Generator, first: Slot, count: u16) -> Result<(), Step> {
        let base = self.base() + usize::from(first);
        let mut args = self.slots.get(base..base + usize::from(count)).unwrap_or_default().to_vec();
        if let Some(input) = args.first_mut() {
            *input = std::mem::take(&mut self.cur);
        }
        let mut results = function(&mut args).map_err(Step::Raise)?;
        let v = results.next().ok_or(Step::Backtrack)?;
        let pc = self.pc as Pc;
        self.fork(Kind::Results { pc, results }, Val::Null);
        self.cur = v;
        Ok(())
    }

    pub(super) fn interpolate(&self, pieces: &[Piece]) -> Val {
        let mut out = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(t) => out.extend_from_slice(t.bytes()),
                Piece::Slot(slot) => match self.get(*slot) {
                    Val::Str(t) => out.extend_from_slice(t.bytes()),
                    v => dump::dump(&mut out, v, &dump::COMPACT),
                },
            }
        }
        Val::Str(Text::from_valid_vec(out))
    }

    pub(super) fn special(&mut self, special: Special) -> Result<(), Step> {
        match special {
            Special::Error => return Err(Step::Raise(std::mem::take(&mut self.cur))),
            Special::Input => {
                let next = self.input.borrow_mut().next();
                match next {
                    Ok(Some(v)) => self.cur = v,
                    Ok(None) => return Err(Step::Raise(Val::str("break"))),
                    Err(e) => return Err(Step::Raise(Val::from_string(e.0))),
                }
            }
            Special::Inputs => {
                let next = self.input.borrow_mut().next();
                match next {
                    Ok(Some(v)) => {
                        let again = self.pc as Pc - 1;
                        self.fork(Kind::Jump(again), Val::Null);
                        self.cur = v;
                    }
                    Ok(None) => return Err(Step::Backtrack),
                    Err(e) => return Err(Step::Raise(Val::from_string(e.0))),
                }
            }
            Special::Debug => {
                let style = Style { indent: None, ..self.style.clone() };
                let mut line = Vec::new();
                dump::dump(&mut line, &Val::arr(vec![Val::str("DEBUG:"), self.cur.clone()]), &style);
                line.push(b'\n');
                let _ = sys::write_all(2, &line);
            }
            Special::Stderr => {
                let text = builtins::to_string(self.cur.clone());
                let _ = sys::write_all(2, text.bytes());
            }
            Special::InputFilename => {
                let input = self.input.borrow();
                self.cur = input.file_name().map_or(Val::Null, |n| Val::Str(Text::lossy(n)));
            }
            Special::InputLineNumber => {
                let line = self.input.borrow_mut().line();
                self.cur = Val::Num(line as f64);
            }
            Special::ModuleMeta => {
                let Val::Str(name) = &self.cur else {
                    return Err(Step::Raise(Val::str("modulemeta input module name must be a string")));
                };
                match self.loader.metadata(name.str()) {
                    Ok(v) => self.cur = v,
                    Err(e) => return Err(Step::Raise(Val::from_string(e))),
                }
            }
            Special::Halt => return Err(Step::Event(Event::Halt(0, None))),
            Special::HaltError(slot) => {
                let status = self.get(slot).clone();
                return Err(match status.num() {
                    Some(n) => Step::Event(Event::Halt(n as i32, Some(std::mem::take(&mut self.cur)))),
                    None => Step::Raise(operators::type_error(&self.cur, "halt_error/1: number required")),
                });
            }
        }
        Ok(())
    }
}

fn call(function: Native, args: &mut [Val], input: Val) -> Result<Val, Val> {
    if let Some(first) = args.first_mut() {
        *first = input;
    }
    function(args)
}
