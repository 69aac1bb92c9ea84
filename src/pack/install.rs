//! Installed packs: a directory that has one directory for each pack.

use super::copy::copy;
use super::{MANIFEST, Manifest, Pack, file_hash, hash, tree_hash};
use crate::{Error, ErrorKind, Result};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The packs in this directory, sorted by name; none if it does not exist. Anything in it that is not a pack is
/// skipped.
pub fn installed(packs: &Path) -> Vec<Pack> {
    let Ok(entries) = fs::read_dir(packs) else { return Vec::new() };
    let mut found: Vec<Pack> = entries
        .flatten()
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .filter_map(|entry| Pack::open(entry.path()).ok())
        .collect();
    found.sort_by(|a, b| a.manifest().name.cmp(&b.manifest().name));
    found
}

/// Writes the hashes of a newly built pack into its manifest.
///
/// # Errors
/// `InvalidRequest` if a file of the manifest is missing.
pub(super) fn seal(directory: &Path) -> Result<()> {
    let path = directory.join(MANIFEST);
    let mut manifest = Manifest::read(&path)?;
    if let Some(program) = &mut manifest.program {
        program.sha256 = Some(hash::format(&hashed(&directory.join(&program.file), file_hash)?));
    }
    for tree in &mut manifest.trees {
        tree.sha256 = Some(hash::format(&hashed(&directory.join(&tree.from), tree_hash)?));
    }
    fs::write(&path, manifest.text()?).map_err(|error| failed(&path, &error))
}

/// Verifies the hashes of the pack in the directory `from` and installs it. It replaces an installed pack of the
/// same name. A manifest without hashes gets them.
///
/// # Errors
/// `InvalidRequest` if it is not a pack, or if its files do not match its hashes.
pub fn install(from: &Path, packs: &Path) -> Result<Pack> {
    install_checked(from, packs, |_| Ok(()))
}

/// As [`install`], if `check` finds no fault with the pack: otherwise nothing is changed.
///
/// # Errors
/// Those of [`install`], and that of `check`.
pub fn install_checked<E: From<Error>>(
    from: &Path,
    packs: &Path,
    check: impl FnOnce(&Pack) -> Result<(), E>,
) -> Result<Pack, E> {
    let new = stage(from, packs)?;
    if let Err(fault) = check(&Pack::open(&new)?) {
        clear(&new)?;
        return Err(fault);
    }
    let name = Pack::open(&new)?.manifest().name.clone();
    let place = packs.join(&name);
    remove(&name, packs)?;
    fs::rename(&new, &place).map_err(|error| failed(&place, &error))?;
    Ok(Pack::open(place)?)
}

/// Copies a pack to a place of its own beside the installed ones, and verifies it there.
fn stage(from: &Path, packs: &Path) -> Result<PathBuf> {
    let manifest = Manifest::read(&from.join(MANIFEST))?;
    fs::create_dir_all(packs).map_err(|error| failed(packs, &error))?;
    let new = packs.join(format!(".{}.new", manifest.name));
    clear(&new)?;
    fs::create_dir_all(&new).map_err(|error| failed(&new, &error))?;
    copy(from, &new).map_err(|error| failed(from, &error))?;
    if manifest.program.as_ref().is_some_and(|program| program.sha256.is_none()) {
        seal(&new)?;
    }
    verify(&Pack::open(&new)?)?;
    Ok(new)
}

/// Removes an installed pack; returns whether there was one. Running sandboxes keep it.
///
/// # Errors
/// `Unexpected` if it cannot be removed.
pub fn remove(name: &str, packs: &Path) -> Result<bool> {
    let place = packs.join(name);
    if name.is_empty() || name.contains('/') || !place.exists() {
        return Ok(false);
    }
    let old = packs.join(format!(".{name}.old"));
    clear(&old)?;
    fs::rename(&place, &old).map_err(|error| failed(&place, &error))?;
    clear(&old)?;
    Ok(true)
}

fn verify(pack: &Pack) -> Result<()> {
    let changed = |what: &str| {
        Error::new(ErrorKind::InvalidRequest, format!("{what} is not what the pack's manifest says it is"))
    };
    if hashed(&pack.program.wasm, file_hash)? != pack.program.hash {
        return Err(changed(&pack.program.wasm.display().to_string()));
    }
    for tree in &pack.manifest().trees {
        let found = hashed(&pack.directory().join(&tree.from), tree_hash)?;
        if tree.sha256.as_deref().is_some_and(|expected| hash::parse(expected) != Some(found)) {
            return Err(changed(&tree.from));
        }
    }
    Ok(())
}

fn hashed(path: &Path, hash: fn(&Path) -> io::Result<[u8; 32]>) -> Result<[u8; 32]> {
    hash(path).map_err(|error| failed(path, &error))
}

fn clear(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path, &error)),
        _ => Ok(()),
    }
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::InvalidRequest, format!("{}: {error}", path.display()))
}
