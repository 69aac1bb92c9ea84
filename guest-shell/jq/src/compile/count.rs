//! Properties of expressions that are known before they run.

use super::scope::Scope;
use crate::lang::ast::{Ast, Part, Updater};

/// Whether an expression has exactly one result (or an error) and leaves no forks. False is always a safe answer.
pub(super) fn is_one(node: &Ast, scope: &Scope) -> bool {
    let one = |n: &Ast| is_one(n, scope);
    match node {
        Ast::Identity | Ast::Literal(_) | Ast::Format(_) | Ast::Array(_) | Ast::Variable(..) => true,
        Ast::String(_, parts) => parts.iter().all(|p| match p {
            Part::Text(_) => true,
            Part::Interpolation(n) => one(n),
        }),
        Ast::Index { term, key, optional } => !optional && one(term) && one(key),
        Ast::Slice { term, from, to, optional } => {
            !optional
                && one(term)
                && from.as_ref().is_none_or(|n| one(n))
                && to.as_ref().is_none_or(|n| one(n))
        }
        Ast::Object(pairs) => pairs.iter().all(|(k, v)| one(k) && one(v)),
        Ast::Negate(a) => one(a),
        Ast::Pipe(a, b) | Ast::Binary(_, a, b) | Ast::And(a, b) | Ast::Or(a, b) => one(a) && one(b),
        Ast::Assign(_, b) | Ast::UpdateWith(Updater::Arithmetic(_) | Updater::Alternative, _, b) => one(b),
        Ast::Update(..) => true,
        Ast::If { condition, then, otherwise } => {
            one(condition) && one(then) && otherwise.as_ref().is_none_or(|n| one(n))
        }
        Ast::Reduce { init, .. } => one(init),
        Ast::As { source, patterns, body } => {
            // The variables that the pattern binds do not matter here.
            patterns.len() == 1 && super::simple_pattern(patterns) && one(source) && one(body)
        }
        Ast::Call(name, arguments, _) => call_is_one(name, arguments, scope),
        _ => false,
    }
}

fn call_is_one(name: &str, arguments: &[std::rc::Rc<Ast>], scope: &Scope) -> bool {
    if scope.function(name, arguments.len()).is_some() {
        return false;
    }
    match (name, arguments.len()) {
        ("not", 0) | ("map" | "sort_by" | "group_by" | "with_entries", 1) => true,
        (_, arity) => {
            crate::builtins::lookup(name, arity).is_some() && arguments.iter().all(|a| is_one(a, scope))
        }
    }
}

/// Whether an expression may make an access that extends a path. If not, it needs no protection as a subexpression.
pub(super) fn touches_paths(node: &Ast) -> bool {
    !matches!(node, Ast::Identity | Ast::Literal(_) | Ast::Variable(..))
}
