//! bash's arithmetic: parser and evaluator.

use crate::ast::Bytes;
use crate::name::Name;

/// Parsed arithmetic.
#[derive(Debug, Clone)]
pub struct Expr {
    source: Bytes,
}

/// What a variable holds, as arithmetic asks for it.
#[derive(Debug, Clone)]
pub enum Fetched {
    /// Unset, or set to nothing: 0.
    Unset,
    /// The value is a plain integer ([`plain_integer`]), or the variable has a number anyway.
    Int(i64),
    /// Any other text: it is evaluated as an expression in turn.
    Text(Bytes),
}

/// The index of an array's element.
#[derive(Debug, Clone, Copy)]
pub enum Key<'a> {
    /// Of an indexed array (or a scalar); may be negative.
    Index(i64),
    /// Of an associative array.
    Text(&'a [u8]),
}

/// The variables an evaluation works on.
pub trait Variables {
    /// The value of `name` (of an array: of its element 0). Unset under `set -u` is an error the
    /// implementor makes.
    fn get(&mut self, name: Name) -> Result<Fetched, ArithError>;
    /// Assigns to `name`.
    fn set(&mut self, name: Name, value: i64) -> Result<(), ArithError>;
    /// Whether `name` is an associative array.
    fn is_associative(&mut self, name: Name) -> bool;
    /// Expands the text of an associative array's subscript.
    fn expand_key(&mut self, text: &[u8]) -> Result<Vec<u8>, ArithError>;
    /// The value of an element.
    fn get_element(&mut self, name: Name, key: Key<'_>) -> Result<Fetched, ArithError>;
    /// Assigns to an element.
    fn set_element(&mut self, name: Name, key: Key<'_>, value: i64) -> Result<(), ArithError>;
}

/// Why an evaluation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArithError {
    /// What bash prints after `bash: line N: `, e.g. ``1/0: division by 0 (error token is "0")``.
    Message(Vec<u8>),
    /// The implementor of [`Variables`] has reported it already.
    Reported,
}

/// The value of `text` if it is one or more digits without leading zero (or `0`) that fits an `i64`.
pub fn plain_integer(text: &[u8]) -> Option<i64> {
    let (&first, rest) = text.split_first()?;
    if !first.is_ascii_digit() || (first == b'0' && !rest.is_empty()) || text.len() > 19 {
        return None;
    }
    let mut value: i64 = 0;
    for &digit in text {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
    }
    Some(value)
}

/// Evaluates text whose expansions have been made.
pub fn evaluate<V: Variables + ?Sized>(_source: &[u8], _variables: &mut V) -> Result<i64, ArithError> {
    Err(ArithError::Message(b"arithmetic is not built yet".to_vec()))
}

/// Evaluates a tree; `slots` are the values of its slots ([`crate::ast::ArithPlan::Slots`]).
pub fn evaluate_tree<V: Variables + ?Sized>(
    expr: &Expr,
    _slots: &[i64],
    variables: &mut V,
) -> Result<i64, ArithError> {
    evaluate(&expr.source, variables)
}
