//! The user's `config.toml`. Several modules each read a part of it.

use super::failure::{Failure, note, reason};
use super::places;
use sandshell::config::Config;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Once;

/// A configuration file that is valid TOML.
pub(crate) struct ConfigFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The file, if there is one. A file that is not valid TOML counts as missing, and a note says so once: a typo in
/// it must not stop commands that need no configuration.
///
/// # Errors
///
/// If it cannot be read, or if `SANDSHELL_CONFIG` names a file that does not exist.
pub(crate) fn read() -> Result<Option<ConfigFile>, Failure> {
    static TOLD: Once = Once::new();
    let Some(path) = places::config() else { return Ok(None) };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        // Only a file that was named explicitly must exist.
        Err(error)
            if error.kind() == ErrorKind::NotFound && std::env::var_os("SANDSHELL_CONFIG").is_none() =>
        {
            return Ok(None);
        }
        Err(error) => return Err(Failure::about(path.display(), reason(&error))),
    };
    match Config::check(&text) {
        Ok(()) => Ok(Some(ConfigFile { path, text })),
        Err(why) => {
            TOLD.call_once(|| note(&format!("warning: {} is left out: {why}", path.display())));
            Ok(None)
        }
    }
}
