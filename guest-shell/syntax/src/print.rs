//! Commands as text, the way `declare -f`, `type`, `jobs` and `BASH_COMMAND` show them.

use crate::ast::{AndOr, Command, Function, List};

/// The text of a command on its own: `BASH_COMMAND`, `jobs`.
pub fn command(_command: &Command) -> Vec<u8> {
    Vec::new()
}

/// The text of an and-or list: `jobs`.
pub fn and_or(_list: &AndOr) -> Vec<u8> {
    Vec::new()
}

/// The text of a list.
pub fn list(_list: &List) -> Vec<u8> {
    Vec::new()
}

/// The text between the parentheses of `$(...)`.
pub(crate) fn substitution(_list: &List) -> Vec<u8> {
    Vec::new()
}

/// A function's definition as `declare -f` prints it, without newline at the end.
pub fn function(_function: &Function) -> Vec<u8> {
    Vec::new()
}
