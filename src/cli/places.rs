//! The user's own directories, as the XDG base directory specification names them.

use std::env;
use std::path::PathBuf;

/// Compiled code of users' modules.
pub(crate) fn cache() -> Option<PathBuf> {
    Some(base("XDG_CACHE_HOME", ".cache")?.join("sandshell/modules"))
}

/// The interactive shell's history.
pub(crate) fn history() -> Option<PathBuf> {
    Some(base("XDG_STATE_HOME", ".local/state")?.join("sandshell/history"))
}

/// Relative paths in the variables are ignored, as the specification asks.
fn base(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(variable).or_else(|| Some(absolute("HOME")?.join(below_home)))
}
