//! `match` and related functions: regular expressions in Oniguruma's Perl syntax.

mod syntax;

use crate::builtins::operators::{add, type_error};
use crate::builtins::paths::substring;
use crate::builtins::take;
use crate::object::Object;
use crate::text::{Text, count_chars};
use crate::value::Val;
use fancy_regex::{Captures, Regex};
use std::cell::RefCell;
use std::rc::Rc;

type ValResult = Result<Val, Val>;

/// All matches, as objects. The arguments are input, expression and flags.
pub(crate) fn matches(args: &mut [Val]) -> ValResult {
    search(&take(args, 0), &take(args, 1), &take(args, 2), false)
}

/// As `matches`, but the only argument is a string or `[expression, flags]`.
pub(crate) fn matches_one(args: &mut [Val]) -> ValResult {
    let (pattern, flags) = one_or_both(take(args, 1))?;
    search(&take(args, 0), &pattern, &flags, false)
}

/// Whether there is a match.
pub(crate) fn test(args: &mut [Val]) -> ValResult {
    search(&take(args, 0), &take(args, 1), &take(args, 2), true)
}

/// As `test`, but the only argument is a string or `[expression, flags]`.
pub(crate) fn test_one(args: &mut [Val]) -> ValResult {
    let (pattern, flags) = one_or_both(take(args, 1))?;
    search(&take(args, 0), &pattern, &flags, true)
}

/// The named groups of a match as an object.
pub(crate) fn named_groups(found: Val) -> ValResult {
    let mut named = Object::new();
    for group in groups(&found) {
        if let Val::Str(name) = field(group, "name") {
            named.insert(name, field(group, "string"));
        }
    }
    Ok(Val::obj(named))
}

/// The result of `scan` for a match: its text, or the texts of its groups if it has any.
pub(crate) fn scanned(found: Val) -> ValResult {
    Ok(match groups(&found) {
        [] => field(&found, "string"),
        groups => Val::arr(groups.iter().map(|group| field(group, "string")).collect()),
    })
}

/// The parts of a string between matches. The arguments are the string and the matches.
pub(crate) fn between(args: &mut [Val]) -> ValResult {
    let (input, found) = (take(args, 0), take(args, 1));
    let (Val::Str(text), Val::Arr(found)) = (&input, &found) else { return Ok(Val::Null) };
    let mut parts = Vec::with_capacity(found.0.len() + 1);
    let mut from = 0;
    for (start, end) in found.0.iter().map(span) {
        parts.push(Val::Str(substring(text, from, start)));
        from = end;
    }
    parts.push(Val::Str(substring(text, from, usize::MAX)));
    Ok(Val::arr(parts))
}

/// The results of `sub`. The arguments are the string and a list in which each match is followed by the list of its
/// replacements.
///
/// The first result uses the first replacement of each match, the second result the second ones, and so on.
pub(crate) fn replaced(args: &mut [Val]) -> ValResult {
    let (input, edits) = (take(args, 0), take(args, 1));
    let (Val::Str(text), Val::Arr(edits)) = (&input, &edits) else { return Ok(Val::Null) };
    let mut results: Vec<Val> = Vec::new();
    let mut from = 0;
    for edit in edits.0.chunks_exact(2) {
        let [found, Val::Arr(replacements)] = edit else { continue };
        let (start, end) = span(found);
        let kept = Val::Str(substring(text, from, start));
        for (i, replacement) in replacements.0.iter().enumerate() {
            let piece = add(kept.clone(), replacement.clone())?;
            match results.get_mut(i) {
                Some(result) => *result = add(std::mem::take(result), piece)?,
                None => results.push(piece),
            }
        }
        from = end;
    }
    if results.is_empty() {
        return Ok(Val::arr(vec![input]));
    }
    let rest = Val::Str(substring(text, from, usize::MAX));
    let whole: Result<Vec<Val>, Val> = results.into_iter().map(|result| add(result, rest.clone())).collect();
    whole.map(Val::arr)
}

fn search(input: &Val, pattern: &Val, flags: &Val, test: bool) -> ValResult {
    let Val::Str(text) = input else {
        return Err(type_error(input, "cannot be matched, as it is not a string"));
    };
    let Val::Str(pattern) = pattern else { return Err(type_error(pattern, "is not a string")) };
    let flags = Flags::parse(flags)?;
    let regex = compiled(pattern, &flags)?;
    find(&regex, text, &flags, test)
}

fn one_or_both(argument: Val) -> Result<(Val, Val), Val> {
    match &argument {
        Val::Str(_) => Ok((argument, Val::Null)),
        Val::Arr(list) if !list.0.is_empty() => {
            let at = |i: usize| list.0.get(i).cloned().unwrap_or_default();
            Ok((at(0), at(1)))
        }
        other => Err(Val::from_string(format!("{} not a string or array", other.kind()))),
    }
}

fn groups(found: &Val) -> &[Val] {
    let captures = match found {
        Val::Obj(o) => o.get(&Text::from("captures")),
        _ => None,
    };
    match captures {
        Some(Val::Arr(list)) => &list.0,
        _ => &[],
    }
}

fn field(v: &Val, name: &str) -> Val {
    match v {
        Val::Obj(o) => o.get(&Text::from(name)).cloned().unwrap_or_default(),
        _ => Val::Null,
    }
}

/// The start and end of a match in code points.
fn span(found: &Val) -> (usize, usize) {
    let number = |name: &str| field(found, name).num().unwrap_or(0.0) as usize;
    let start = number("offset");
    (start, start + number("length"))
}

#[derive(Clone, Copy, Default, PartialEq)]
struct Flags {
    global: bool,
    ignore_case: bool,
    extended: bool,
    dot_all: bool,
    not_empty: bool,
    longest: bool,
}

impl Flags {
    fn parse(v: &Val) -> Result<Self, Val> {
        let mut flags = Self::default();
        let text = match v {
            Val::Null => return Ok(flags),
            Val::Str(text) => text,
            other => return Err(type_error(other, "is not a string")),
        };
        for b in text.bytes() {
            match b {
                b'g' => flags.global = true,
                b'i' => flags.ignore_case = true,
                b'x' => flags.extended = true,
                b'm' | b'p' => flags.dot_all = true,
                b's' => {}
                b'l' => flags.longest = true,
                b'n' => flags.not_empty = true,
                _ => return Err(Val::from_string(format!("{} is not a valid modifier string", text.str()))),
            }
        }
        Ok(flags)
    }
}

struct Compiled {
    pattern: Text,
    flags: Flags,
    regex: Rc<Regex>,
}

/// The number of compiled expressions in the cache.
const KEPT: usize = 32;

thread_local! {
    static CACHE: RefCell<Vec<Compiled>> = const { RefCell::new(Vec::new()) };
}

fn compiled(pattern: &Text, flags: &Flags) -> Result<Rc<Regex>, Val> {
    let known = CACHE.with_borrow(|cache| {
        cache.iter().find(|c| c.pattern == *pattern && c.flags == *flags).map(|c| Rc::clone(&c.regex))
    });
    if let Some(regex) = known {
        return Ok(regex);
    }
    let mut letters = String::new();
    for (on, letter) in [(flags.ignore_case, 'i'), (flags.extended, 'x'), (flags.dot_all, 's')] {
        if on {
            letters.push(letter);
        }
    }
    let failure = |text: &str| Val::from_string(format!("Regex failure: {text}"));
    let body = syntax::translate(pattern.str()).map_err(|e| failure(&e))?;
    let whole = if letters.is_empty() { body } else { format!("(?{letters}){body}") };
    let regex = Regex::new(&whole).map_err(|e| {
        Val::from_string(format!("{} (at offset 0) is not a valid regex: {e}", pattern.str()))
    })?;
    let regex = Rc::new(regex);
    CACHE.with_borrow_mut(|cache| {
        if cache.len() >= KEPT {
            cache.remove(0);
        }
        cache.push(Compiled { pattern: pattern.clone(), flags: *flags, regex: Rc::clone(&regex) });
    });
    Ok(regex)
}

fn find(regex: &Regex, text: &Text, flags: &Flags, test: bool) -> ValResult {
    let input = text.str();
    let names: Vec<Option<&str>> = regex.capture_names().collect();
    let mut found = Vec::new();
    let mut start = 0;
    // How far code points have been counted: the byte offset and the number.
    let mut counted = (0, 0);
    while start <= input.len() {
        let captures = match regex.captures_from_pos(input, start) {
            Ok(Some(captures)) => captures,
            Ok(None) => break,
            Err(e) => return Err(Val::from_string(format!("Regex failure: {e}"))),
        };
        let Some(whole) = captures.get(0) else { break };
        if flags.not_empty && whole.start() == whole.end() {
            start = next_char(input, whole.end());
            continue;
        }
        if test {
            return Ok(Val::Bool(true));
        }
        if counted.0 > whole.start() {
            counted = (0, 0);
        }
        let between = input.as_bytes().get(counted.0..whole.start()).unwrap_or_default();
        counted = (whole.start(), counted.1 + count_chars(between));
        found.push(describe(input, &captures, &names, counted));
        if !flags.global {
            break;
        }
        start = if whole.end() == whole.start() { next_char(input, whole.end()) } else { whole.end() };
    }
    Ok(if test { Val::Bool(false) } else { Val::arr(found) })
}

fn next_char(input: &str, at: usize) -> usize {
    at + input.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

/// Describes a match as an object. `base` is its byte offset and the same offset in code points.
fn describe(input: &str, captures: &Captures<'_, str>, names: &[Option<&str>], base: (usize, usize)) -> Val {
    let Some(whole) = captures.get(0) else { return Val::Null };
    let number = |n: usize| Val::Num(n as f64);
    let count = |from: usize, to: usize| count_chars(input.as_bytes().get(from..to).unwrap_or_default());
    let offset = |at: usize| {
        if at >= base.0 { base.1 + count(base.0, at) } else { count(0, at) }
    };
    let empty = whole.start() == whole.end();
    let mut list = Vec::new();
    for (i, name) in names.iter().enumerate().skip(1) {
        let name = name.map_or(Val::Null, Val::str);
        list.push(match captures.get(i) {
            _ if empty => Val::object([
                ("offset", number(base.1)),
                ("string", Val::str("")),
                ("length", number(0)),
                ("name", name),
            ]),
            None => Val::object([
                ("offset", Val::Num(-1.0)),
                ("string", Val::Null),
                ("length", number(0)),
                ("name", name),
            ]),
            Some(m) if m.start() == m.end() => Val::object([
                ("offset", number(offset(m.start()))),
                ("string", Val::str("")),
                ("length", number(0)),
                ("name", name),
            ]),
            Some(m) => Val::object([
                ("offset", number(offset(m.start()))),
                ("length", number(count(m.start(), m.end()))),
                ("string", Val::str(m.as_str())),
                ("name", name),
            ]),
        });
    }
    Val::object([
        ("offset", number(base.1)),
        ("length", number(count(whole.start(), whole.end()))),
        ("string", Val::str(whole.as_str())),
        ("captures", Val::arr(list)),
    ])
}
