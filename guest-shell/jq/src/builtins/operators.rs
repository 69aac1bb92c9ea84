//! `+ - * / %`, comparisons, negation.

use crate::dump;
use crate::lang::ast::Operator;
use crate::object::Object;
use crate::text::Text;
use crate::value::{Val, compare};
use std::cmp::Ordering;
use std::rc::Rc;

type ValResult = Result<Val, Val>;

/// The maximum length in bytes of a repeated string. This limit is not jq's.
const LONGEST: usize = 1 << 30;

/// Computes `a op b`.
pub(crate) fn binary(op: Operator, a: Val, b: Val) -> ValResult {
    use Operator as O;
    if let (Val::Num(x), Val::Num(y)) = (&a, &b) {
        let (x, y) = (*x, *y);
        match op {
            O::Add => return Ok(Val::Num(x + y)),
            O::Subtract => return Ok(Val::Num(x - y)),
            O::Multiply => return Ok(Val::Num(x * y)),
            O::Equal => return Ok(Val::Bool(x == y)),
            O::NotEqual => return Ok(Val::Bool(x != y)),
            _ => {}
        }
    }
    match op {
        O::Add => add(a, b),
        O::Subtract => subtract(a, b),
        O::Multiply => multiply(a, b),
        O::Divide => divide(a, b),
        O::Modulo => modulo(a, b),
        O::Equal => Ok(Val::Bool(a == b)),
        O::NotEqual => Ok(Val::Bool(a != b)),
        O::Less => Ok(Val::Bool(compare(&a, &b) == Ordering::Less)),
        O::LessOrEqual => Ok(Val::Bool(compare(&a, &b) != Ordering::Greater)),
        O::Greater => Ok(Val::Bool(compare(&a, &b) == Ordering::Greater)),
        O::GreaterOrEqual => Ok(Val::Bool(compare(&a, &b) != Ordering::Less)),
    }
}

pub(crate) fn add(a: Val, b: Val) -> ValResult {
    Ok(match (a, b) {
        (Val::Null, v) | (v, Val::Null) => v,
        (Val::Str(mut a), Val::Str(b)) => {
            a.push(b.bytes());
            Val::Str(a)
        }
        (Val::Arr(mut a), Val::Arr(b)) => {
            let list = Rc::make_mut(&mut a);
            match Rc::try_unwrap(b) {
                Ok(mut b) => list.0.append(&mut b.0),
                Err(b) => list.0.extend(b.0.iter().cloned()),
            }
            Val::Arr(a)
        }
        (Val::Obj(mut a), Val::Obj(b)) => {
            let object = Rc::make_mut(&mut a);
            for (k, v) in b.entries() {
                object.insert(k.clone(), v.clone());
            }
            Val::Obj(a)
        }
        (a, b) => match (a.num(), b.num()) {
            (Some(x), Some(y)) => Val::Num(x + y),
            _ => return Err(type_error2(&a, &b, "cannot be added")),
        },
    })
}

pub(crate) fn negate(v: Val) -> ValResult {
    match v.num() {
        Some(n) => Ok(Val::Num(-n)),
        None => Err(type_error(&v, "cannot be negated")),
    }
}

/// `KIND (VALUE) MESSAGE`
pub(crate) fn type_error(v: &Val, message: &str) -> Val {
    Val::from_string(format!("{} ({}) {message}", v.kind(), dump::excerpt(v, 14)))
}

/// `KIND (VALUE) and KIND (VALUE) MESSAGE`
pub(crate) fn type_error2(a: &Val, b: &Val, message: &str) -> Val {
    let (x, y) = (dump::excerpt(a, 14), dump::excerpt(b, 14));
    Val::from_string(format!("{} ({x}) and {} ({y}) {message}", a.kind(), b.kind()))
}

pub(crate) fn bad_key(key: &Val) -> Val {
    let text = format!("Cannot use {} ({}) as object key", key.kind(), dump::excerpt(key, 14));
    Val::from_string(text)
}

/// The parts of a string between separators. With an empty separator, its characters.
pub(crate) fn split(text: &Text, separator: &Text) -> Val {
    let (s, sep) = (text.bytes(), separator.bytes());
    if s.is_empty() {
        return Val::arr(Vec::new());
    }
    if sep.is_empty() {
        let mut buf = [0; 4];
        let chars = text.str().chars();
        return Val::arr(chars.map(|c| Val::Str(Text::from(&*c.encode_utf8(&mut buf)))).collect());
    }
    Val::arr(text.str().split(separator.str()).map(|p| Val::Str(Text::from(p))).collect())
}

fn subtract(a: Val, b: Val) -> ValResult {
    match (&a, &b) {
        (Val::Arr(x), Val::Arr(y)) => {
            Ok(Val::arr(x.0.iter().filter(|v| !y.0.contains(v)).cloned().collect()))
        }
        _ => match (a.num(), b.num()) {
            (Some(x), Some(y)) => Ok(Val::Num(x - y)),
            _ => Err(type_error2(&a, &b, "cannot be subtracted")),
        },
    }
}

fn multiply(a: Val, b: Val) -> ValResult {
    match (a, b) {
        (Val::Obj(a), Val::Obj(b)) => merge(a, &b, 0).map(Val::Obj),
        (Val::Str(text), n) | (n, Val::Str(text)) if n.num().is_some() => {
            repeat(&text, n.num().unwrap_or(0.0))
        }
        (a, b) => match (a.num(), b.num()) {
            (Some(x), Some(y)) => Ok(Val::Num(x * y)),
            _ => Err(type_error2(&a, &b, "cannot be multiplied")),
        },
    }
}

fn repeat(text: &Text, n: f64) -> ValResult {
    if n < 0.0 || n.is_nan() {
        return Ok(Val::Null);
    }
    let bytes = text.bytes();
    let n = n as usize;
    match bytes.len().checked_mul(n) {
        Some(size) if size <= LONGEST => Ok(Val::Str(Text::from_valid_vec(bytes.repeat(n)))),
        _ => Err(Val::str("Repeat string result too long")),
    }
}

/// The maximum depth for merging objects, which keeps the stack small. This limit is not jq's.
const DEEPEST: usize = 2000;

fn merge(mut a: Rc<Object>, b: &Object, depth: usize) -> Result<Rc<Object>, Val> {
    if depth > DEEPEST {
        return Err(Val::str("Objects are nested too deeply to be merged"));
    }
    let object = Rc::make_mut(&mut a);
    for (k, v) in b.entries() {
        let merged = match (object.get_mut(k), v) {
            (Some(old @ Val::Obj(_)), Val::Obj(new)) => match std::mem::take(old) {
                Val::Obj(old) => Val::Obj(merge(old, new, depth + 1)?),
                other => other,
            },
            _ => v.clone(),
        };
        object.insert(k.clone(), merged);
    }
    Ok(a)
}

fn divide(a: Val, b: Val) -> ValResult {
    match (&a, &b) {
        (Val::Str(x), Val::Str(y)) => Ok(split(x, y)),
        _ => match (a.num(), b.num()) {
            (Some(_), Some(0.0)) => Err(type_error2(&a, &b, "cannot be divided because the divisor is zero")),
            (Some(x), Some(y)) => Ok(Val::Num(x / y)),
            _ => Err(type_error2(&a, &b, "cannot be divided")),
        },
    }
}

fn modulo(a: Val, b: Val) -> ValResult {
    let (Some(x), Some(y)) = (a.num(), b.num()) else {
        return Err(type_error2(&a, &b, "cannot be divided (remainder)"));
    };
    if x.is_nan() || y.is_nan() {
        return Ok(Val::Num(f64::NAN));
    }
    // As in jq, these casts saturate.
    let (x, y) = (x as i64, y as i64);
    if y == 0 {
        return Err(type_error2(&a, &b, "cannot be divided (remainder) because the divisor is zero"));
    }
    Ok(Val::Num(x.checked_rem(y).unwrap_or(0) as f64))
}
