//! Functions that every program knows.

mod arrays;
mod dates;
pub(crate) mod format;
mod math;
pub(crate) mod operators;
pub(crate) mod paths;
mod regex;
mod strings;

use crate::code::Native;
use crate::dump;
use crate::lang::ast::{Ast, Definition, Node, Part, Pattern, PatternKey};
use crate::lang::parser;
use crate::object::Object;
use crate::text::Text;
use crate::value::Val;
use std::collections::HashMap;
use std::rc::Rc;

/// How a function is made.
pub(crate) enum Builtin {
    /// Of its input alone.
    Simple(fn(Val) -> Result<Val, Val>),
    /// Of its input and arguments.
    Native(Native),
    /// Written in jq.
    Library(Rc<Definition>),
}

/// The library in jq. Each definition is compiled only where it is used.
pub(crate) const LIBRARY: &str = include_str!("builtins/library.jq");

thread_local! {
    static DEFINITIONS: HashMap<(String, usize), Rc<Definition>> = definitions();
}

/// Finds a function by name and number of arguments.
pub(crate) fn lookup(name: &str, arity: usize) -> Option<Builtin> {
    let native = match arity {
        0 => simple(name).map(Builtin::Simple),
        _ => native(name, arity).map(Builtin::Native),
    };
    native.or_else(|| DEFINITIONS.with(|d| d.get(&(name.to_owned(), arity)).cloned()).map(Builtin::Library))
}

/// Whether the arguments are values, which matters for the order of messages only.
pub(crate) fn is_plain(name: &str, arity: usize) -> bool {
    match (name, arity) {
        ("join" | "flatten" | "bsearch" | "indices", 1) => false,
        ("getpath" | "halt_error", 1) => true,
        _ => arity > 0 && native(name, arity).is_some(),
    }
}

/// What `builtins` gives.
pub(crate) fn names() -> Val {
    let mut all: Vec<String> = NATIVE_NAMES.iter().map(|s| (*s).to_owned()).collect();
    DEFINITIONS.with(|d| {
        all.extend(d.keys().filter(|(n, _)| !n.starts_with('_')).map(|(n, a)| format!("{n}/{a}")));
    });
    all.sort();
    Val::arr(all.into_iter().map(Val::from_string).collect())
}

/// Whether a definition can stand in place of its calls: not recursive, and no parameter used twice.
pub(crate) fn can_inline(definition: &Definition) -> bool {
    let uses = |name: &str| count(&definition.body, name);
    uses(&definition.name) == 0
        && definition.parameters.iter().filter(|p| !p.is_value).all(|p| uses(&p.name) <= 1)
}

/// The text of `tostring`.
pub(crate) fn to_string(v: Val) -> Text {
    match v {
        Val::Str(text) => text,
        other => dump::to_text(&other),
    }
}

/// `env` and `$ENV`.
pub(crate) fn environment() -> Val {
    let mut all = Object::new();
    for (name, value) in std::env::vars_os() {
        let text = |s: std::ffi::OsString| Text::lossy(&s.into_encoded_bytes());
        all.insert(text(name), Val::Str(text(value)));
    }
    Val::obj(all)
}

fn definitions() -> HashMap<(String, usize), Rc<Definition>> {
    match parser::parse(LIBRARY.as_bytes()) {
        Ok(module) => {
            module.definitions.into_iter().map(|d| ((d.name.clone(), d.parameters.len()), d)).collect()
        }
        Err(_) => HashMap::new(),
    }
}

fn simple(name: &str) -> Option<fn(Val) -> Result<Val, Val>> {
    Some(match name {
        "add" => arrays::add,
        "any" => arrays::any,
        "all" => arrays::all,
        "ascii_downcase" => strings::downcase,
        "ascii_upcase" => strings::upcase,
        "env" => |_| Ok(environment()),
        "explode" => strings::explode,
        "flatten" => arrays::flatten,
        "from_entries" => arrays::from_entries,
        "fromjson" => strings::from_json,
        "gmtime" => dates::gmtime,
        "implode" => strings::implode,
        "infinite" => |_| Ok(Val::Num(f64::INFINITY)),
        "isinfinite" => math::is_infinite,
        "isnan" => math::is_nan,
        "isnormal" => math::is_normal,
        "keys" => arrays::keys,
        "keys_unsorted" => arrays::keys_unsorted,
        "length" => arrays::length,
        "localtime" => dates::localtime,
        "max" => arrays::max,
        "min" => arrays::min,
        "mktime" => dates::mktime,
        "nan" => |_| Ok(Val::Num(f64::NAN)),
        "now" => dates::now,
        "reverse" => arrays::reverse,
        "sort" => arrays::sort,
        "to_entries" => arrays::to_entries,
        "tojson" => |v| Ok(Val::Str(dump::to_text(&v))),
        "tonumber" => strings::to_number,
        "tostring" => |v| Ok(Val::Str(to_string(v))),
        "transpose" => arrays::transpose,
        "type" => |v| Ok(Val::str(v.kind())),
        "unique" => arrays::unique,
        "utf8bytelength" => strings::byte_length,
        "frexp" => math::frexp,
        "modf" => math::modf,
        "lgamma_r" => math::lgamma_r,
        _ => return math::unary(name),
    })
}

fn native(name: &str, arity: usize) -> Option<Native> {
    Some(match (name, arity) {
        ("bsearch", 1) => arrays::bsearch,
        ("contains", 1) => arrays::contains,
        ("delpaths", 1) => |a| paths::delete_paths(take(a, 0), &take(a, 1)),
        ("endswith", 1) => strings::ends_with,
        ("flatten", 1) => arrays::flatten_to,
        ("format", 1) => |a| {
            let Val::Str(name) = take(a, 1) else {
                return Err(operators::type_error(&take(a, 1), "is not a valid format"));
            };
            format::format(name.str(), take(a, 0))
        },
        ("_group_by_impl", 1) => arrays::group_by,
        ("_unique_by_impl", 1) => arrays::unique_by,
        ("has", 1) => paths::has,
        ("indices", 1) => strings::indices,
        ("join", 1) => strings::join,
        ("ltrimstr", 1) => strings::trim_start,
        ("_match_impl", 3) => regex::matches,
        ("_max_by_impl", 1) => arrays::max_by,
        ("_min_by_impl", 1) => arrays::min_by,
        ("rtrimstr", 1) => strings::trim_end,
        ("setpath", 2) => |a| paths::set_path(take(a, 0), &take(a, 1), take(a, 2)),
        ("_sort_by_impl", 1) => arrays::sort_by,
        ("split", 1) => strings::split,
        ("startswith", 1) => strings::starts_with,
        ("strflocaltime", 1) => dates::strflocaltime,
        ("strftime", 1) => dates::strftime,
        ("strptime", 1) => dates::strptime,
        ("tojson", 1) => return None,
        _ => return math::native(name, arity),
    })
}

/// An argument; argument 0 is the input.
fn take(args: &mut [Val], i: usize) -> Val {
    args.get_mut(i).map(std::mem::take).unwrap_or_default()
}

/// Calls of `name` in an expression.
fn count(node: &Ast, name: &str) -> usize {
    let of = |n: &Node| count(n, name);
    let option = |n: &Option<Node>| n.as_ref().map_or(0, |n| count(n, name));
    match node {
        Ast::Call(called, arguments, _) => {
            usize::from(called == name) + arguments.iter().map(of).sum::<usize>()
        }
        Ast::Identity
        | Ast::Recurse
        | Ast::Literal(_)
        | Ast::Format(_)
        | Ast::Break(..)
        | Ast::Variable(..) => 0,
        Ast::String(_, parts) => parts
            .iter()
            .map(|p| match p {
                Part::Text(_) => 0,
                Part::Interpolation(n) => of(n),
            })
            .sum(),
        Ast::Index { term, key, .. } => of(term) + of(key),
        Ast::Slice { term, from, to, .. } => of(term) + option(from) + option(to),
        Ast::Each { term, .. } | Ast::Negate(term) | Ast::Label(_, term) => of(term),
        Ast::Array(inner) => option(inner),
        Ast::Object(pairs) => pairs.iter().map(|(k, v)| of(k) + of(v)).sum(),
        Ast::Pipe(a, b)
        | Ast::Comma(a, b)
        | Ast::Binary(_, a, b)
        | Ast::And(a, b)
        | Ast::Or(a, b)
        | Ast::Alternative(a, b)
        | Ast::Assign(a, b)
        | Ast::Update(a, b)
        | Ast::UpdateWith(_, a, b) => of(a) + of(b),
        Ast::If { condition, then, otherwise } => of(condition) + of(then) + option(otherwise),
        Ast::Try(body, handler) => of(body) + option(handler),
        Ast::Reduce { source, patterns, init, update } => {
            of(source)
                + of(init)
                + of(update)
                + patterns.iter().map(|p| count_pattern(p, name)).sum::<usize>()
        }
        Ast::Foreach { source, patterns, init, update, extract } => {
            let patterns: usize = patterns.iter().map(|p| count_pattern(p, name)).sum();
            of(source) + of(init) + of(update) + option(extract) + patterns
        }
        Ast::As { source, patterns, body } => {
            of(source) + of(body) + patterns.iter().map(|p| count_pattern(p, name)).sum::<usize>()
        }
        // A definition may be called more than once.
        Ast::Define(definition, rest) => 2 * of(&definition.body) + of(rest),
    }
}

fn count_pattern(pattern: &Pattern, name: &str) -> usize {
    match pattern {
        Pattern::Variable(_) => 0,
        Pattern::Array(elements) => elements.iter().map(|p| count_pattern(p, name)).sum(),
        Pattern::Object(entries) => entries
            .iter()
            .map(|(k, p)| {
                let key = match k {
                    PatternKey::Variable(_) => 0,
                    PatternKey::Expression(n) => count(n, name),
                };
                key + p.as_ref().map_or(0, |p| count_pattern(p, name))
            })
            .sum(),
    }
}

/// Functions that are not in the library, for `builtins`.
const NATIVE_NAMES: [&str; 140] = [
    "acos/0",
    "acosh/0",
    "add/0",
    "all/0",
    "any/0",
    "ascii_downcase/0",
    "ascii_upcase/0",
    "asin/0",
    "asinh/0",
    "atan/0",
    "atan2/2",
    "atanh/0",
    "bsearch/1",
    "builtins/0",
    "cbrt/0",
    "ceil/0",
    "contains/1",
    "copysign/2",
    "cos/0",
    "cosh/0",
    "debug/0",
    "delpaths/1",
    "drem/2",
    "empty/0",
    "endswith/1",
    "env/0",
    "erf/0",
    "erfc/0",
    "error/0",
    "exp/0",
    "exp10/0",
    "exp2/0",
    "explode/0",
    "expm1/0",
    "fabs/0",
    "fdim/2",
    "first/1",
    "flatten/0",
    "flatten/1",
    "floor/0",
    "fma/3",
    "fmax/2",
    "fmin/2",
    "fmod/2",
    "format/1",
    "frexp/0",
    "from_entries/0",
    "fromjson/0",
    "gamma/0",
    "get_jq_origin/0",
    "get_prog_origin/0",
    "get_search_list/0",
    "have_decnum/0",
    "have_literal_numbers/0",
    "getpath/1",
    "gmtime/0",
    "halt/0",
    "halt_error/1",
    "has/1",
    "hypot/2",
    "implode/0",
    "indices/1",
    "infinite/0",
    "input/0",
    "input_filename/0",
    "input_line_number/0",
    "isinfinite/0",
    "isnan/0",
    "isnormal/0",
    "j0/0",
    "j1/0",
    "jn/2",
    "join/1",
    "keys/0",
    "keys_unsorted/0",
    "ldexp/2",
    "length/0",
    "lgamma/0",
    "lgamma_r/0",
    "limit/2",
    "localtime/0",
    "log/0",
    "log10/0",
    "log1p/0",
    "log2/0",
    "logb/0",
    "ltrimstr/1",
    "map/1",
    "max/0",
    "min/0",
    "mktime/0",
    "modf/0",
    "modulemeta/0",
    "nan/0",
    "nearbyint/0",
    "nextafter/2",
    "nexttoward/2",
    "not/0",
    "now/0",
    "path/1",
    "pow/2",
    "pow10/0",
    "range/1",
    "range/2",
    "recurse/0",
    "remainder/2",
    "reverse/0",
    "rint/0",
    "round/0",
    "rtrimstr/1",
    "scalb/2",
    "scalbln/2",
    "select/1",
    "setpath/2",
    "significand/0",
    "sin/0",
    "sinh/0",
    "sort/0",
    "split/1",
    "sqrt/0",
    "startswith/1",
    "stderr/0",
    "strflocaltime/1",
    "strftime/1",
    "strptime/1",
    "tan/0",
    "tanh/0",
    "tgamma/0",
    "to_entries/0",
    "tojson/0",
    "tonumber/0",
    "tostring/0",
    "transpose/0",
    "trunc/0",
    "type/0",
    "unique/0",
    "utf8bytelength/0",
    "y0/0",
    "y1/0",
    "yn/2",
];
