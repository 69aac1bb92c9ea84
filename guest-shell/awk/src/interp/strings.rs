//! The built-in functions.

use super::eval::{map_chars, order};
use super::{Interp, R};
use crate::array::Key;
use crate::ast::*;
use crate::builtin::Builtin;
use crate::diag::{Pos, bytes};
use crate::number;
use crate::record::{Separator, split_all, split_pieces};
use crate::special;
use crate::text::{Text, count_chars};
use crate::value::{ArrayRef, Value};

impl<'p> Interp<'p> {
    #[inline(never)]
    pub(super) fn builtin(&mut self, b: Builtin, args: &'p [Expr], pos: Pos) -> R<Value> {
        self.pos = pos;
        Ok(match b {
            Builtin::Length => return self.length(args),
            Builtin::Substr => return self.substr(args),
            Builtin::Index => return self.index(args),
            Builtin::Split => return self.split(args),
            Builtin::Patsplit => return self.patsplit(args),
            Builtin::Match => return self.match_function(args),
            Builtin::Sub => return self.substitute(args, false),
            Builtin::Gsub => return self.substitute(args, true),
            Builtin::Gensub => return self.gensub(args),
            Builtin::Sprintf => {
                let out = self.sprintf(args)?;
                let value = Value::text(&out);
                self.give_scratch(out);
                value
            }
            Builtin::Tolower | Builtin::Toupper => {
                let Some(e) = args.first() else { return Ok(Value::Unassigned) };
                self.lint_string(b.name(), e, "argument")?;
                let text = self.text(e)?;
                let lower = b == Builtin::Tolower;
                if text.is_ascii() || self.options.dialect.bytes {
                    let text = if lower { text.to_ascii_lowercase() } else { text.to_ascii_uppercase() };
                    return Ok(Value::Str(Text::from_vec(text)));
                }
                self.note_invalid(&text);
                let replaced = replace_invalid(&text);
                let one = |mut i: Box<dyn Iterator<Item = char>>, c: char| match (i.next(), i.next()) {
                    (Some(x), None) => x,
                    _ => c,
                };
                Value::Str(Text::from_vec(map_chars(replaced.as_bytes(), |c| {
                    if lower {
                        one(Box::new(c.to_lowercase()), c)
                    } else {
                        one(Box::new(c.to_uppercase()), c)
                    }
                })))
            }
            Builtin::Close => {
                let name = self.text_arg(args, 0)?;
                let how = if args.len() > 1 { Some(self.text_arg(args, 1)?) } else { None };
                Value::Num(self.close(&name, how.as_deref())?)
            }
            Builtin::Fflush => {
                let name = if args.is_empty() { None } else { Some(self.text_arg(args, 0)?) };
                Value::Num(self.fflush(name.as_deref())?)
            }
            Builtin::System => {
                if let Some(e) = args.first() {
                    self.lint_string("system", e, "argument")?;
                }
                let command = self.text_arg(args, 0)?;
                Value::Num(self.system(&command)?)
            }
            Builtin::Asort | Builtin::Asorti => return self.asort(args, b == Builtin::Asorti),
            Builtin::Typeof => return self.type_of(args),
            Builtin::Isarray => {
                let is = match args.first() {
                    Some(Expr::Special(special::SYMTAB)) => true,
                    Some(Expr::Var(v)) => matches!(self.var(*v), Value::Array(_)),
                    Some(Expr::Elem(place, index)) => {
                        matches!(self.peek_elem(place, index)?, Some(Value::Array(_)))
                    }
                    _ => false,
                };
                Value::bool(is)
            }
            Builtin::Mkbool => Value::Bool(match args.first() {
                Some(e) => self.truth(e)?,
                None => false,
            }),
            Builtin::Systime => Value::Num((sandshell_sys::realtime() / 1_000_000_000) as f64),
            Builtin::Strftime => return self.strftime(args),
            Builtin::Mktime => return self.mktime(args),
            Builtin::Bindtextdomain => {
                let _ = self.text_arg(args, 0)?;
                Value::text(b"")
            }
            Builtin::Dcgettext => {
                let text = self.text_arg(args, 0)?;
                Value::text(&text)
            }
            Builtin::Dcngettext => {
                let n = match args.get(2) {
                    Some(e) => self.num(e)?,
                    None => 1.0,
                };
                let text = self.text_arg(args, usize::from(n != 1.0))?;
                Value::text(&text)
            }
            Builtin::Strtonum => {
                let Some(e) = args.first() else { return Ok(Value::Num(0.0)) };
                let value = self.eval(e)?;
                Value::Num(match &value {
                    Value::Num(n) => *n,
                    v => {
                        let text = self.text_of(v);
                        if text.len() > 1 && text[0] == b'0' {
                            number::scan_any_base(&text).0
                        } else {
                            number::prefix(&text)
                        }
                    }
                })
            }
            _ => return self.math(b, args),
        })
    }

    pub(super) fn text_arg(&mut self, args: &'p [Expr], n: usize) -> R<Vec<u8>> {
        match args.get(n) {
            Some(e) => self.text(e),
            None => Ok(Vec::new()),
        }
    }

    /// An argument that must be an array or become one.
    #[inline(never)]
    pub(super) fn array_argument(&mut self, e: &'p Expr, message: &str) -> R<ArrayRef> {
        match e {
            Expr::Var(v) => match self.var(*v) {
                Value::Array(a) => Ok(a.clone()),
                Value::Untyped => self.untyped_array(*v),
                _ => Err(self.fatal(message)),
            },
            Expr::Elem(place, index) => {
                let mut buf = self.take_scratch();
                let subscript = self.subscript(index, &mut buf)?;
                let outer = self.array(place)?;
                let found = {
                    let mut outer = outer.borrow_mut();
                    let slot = outer.slot(subscript.key(&buf));
                    match slot {
                        Value::Array(a) => Some(a.clone()),
                        Value::Untyped => {
                            let a = Value::new_array();
                            *slot = Value::Array(a.clone());
                            Some(a)
                        }
                        _ => None,
                    }
                };
                self.give_scratch(buf);
                match found {
                    Some(a) => Ok(a),
                    None => Err(self.fatal(message)),
                }
            }
            Expr::Special(g @ special::SYMTAB) => self.table(*g),
            Expr::Group(e) => self.array_argument(e, message),
            _ => Err(self.fatal(message)),
        }
    }

    // An element without creating it.
    #[inline(never)]
    fn peek_elem(&mut self, place: &'p ArrayPlace, index: &'p [Expr]) -> R<Option<Value>> {
        let mut buf = self.take_scratch();
        let subscript = self.subscript(index, &mut buf)?;
        let array = self.array(place)?;
        let value = array.borrow().get(subscript.key(&buf)).cloned();
        self.give_scratch(buf);
        Ok(value)
    }

    #[inline(never)]
    fn length(&mut self, args: &'p [Expr]) -> R<Value> {
        let bytes = self.options.dialect.bytes;
        let count = |s: &mut Self, t: &[u8]| {
            if bytes || t.is_ascii() {
                return t.len();
            }
            s.note_invalid(t);
            count_chars(t)
        };
        let n = match args.first() {
            None => {
                self.lint_record()?;
                self.whole_record();
                {
                    let text = self.record.text().unwrap_or_default().to_vec();
                    count(self, &text)
                }
            }
            Some(Expr::Var(v)) if matches!(self.var(*v), Value::Array(_)) => match self.var(*v) {
                Value::Array(a) => a.borrow().len(),
                _ => 0,
            },
            Some(Expr::Special(special::SYMTAB)) => self.table(special::SYMTAB)?.borrow().len(),
            // A parameter whose origin became an array after the call.
            Some(Expr::Var(v @ Var::Local(_)))
                if matches!(self.var(*v), Value::Untyped)
                    && matches!(self.origin_value(*v), Some(Value::Array(_))) =>
            {
                self.untyped_array(*v)?.borrow().len()
            }
            Some(Expr::Elem(place, index)) => match self.any_elem(place, index)? {
                Value::Array(a) => a.borrow().len(),
                value => {
                    let mut buf = self.take_scratch();
                    self.push_value(&value, &mut buf);
                    let n = count(self, &buf);
                    self.give_scratch(buf);
                    n
                }
            },
            Some(Expr::FieldNumber(n)) => {
                self.find_field(*n);
                match self.field_slice(*n) {
                    Some(t) if bytes || t.is_ascii() => t.len(),
                    Some(t) => {
                        let text = t.to_vec();
                        count(self, &text)
                    }
                    None => {
                        let v = self.field(*n)?;
                        {
                            let text = self.text_of(&v);
                            count(self, &text)
                        }
                    }
                }
            }
            Some(e) => {
                self.lint_string("length", e, "argument")?;
                let mut buf = self.take_scratch();
                self.append(e, &mut buf)?;
                let n = count(self, &buf);
                self.give_scratch(buf);
                n
            }
        };
        Ok(Value::Num(n as f64))
    }

    #[inline(never)]
    fn substr(&mut self, args: &'p [Expr]) -> R<Value> {
        let [text, start, rest @ ..] = args else { return Ok(Value::Unassigned) };
        self.lint_string("substr", text, "first argument")?;
        let mut buf = self.take_scratch();
        self.append(text, &mut buf)?;
        self.note_invalid(&buf);
        let given = self.number_argument(Builtin::Substr, start, "second ")?;
        let start = given.trunc().max(1.0);
        let mut asked = None;
        let length = match rest.first() {
            Some(e) => {
                let n = self.number_argument(Builtin::Substr, e, "third ")?;
                asked = Some(n);
                if n.is_nan() { 0.0 } else { n.trunc() }
            }
            None => f64::INFINITY,
        };
        let count = if self.options.dialect.bytes || buf.is_ascii() { buf.len() } else { count_chars(&buf) };
        self.lint_substr(count, given, asked)?;
        let first = start;
        let end = (start + length).min(count as f64 + 1.0);
        let value = if end > first {
            let (skip, n) = (first as usize - 1, (end - first) as usize);
            let piece = if self.options.dialect.bytes {
                buf.get(skip..skip + n).unwrap_or_default()
            } else {
                super::regex::chars(&buf, skip, n)
            };
            Value::text(piece)
        } else {
            Value::text(b"")
        };
        self.give_scratch(buf);
        Ok(value)
    }

    #[inline(never)]
    fn index(&mut self, args: &'p [Expr]) -> R<Value> {
        let [text, part] = args else { return Ok(Value::Num(0.0)) };
        if let Expr::Regex(_) = part {
            return Err(self.fatal("index: regexp constant as second argument is not allowed"));
        }
        self.lint_string("index", text, "first argument")?;
        self.lint_string("index", part, "second argument")?;
        let (mut a, mut b) = (self.take_scratch(), self.take_scratch());
        self.append(text, &mut a)?;
        self.append(part, &mut b)?;
        self.note_invalid(&a);
        if self.ignore_case {
            a = super::eval::lower(&a);
            b = super::eval::lower(&b);
        }
        let at = memchr::memmem::find(&a, &b);
        let n = match at {
            Some(i) if self.options.dialect.bytes => i + 1,
            Some(i) => count_chars(a.get(..i).unwrap_or_default()) + 1,
            None => 0,
        };
        self.give_scratch(a);
        self.give_scratch(b);
        Ok(Value::Num(n as f64))
    }

    #[inline(never)]
    fn split(&mut self, args: &'p [Expr]) -> R<Value> {
        let [text, array, rest @ ..] = args else { return Ok(Value::Num(0.0)) };
        let mut buf = self.take_scratch();
        self.append(text, &mut buf)?;
        let separator = match rest.first() {
            None => self.default_separator()?,
            Some(e) => {
                let p = match e {
                    Expr::Regex(p) => Some(p.clone()),
                    _ => None,
                };
                let p = match p {
                    Some(p) => Ok(p),
                    None => match self.eval(e)? {
                        Value::Regex(p) => Ok(p),
                        v => Err(self.text_of(&v)),
                    },
                };
                match p {
                    Ok(p) if p.source().is_empty() => Separator::Chars,
                    Ok(p) => Separator::Regex(p, self.ignore_case),
                    Err(fs) => self.field_separator(&fs, false)?,
                }
            }
        };
        self.refuse_table(array, "split", "second")?;
        let array = self.array_argument(array, "split: second argument is not an array")?;
        let seps = match rest.get(1) {
            Some(e) => Some(self.array_argument(e, "split: fourth argument is not an array")?),
            None => None,
        };
        if let Some(s) = &seps
            && std::rc::Rc::ptr_eq(s, &array)
        {
            return Err(self.fatal("split: cannot use the same array for second and fourth args"));
        }
        // When records are paragraphs and fields are separated by blanks, gawk omits an empty field at the end.
        let odd_end = matches!(separator, Separator::Regex(..))
            && matches!(self.terminator, crate::reader::Terminator::Paragraph)
            && matches!(self.separator, Separator::Blanks);
        array.borrow_mut().clear();
        let put = |a: &ArrayRef, i: usize, span: (usize, usize), input: bool| {
            let t = Text::new(buf.get(span.0..span.1).unwrap_or_default());
            *a.borrow_mut().slot(Key::Int(i as i64)) = if input { Value::Input(t) } else { Value::Str(t) };
        };
        let count;
        if let Some(seps) = seps {
            seps.borrow_mut().clear();
            let pieces = split_pieces(&buf, &separator);
            count = pieces.len();
            if let (Separator::Blanks, Some(first)) = (&separator, pieces.first())
                && first.0.0 > 0
            {
                put(&seps, 0, (0, first.0.0), false);
            }
            for (i, (field, sep)) in pieces.into_iter().enumerate() {
                put(&array, i + 1, field, true);
                if i + 1 < count || sep.0 < sep.1 {
                    put(&seps, i + 1, sep, false);
                }
            }
        } else {
            let mut fields = split_all(&buf, &separator);
            if odd_end && fields.last().is_some_and(|f| f.0 == f.1) {
                fields.pop();
            }
            count = fields.len();
            for (i, field) in fields.into_iter().enumerate() {
                put(&array, i + 1, field, true);
            }
        }
        self.give_scratch(buf);
        Ok(Value::Num(count as f64))
    }

    // The separator of `split` if none is given.
    fn default_separator(&mut self) -> R<Separator> {
        let fs = self.globals.get(crate::special::FS as usize).map(|v| self.text_of(v)).unwrap_or_default();
        self.field_separator(&fs, false)
    }

    #[inline(never)]
    fn patsplit(&mut self, args: &'p [Expr]) -> R<Value> {
        let [text, array, rest @ ..] = args else { return Ok(Value::Num(0.0)) };
        let text = self.text(text)?;
        let p = match rest.first() {
            Some(e) => self.operand_pattern(e)?,
            None => {
                let fpat = self
                    .globals
                    .get(crate::special::FPAT as usize)
                    .map(|v| self.text_of(v))
                    .unwrap_or_default();
                self.pattern_of(&fpat)?
            }
        };
        self.refuse_table(array, "patsplit", "second")?;
        let array = self.array_argument(array, "patsplit: second argument is not an array")?;
        let seps = match rest.get(1) {
            Some(e) => Some(self.array_argument(e, "patsplit: fourth argument is not an array")?),
            None => None,
        };
        array.borrow_mut().clear();
        if let Some(s) = &seps {
            s.borrow_mut().clear();
        }
        let fields = split_all(&text, &Separator::Content(p, self.ignore_case));
        let piece = |a: usize, b: usize| Text::new(text.get(a..b).unwrap_or_default());
        let mut after = 0;
        for (i, (a, b)) in fields.iter().copied().enumerate() {
            *array.borrow_mut().slot(Key::Int(i as i64 + 1)) = Value::Input(piece(a, b));
            if let Some(s) = &seps {
                *s.borrow_mut().slot(Key::Int(i as i64)) = Value::Str(piece(after, a));
            }
            after = b;
        }
        if let Some(s) = &seps
            && !(text.is_empty() && fields.is_empty())
        {
            let n = fields.len() as i64;
            *s.borrow_mut().slot(Key::Int(n)) = Value::Str(piece(after, text.len()));
        }
        Ok(Value::Num(fields.len() as f64))
    }

    #[inline(never)]
    fn type_of(&mut self, args: &'p [Expr]) -> R<Value> {
        let value = match args.first() {
            Some(Expr::Special(special::SYMTAB)) => Value::Array(self.table(special::SYMTAB)?),
            Some(Expr::Var(v)) => self.var(*v).clone(),
            Some(Expr::Elem(place, index)) => self.any_elem(place, index)?,
            Some(Expr::Const(Value::Regex(p))) => Value::Regex(p.clone()),
            Some(e) => self.eval(e)?,
            None => Value::Untyped,
        };
        if let Value::Index(i) = &value {
            i.seen_as_text.set(true);
        }
        if let (Value::Array(array), Some(details)) = (&value, args.get(1)) {
            let details = self.array_argument(details, "typeof: second argument is not an array")?;
            let kind = array.borrow().kind();
            *details.borrow_mut().slot(Key::Text(b"array_type")) = Value::text(kind.as_bytes());
        }
        let name: &[u8] = match &value {
            Value::Untyped => b"untyped",
            Value::Unassigned | Value::Missing => b"unassigned",
            Value::Num(_) => b"number",
            Value::Bool(_) => b"number|bool",
            Value::Str(_) | Value::Index(_) => b"string",
            Value::Input(_) if value.is_number() => b"strnum",
            Value::Input(_) => b"string",
            Value::Regex(_) => b"regexp",
            Value::Array(_) => b"array",
        };
        Ok(Value::text(name))
    }

    pub(super) fn number_warning(&mut self, name: &str, text: &str, n: f64) {
        let mut shown = Vec::new();
        crate::float::push_g(&mut shown, n, 6);
        self.warn(bytes!(name, ": ", text, " ", shown));
        let _ = order(n, n);
    }
}

// Replaces each byte that is not part of valid UTF-8 by the replacement character.
fn replace_invalid(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    out
}
