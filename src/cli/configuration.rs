//! The user's `config.toml`, for all who read a part of it.

use super::failure::{Failure, note, reason};
use super::places;
use sandshell::config::Config;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Once;

/// A file that is TOML.
pub(crate) struct ConfigFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The file, if there is one. One that is no TOML counts as none, and that is said once, however many read it: a slip in it
/// must not keep anybody from working with what needs no configuration.
///
/// # Errors
///
/// If it cannot be read, or `SANDSHELL_CONFIG` names one that is not there.
pub(crate) fn read() -> Result<Option<ConfigFile>, Failure> {
    static TOLD: Once = Once::new();
    let Some(path) = places::config() else { return Ok(None) };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        // Only a file that was asked for has to be there.
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
