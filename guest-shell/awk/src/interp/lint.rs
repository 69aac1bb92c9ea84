//! Warnings of `--lint` at run time.

use super::{Interp, R};
use crate::ast::*;
use crate::builtin::Builtin;
use crate::diag::bytes;
use crate::parser::Lint;
use crate::streams::Kind;
use crate::value::{ArrayRef, Value};

impl<'p> Interp<'p> {
    /// Prints a warning if `--lint` is on.
    #[inline(never)]
    pub(super) fn lint(&mut self, text: impl AsRef<[u8]>) -> R<()> {
        match self.options.lint {
            Lint::Off => Ok(()),
            Lint::Fatal => Err(self.fatal(text)),
            _ => {
                self.warn(text);
                Ok(())
            }
        }
    }

    pub(super) fn lints(&self) -> bool {
        self.options.lint.is_on()
    }

    /// Checks the use of a variable without a value.
    #[inline(never)]
    pub(super) fn lint_variable(&mut self, v: Var) -> R<()> {
        if !self.lints() {
            return Ok(());
        }
        let (kind, name) = match v {
            Var::Global(g) => ("variable", self.global_name(g as usize)),
            Var::Local(l) => ("argument", self.param_name(self.frames.last().copied(), l)),
        };
        self.lint(bytes!("reference to uninitialized ", kind, " `", name, "'"))
    }

    /// Checks the use of a field.
    #[inline(never)]
    pub(super) fn lint_field(&mut self, n: usize, missing: bool) -> R<()> {
        if !self.lints() {
            return Ok(());
        }
        if self.place_name == "END" {
            self.lint("accessing fields from an END rule may not be portable")?;
        }
        if missing { self.lint(format!("reference to uninitialized field `${n}'")) } else { Ok(()) }
    }

    /// Checks the use of an element that does not exist.
    #[inline(never)]
    pub(super) fn lint_element(&mut self, array: &ArrayRef, index: &[u8]) -> R<()> {
        if !self.lints() {
            return Ok(());
        }
        let name = self.path(array).unwrap_or_default();
        self.lint(bytes!("reference to uninitialized element `", name, "[\"", index, "\"]'"))?;
        self.lint_index(array, index)
    }

    /// Checks the creation of an element.
    #[inline(never)]
    pub(super) fn lint_index(&mut self, array: &ArrayRef, index: &[u8]) -> R<()> {
        if !self.lints() || !index.is_empty() {
            return Ok(());
        }
        let name = self.path(array).unwrap_or_default();
        self.lint(bytes!("subscript of array `", name, "' is null string"))
    }

    /// Checks the deletion of an element that does not exist.
    #[inline(never)]
    pub(super) fn lint_delete(&mut self, array: &ArrayRef, index: &[u8]) -> R<()> {
        if !self.lints() {
            return Ok(());
        }
        let name = self.path(array).unwrap_or_default();
        self.lint(bytes!("delete: index `", index, "' not in array `", name, "'"))
    }

    /// Evaluates an argument that should be a number. `which` names it, if there are several.
    pub(super) fn number_argument(&mut self, b: Builtin, e: &'p Expr, which: &str) -> R<f64> {
        if !self.lints() {
            return self.num(e);
        }
        let value = self.eval(e)?;
        if !value.is_number() && !value.is_unset() {
            self.lint(format!("{}: received non-numeric {which}argument", b.name()))?;
        }
        Ok(value.num())
    }

    /// Checks an argument that should be a string.
    #[inline(never)]
    pub(super) fn lint_string(&mut self, name: &str, e: &'p Expr, what: &str) -> R<()> {
        // Only an expression without side effects can be examined before it is evaluated.
        if !self.lints() || !e.is_simple() {
            return Ok(());
        }
        let is_number = match e {
            Expr::Var(v) => matches!(self.var(*v), Value::Num(_) | Value::Bool(_)),
            Expr::Num(_) | Expr::Arith(..) | Expr::Neg(_) | Expr::Plus(_) => true,
            _ => false,
        };
        if is_number { self.lint(format!("{name}: received non-string {what}")) } else { Ok(()) }
    }

    /// Checks the arguments of `substr`.
    pub(super) fn lint_substr(&mut self, len: usize, start: f64, length: Option<f64>) -> R<()> {
        if !self.lints() {
            return Ok(());
        }
        let shown = |n: f64| {
            let mut text = Vec::new();
            crate::float::push_g(&mut text, n, 6);
            text
        };
        if let Some(n) = length {
            if n < 1.0 || n.is_nan() {
                let least = if self.options.lint == Lint::On { "1" } else { "0" };
                return self.lint(bytes!("substr: length ", shown(n), " is not >= ", least));
            }
            if n.fract() != 0.0 {
                self.lint(bytes!("substr: non-integer length ", shown(n), " will be truncated"))?;
            }
        }
        if start < 1.0 {
            self.lint(bytes!("substr: start index ", shown(start), " is invalid, using 1"))?;
        } else if start.fract() != 0.0 {
            self.lint(bytes!("substr: non-integer start index ", shown(start), " will be truncated"))?;
        }
        let start = start.max(1.0).trunc();
        if len == 0 {
            return self.lint("substr: source string is zero length");
        }
        if start > len as f64 {
            return self.lint(bytes!("substr: start index ", shown(start), " is past end of string"));
        }
        match length.map(f64::trunc) {
            Some(n) if start - 1.0 + n > len as f64 => self.lint(bytes!(
                "substr: length ",
                shown(n),
                " at start index ",
                shown(start),
                " exceeds length of first argument (",
                len.to_string(),
                ")"
            )),
            _ => Ok(()),
        }
    }

    /// Checks whether another stream has the same name as a new one.
    #[inline(never)]
    pub(super) fn lint_streams(&mut self, name: &[u8], kind: Kind) -> R<()> {
        if !self.lints() {
            return Ok(());
        }
        let same = self.streams.iter().rev().filter(|s| s.name == name && s.kind != kind);
        for other in same.map(|s| s.kind).collect::<Vec<_>>() {
            let (first, second) = if order(other) < order(kind) { (other, kind) } else { (kind, other) };
            let and = if order(first) == 0 && order(second) == 2 { " and for " } else { " and " };
            self.lint(bytes!("`", name, "' used for ", words(first), and, words(second)))?;
        }
        Ok(())
    }

    /// Checks whether a stream is still open at the end.
    pub(super) fn lint_open(&mut self, name: &[u8], kind: Kind) -> R<()> {
        let what = match kind {
            Kind::File | Kind::Out(Mode::Write | Mode::Append) => "file",
            Kind::Command | Kind::Out(Mode::Pipe) => "pipe",
            Kind::Out(Mode::Coprocess) => "co-process",
        };
        self.lint(bytes!("no explicit close of ", what, " `", name, "' provided"))
    }

    /// Applies an assignment to `LINT`.
    pub(super) fn set_lint(&mut self, value: &Value) -> R<()> {
        let text = self.text_of(value);
        let new = match text.as_slice() {
            b"fatal" => Lint::Fatal,
            b"no-ext" => Lint::NoExtensions,
            _ if value.truth() => Lint::On,
            _ => Lint::Off,
        };
        if new == Lint::Off && self.lints() {
            self.lint("turning off `--lint' due to assignment to `LINT'")?;
        }
        self.options.lint = new;
        Ok(())
    }

    /// Prints the warnings that were collected during formatting.
    pub(super) fn lint_all(&mut self, notes: Vec<Vec<u8>>) -> R<()> {
        notes.into_iter().try_for_each(|note| self.lint(note))
    }

    /// Evaluates `+` with the checks of `--lint`.
    #[inline(never)]
    pub(super) fn checked_sum(&mut self, a: &'p Expr, b: &'p Expr) -> R<f64> {
        let a = self.eval(a)?;
        let b = self.eval(b)?;
        let is_text = |v: &Value| {
            matches!(v, Value::Str(_) | Value::Missing) || (matches!(v, Value::Input(_)) && !v.is_number())
        };
        if is_text(&a) && is_text(&b) {
            self.lint("operator `+' used on two string values")?;
        }
        Ok(a.num() + b.num())
    }

    /// Checks whether the record to be printed exists.
    pub(super) fn lint_record(&mut self) -> R<()> {
        if self.lints() { self.lint_field(0, !self.record.set) } else { Ok(()) }
    }
}

fn order(kind: Kind) -> u8 {
    match kind {
        Kind::File => 0,
        Kind::Command => 1,
        Kind::Out(Mode::Write | Mode::Append) => 2,
        Kind::Out(Mode::Pipe) => 3,
        Kind::Out(Mode::Coprocess) => 4,
    }
}

fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "input file",
        Kind::Command => "input pipe",
        Kind::Out(Mode::Write | Mode::Append) => "output file",
        Kind::Out(Mode::Pipe) => "output pipe",
        Kind::Out(Mode::Coprocess) => "two-way pipe",
    }
}
