//! The recipes that come with sandshell.

use crate::cli::failure::{Failure, reason};
use sandshell::vfs::quoted;
use std::path::{Path, PathBuf};

/// (recipe, file, contents)
const FILES: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/recipes.rs"));

/// A recipe's directory: a path with a slash names one; for the name of a known recipe its files are written to
/// `into`. A plain name never means a directory in the current one, because the host runs the recipe's script.
pub(super) fn find(name: &str, into: &Path) -> Result<PathBuf, Failure> {
    if name.contains('/') {
        return Ok(PathBuf::from(name));
    }
    let mut known = FILES.iter().filter(|(recipe, ..)| *recipe == name).peekable();
    if known.peek().is_none() {
        let why = match Path::new(name).is_dir() {
            true => format!("no such recipe; a directory is named with a slash, as in ./{name}"),
            false => "no such recipe".to_owned(),
        };
        return Err(Failure::about(quoted(name.as_bytes()), why));
    }
    for (_, file, contents) in known {
        let path = into.join(file);
        let parent = path.parent().unwrap_or(into);
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, contents));
        written.map_err(|error| Failure::about(path.display(), reason(&error)))?;
    }
    Ok(into.to_owned())
}
