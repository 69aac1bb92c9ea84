//! The recipes that come with sandshell.

use crate::cli::failure::{Failure, reason};
use sandshell::pack::MANIFEST;
use sandshell::vfs::quoted;
use std::path::{Path, PathBuf};

/// (folder, file, contents)
const FILES: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/recipes.rs"));

/// A recipe's directory: a path with a slash names one; for the name of a known recipe its files are written to
/// `into`. A plain name never means a directory in the current one, because the host runs the recipe's script.
pub(super) fn find(name: &str, into: &Path) -> Result<PathBuf, Failure> {
    if name.contains('/') {
        return Ok(PathBuf::from(name));
    }
    if !FILES.iter().any(|(recipe, file, _)| *recipe == name && *file == MANIFEST) {
        let why = match Path::new(name).is_dir() {
            true => format!("no such recipe; a directory is named with a slash, as in ./{name}"),
            false => "no such recipe".to_owned(),
        };
        return Err(Failure::about(quoted(name.as_bytes()), why));
    }
    write(name, into)?;
    Ok(into.to_owned())
}

/// Writes what scripts of recipes can import: the Python packages `libc`, for programs in C, and `extensions`, for
/// modules in C of CPython, and the recipes that make CPython, where one begins with the work of another.
pub(super) fn write_modules(into: &Path) -> Result<(), Failure> {
    ["libc", "extensions", "python", "numpy", "pandas", "matplotlib"]
        .iter()
        .try_for_each(|folder| write(folder, &into.join(folder)))
}

/// What the package `libc` needs of the Python package index.
pub(super) fn compiler() -> Vec<String> {
    let listed = FILES.iter().find(|(folder, file, _)| *folder == "libc" && *file == "requirements.txt");
    let text = listed.map_or("", |(_, _, contents)| std::str::from_utf8(contents).unwrap_or_default());
    text.lines().map(str::to_owned).collect()
}

fn write(folder: &str, into: &Path) -> Result<(), Failure> {
    for (_, file, contents) in FILES.iter().filter(|(name, ..)| *name == folder) {
        let path = into.join(file);
        let parent = path.parent().unwrap_or(into);
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, contents));
        written.map_err(|error| Failure::about(path.display(), reason(&error)))?;
    }
    Ok(())
}
