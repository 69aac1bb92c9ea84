//! The user's own directories, as the XDG base directory specification names them.

use super::failure::Failure;
use sandshell::DataDir;
use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Compiled code of users' modules.
pub(crate) fn cache() -> Option<PathBuf> {
    sandshell::pack::user_cache()
}

/// The configuration file, which declares providers and packs: the file that `SANDSHELL_CONFIG` names, or
/// `config.toml` in the directory for configurations.
pub(crate) fn config() -> Option<PathBuf> {
    let named = env::var_os("SANDSHELL_CONFIG").filter(|path| !path.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(base("XDG_CONFIG_HOME", ".config")?.join("sandshell/config.toml")))
}

/// What `--data-dir` names.
static DATA_DIR: OnceLock<DataDir> = OnceLock::new();

/// Lets sandboxes be kept in this directory.
pub(crate) fn keep_sandboxes_in(directory: Option<PathBuf>) -> Result<(), Failure> {
    if let Some(directory) = directory {
        let mut data_dir = DataDir::new(directory.as_os_str())?;
        if let Ok(here) = env::current_dir() {
            data_dir.directory = here.join(data_dir.directory);
        }
        // It is said once, when the arguments are read.
        let _ = DATA_DIR.set(data_dir);
    }
    Ok(())
}

/// What `--data-dir` names.
#[cfg(feature = "serve")]
pub(crate) fn asked() -> Option<DataDir> {
    DATA_DIR.get().cloned()
}

/// Where sandboxes are kept: `--data-dir`, `SANDSHELL_DATA_DIR`, or the user's directory for data.
pub(crate) fn sandboxes() -> Result<DataDir, Failure> {
    DATA_DIR.get().cloned().map_or_else(|| Ok(DataDir::of_user()?), Ok)
}

/// Whether sandboxes are kept where only this user's settings say: `--data-dir` may name a directory that somebody else
/// has made, for example one in a repository.
pub(crate) fn are_users_own() -> bool {
    DATA_DIR.get().is_none()
}

/// Paths that no sandbox may change.
pub(crate) fn reserved() -> Vec<PathBuf> {
    let mut reserved = sandshell::reserved();
    reserved.extend(DATA_DIR.get().into_iter().flat_map(DataDir::directories));
    reserved
}

/// Installed packs.
pub(crate) fn packs() -> Option<PathBuf> {
    sandshell::pack::user_packs()
}

/// The environments that packs are built in.
pub(crate) fn builds() -> Option<PathBuf> {
    Some(base("XDG_CACHE_HOME", ".cache")?.join("sandshell/builds"))
}

/// The interactive shell's history.
pub(crate) fn history() -> Option<PathBuf> {
    Some(base("XDG_STATE_HOME", ".local/state")?.join("sandshell/history"))
}

/// Relative paths in the variables are ignored, as the specification requires.
fn base(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(variable).or_else(|| Some(sandshell::pack::home()?.join(below_home)))
}
