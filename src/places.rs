//! This program's directories for the user, following the XDG base directory specification.

use std::env;
use std::path::PathBuf;

/// The packs that are installed for the user: `sandshell/packs` in the directory for data.
pub fn user_packs() -> Option<PathBuf> {
    Some(DATA.directory()?.join("sandshell/packs"))
}

/// Compiled code of packs and of users' modules: `sandshell/modules` in the directory for caches.
pub fn user_cache() -> Option<PathBuf> {
    Some(CACHE.directory()?.join("sandshell/modules"))
}

/// Journals of changes that are being applied: `sandshell/apply` in the directory for data.
pub fn user_journals() -> Option<PathBuf> {
    Some(DATA.named().or_else(|| DATA.usual())?.join("sandshell/apply"))
}

/// Sandboxes that are kept on disk: the directory that `SANDSHELL_DATA_DIR` names, or `sandshell/sandboxes` in the
/// directory for data.
pub fn user_sandboxes() -> Option<PathBuf> {
    absolute("SANDSHELL_DATA_DIR").or_else(|| Some(DATA.directory()?.join("sandshell/sandboxes")))
}

/// Paths that no sandbox may change, whatever is mounted, because this program trusts them: the directories
/// `sandshell` for caches, configurations, data and state, both where the variables point and in the default
/// places, the file that `SANDSHELL_CONFIG` names, and the directory that `SANDSHELL_DATA_DIR` names. They need not exist.
pub fn reserved() -> Vec<PathBuf> {
    let mut places = Vec::new();
    for base in [CACHE, CONFIG, DATA, STATE] {
        for directory in [base.named(), base.usual()].into_iter().flatten() {
            places.push(directory.join("sandshell"));
        }
    }
    let config = env::var_os("SANDSHELL_CONFIG").filter(|path| !path.is_empty());
    places.extend(config.map(PathBuf::from));
    places.extend(absolute("SANDSHELL_DATA_DIR"));
    places.dedup();
    places
}

/// A base directory: its variable, and its default place below the home directory.
#[derive(Clone, Copy)]
struct Base(&'static str, &'static str);

const CACHE: Base = Base("XDG_CACHE_HOME", ".cache");
const CONFIG: Base = Base("XDG_CONFIG_HOME", ".config");
const DATA: Base = Base("XDG_DATA_HOME", ".local/share");
const STATE: Base = Base("XDG_STATE_HOME", ".local/state");

impl Base {
    fn directory(self) -> Option<PathBuf> {
        self.named().or_else(|| Some(home()?.join(self.1)))
    }

    fn named(self) -> Option<PathBuf> {
        absolute(self.0)
    }

    /// The default place, even if `HOME` is not set: another run of the program may have it set.
    fn usual(self) -> Option<PathBuf> {
        Some(env::home_dir().filter(|home| home.is_absolute())?.join(self.1))
    }
}

/// The home directory: what `HOME` says, or on Windows the user's profile.
pub fn home() -> Option<PathBuf> {
    absolute("HOME").or_else(|| env::home_dir().filter(|_| cfg!(windows)))
}

/// Relative paths in the variables are ignored, as the specification requires.
fn absolute(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}
