//! `match` and its kin: regular expressions in Oniguruma's Perl syntax.

mod syntax;

use crate::builtins::operators::type_error;
use crate::builtins::take;
use crate::text::{Text, count_chars};
use crate::value::Val;
use fancy_regex::{Captures, Regex};
use std::cell::RefCell;
use std::rc::Rc;

type Answer = Result<Val, Val>;

/// `_match_impl(re; flags; test)`: whether there is a match, or all that is found.
pub(crate) fn matches(args: &mut [Val]) -> Answer {
    let (input, pattern, flags, test) = (take(args, 0), take(args, 1), take(args, 2), take(args, 3));
    let Val::Str(text) = &input else {
        return Err(type_error(&input, "cannot be matched, as it is not a string"));
    };
    let Val::Str(pattern) = &pattern else { return Err(type_error(&pattern, "is not a string")) };
    let flags = Flags::parse(&flags)?;
    let regex = compiled(pattern, &flags)?;
    find(&regex, text, &flags, test == Val::Bool(true))
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

/// So many expressions are kept compiled.
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

fn find(regex: &Regex, text: &Text, flags: &Flags, test: bool) -> Answer {
    let input = text.str();
    let names: Vec<Option<&str>> = regex.capture_names().collect();
    let mut found = Vec::new();
    let mut start = 0;
    // Where counting code points has come to.
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

/// `base` is the byte offset of the match and its offset in code points.
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
