//! Packs that came with the program, as files.

use crate::cli::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// What `pack install` is to install: an existing file or directory, or the archive `sandshell-pack-NAME-VERSION.tar`
/// of the pack of this name, in the directory of the program or in `share/sandshell/packs` beside that.
///
/// # Errors
/// If there is neither, or several archives of that name.
pub(super) fn find(asked: &Path) -> Result<PathBuf, Failure> {
    let name = asked.to_str().filter(|name| is_name(name));
    let Some(name) = name.filter(|_| !asked.exists()) else { return Ok(asked.to_owned()) };
    let places = places();
    let mut archives: Vec<PathBuf> = places.iter().flat_map(|place| archives(place, name)).collect();
    match (archives.pop(), &archives[..]) {
        (Some(only), []) => Ok(only),
        (Some(last), others) => {
            let all: Vec<String> =
                others.iter().chain([&last]).map(|path| path.display().to_string()).collect();
            Err(Failure::about(name, format!("say which one: {}", all.join(" or "))))
        }
        (None, _) => {
            let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
            let why = format!(
                "no such file or directory, and no sandshell-pack-{name}-*.tar in {}; `sandshell pack build {name}` \
                 builds it if there is a recipe",
                places.join(" or ")
            );
            Err(Failure::about(name, why))
        }
    }
}

/// Not the current directory: what lies there may be anybody's.
fn places() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let Some(directory) = program.as_deref().and_then(Path::parent) else { return Vec::new() };
    let beside = directory.parent().map(|prefix| prefix.join("share/sandshell/packs"));
    [directory.to_owned()].into_iter().chain(beside).collect()
}

/// The archives of a pack in a directory, in the order of their names.
fn archives(place: &Path, name: &str) -> Vec<PathBuf> {
    let is_its = |file: &str| {
        let version = file.strip_prefix("sandshell-pack-").and_then(|rest| rest.strip_prefix(name));
        let version =
            version.and_then(|rest| rest.strip_prefix('-')).and_then(|rest| rest.strip_suffix(".tar"));
        // A version begins with a digit; otherwise it is the pack of a longer name.
        version.is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
    };
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_its))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// Whether this can be a pack's name.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}
