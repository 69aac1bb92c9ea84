//! Where a user's packs are, as the XDG base directory specification says.

use std::env;
use std::path::PathBuf;

/// The packs that are installed for the user: `sandshell/packs` in the directory for data.
pub fn user_packs() -> Option<PathBuf> {
    Some(base("XDG_DATA_HOME", ".local/share")?.join("sandshell/packs"))
}

/// Compiled code of packs and of users' modules: `sandshell/modules` in the directory for caches.
pub fn user_cache() -> Option<PathBuf> {
    Some(base("XDG_CACHE_HOME", ".cache")?.join("sandshell/modules"))
}

/// Relative paths in the variables are ignored, as the specification asks.
fn base(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(variable).or_else(|| Some(absolute("HOME")?.join(below_home)))
}
