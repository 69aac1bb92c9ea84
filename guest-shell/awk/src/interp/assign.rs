//! Assignments and their side effects.

use super::{Interp, NumberFormat, R, SplitBy};
use crate::ast::*;
use crate::diag::bytes;
use crate::pattern::Pattern;
use crate::reader::Terminator;
use crate::record::{Kind, Separator};
use crate::special;
use crate::text::Text;
use crate::value::Value;
use std::rc::Rc;

impl<'p> Interp<'p> {
    #[inline(never)]
    pub(super) fn assign(&mut self, place: &'p Place, value: &'p Expr) -> R<Value> {
        let value = self.scalar(value)?;
        // As in gawk, the right side is evaluated first.
        self.store(place, value.clone())?;
        Ok(value)
    }

    // The value to store. A missing value becomes unassigned.
    fn scalar(&mut self, e: &'p Expr) -> R<Value> {
        Ok(match self.eval(e)? {
            Value::Untyped => Value::Unassigned,
            v => v,
        })
    }

    #[inline(never)]
    pub(super) fn store(&mut self, place: &'p Place, value: Value) -> R<()> {
        match place {
            Place::Var(v) => self.set_var(*v, value),
            Place::Special(g) => self.set_special(*g, value),
            Place::Field(e) => {
                let n = self.field_number(e)?;
                self.set_field(n, value)
            }
            Place::Elem(ArrayPlace::Table(g), index) => self.store_table(*g, index, value),
            Place::Elem(array, index) => {
                let mut buf = self.take_scratch();
                let subscript = self.subscript(index, &mut buf)?;
                let a = self.array(array)?;
                self.note_index(index, &a);
                if self.lints() && a.borrow().get(subscript.key(&buf)).is_none() {
                    let text = self.subscript_text(&subscript, &buf);
                    self.lint_index(&a, &text)?;
                }
                let scalar = {
                    let mut a = a.borrow_mut();
                    let slot = a.slot(subscript.key(&buf));
                    let scalar = !matches!(slot, Value::Array(_));
                    if scalar {
                        *slot = value;
                    }
                    scalar
                };
                if !scalar {
                    return Err(self.element_is_array(array, index));
                }
                self.give_scratch(buf);
                Ok(())
            }
        }
    }

    #[inline(never)]
    pub(super) fn element_is_array(&mut self, array: &'p ArrayPlace, index: &'p [Expr]) -> super::Unwind {
        let name = self.array_name(array);
        let mut text = Vec::new();
        match self.subscript(index, &mut text) {
            Ok(subscript) => text = self.subscript_text(&subscript, &text),
            Err(e) => return e,
        }
        self.fatal(bytes!("attempt to use array `", name, "[\"", text, "\"]' in a scalar context"))
    }

    pub(super) fn set_var(&mut self, v: Var, value: Value) -> R<()> {
        let slot = match v {
            Var::Global(g) => self.globals.get_mut(g as usize),
            Var::Local(l) => self.stack.get_mut(self.base + l as usize),
        };
        let Some(slot) = slot else { return Ok(()) };
        match slot {
            Value::Array(_) => return Err(self.array_as_scalar(v)),
            Value::Untyped if matches!(v, Var::Local(_)) => {
                *slot = value;
                return self.make_origin_scalar(v);
            }
            _ => *slot = value,
        }
        Ok(())
    }

    /// `v = v parts…`
    #[inline(never)]
    pub(super) fn append_to(&mut self, v: Var, parts: &'p [Expr]) -> R<()> {
        let mut buf = self.take_scratch();
        for part in parts {
            self.append(part, &mut buf)?;
        }
        if !matches!(self.var(v), Value::Str(_)) {
            let mut all = Vec::new();
            let old = self.var(v).clone();
            if let Value::Array(_) = old {
                return Err(self.array_as_scalar(v));
            }
            self.push_value(&old, &mut all);
            self.set_var(v, Value::Str(Text::new(&all)))?;
        }
        let slot = match v {
            Var::Global(g) => self.globals.get_mut(g as usize),
            Var::Local(l) => self.stack.get_mut(self.base + l as usize),
        };
        if let Some(Value::Str(text)) = slot {
            text.push(&buf);
        }
        self.give_scratch(buf);
        Ok(())
    }

    #[inline(never)]
    pub(super) fn update(&mut self, op: Arith, place: &'p Place, value: &'p Expr) -> R<Value> {
        let by = self.num(value)?;
        if by == 0.0 && matches!(op, Arith::Div | Arith::Mod) {
            let sign = if op == Arith::Div { "/=" } else { "%=" };
            return Err(self.fatal(format!("division by zero attempted in `{sign}'")));
        }
        let result = self.change(place, op, by)?.1;
        Ok(Value::Num(result))
    }

    #[inline(never)]
    pub(super) fn step(&mut self, place: &'p Place, by: f64, post: bool) -> R<Value> {
        let (old, new) = self.change(place, Arith::Add, by)?;
        Ok(Value::Num(if post { old } else { new }))
    }

    // Changes a number. Returns it before and after.
    #[inline(never)]
    fn change(&mut self, place: &'p Place, op: Arith, by: f64) -> R<(f64, f64)> {
        match place {
            Place::Var(v) => {
                let old = match self.var(*v) {
                    Value::Num(n) => *n,
                    Value::Array(_) => return Err(self.array_as_scalar(*v)),
                    Value::Untyped | Value::Unassigned => {
                        self.lint_variable(*v)?;
                        0.0
                    }
                    value => value.num(),
                };
                let new = self.arith(op, old, by)?;
                self.set_var(*v, Value::Num(new))?;
                Ok((old, new))
            }
            Place::Special(g) => {
                let old = match *g {
                    special::NF => self.count_fields() as f64,
                    special::NR => self.nr,
                    special::FNR => self.fnr,
                    g => self.globals.get(g as usize).map_or(0.0, Value::num),
                };
                let new = self.arith(op, old, by)?;
                self.set_special(*g, Value::Num(new))?;
                Ok((old, new))
            }
            Place::Field(e) => {
                let n = self.field_number(e)?;
                let old = self.field(n)?.num();
                let new = self.arith(op, old, by)?;
                self.set_field(n, Value::Num(new))?;
                Ok((old, new))
            }
            Place::Elem(ArrayPlace::Table(g), index) => {
                if *g == special::FUNCTAB {
                    return Err(self.fatal("cannot assign to elements of FUNCTAB"));
                }
                let old = self.table_elem(*g, index)?.num();
                let new = self.arith(op, old, by)?;
                self.store_table(*g, index, Value::Num(new))?;
                Ok((old, new))
            }
            Place::Elem(array, index) => {
                let mut buf = self.take_scratch();
                let subscript = self.subscript(index, &mut buf)?;
                let a = self.array(array)?;
                self.note_index(index, &a);
                let key = subscript.key(&buf);
                if self.lints() && a.borrow().get(key).is_none() {
                    let text = self.subscript_text(&subscript, &buf);
                    self.lint_element(&a, &text)?;
                }
                let mut borrowed = a.borrow_mut();
                let slot = borrowed.slot(key);
                if let Value::Array(_) = slot {
                    drop(borrowed);
                    return Err(self.element_is_array(array, index));
                }
                let old = slot.num();
                let simple = match op {
                    Arith::Add => Some(old + by),
                    Arith::Sub => Some(old - by),
                    Arith::Mul => Some(old * by),
                    _ => None,
                };
                let new = match simple {
                    Some(new) => {
                        *slot = Value::Num(new);
                        drop(borrowed);
                        new
                    }
                    None => {
                        drop(borrowed);
                        let new = self.arith(op, old, by)?;
                        *a.borrow_mut().slot(key) = Value::Num(new);
                        new
                    }
                };
                self.give_scratch(buf);
                Ok((old, new))
            }
        }
    }

    /// Evaluates the number of a field expression.
    pub(super) fn field_number(&mut self, e: &'p Expr) -> R<usize> {
        let n = self.num(e)?;
        if n < 0.0 {
            let mut text = Vec::new();
            self.convfmt.push(&mut text, n.trunc());
            return Err(self.fatal(bytes!("attempt to access field ", text)));
        }
        Ok(n as usize)
    }

    pub(super) fn count_fields(&mut self) -> usize {
        self.record.count(&self.separator)
    }

    /// Rebuilds `$0` from the fields if necessary.
    pub(super) fn whole_record(&mut self) {
        if self.record.text().is_none() {
            let (convfmt, ofs) = (&self.convfmt, &self.ofs);
            self.record.rebuild(ofs, &|v, out| match v {
                Value::Num(n) => convfmt.push(out, *n),
                Value::Bool(b) => out.push(if *b { b'1' } else { b'0' }),
                Value::Str(t) | Value::Input(t) => out.extend_from_slice(t.as_bytes()),
                Value::Index(i) => {
                    i.seen_as_text.set(true);
                    crate::number::push_int(out, i.number);
                }
                Value::Regex(p) => out.extend_from_slice(p.source()),
                _ => {}
            });
        }
    }

    /// Finds field `n`, or rebuilds `$0`.
    pub(super) fn find_field(&mut self, n: usize) {
        if n == 0 { self.whole_record() } else { self.record.find(n, &self.separator) }
    }

    /// The text of a field that has been found, if it is still input.
    pub(super) fn field_slice(&self, n: usize) -> Option<&[u8]> {
        if n == 0 {
            self.record.text().filter(|_| self.record.set && self.record.is_input())
        } else {
            self.record.slice(n)
        }
    }

    #[inline(never)]
    pub(super) fn field(&mut self, n: usize) -> R<Value> {
        self.find_field(n);
        let value = match n {
            0 if !self.record.set => Value::Unassigned,
            0 => self.record.value(),
            n => self.record.field(n),
        };
        if self.lints() {
            self.lint_field(n, matches!(value, Value::Missing | Value::Unassigned))?;
        }
        Ok(value)
    }

    #[inline(never)]
    pub(super) fn set_field(&mut self, n: usize, value: Value) -> R<()> {
        if n == 0 {
            let mut buf = self.take_scratch();
            self.push_value(&value, &mut buf);
            let kind = match &value {
                Value::Num(n) => Kind::Number(*n),
                Value::Input(_) => Kind::Input,
                _ => Kind::Text,
            };
            self.record.set_as(&buf, kind);
            self.give_scratch(buf);
            return Ok(());
        }
        if n > 50_000_000 {
            return Err(self.fatal(format!("attempt to access field {n}: too many fields")));
        }
        self.count_fields();
        let value = match value {
            Value::Untyped => Value::Unassigned,
            v => v,
        };
        if let Value::Index(i) = &value {
            i.seen_as_text.set(true);
        }
        self.record.set = true;
        self.record.assign(n, value);
        Ok(())
    }

    /// Assigns to a variable with a special meaning.
    #[inline(never)]
    pub(super) fn set_special(&mut self, g: u32, value: Value) -> R<()> {
        let is = |x: u32| g == x;
        if is(special::NF) {
            let n = value.num();
            if n < 0.0 {
                return Err(self.fatal("NF set to negative value"));
            }
            self.count_fields();
            self.record.set = true;
            self.record.set_count(n.min(50_000_000.0) as usize);
            self.whole_record();
            return Ok(());
        }
        if is(special::NR) {
            self.nr = value.num();
            return Ok(());
        }
        if is(special::FNR) {
            self.fnr = value.num();
            return Ok(());
        }
        if is(special::LINT) {
            self.set_lint(&value)?;
        }
        let mut text = Vec::new();
        self.push_value(&value, &mut text);
        let truth = value.truth();
        if let Some(slot) = self.globals.get_mut(g as usize) {
            *slot = value;
        }
        match g {
            special::FS => {
                self.count_fields();
                self.split_by = SplitBy::Fs;
                self.set_procinfo_fs();
                return self.renew_separator();
            }
            special::FIELDWIDTHS => {
                self.count_fields();
                self.split_by = SplitBy::Widths;
                self.set_procinfo_fs();
                return self.renew_separator();
            }
            special::FPAT => {
                self.count_fields();
                self.split_by = SplitBy::Content;
                self.set_procinfo_fs();
                return self.renew_separator();
            }
            special::RS => return self.renew_terminator(),
            special::OFS => {
                // A changed record is rebuilt with the old separator first.
                self.whole_record();
                self.ofs = text;
            }
            special::ORS => self.ors = text,
            special::SUBSEP => self.subsep = text,
            special::CONVFMT => self.convfmt = NumberFormat::new(&text),
            special::OFMT => self.ofmt = NumberFormat::new(&text),
            special::IGNORECASE => {
                self.count_fields();
                self.ignore_case = truth && !self.options.dialect.traditional && !self.options.dialect.posix;
                self.renew_separator()?;
                return self.renew_terminator();
            }
            _ => {}
        }
        Ok(())
    }

    fn set_procinfo_fs(&mut self) {
        let name: &[u8] = match self.split_by {
            SplitBy::Fs => b"FS",
            SplitBy::Widths => b"FIELDWIDTHS",
            SplitBy::Content => b"FPAT",
        };
        if let Some(Value::Array(info)) = self.globals.get(special::PROCINFO as usize) {
            *info.borrow_mut().slot(crate::array::Key::Text(b"FS")) = Value::text(name);
        }
    }

    fn special_text(&self, g: u32) -> Vec<u8> {
        self.globals.get(g as usize).map(|v| self.text_of(v)).unwrap_or_default()
    }

    fn renew_separator(&mut self) -> R<()> {
        self.separator = match self.split_by {
            SplitBy::Fs => {
                if let Some(Value::Regex(p)) = self.globals.get(special::FS as usize) {
                    self.separator = Separator::Regex(p.clone(), self.ignore_case);
                    return Ok(());
                }
                let fs = self.special_text(special::FS);
                let paragraph = self.special_text(special::RS).is_empty();
                if self.options.lint_old && matches!(fs.as_slice(), [_, _, ..]) {
                    self.warn("old awk does not support regexps as value of `FS'");
                }
                self.field_separator(&fs, paragraph)?
            }
            SplitBy::Widths => {
                let text = self.special_text(special::FIELDWIDTHS);
                self.widths(&text)?
            }
            SplitBy::Content => {
                let text = self.special_text(special::FPAT);
                Separator::Content(self.pattern_of(&text)?, self.ignore_case)
            }
        };
        Ok(())
    }

    /// The separator for a value of `FS` or an argument of `split`.
    pub(super) fn field_separator(&mut self, fs: &[u8], paragraph: bool) -> R<Separator> {
        Ok(match fs {
            b" " => Separator::Blanks,
            b"" => Separator::Chars,
            b"\n" => Separator::Byte(b'\n'),
            [b] if paragraph => Separator::Bytes(*b, b'\n'),
            [b] => Separator::Byte(*b),
            _ => Separator::Regex(self.pattern_of(fs)?, self.ignore_case),
        })
    }

    fn widths(&mut self, text: &[u8]) -> R<Separator> {
        let mut widths = Vec::new();
        let mut rest = text.trim_ascii_start();
        let mut number = 0;
        while !rest.is_empty() {
            number += 1;
            let len = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(len);
            let behind = behind.trim_ascii_start();
            let parsed = std::str::from_utf8(word).ok().and_then(|w| {
                let (skip, width) = match w.split_once(':') {
                    Some((skip, width)) => (skip.parse().ok()?, width),
                    None => (0, w),
                };
                if width == "*" {
                    return Some((skip, None));
                }
                width.parse().ok().filter(|w: &usize| *w > 0).map(|w| (skip, Some(w)))
            });
            match parsed {
                Some((_, None)) if !behind.is_empty() => {
                    return Err(self.fatal("`*' must be the last designator in FIELDWIDTHS"));
                }
                Some(p) => widths.push(p),
                None => {
                    let number = number.to_string();
                    return Err(self.fatal(bytes!(
                        "invalid FIELDWIDTHS value, for field ",
                        number,
                        ", near `",
                        // The message shows an invalid width without the skip count before it.
                        shown_width(rest),
                        "'"
                    )));
                }
            }
            rest = behind;
        }
        Ok(Separator::Widths(widths))
    }

    fn renew_terminator(&mut self) -> R<()> {
        let rs = self.special_text(special::RS);
        self.terminator = match rs.as_slice() {
            _ if let Some(Value::Regex(p)) = self.globals.get(special::RS as usize) => {
                Terminator::Regex(p.clone(), self.ignore_case)
            }
            b"" => Terminator::Paragraph,
            [b] => Terminator::Byte(*b),
            [b, ..] if self.options.dialect.traditional || self.options.dialect.posix => Terminator::Byte(*b),
            _ => Terminator::Regex(self.pattern_of(&rs)?, self.ignore_case),
        };
        if self.split_by == SplitBy::Fs {
            self.count_fields();
            self.renew_separator()?;
        }
        Ok(())
    }

    /// The compiled regular expression of a text.
    pub(super) fn pattern_of(&mut self, source: &[u8]) -> R<Rc<Pattern>> {
        if let Some(p) = &self.last_dynamic
            && p.source() == source
        {
            return Ok(p.clone());
        }
        if let Some(p) = self.dynamic.get(source) {
            self.last_dynamic = Some(p.clone());
            return Ok(p.clone());
        }
        let mut warnings = Vec::new();
        let pattern = Pattern::new(source, self.options.dialect, &mut warnings);
        for w in warnings {
            self.warn(w);
        }
        let pattern = match pattern {
            Ok(p) => Rc::new(p),
            Err(text) => return Err(self.fatal(text)),
        };
        if self.dynamic.len() > 500 {
            self.dynamic.clear();
        }
        self.dynamic.insert(source.to_vec(), pattern.clone());
        self.last_dynamic = Some(pattern.clone());
        Ok(pattern)
    }

    /// Makes an assignment of `-v` or of an operand. Escape sequences in the value are replaced, and the value counts
    /// as input.
    pub(crate) fn assign_argument(&mut self, name: &[u8], value: &[u8]) -> R<bool> {
        let name = name.strip_prefix(b"awk::").unwrap_or(name);
        let mut warnings = Vec::new();
        let text = crate::escape::string(value, self.options.dialect.posix, &mut warnings);
        for w in warnings {
            self.warn(w);
        }
        if self.program.functions.iter().any(|f| f.defined && f.name == name) {
            return Err(self.fatal(bytes!("cannot use function name `", name, "' as variable name")));
        }
        let Some(g) = self.program.globals.iter().position(|n| n == name) else { return Ok(false) };
        // Here too, `@/…/` is a strongly typed regular expression.
        let pattern = value.strip_prefix(b"@/").and_then(|v| v.strip_suffix(b"/"));
        let value = match pattern {
            Some(source) if !self.options.dialect.posix => Value::Regex(self.pattern_of(source)?),
            _ => Value::Input(Text::new(&text)),
        };
        let g = g as u32;
        self.assigned.push(g);
        if special::is_hooked(g) {
            self.set_special(g, value)?;
        } else {
            self.set_var(Var::Global(g), value)?;
        }
        Ok(true)
    }
}

fn shown_width(rest: &[u8]) -> &[u8] {
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    match rest.get(digits) {
        Some(b':') if digits > 0 => rest.get(digits + 1..).unwrap_or_default(),
        _ => rest,
    }
}
