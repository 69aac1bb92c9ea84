//! Built-in functions.
//!
//! Functions of values are implemented here, natively. Functions whose arguments are filters are compiled at each call:
//! see `compile::calls`.

pub(crate) mod arrays;
mod dates;
pub(crate) mod events;
pub(crate) mod format;
mod math;
pub(crate) mod operators;
pub(crate) mod paths;
pub(crate) mod regex;
pub(crate) mod strings;

use crate::code::{Native, Predicate};
use crate::dump;
use crate::object::Object;
use crate::text::Text;
use crate::value::Val;
use std::collections::HashSet;

thread_local! {
    static KNOWN: HashSet<(&'static str, usize)> = NAMES.split_whitespace().filter_map(name_and_arity).collect();
}

/// How to run a function of values.
pub(crate) enum Builtin {
    /// A function of its input only.
    Simple(fn(Val) -> Result<Val, Val>),
    /// A function of its input and its arguments.
    Native(Native),
}

/// Finds a function by its name and number of arguments.
pub(crate) fn lookup(name: &str, arity: usize) -> Option<Builtin> {
    match arity {
        0 => simple(name).map(Builtin::Simple),
        _ => native(name, arity).or_else(|| derived(name, arity)).map(Builtin::Native),
    }
}

/// Whether the arguments are values. This affects only the order of messages.
pub(crate) fn is_plain(name: &str, arity: usize) -> bool {
    match (name, arity) {
        ("join" | "flatten" | "bsearch" | "indices", 1) => false,
        ("getpath" | "halt_error" | "error", 1) => true,
        _ => arity > 0 && native(name, arity).is_some(),
    }
}

/// Whether such a function exists.
pub(crate) fn is_known(name: &str, arity: usize) -> bool {
    KNOWN.with(|known| known.contains(&(name, arity)))
}

/// The result of `builtins`.
pub(crate) fn names() -> Val {
    Val::arr(NAMES.split_whitespace().map(Val::str).collect())
}

/// The predicate of a selector such as `numbers`.
pub(crate) fn selector(name: &str) -> Option<Predicate> {
    Some(match name {
        "arrays" => |v| matches!(v, Val::Arr(_)),
        "objects" => |v| matches!(v, Val::Obj(_)),
        "iterables" => |v| !is_scalar(v),
        "scalars" => is_scalar,
        "strings" => |v| matches!(v, Val::Str(_)),
        "numbers" => |v| v.num().is_some(),
        "booleans" => |v| matches!(v, Val::Bool(_)),
        "nulls" => Val::is_null,
        "values" => |v| !v.is_null(),
        "normals" => |v| v.num().is_some_and(f64::is_normal),
        "finites" => math::is_bounded,
        _ => return None,
    })
}

/// Whether the value is neither an array nor an object.
pub(crate) fn is_scalar(v: &Val) -> bool {
    !matches!(v, Val::Arr(_) | Val::Obj(_))
}

/// The text of `tostring`.
pub(crate) fn to_string(v: Val) -> Text {
    match v {
        Val::Str(text) => text,
        other => dump::to_text(&other),
    }
}

/// The value of `env` and `$ENV`.
pub(crate) fn environment() -> Val {
    let mut all = Object::new();
    for (name, value) in std::env::vars_os() {
        let text = |s: std::ffi::OsString| Text::lossy(&s.into_encoded_bytes());
        all.insert(text(name), Val::Str(text(value)));
    }
    Val::obj(all)
}

fn name_and_arity(text: &str) -> Option<(&str, usize)> {
    let (name, arity) = text.split_once('/')?;
    Some((name, arity.parse().ok()?))
}

fn simple(name: &str) -> Option<fn(Val) -> Result<Val, Val>> {
    Some(match name {
        "abs" => math::absolute,
        "add" => arrays::add,
        "any" => arrays::any,
        "all" => arrays::all,
        "ascii" => |v| strings::implode(Val::arr(vec![v])),
        "ascii_downcase" => strings::downcase,
        "ascii_upcase" => strings::upcase,
        "env" => |_| Ok(environment()),
        "explode" => strings::explode,
        "flatten" => arrays::flatten,
        "from_entries" => arrays::from_entries,
        "fromdate" | "fromdateiso8601" => dates::from_iso,
        "fromjson" => strings::from_json,
        "gmtime" => dates::gmtime,
        "implode" => strings::implode,
        "infinite" => |_| Ok(Val::Num(f64::INFINITY)),
        "isfinite" => |v| Ok(Val::Bool(math::is_bounded(&v))),
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
        "date" | "todate" | "todateiso8601" => dates::to_iso,
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
        ("has", 1) => paths::has,
        ("indices", 1) => strings::indices,
        ("join", 1) => strings::join,
        ("ltrimstr", 1) => strings::trim_start,
        ("rtrimstr", 1) => strings::trim_end,
        ("setpath", 2) => |a| paths::set_path(take(a, 0), &take(a, 1), take(a, 2)),
        ("split", 1) => strings::split,
        ("startswith", 1) => strings::starts_with,
        ("strflocaltime", 1) => dates::strflocaltime,
        ("strftime", 1) => dates::strftime,
        ("strptime", 1) => dates::strptime,
        _ => return math::native(name, arity),
    })
}

/// Functions that are defined in the jq language there. This affects the order of messages.
fn derived(name: &str, arity: usize) -> Option<Native> {
    Some(match (name, arity) {
        ("test", 1) => regex::test_one,
        ("test", 2) => regex::test,
        _ => return None,
    })
}

/// Functions of elements and their keys: the last step of `sort_by` and similar functions.
pub(crate) fn keyed(name: &str) -> Option<Native> {
    Some(match name {
        "sort_by" => arrays::sort_by,
        "group_by" => arrays::group_by,
        "unique_by" => arrays::unique_by,
        "min_by" => arrays::min_by,
        "max_by" => arrays::max_by,
        _ => return None,
    })
}

/// Takes an argument. Argument 0 is the input.
pub(crate) fn take(args: &mut [Val], i: usize) -> Val {
    args.get_mut(i).map(std::mem::take).unwrap_or_default()
}

/// The names of all functions, for `builtins`.
const NAMES: &str = "
    IN/1 IN/2 INDEX/1 INDEX/2 JOIN/2 JOIN/3 JOIN/4 abs/0 acos/0 acosh/0 add/0 add/1 all/0 all/1 all/2 any/0
    any/1 any/2 arrays/0 ascii/0 ascii_downcase/0 ascii_upcase/0 asin/0 asinh/0 atan/0 atan2/2 atanh/0
    booleans/0 bsearch/1 builtins/0 capture/1 capture/2 cbrt/0 ceil/0 combinations/0 combinations/1 contains/1
    copysign/2 cos/0 cosh/0 date/0 dateadd/2 datesub/2 debug/0 debug/1 del/1 delpaths/1 drem/2 empty/0
    endswith/1 env/0 erf/0 erfc/0 error/0 error/1 exp/0 exp10/0 exp2/0 explode/0 expm1/0 fabs/0 fdim/2 finites/0
    first/0 first/1 flatten/0 flatten/1 floor/0 fma/3 fmax/2 fmin/2 fmod/2 format/1 frexp/0 from_entries/0
    fromdate/0 fromdateiso8601/0 fromjson/0 fromstream/1 gamma/0 get_jq_origin/0 get_prog_origin/0
    get_search_list/0 getpath/1 gmtime/0 group_by/1 gsub/2 gsub/3 halt/0 halt_error/0 halt_error/1 has/1
    have_decnum/0 have_literal_numbers/0 hypot/2 implode/0 in/1 index/1 indices/1 infinite/0 input/0
    input_filename/0 input_line_number/0 inputs/0 inside/1 isempty/1 isfinite/0 isinfinite/0 isnan/0 isnormal/0
    iterables/0 j0/0 j1/0 jn/2 join/1 keys/0 keys_unsorted/0 last/0 last/1 ldexp/2 leaf_paths/0 length/0
    lgamma/0 lgamma_r/0 limit/2 localtime/0 log/0 log10/0 log1p/0 log2/0 logb/0 ltrimstr/1 map/1 map_values/1
    match/1 match/2 max/0 max_by/1 min/0 min_by/1 mktime/0 modf/0 modulemeta/0 nan/0 nearbyint/0 nextafter/2
    nexttoward/2 normals/0 not/0 now/0 nth/1 nth/2 nulls/0 numbers/0 objects/0 path/1 paths/0 paths/1 pick/1
    pow/2 pow10/0 range/1 range/2 range/3 recurse/0 recurse/1 recurse/2 remainder/2 repeat/1 reverse/0 rindex/1
    rint/0 round/0 rtrimstr/1 scalars/0 scalb/2 scalbln/2 scan/1 scan/2 select/1 setpath/2 significand/0 sin/0
    sinh/0 sort/0 sort_by/1 split/1 split/2 splits/1 splits/2 sqrt/0 startswith/1 stderr/0 strflocaltime/1
    strftime/1 strings/0 strptime/1 sub/2 sub/3 tan/0 tanh/0 test/1 test/2 tgamma/0 to_entries/0 todate/0
    todateiso8601/0 tojson/0 tonumber/0 tostream/0 tostring/0 transpose/0 trunc/0 truncate_stream/1 type/0
    unique/0 unique_by/1 until/2 utf8bytelength/0 values/0 walk/1 while/2 with_entries/1 y0/0 y1/0 yn/2
";

#[cfg(test)]
mod tests {
    use super::{NAMES, name_and_arity};
    use crate::compile::Compiler;
    use crate::compile::scope::{Scope, Source};
    use crate::lang::parser;
    use crate::object::Object;
    use std::rc::Rc;

    #[test]
    fn each_name_is_a_function() {
        let globals = Object::new();
        for name in NAMES.split_whitespace() {
            let (name, arity) = name_and_arity(name).expect("name and arity");
            let arguments = vec!["."; arity].join(";");
            let program = if arguments.is_empty() { name.to_owned() } else { format!("{name}({arguments})") };
            let module = parser::parse(program.as_bytes()).unwrap_or_else(|_| panic!("{program}"));
            let source = Rc::new(Source { name: "test".to_owned(), text: program.clone().into_bytes() });
            let main = module.main.expect("an expression");
            assert!(Compiler::new(&globals).program(&main, &Scope::new(source)).is_ok(), "{program}");
        }
    }
}
