//! The files that patches change.

use super::header::Patch;
use super::options::{Naming, Options};
use super::say::Fatal;
use sandshell_coreutils::bytes;
use sandshell_sys as sys;

/// Chooses which of a patch's names is meant: an existing one if there is one, and of these the simplest; for a file to
/// be created the one that needs the fewest directories.
pub(super) fn choose(patch: &Patch) -> Option<Vec<u8>> {
    let names: Vec<&Vec<u8>> = patch.names.iter().flatten().collect();
    let existing: Vec<&Vec<u8>> = names.iter().copied().filter(|n| sys::stat(n, false).is_ok()).collect();
    if let Some(best) = simplest(&existing) {
        return Some(best.clone());
    }
    if patch.nonexistent == [0, 0] {
        return None;
    }
    let missing = |n: &[u8]| {
        let slashes = n.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(i, _)| i);
        slashes.filter(|i| sys::stat(&n[..*i], true).is_err()).count()
    };
    let fewest = names.iter().map(|n| missing(n)).min()?;
    let candidates: Vec<&Vec<u8>> = names.into_iter().filter(|n| missing(n) == fewest).collect();
    simplest(&candidates).cloned()
}

// The fewest components, then the shortest last component, then the shortest name, then the first.
fn simplest<'a>(names: &[&'a Vec<u8>]) -> Option<&'a Vec<u8>> {
    let rank = |n: &&&'a Vec<u8>| {
        let parts = n.split(|b| *b == b'/').filter(|p| !p.is_empty());
        let base = n.rsplit(|b| *b == b'/').next().map_or(0, <[u8]>::len);
        (parts.count(), base, n.len())
    };
    names.iter().min_by_key(rank).copied()
}

/// Reads a file.
pub(super) fn read(name: &[u8]) -> sys::Result<Vec<u8>> {
    let fd = sys::open(name, sys::open_flags::READ, 0)?;
    let data = sys::read_to_end(fd);
    let _ = sys::close(fd);
    data
}

/// The content that a symbolic link counts as.
pub(super) fn read_link(name: &[u8]) -> sys::Result<Vec<u8>> {
    sys::readlink(name)
}

/// Puts a symbolic link in a file's place.
pub(super) fn replace_link(name: &[u8], to: &[u8]) -> Result<(), Fatal> {
    make_parents(name)?;
    let made = match sys::symlink(to, name) {
        Err(sys::Errno::EXIST) => sys::unlink(name).and_then(|()| sys::symlink(to, name)),
        other => other,
    };
    made.map_err(|e| Fatal::file("Can't create symbolic link", name, e))
}

/// Puts content in a file's place, with these permissions, or without by the mask. What held the old content, keeps it.
pub(super) fn replace(name: &[u8], data: &[u8], mode: Option<u32>) -> Result<(), Fatal> {
    let failed = |e| Fatal::file("Can't create file", name, e);
    make_parents(name)?;
    let (dir, base) = split(name);
    let flags = sys::open_flags::WRITE | sys::open_flags::CREATE | sys::open_flags::EXCL;
    for attempt in 0u32..1000 {
        let temporary = bytes!(dir, ".", base, format!(".patch{}", attempt));
        let fd = match sys::open(&temporary, flags, 0o666) {
            Ok(fd) => fd,
            Err(sys::Errno::EXIST) => continue,
            Err(e) => return Err(failed(e)),
        };
        let written = sys::write_all(fd, data);
        let closed = sys::close(fd);
        let moded = mode.map_or(Ok(()), |m| sys::chmod(&temporary, m & 0o7777));
        let done = written.and(closed).and(moded).and_then(|()| sys::rename(&temporary, name));
        return done.map_err(|e| {
            let _ = sys::unlink(&temporary);
            failed(e)
        });
    }
    Err(failed(sys::Errno::EXIST))
}

/// Removes a file, and the directories that are empty then.
pub(super) fn remove(name: &[u8]) -> Result<(), Fatal> {
    sys::unlink(name).map_err(|e| Fatal::file("Can't remove file", name, e))?;
    let mut rest = name;
    while let Some(slash) = rest.iter().rposition(|b| *b == b'/') {
        rest = &rest[..slash];
        if rest.is_empty() || sys::rmdir(rest).is_err() {
            break;
        }
    }
    Ok(())
}

/// Keeps a file as it is under its backup's name; for one that does not exist an empty file.
pub(super) fn back_up(name: &[u8], options: &Options) -> Result<(), Fatal> {
    let backup = backup_name(name, options);
    make_parents(&backup)?;
    if sys::stat(name, false).is_err() {
        let flags = sys::open_flags::WRITE | sys::open_flags::CREATE | sys::open_flags::TRUNC;
        let _ = sys::unlink(&backup);
        let fd =
            sys::open(&backup, flags, 0o666).map_err(|e| Fatal::file("Can't create file", &backup, e))?;
        let _ = sys::close(fd);
        return Ok(());
    }
    let _ = sys::unlink(&backup);
    match sys::link(name, &backup, false) {
        Ok(()) => Ok(()),
        Err(_) => {
            let text = bytes!("Can't rename file ", name, " to ", backup);
            sys::rename(name, &backup).map_err(|e| Fatal::text(bytes!(text, " : ", e.to_string())))
        }
    }
}

/// Where hunks that could not be applied go.
pub(super) fn reject_name(name: &[u8]) -> Vec<u8> {
    bytes!(name, ".rej")
}

fn backup_name(name: &[u8], options: &Options) -> Vec<u8> {
    let named = options.prefix.is_some() || options.base_prefix.is_some() || options.suffix.is_some();
    let last = last_number(name);
    let numbered = match options.naming {
        Naming::Numbered => true,
        Naming::Existing => last > 0 && !named,
        Naming::Simple => false,
    };
    if numbered {
        return bytes!(name, ".~", last + 1, "~");
    }
    let (dir, base) = split(name);
    let prefix = options.prefix.as_deref().unwrap_or_default();
    let base_prefix = options.base_prefix.as_deref().unwrap_or_default();
    let default: &[u8] = if prefix.is_empty() && base_prefix.is_empty() { b".orig" } else { b"" };
    let suffix = options.suffix.as_deref().unwrap_or(default);
    bytes!(prefix, dir, base_prefix, base, suffix)
}

// The highest number of the file's numbered backups, or 0.
fn last_number(name: &[u8]) -> u64 {
    let (dir, base) = split(name);
    let dir: &[u8] = if dir.is_empty() { b"." } else { dir };
    let entries = sys::read_dir(dir).unwrap_or_default();
    let numbers = entries.iter().filter_map(|e| {
        let digits = e.name.strip_prefix(base)?.strip_prefix(b".~")?.strip_suffix(b"~")?;
        std::str::from_utf8(digits).ok()?.parse::<u64>().ok()
    });
    numbers.max().unwrap_or(0)
}

// The directory with its slash, and the last component.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    let at = name.iter().rposition(|b| *b == b'/').map_or(0, |i| i + 1);
    name.split_at(at)
}

fn make_parents(name: &[u8]) -> Result<(), Fatal> {
    for (i, _) in name.iter().enumerate().filter(|(i, b)| **b == b'/' && *i > 0) {
        match sys::mkdir(&name[..i], 0o777) {
            Ok(()) | Err(sys::Errno::EXIST) => {}
            Err(e) => return Err(Fatal::file("Can't create directory", &name[..i], e)),
        }
    }
    Ok(())
}
