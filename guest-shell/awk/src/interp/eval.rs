//! Expressions.

use super::{Interp, R};
use crate::array::Key;
use crate::ast::*;
use crate::number;
use crate::special;
use crate::text::Text;
use crate::value::{ArrayRef, Operand, Value, input_truth};
use std::cmp::Ordering;

/// An evaluated index. A text is in the buffer that was passed.
pub(super) enum Subscript {
    Int(i64),
    Text,
}

impl Subscript {
    pub(super) fn key<'a>(&self, buf: &'a [u8]) -> Key<'a> {
        match self {
            Self::Int(n) => Key::Int(*n),
            Self::Text => Key::of_text(buf),
        }
    }
}

impl<'p> Interp<'p> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, e: &'p Expr) -> R<Value> {
        Ok(match e {
            Expr::Num(n) => Value::Num(*n),
            Expr::Const(v) => v.clone(),
            Expr::Group(e) => return self.eval(e),
            Expr::Var(v) => match self.var(*v) {
                Value::Array(_) => return Err(self.array_as_scalar(*v)),
                Value::Untyped | Value::Unassigned => self.touch(*v)?,
                value => value.clone(),
            },
            Expr::Special(g) => self.special(*g)?,
            Expr::FieldNumber(n) => self.field(*n)?,
            Expr::Field(e) => {
                let n = self.field_number(e)?;
                self.field(n)?
            }
            Expr::Elem(place, index) => return self.elem(place, index),
            Expr::Assign(place, value) => return self.assign(place, value),
            Expr::Append(var, parts) => {
                self.append_to(*var, parts)?;
                self.var(*var).clone()
            }
            Expr::Update(op, place, value) => return self.update(*op, place, value),
            Expr::Step(place, by, post) => return self.step(place, *by, *post),
            Expr::Cond(c) => return if self.truth(&c.0)? { self.eval(&c.1) } else { self.eval(&c.2) },
            Expr::Regex(_)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Not(_)
            | Expr::Compare(..)
            | Expr::Match(..)
            | Expr::In(..) => Value::bool(self.truth(e)?),
            Expr::Neg(_) | Expr::Plus(_) | Expr::Arith(..) | Expr::CheckedSum(..) => Value::Num(self.num(e)?),
            Expr::Concat(_) => return self.concat(e),
            Expr::Call(id, args, pos) => return self.call(*id, args, *pos),
            Expr::Indirect(var, name, args, pos) => return self.indirect(*var, name, args, *pos),
            Expr::Builtin(b, args, pos) => return self.builtin(*b, args, *pos),
            Expr::Getline(g) => return self.getline(g),
            Expr::List(_) => Value::Unassigned,
        })
    }

    #[inline(never)]
    fn concat(&mut self, e: &'p Expr) -> R<Value> {
        let mut buf = self.take_scratch();
        self.append(e, &mut buf)?;
        let text = Text::new(&buf);
        self.give_scratch(buf);
        Ok(Value::Str(text))
    }

    /// The value of an expression as a number.
    pub(super) fn num(&mut self, e: &'p Expr) -> R<f64> {
        Ok(match e {
            Expr::Num(n) => *n,
            Expr::Group(e) | Expr::Plus(e) => self.num(e)?,
            Expr::Neg(e) => -self.num(e)?,
            Expr::Var(v) => match self.var(*v) {
                Value::Num(n) => *n,
                Value::Array(_) => return Err(self.array_as_scalar(*v)),
                Value::Untyped | Value::Unassigned => self.touch(*v)?.num(),
                value => {
                    let n = value.num();
                    if self.non_decimal { self.any_base(&self.var(*v).clone(), n) } else { n }
                }
            },
            Expr::FieldNumber(n) if !self.non_decimal => {
                self.find_field(*n);
                match self.field_slice(*n) {
                    Some(t) => number::prefix(t),
                    None => self.field(*n)?.num(),
                }
            }
            Expr::CheckedSum(a, b) => self.checked_sum(a, b)?,
            Expr::Arith(op, a, b) => {
                let a = self.num(a)?;
                let b = self.num(b)?;
                self.arith(*op, a, b)?
            }
            _ => {
                let value = self.eval(e)?;
                let n = value.num();
                if self.non_decimal { self.any_base(&value, n) } else { n }
            }
        })
    }

    // With `--non-decimal-data`, input may be hexadecimal or octal.
    #[inline(never)]
    fn any_base(&self, value: &Value, n: f64) -> f64 {
        match value {
            Value::Input(t) | Value::Str(t) => {
                let t = t.as_bytes().trim_ascii();
                let (negative, digits) = match t {
                    [b'-', rest @ ..] => (true, rest),
                    [b'+', rest @ ..] => (false, rest),
                    _ => (false, t),
                };
                if digits.first() == Some(&b'0') && digits.len() > 1 {
                    let n = number::scan_any_base(digits).0;
                    return if negative { -n } else { n };
                }
                n
            }
            _ => n,
        }
    }

    #[inline(never)]
    pub(super) fn arith(&mut self, op: Arith, a: f64, b: f64) -> R<f64> {
        Ok(match op {
            Arith::Add => a + b,
            Arith::Sub => a - b,
            Arith::Mul => a * b,
            Arith::Div if b == 0.0 => return Err(self.fatal("division by zero attempted")),
            Arith::Div => a / b,
            Arith::Mod if b == 0.0 => return Err(self.fatal("division by zero attempted in `%'")),
            Arith::Mod => a % b,
            Arith::Pow => crate::arith::power(a, b),
        })
    }

    /// Whether an expression is true.
    pub(super) fn truth(&mut self, e: &'p Expr) -> R<bool> {
        Ok(match e {
            Expr::Regex(p) => {
                self.whole_record();
                let text = self.record.text().unwrap_or_default();
                p.regex(self.ignore_case).is_match(text)
            }
            Expr::Group(e) => self.truth(e)?,
            Expr::And(a, b) => self.truth(a)? && self.truth(b)?,
            Expr::Or(a, b) => self.truth(a)? || self.truth(b)?,
            Expr::Not(e) => !self.truth(e)?,
            Expr::Compare(op, a, b) => self.compare(*op, a, b)?,
            Expr::Match(not, text, pattern) => self.matches(text, pattern)? != *not,
            Expr::In(index, array) => {
                let mut buf = self.take_scratch();
                let subscript = self.subscript(index, &mut buf)?;
                let array = self.array(array)?;
                let found = array.borrow().get(subscript.key(&buf)).is_some();
                self.give_scratch(buf);
                found
            }
            Expr::Num(n) => *n != 0.0,
            Expr::Arith(..) | Expr::Neg(_) => self.num(e)? != 0.0,
            Expr::FieldNumber(n) => {
                self.find_field(*n);
                match self.field_slice(*n) {
                    Some(t) => input_truth(t),
                    None => self.field(*n)?.truth(),
                }
            }
            _ => self.eval(e)?.truth(),
        })
    }

    /// Evaluates an expression and appends its text.
    #[inline(never)]
    pub(super) fn append(&mut self, e: &'p Expr, out: &mut Vec<u8>) -> R<()> {
        match e {
            Expr::Const(Value::Str(t)) => out.extend_from_slice(t.as_bytes()),
            Expr::Num(n) => self.convfmt.push(out, *n),
            Expr::Group(e) => return self.append(e, out),
            Expr::Concat(parts) if parts.iter().all(Expr::is_simple) => {
                for part in parts {
                    self.append(part, out)?;
                }
            }
            // All values are evaluated before the first is converted to text.
            Expr::Concat(parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    values.push(self.eval(part)?);
                }
                for value in &values {
                    self.push_value(value, out);
                }
            }
            Expr::FieldNumber(n) => {
                self.find_field(*n);
                match self.field_slice(*n) {
                    Some(t) => out.extend_from_slice(t),
                    None => {
                        let v = self.field(*n)?;
                        self.push_value(&v, out);
                    }
                }
            }
            Expr::Field(e) => {
                let n = self.field_number(e)?;
                self.find_field(n);
                match self.field_slice(n) {
                    Some(t) => out.extend_from_slice(t),
                    None => {
                        let v = self.field(n)?;
                        self.push_value(&v, out);
                    }
                }
            }
            Expr::Var(v) => match self.var(*v) {
                Value::Array(_) => return Err(self.array_as_scalar(*v)),
                Value::Untyped | Value::Unassigned => drop(self.touch(*v)?),
                value => self.push_value(value, out),
            },
            _ => {
                let value = self.eval(e)?;
                self.push_value(&value, out);
            }
        }
        Ok(())
    }

    /// The text of an expression.
    pub(super) fn text(&mut self, e: &'p Expr) -> R<Vec<u8>> {
        let mut out = Vec::new();
        self.append(e, &mut out)?;
        Ok(out)
    }

    pub(super) fn var(&self, v: Var) -> &Value {
        const NOTHING: &Value = &Value::Untyped;
        match v {
            Var::Global(g) => self.globals.get(g as usize),
            Var::Local(l) => self.stack.get(self.base + l as usize),
        }
        .unwrap_or(NOTHING)
    }

    // The value of a variable. After this use, it can no longer become an array.
    #[inline(never)]
    pub(super) fn touch(&mut self, v: Var) -> R<Value> {
        if self.lints() {
            self.lint_variable(v)?;
        }
        if matches!(self.var(v), Value::Unassigned) {
            return Ok(Value::Unassigned);
        }
        self.make_origin_scalar(v)?;
        let slot = match v {
            Var::Global(g) => self.globals.get_mut(g as usize),
            Var::Local(l) => self.stack.get_mut(self.base + l as usize),
        };
        if let Some(slot) = slot {
            *slot = Value::Unassigned;
        }
        Ok(Value::Unassigned)
    }

    // The value of a variable with a special meaning.
    #[inline(never)]
    pub(super) fn special(&mut self, g: u32) -> R<Value> {
        Ok(match g {
            special::SYMTAB => return Err(self.array_as_scalar(Var::Global(g))),
            special::NF => Value::Num(self.count_fields() as f64),
            special::NR => Value::Num(self.nr),
            special::FNR => Value::Num(self.fnr),
            _ => self.globals.get(g as usize).cloned().unwrap_or(Value::Untyped),
        })
    }

    #[inline(never)]
    fn compare(&mut self, op: Cmp, a: &'p Expr, b: &'p Expr) -> R<bool> {
        // Fast path for a field and a constant, without a copy.
        if let (Expr::FieldNumber(n), Expr::Const(Value::Str(t))) = (a, b) {
            self.find_field(*n);
            if let Some(field) = self.field_slice(*n) {
                return Ok(holds(op, Some(field.cmp(t.as_bytes()))));
            }
        }
        if let Expr::FieldNumber(n) = a
            && !self.non_decimal
        {
            let number = match b {
                Expr::Num(m) => Some(*m),
                Expr::Var(v) => match self.var(*v) {
                    Value::Num(m) => Some(*m),
                    _ => None,
                },
                _ => None,
            };
            if let Some(m) = number {
                self.find_field(*n);
                if let Some(v) = self.field_slice(*n).and_then(number::whole) {
                    return Ok(holds(op, order(v, m)));
                }
            }
        }
        let x = self.plain_number(a)?;
        let y = self.plain_number(b)?;
        if let (Some(x), Some(y)) = (x, y) {
            return Ok(holds(op, order(x, y)));
        }
        let a = match x {
            Some(x) => Value::Num(x),
            None => self.eval(a)?,
        };
        let b = match y {
            Some(y) => Value::Num(y),
            None => self.eval(b)?,
        };
        Ok(holds(op, self.order_values(&a, &b)))
    }

    // The value of an expression that is certainly a number and does not affect the other operand.
    fn plain_number(&mut self, e: &'p Expr) -> R<Option<f64>> {
        Ok(match e {
            Expr::Num(n) => Some(*n),
            Expr::Var(v) => match self.var(*v) {
                Value::Num(n) => Some(*n),
                _ => None,
            },
            Expr::Arith(..) if e.is_simple() => Some(self.num(e)?),
            _ => None,
        })
    }

    /// Compares two values. `None` if they are not comparable, because one is NaN.
    #[inline(never)]
    pub(super) fn order_values(&self, a: &Value, b: &Value) -> Option<Ordering> {
        if let (Value::Index(_), _) | (_, Value::Index(_)) = (a, b) {
            return self.order_indices(a, b);
        }
        let (mut s, mut t) = (Vec::new(), Vec::new());
        match (self.operand(a, &mut s), self.operand(b, &mut t)) {
            (Operand::Num(x), Operand::Num(y)) => order(x, y),
            (Operand::Num(x), Operand::Null) => order(x, 0.0),
            (Operand::Null, Operand::Num(y)) => order(0.0, y),
            (Operand::Null, Operand::Null) => Some(Ordering::Equal),
            (Operand::Str(x), Operand::Str(y)) => Some(self.order_texts(x, y)),
            (Operand::Str(x), Operand::Null) => Some(x.cmp(b"")),
            (Operand::Null, Operand::Str(y)) => Some(b"".as_slice().cmp(y)),
            (Operand::Num(_), Operand::Str(y)) => {
                let y = y.to_vec();
                Some(self.order_texts(&self.text_of(a), &y))
            }
            (Operand::Str(x), Operand::Num(_)) => {
                let x = x.to_vec();
                Some(self.order_texts(&x, &self.text_of(b)))
            }
        }
    }

    // An index that has not been used as a text is compared with a number as a number. From then on it is a text.
    #[inline(never)]
    fn order_indices(&self, a: &Value, b: &Value) -> Option<Ordering> {
        let number = |v: &Value| match v {
            Value::Num(n) => Some(*n),
            Value::Index(i) if !i.seen_as_text.get() => Some(i.number as f64),
            _ => None,
        };
        let numbers = (number(a), number(b));
        let (x, y) = (self.text_of(a), self.text_of(b));
        match numbers {
            (Some(x), Some(y)) => order(x, y),
            _ => Some(self.order_texts(&x, &y)),
        }
    }

    fn operand<'a>(&self, v: &'a Value, scratch: &'a mut Vec<u8>) -> Operand<'a> {
        if self.non_decimal
            && let Value::Input(t) = v
        {
            let t = t.as_bytes().trim_ascii();
            if t.len() > 1 && t[0] == b'0' && number::scan_any_base(t).1 == t.len() {
                return Operand::Num(number::scan_any_base(t).0);
            }
        }
        v.operand(scratch)
    }

    pub(super) fn order_texts(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.ignore_case { lower(a).cmp(&lower(b)) } else { a.cmp(b) }
    }

    /// The value of an element, which is created if it does not exist.
    #[inline(never)]
    fn elem(&mut self, place: &'p ArrayPlace, index: &'p [Expr]) -> R<Value> {
        if let ArrayPlace::Table(g) = place {
            return self.table_elem(*g, index);
        }
        let mut buf = self.take_scratch();
        let subscript = self.subscript(index, &mut buf)?;
        let array = self.array(place)?;
        self.note_index(index, &array);
        let found = array.borrow().get(subscript.key(&buf)).cloned();
        let value = match found {
            Some(v) => v,
            None => {
                if self.lints() {
                    let text = self.subscript_text(&subscript, &buf);
                    self.lint_element(&array, &text)?;
                }
                array.borrow_mut().slot(subscript.key(&buf)).clone()
            }
        };
        self.give_scratch(buf);
        if let Value::Array(_) = value {
            return Err(self.element_is_array(place, index));
        }
        Ok(value)
    }

    /// The text of an evaluated index.
    pub(super) fn subscript_text(&self, subscript: &Subscript, buf: &[u8]) -> Vec<u8> {
        match subscript {
            Subscript::Int(n) => crate::array::int_text(*n).as_bytes().to_vec(),
            Subscript::Text => buf.to_vec(),
        }
    }

    // An integer index becomes a text if the array stores texts.
    pub(super) fn note_index(&self, index: &[Expr], array: &ArrayRef) {
        if let [Expr::Var(v)] = index
            && let Value::Index(i) = self.var(*v)
            && !i.seen_as_text.get()
            && array.borrow().is_texts()
        {
            i.seen_as_text.set(true);
        }
    }

    /// Evaluates an index. A text is stored in `buf`.
    #[inline(never)]
    pub(super) fn subscript(&mut self, index: &'p [Expr], buf: &mut Vec<u8>) -> R<Subscript> {
        if let [one] = index {
            match one {
                Expr::Num(n) => {
                    if let Some(Key::Int(i)) = Key::of_number(*n) {
                        return Ok(Subscript::Int(i));
                    }
                }
                Expr::Var(v) => match self.var(*v) {
                    Value::Num(n) => {
                        if let Some(Key::Int(i)) = Key::of_number(*n) {
                            return Ok(Subscript::Int(i));
                        }
                    }
                    Value::Index(i) => return Ok(Subscript::Int(i.number)),
                    Value::Array(_) => return Err(self.array_as_scalar(*v)),
                    _ => {}
                },
                Expr::FieldNumber(_) | Expr::Field(_) | Expr::Concat(_) | Expr::Const(_) => {}
                _ => {
                    let value = self.eval(one)?;
                    if let Value::Num(n) = value
                        && let Some(Key::Int(i)) = Key::of_number(n)
                    {
                        return Ok(Subscript::Int(i));
                    }
                    self.push_value(&value, buf);
                    return Ok(Subscript::Text);
                }
            }
            self.append(one, buf)?;
            return Ok(Subscript::Text);
        }
        if !index.iter().all(Expr::is_simple) {
            // A later part may change SUBSEP, so the separators are inserted at the end.
            let mut ends = Vec::with_capacity(index.len());
            for part in index {
                ends.push(buf.len());
                self.append(part, buf)?;
            }
            for end in ends.into_iter().skip(1).rev() {
                buf.splice(end..end, self.subsep.iter().copied());
            }
            return Ok(Subscript::Text);
        }
        for (i, part) in index.iter().enumerate() {
            // Several indices in parentheses before `in` are one list.
            if i > 0 {
                buf.extend_from_slice(&self.subsep);
            }
            self.append(part, buf)?;
        }
        Ok(Subscript::Text)
    }
}

/// Compares two numbers. `None` if one is NaN.
pub(super) fn order(a: f64, b: f64) -> Option<Ordering> {
    a.partial_cmp(&b)
}

fn holds(op: Cmp, order: Option<Ordering>) -> bool {
    match (op, order) {
        (Cmp::Ne, None) => true,
        (_, None) => false,
        (Cmp::Lt, Some(o)) => o.is_lt(),
        (Cmp::Le, Some(o)) => o.is_le(),
        (Cmp::Eq, Some(o)) => o.is_eq(),
        (Cmp::Ne, Some(o)) => o.is_ne(),
        (Cmp::Gt, Some(o)) => o.is_gt(),
        (Cmp::Ge, Some(o)) => o.is_ge(),
    }
}

/// Converts to lower case, including non-ASCII letters.
pub(super) fn lower(text: &[u8]) -> Vec<u8> {
    map_chars(text, |c| c.to_lowercase().next().unwrap_or(c))
}

/// Applies `f` to each character of valid text.
pub(super) fn map_chars(text: &[u8], f: impl Fn(char) -> char) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut buf = [0; 4];
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            out.extend_from_slice(f(c).encode_utf8(&mut buf).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
    out
}
