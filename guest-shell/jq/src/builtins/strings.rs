//! Functions of strings.

use crate::builtins::operators::{add, split as split_text, type_error};
use crate::builtins::{paths, take, to_string};
use crate::reader;
use crate::text::Text;
use crate::value::Val;

type ValResult = Result<Val, Val>;

pub(crate) fn downcase(v: Val) -> ValResult {
    map_ascii(v, |b| b.to_ascii_lowercase())
}

pub(crate) fn upcase(v: Val) -> ValResult {
    map_ascii(v, |b| b.to_ascii_uppercase())
}

fn map_ascii(v: Val, f: impl Fn(u8) -> u8) -> ValResult {
    match v {
        Val::Str(s) => Ok(Val::Str(Text::from_valid_vec(s.bytes().iter().map(|b| f(*b)).collect()))),
        _ => Err(Val::str("explode input must be a string")),
    }
}

pub(crate) fn explode(v: Val) -> ValResult {
    match v {
        Val::Str(s) => Ok(Val::arr(s.str().chars().map(|c| Val::Num(f64::from(u32::from(c)))).collect())),
        _ => Err(Val::str("explode input must be a string")),
    }
}

pub(crate) fn implode(v: Val) -> ValResult {
    let Val::Arr(list) = v else { return Err(Val::str("implode input must be an array")) };
    let mut out = String::new();
    for code in &list.0 {
        match code.num() {
            Some(n) if !n.is_nan() => {
                let code = if n > -1.0 { n as u32 } else { u32::MAX };
                out.push(char::from_u32(code).unwrap_or('\u{FFFD}'));
            }
            _ => return Err(type_error(code, "can't be imploded, unicode codepoint needs to be numeric")),
        }
    }
    Ok(Val::from_string(out))
}

pub(crate) fn from_json(v: Val) -> ValResult {
    match &v {
        Val::Str(s) => reader::parse_text(s.bytes()).map_err(Val::from_string),
        _ => Err(type_error(&v, "only strings can be parsed")),
    }
}

pub(crate) fn to_number(v: Val) -> ValResult {
    match &v {
        Val::Num(_) | Val::Literal(_) => Ok(v),
        Val::Str(s) => {
            let text = s.bytes().split(|b| *b == 0).next().unwrap_or_default();
            match reader::parse_text(text).map_err(Val::from_string)? {
                n @ (Val::Num(_) | Val::Literal(_)) => Ok(n),
                _ => Err(type_error(&v, "cannot be parsed as a number")),
            }
        }
        _ => Err(type_error(&v, "cannot be parsed as a number")),
    }
}

pub(crate) fn byte_length(v: Val) -> ValResult {
    match &v {
        Val::Str(s) => Ok(Val::Num(s.bytes().len() as f64)),
        _ => Err(type_error(&v, "only strings have UTF-8 byte length")),
    }
}

pub(crate) fn starts_with(args: &mut [Val]) -> ValResult {
    match (take(args, 0), take(args, 1)) {
        (Val::Str(a), Val::Str(b)) => Ok(Val::Bool(a.bytes().starts_with(b.bytes()))),
        _ => Err(Val::str("startswith() requires string inputs")),
    }
}

pub(crate) fn ends_with(args: &mut [Val]) -> ValResult {
    match (take(args, 0), take(args, 1)) {
        (Val::Str(a), Val::Str(b)) => Ok(Val::Bool(a.bytes().ends_with(b.bytes()))),
        _ => Err(Val::str("endswith() requires string inputs")),
    }
}

pub(crate) fn trim_start(args: &mut [Val]) -> ValResult {
    let input = take(args, 0);
    if let (Val::Str(a), Val::Str(b)) = (&input, take(args, 1))
        && let Some(rest) = a.bytes().strip_prefix(b.bytes())
    {
        return Ok(Val::Str(Text::from_valid(rest)));
    }
    Ok(input)
}

pub(crate) fn trim_end(args: &mut [Val]) -> ValResult {
    let input = take(args, 0);
    if let (Val::Str(a), Val::Str(b)) = (&input, take(args, 1))
        && let Some(rest) = a.bytes().strip_suffix(b.bytes())
    {
        return Ok(Val::Str(Text::from_valid(rest)));
    }
    Ok(input)
}

pub(crate) fn split(args: &mut [Val]) -> ValResult {
    match (take(args, 0), take(args, 1)) {
        (Val::Str(a), Val::Str(b)) => Ok(split_text(&a, &b)),
        _ => Err(Val::str("split input and separator must be strings")),
    }
}

/// The positions of `$i`: byte offsets in strings, indices in arrays.
pub(crate) fn indices(args: &mut [Val]) -> ValResult {
    let (input, wanted) = (take(args, 0), take(args, 1));
    match (&input, &wanted) {
        (Val::Arr(list), Val::Arr(part)) => Ok(paths::occurrences(list, part)),
        (Val::Arr(list), _) => {
            let found = list.0.iter().enumerate().filter(|(_, v)| **v == wanted);
            Ok(Val::arr(found.map(|(i, _)| Val::Num(i as f64)).collect()))
        }
        (Val::Str(a), Val::Str(b)) => {
            let (a, b) = (a.bytes(), b.bytes());
            if b.is_empty() {
                return Ok(Val::arr(Vec::new()));
            }
            let found = a.windows(b.len()).enumerate().filter(|(_, w)| *w == b);
            Ok(Val::arr(found.map(|(i, _)| Val::Num(i as f64)).collect()))
        }
        _ => paths::index(&input, &wanted),
    }
}

/// Joins elements. Null counts as an empty string; numbers and booleans are converted.
pub(crate) fn join(args: &mut [Val]) -> ValResult {
    let (input, separator) = (take(args, 0), take(args, 1));
    let elements: Vec<Val> = match &input {
        Val::Arr(list) => list.0.clone(),
        Val::Obj(o) => o.entries().iter().map(|e| e.1.clone()).collect(),
        other => {
            let text = format!("Cannot iterate over {} ({})", other.kind(), crate::dump::excerpt(other, 14));
            return Err(Val::from_string(text));
        }
    };
    let mut all = Val::Null;
    for v in elements {
        let piece = match v {
            Val::Null => Val::str(""),
            Val::Bool(_) | Val::Num(_) | Val::Literal(_) => Val::Str(to_string(v)),
            other => other,
        };
        let start = if all.is_null() { Val::str("") } else { add(all, separator.clone())? };
        all = add(start, piece)?;
    }
    Ok(if all.truthy() { all } else { Val::str("") })
}
