//! Where packs and compiled code are, if nobody says so. A listing is kept as long as no directory changes, because
//! creating a sandbox takes less time than reading a directory.

use crate::PerProcess;
use parking_lot::Mutex;
use sandshell::pack::{MANIFEST, user_cache, user_packs};
use sandshell::{Error, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf, is_separator};
use std::sync::Arc;
use std::time::SystemTime;

/// What identifies the state of a file or directory: its number, when it was changed, and its size.
pub(crate) type Stamp = (u64, Option<SystemTime>, u64);

/// The last listing.
static LISTED: PerProcess<Mutex<Option<Listed>>> = PerProcess::new();

struct Listed {
    /// The user's packs and those of the language's packages.
    directories: Vec<PathBuf>,
    stamps: Vec<Stamp>,
    packs: Arc<[PathBuf]>,
}

/// The directories of packs: of those that were asked for by path or name, or of all that are installed for the user or
/// lie in the directories `bundled`. Of two with the same name it is the user's, then that of the first directory.
///
/// # Errors
/// `InvalidRequest` for a name that no pack has.
pub(crate) fn packs(asked: Option<&[PathBuf]>, bundled: &[PathBuf]) -> Result<Arc<[PathBuf]>> {
    match asked {
        Some(asked) => asked.iter().map(|pack| found(pack, bundled)).collect(),
        None => Ok(all(bundled)),
    }
}

/// The directory for compiled code.
pub(crate) fn cache(asked: Option<&Path>) -> Option<PathBuf> {
    asked.map_or_else(user_cache, |asked| Some(asked.to_owned()))
}

/// All zeros if nothing is there.
pub(crate) fn stamp(path: &Path) -> Stamp {
    let found = fs::metadata(path).ok();
    found.map_or_else(Stamp::default, |found| (inode(&found), found.modified().ok(), found.len()))
}

/// What was asked for, if it is a path.
fn found(pack: &Path, bundled: &[PathBuf]) -> Result<PathBuf> {
    if pack.as_os_str().as_encoded_bytes().iter().any(|byte| is_separator((*byte).into())) {
        return Ok(pack.to_owned());
    }
    let user = user_packs();
    let mut paths = user.iter().chain(bundled).map(|directory| directory.join(pack));
    let missing = || Error::invalid_request(format!("no pack {:?} is installed", pack.display().to_string()));
    paths.find(|path| is_pack(path)).ok_or_else(missing)
}

fn all(bundled: &[PathBuf]) -> Arc<[PathBuf]> {
    let directories: Vec<PathBuf> = user_packs().into_iter().chain(bundled.iter().cloned()).collect();
    let stamps: Vec<Stamp> = directories.iter().map(|directory| stamp(directory)).collect();
    let mut listed = LISTED.get_or_init(Mutex::default).lock();
    if let Some(listed) = listed.as_ref()
        && (&listed.directories, &listed.stamps) == (&directories, &stamps)
    {
        return listed.packs.clone();
    }
    let mut packs = BTreeMap::new();
    for entry in directories.iter().filter_map(|directory| fs::read_dir(directory).ok()).flatten() {
        let Ok(entry) = entry else { continue };
        let (name, path) = (entry.file_name(), entry.path());
        if !name.as_encoded_bytes().starts_with(b".") && is_pack(&path) {
            packs.entry(name).or_insert(path);
        }
    }
    let packs: Arc<[PathBuf]> = packs.into_values().collect();
    *listed = Some(Listed { directories, stamps, packs: packs.clone() });
    packs
}

fn is_pack(path: &Path) -> bool {
    path.join(MANIFEST).exists()
}

#[cfg(unix)]
fn inode(found: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

/// The host has no numbers for files.
#[cfg(not(unix))]
fn inode(_found: &fs::Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_changes_with_its_directory() {
        let bundled = tempfile::tempdir().expect("a directory");
        let pack = |name: &str| {
            fs::create_dir_all(bundled.path().join(name)).expect("made");
            fs::write(bundled.path().join(name).join(MANIFEST), "").expect("written");
        };
        let listed = || {
            let packs = packs(None, &[bundled.path().to_owned()]).expect("a listing");
            packs.iter().filter(|pack| pack.starts_with(bundled.path())).cloned().collect::<Vec<_>>()
        };
        assert_eq!(listed(), [] as [PathBuf; 0]);
        pack(".hidden");
        pack("two");
        fs::create_dir(bundled.path().join("no pack")).expect("made");
        assert_eq!(listed(), [bundled.path().join("two")]);
        pack("one");
        assert_eq!(listed(), [bundled.path().join("one"), bundled.path().join("two")]);
        fs::remove_dir_all(bundled.path().join("two")).expect("removed");
        assert_eq!(listed(), [bundled.path().join("one")]);
    }

    #[test]
    fn a_pack_has_a_name_or_a_path() {
        let bundled = tempfile::tempdir().expect("a directory");
        fs::create_dir(bundled.path().join("mine")).expect("made");
        let asked = |pack: &str| packs(Some(&[pack.into()]), &[bundled.path().to_owned()]);
        assert!(asked("mine").is_err(), "it has no manifest");
        fs::write(bundled.path().join("mine").join(MANIFEST), "").expect("written");
        assert_eq!(*asked("mine").expect("a pack"), [bundled.path().join("mine")]);
        assert_eq!(*asked("./mine").expect("a path"), [PathBuf::from("./mine")]);
        let error = asked("other").expect_err("there is none").to_string();
        assert!(error.contains("other"), "{error}");
    }
}
