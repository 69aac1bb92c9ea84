//! Matching and substitution.

use super::{Interp, R};
use crate::ast::*;
use crate::pattern::Pattern;
use crate::text::{char_len, char_offset, count_chars};
use crate::value::Value;
use sandshell_regex::Regex;
use std::rc::Rc;

impl<'p> Interp<'p> {
    /// The regular expression for an operand: a literal, a strongly typed one, or the text of a value.
    #[inline(never)]
    pub(super) fn operand_pattern(&mut self, e: &'p Expr) -> R<Rc<Pattern>> {
        match e {
            Expr::Regex(p) => Ok(p.clone()),
            Expr::Group(e) if matches!(**e, Expr::Regex(_)) => self.operand_pattern(e),
            _ => match self.eval(e)? {
                Value::Regex(p) => Ok(p),
                v => {
                    let text = self.text_of(&v);
                    self.pattern_of(&text)
                }
            },
        }
    }

    #[inline(never)]
    pub(super) fn matches(&mut self, text: &'p Expr, pattern: &'p Expr) -> R<bool> {
        let icase = self.ignore_case;
        if let (Expr::FieldNumber(n), Expr::Regex(p)) = (text, pattern) {
            self.find_field(*n);
            if let Some(t) = self.field_slice(*n) {
                return Ok(p.regex(icase).is_match(t));
            }
        }
        let mut buf = self.take_scratch();
        self.append(text, &mut buf)?;
        let p = self.operand_pattern(pattern)?;
        let found = p.regex(icase).is_match(&buf);
        self.give_scratch(buf);
        Ok(found)
    }

    /// `match(text, pattern [, array])`.
    #[inline(never)]
    pub(super) fn match_function(&mut self, args: &'p [Expr]) -> R<Value> {
        let [text, pattern, rest @ ..] = args else { return Ok(Value::Num(0.0)) };
        self.lint_string("match", text, "first argument")?;
        let text = self.text(text)?;
        self.note_invalid(&text);
        let p = self.operand_pattern(pattern)?;
        let array = match rest.first() {
            Some(e) => {
                self.refuse_table(e, "match", "third")?;
                Some(self.array_argument(e, "match: third argument is not an array")?)
            }
            None => None,
        };
        let re = p.regex(self.ignore_case);
        if let Some(a) = &array {
            a.borrow_mut().clear();
        }
        let place = |at: usize| count_chars(text.get(..at).unwrap_or_default());
        let found = if array.is_some() {
            re.captures_at(&text, 0, false)
        } else {
            re.find_at(&text, 0, false).map(|m| vec![Some(m)])
        };
        let (mut start, mut length) = (0.0, -1.0);
        if let Some(groups) = found {
            if let Some(Some((a, b))) = groups.first() {
                start = (place(*a) + 1) as f64;
                length = count_chars(text.get(*a..*b).unwrap_or_default()) as f64;
            }
            if let Some(array) = array {
                let subsep = self.subsep.clone();
                for (i, group) in groups.iter().enumerate() {
                    let Some((a, b)) = *group else { continue };
                    let piece = text.get(a..b).unwrap_or_default();
                    let mut array = array.borrow_mut();
                    let mut put = |suffix: &[u8], value: Value| {
                        let mut key = Vec::new();
                        crate::number::push_int(&mut key, i as i64);
                        if !suffix.is_empty() {
                            key.extend_from_slice(&subsep);
                            key.extend_from_slice(suffix);
                        }
                        *array.slot(crate::array::Key::of_text(&key)) = value;
                    };
                    put(b"", Value::Input(crate::text::Text::new(piece)));
                    put(b"start", Value::Num((place(a) + 1) as f64));
                    put(b"length", Value::Num(count_chars(piece) as f64));
                }
            }
        }
        self.globals[crate::special::RSTART as usize] = Value::Num(start);
        self.globals[crate::special::RLENGTH as usize] = Value::Num(length);
        Ok(Value::Num(start))
    }

    /// `sub` and `gsub`.
    #[inline(never)]
    pub(super) fn substitute(&mut self, args: &'p [Expr], global: bool) -> R<Value> {
        let [pattern, replacement, rest @ ..] = args else { return Ok(Value::Num(0.0)) };
        let p = self.operand_pattern(pattern)?;
        let mut new = self.take_scratch();
        self.append(replacement, &mut new)?;
        let target = rest.first();
        if let Some(Expr::Elem(array, index)) = target
            && !matches!(array, ArrayPlace::Table(_))
        {
            let count = self.substitute_element(array, index, &p, &new, global)?;
            self.give_scratch(new);
            return Ok(Value::Num(count as f64));
        }
        // The field's number is evaluated only once. A missing field is created even if nothing is replaced.
        let field = match target {
            Some(Expr::FieldNumber(n)) => Some(*n),
            Some(Expr::Field(e)) => Some(self.field_number(e)?),
            None => Some(0),
            _ => None,
        };
        if let Some(n @ 1..=50_000_000) = field
            && n > self.count_fields()
        {
            self.record.extend(n);
        }
        let mut text = self.take_scratch();
        match (field, target) {
            (Some(0), _) => {
                self.whole_record();
                text.extend_from_slice(self.record.text().unwrap_or_default());
            }
            (Some(n), _) => {
                let value = self.field(n)?;
                self.push_value(&value, &mut text);
            }
            (None, Some(e)) => self.append(e, &mut text)?,
            (None, None) => {}
        }
        let mut out = self.take_scratch();
        let count = self.replace_in(&text, &p, &new, global, &mut out);
        if count > 0 {
            match target {
                _ if let Some(n) = field => match n {
                    0 => self.record.set_as(&out, crate::record::Kind::Text),
                    n => self.set_field(n, Value::text(&out))?,
                },
                Some(Expr::Var(v)) if matches!(self.var(*v), Value::Regex(_)) => {
                    let changed = self.pattern_of(&out)?;
                    self.set_var(*v, Value::Regex(changed))?;
                }
                Some(e) => self.store_expr(e, Value::text(&out))?,
                None => {}
            }
        }
        self.give_scratch(out);
        self.give_scratch(text);
        self.give_scratch(new);
        Ok(Value::Num(count as f64))
    }

    // Replaces text in an element, whose index is evaluated only once.
    fn substitute_element(
        &mut self,
        array: &'p ArrayPlace,
        index: &'p [Expr],
        p: &Pattern,
        new: &[u8],
        global: bool,
    ) -> R<usize> {
        let mut buf = self.take_scratch();
        let subscript = self.subscript(index, &mut buf)?;
        let place = self.array(array)?;
        self.note_index(index, &place);
        let value = place.borrow_mut().slot(subscript.key(&buf)).clone();
        if let Value::Array(_) = value {
            return Err(self.element_is_array(array, index));
        }
        let mut text = self.take_scratch();
        self.push_value(&value, &mut text);
        let mut out = self.take_scratch();
        let count = self.replace_in(&text, p, new, global, &mut out);
        if count > 0 {
            let changed = match value {
                Value::Regex(_) => Value::Regex(self.pattern_of(&out)?),
                _ => Value::text(&out),
            };
            *place.borrow_mut().slot(subscript.key(&buf)) = changed;
        }
        self.give_scratch(out);
        self.give_scratch(text);
        self.give_scratch(buf);
        Ok(count)
    }

    // Appends the changed text to `out`. Returns the number of replacements.
    fn replace_in(&self, text: &[u8], p: &Pattern, new: &[u8], global: bool, out: &mut Vec<u8>) -> usize {
        let template = Template::for_sub(new, self.options.dialect.posix);
        let which = if global { Which::All } else { Which::Number(1) };
        let by_bytes = !self.ignore_case && !self.options.dialect.bytes;
        replace(p.regex(self.ignore_case), text, &template, which, by_bytes, out)
    }

    /// `gensub`.
    #[inline(never)]
    pub(super) fn gensub(&mut self, args: &'p [Expr]) -> R<Value> {
        let [pattern, replacement, how, rest @ ..] = args else { return Ok(Value::Unassigned) };
        let p = self.operand_pattern(pattern)?;
        let new = self.text(replacement)?;
        let how = self.eval(how)?;
        let how_text = self.text_of(&how);
        let which = if matches!(how_text.first(), Some(b'g' | b'G')) {
            Which::All
        } else {
            let n = how.num();
            if n < 1.0 || n.is_nan() {
                self.warn(crate::diag::bytes!("gensub: third argument `", how_text, "' treated as 1"));
                Which::Number(1)
            } else {
                Which::Number(n as usize)
            }
        };
        let text = match rest.first() {
            Some(e) => self.text(e)?,
            None => {
                self.whole_record();
                self.record.text().unwrap_or_default().to_vec()
            }
        };
        let mut out = Vec::new();
        let template = Template::for_gensub(&new);
        let by_bytes = !self.ignore_case && !self.options.dialect.bytes;
        replace(p.regex(self.ignore_case), &text, &template, which, by_bytes, &mut out);
        Ok(Value::text(&out))
    }

    // Assigns to an expression if it is a place; otherwise does nothing.
    #[inline(never)]
    pub(super) fn store_expr(&mut self, e: &'p Expr, value: Value) -> R<()> {
        match e {
            Expr::Var(v) => self.set_var(*v, value),
            Expr::Special(g) => self.set_special(*g, value),
            Expr::FieldNumber(n) => self.set_field(*n, value),
            Expr::Field(e) => {
                let n = self.field_number(e)?;
                self.set_field(n, value)
            }
            Expr::Elem(ArrayPlace::Table(g), index) => self.store_table(*g, index, value),
            Expr::Elem(place, index) => {
                let mut buf = self.take_scratch();
                let subscript = self.subscript(index, &mut buf)?;
                let array = self.array(place)?;
                *array.borrow_mut().slot(subscript.key(&buf)) = value;
                self.give_scratch(buf);
                Ok(())
            }
            Expr::Group(e) => self.store_expr(e, value),
            _ => Ok(()),
        }
    }
}

/// The matches to replace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    Number(usize),
}

/// A replacement text: literal parts and groups.
struct Template {
    parts: Vec<Part>,
    groups: bool,
}

enum Part {
    Text(Vec<u8>),
    Group(usize),
}

impl Template {
    fn push(&mut self, b: u8) {
        if let Some(Part::Text(t)) = self.parts.last_mut() {
            t.push(b);
        } else {
            self.parts.push(Part::Text(vec![b]));
        }
    }

    // `&` is the match, `\&` is a literal `&`, and `\\&` is a backslash and the match. `\\\&` and `\\\\` lose two
    // backslashes. In POSIX mode, only `\&` and `\\` are special.
    fn for_sub(text: &[u8], posix: bool) -> Self {
        let mut t = Self { parts: Vec::new(), groups: false };
        let mut at = 0;
        while let Some(b) = text.get(at).copied() {
            let rest = text.get(at..).unwrap_or_default();
            if posix && (rest.starts_with(b"\\&") || rest.starts_with(b"\\\\")) {
                t.push(rest[1]);
                at += 2;
            } else if posix && b == b'\\' {
                t.push(b);
                at += 1;
            } else if rest.starts_with(b"\\\\\\&") || rest.starts_with(b"\\\\\\\\") {
                t.push(b'\\');
                t.push(rest[3]);
                at += 4;
            } else if b == b'\\' && rest.starts_with(b"\\\\&") {
                t.push(b'\\');
                t.parts.push(Part::Group(0));
                at += 3;
            } else if b == b'\\' && rest.starts_with(b"\\&") {
                t.push(b'&');
                at += 2;
            } else if b == b'&' {
                t.parts.push(Part::Group(0));
                at += 1;
            } else {
                t.push(b);
                at += 1;
            }
        }
        t
    }

    // `\0` to `\9` are groups. A backslash before another character makes it literal.
    fn for_gensub(text: &[u8]) -> Self {
        let mut t = Self { parts: Vec::new(), groups: false };
        let mut at = 0;
        while let Some(b) = text.get(at).copied() {
            at += 1;
            match (b, text.get(at).copied()) {
                (b'\\', Some(d @ b'0'..=b'9')) => {
                    t.groups |= d != b'0';
                    t.parts.push(Part::Group(usize::from(d - b'0')));
                    at += 1;
                }
                (b'\\', Some(c)) => {
                    t.push(c);
                    at += 1;
                }
                (b'&', _) => t.parts.push(Part::Group(0)),
                _ => t.push(b),
            }
        }
        t
    }
}

// Replaces matches. Returns how many.
fn replace(
    re: &Regex,
    text: &[u8],
    template: &Template,
    which: Which,
    by_bytes: bool,
    out: &mut Vec<u8>,
) -> usize {
    let mut at = 0;
    let mut copied = 0;
    let mut seen = 0;
    let mut count = 0;
    // The end of the previous match. An empty match at this position does not count.
    let mut last_end = None;
    while at <= text.len() {
        let groups;
        let (a, b) = if template.groups {
            match re.captures_at(text, at, false) {
                Some(g) => {
                    let Some(Some(m)) = g.first().copied() else { break };
                    groups = g;
                    m
                }
                None => break,
            }
        } else {
            match re.find_at(text, at, false) {
                Some(m) => {
                    groups = Vec::new();
                    m
                }
                None => break,
            }
        };
        if a == b && last_end == Some(a) {
            at = a + char_len(text, a).max(1);
            continue;
        }
        seen += 1;
        if which == Which::All || which == Which::Number(seen) {
            out.extend_from_slice(text.get(copied..a).unwrap_or_default());
            for part in &template.parts {
                match part {
                    Part::Text(t) => out.extend_from_slice(t),
                    Part::Group(0) => out.extend_from_slice(text.get(a..b).unwrap_or_default()),
                    Part::Group(n) => {
                        if let Some(Some((x, y))) = groups.get(*n) {
                            out.extend_from_slice(text.get(*x..*y).unwrap_or_default());
                        }
                    }
                }
            }
            copied = b;
            count += 1;
            if which != Which::All {
                break;
            }
        }
        last_end = Some(b);
        at = if a == b { a + char_len(text, a).max(1) } else { b };
        if a == b && at > a + 1 && which == Which::All && by_bytes && matches_nowhere(re) {
            // gawk advances by one byte, and so finds the empty string inside of characters too.
            for i in a + 1..at {
                out.extend_from_slice(text.get(copied..i).unwrap_or_default());
                for part in &template.parts {
                    if let Part::Text(t) = part {
                        out.extend_from_slice(t);
                    }
                }
                copied = i;
                count += 1;
            }
        }
    }
    if count > 0 || out.is_empty() {
        out.extend_from_slice(text.get(copied..).unwrap_or_default());
    }
    count
}

// Whether an expression matches the empty string between bytes that are not valid characters.
fn matches_nowhere(re: &Regex) -> bool {
    re.find_at(b"\x01\xff\x01", 1, false) == Some((1, 1))
}

/// Bytes of the first `n` characters after character `start`.
pub(super) fn chars(text: &[u8], start: usize, n: usize) -> &[u8] {
    if text.is_ascii() {
        let end = start.saturating_add(n).min(text.len());
        return text.get(start..end).unwrap_or_default();
    }
    let a = char_offset(text, start);
    let rest = text.get(a..).unwrap_or_default();
    rest.get(..char_offset(rest, n)).unwrap_or_default()
}
