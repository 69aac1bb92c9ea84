//! This program's directories for the user, following the XDG base directory specification.

use sandshell_providers::{Error, Result};
use sandshell_store::SharedOptions;
use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

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

/// Where stored sandboxes are.
#[derive(Clone, Debug)]
pub struct DataDir {
    /// The directory; of sandboxes in an object store that of the cache.
    pub directory: PathBuf,
    /// The object store, if they are in one.
    pub shared: Option<SharedOptions>,
}

impl DataDir {
    /// What somebody asked for: a directory, or the address of an object store, as [`SharedOptions::url`] has it. Of
    /// that the environment says how to get there, in variables that begin with `AWS_`, `GOOGLE_` or `AZURE_`, and how
    /// long leases last, in `SANDSHELL_LEASE`, in seconds.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` if nothing says where the cache of an object store is, or for a lease that is no number.
    pub fn new(asked: &OsStr) -> Result<Self> {
        let Some(url) = asked.to_str().filter(|asked| asked.contains("://")) else {
            return Ok(Self { directory: asked.into(), shared: None });
        };
        let known = |name: &str| ["AWS_", "AZURE_", "GOOGLE_"].iter().any(|prefix| name.starts_with(prefix));
        let variables = env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let lease = match env::var_os("SANDSHELL_LEASE") {
            None => None,
            Some(seconds) => {
                Some(seconds.to_str().and_then(|seconds| seconds.parse().ok()).ok_or_else(|| {
                    Error::invalid_request(format!(
                        "SANDSHELL_LEASE={}: not a number of seconds",
                        seconds.display()
                    ))
                })?)
            }
        };
        let shared = SharedOptions {
            url: url.to_owned(),
            variables: variables.filter(|(name, _)| known(name)).collect(),
            lease: lease.map(Duration::from_secs),
        };
        let cache = format!("sandshell/shared/{}", sandshell_store::fingerprint(&[url.as_bytes()]));
        let base = CACHE.directory().ok_or_else(|| {
            Error::invalid_request(
                "nothing says where the cache of an object store is: set HOME or XDG_CACHE_HOME",
            )
        })?;
        Ok(Self { directory: base.join(cache), shared: Some(shared) })
    }

    /// Where the user's sandboxes are: what `SANDSHELL_DATA_DIR` says, or [`user_sandboxes`].
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new); `InvalidRequest` if there is no directory for the user's data.
    pub fn of_user() -> Result<Self> {
        let asked = env::var_os("SANDSHELL_DATA_DIR")
            .filter(|asked| asked.to_str().is_some_and(|asked| asked.contains("://")));
        match asked {
            Some(asked) => Self::new(&asked),
            None => {
                let directory = user_sandboxes().ok_or_else(|| {
                    Error::invalid_request(
                        "nothing says where sandboxes are kept: set HOME, or name a --data-dir",
                    )
                })?;
                Ok(Self { directory, shared: None })
            }
        }
    }

    /// What [`new`](Self::new) was given.
    pub fn name(&self) -> &OsStr {
        self.shared.as_ref().map_or(self.directory.as_os_str(), |shared| OsStr::new(&shared.url))
    }

    /// The directories that no sandbox may change.
    pub fn directories(&self) -> impl Iterator<Item = PathBuf> + use<> {
        let below = self.shared.as_ref().and_then(|shared| shared.url.strip_prefix("file://"));
        [Some(self.directory.clone()), below.map(PathBuf::from)].into_iter().flatten()
    }
}

/// Paths that no sandbox may change, whatever is mounted, because this program trusts them: the directories `sandshell`
/// for caches, configurations, data and state, both where the variables point and in the default places, the file that
/// `SANDSHELL_CONFIG` names, and the directory that `SANDSHELL_DATA_DIR` names. They need not exist.
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
    places.extend(DataDir::of_user().iter().flat_map(DataDir::directories));
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
