//! The files that patches change.

use super::header::Patch;
use super::options::{Naming, Options};
use super::say::{Fatal, quoted, say};
use sandshell_cli::bytes;
use sandshell_sys as sys;

/// Chooses the file to patch among a patch's names. If some of them exist, the simplest of these is chosen. Otherwise,
/// if the patch creates a file, it is the name that needs the fewest new directories. A file for which `leaves` returns
/// true counts as missing. Names that lead out of the directory are not chosen.
pub(super) fn choose(patch: &Patch, leaves: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let mut told = Vec::new();
    let names: Vec<&Vec<u8>> = patch.names.iter().flatten().collect();
    let existing =
        names.iter().copied().filter(|n| !leaves(n) && stat(n, false).is_ok() && is_valid(n, &mut told));
    if let Some(best) = simplest(&existing.collect::<Vec<_>>()) {
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
    let candidates = names.into_iter().filter(|n| missing(n) == fewest && is_valid(n, &mut told));
    simplest(&candidates.collect::<Vec<_>>()).cloned()
}

/// Stats a file that a patch names. It fails if a link on the path leads out of the directory, so that such a file
/// counts as missing.
pub(super) fn stat(name: &[u8], follow: bool) -> sys::Result<sys::Stat> {
    stays_inside(name)?;
    sys::stat(name, follow)
}

/// Whether a name may not be written to because it leads out of the directory.
pub(super) fn is_outside(name: &[u8]) -> bool {
    let why = stays_inside(name);
    matches!(why, Err(sys::Errno::XDEV | sys::Errno::LOOP | sys::Errno::NOTDIR))
}

/// Whether a name, not considering links, stays inside the directory.
pub(super) fn is_safe(name: &[u8]) -> bool {
    !name.starts_with(b"/") && name.split(|b| *b == b'/').all(|part| part != b"..")
        || sys::getcwd().is_ok_and(|dir| dir == b"/")
}

// Does the same, and reports each unsafe name once.
fn is_valid(name: &[u8], told: &mut Vec<Vec<u8>>) -> bool {
    let safe = is_safe(name);
    if !safe && !told.iter().any(|t| t == name) {
        say(bytes!("Ignoring potentially dangerous file name ", quoted(name), "\n"));
        told.push(name.to_vec());
    }
    safe
}

const LINKS_MAX: usize = 40;

// Follows the links among a relative name's directories: none may lead out of the current directory.
fn stays_inside(name: &[u8]) -> sys::Result<()> {
    if name.starts_with(b"/") {
        return Ok(());
    }
    let parts = |path: &[u8]| -> Vec<Vec<u8>> { path.rsplit(|b| *b == b'/').map(<[u8]>::to_vec).collect() };
    let mut left = parts(split(name).0);
    let mut dir: Vec<Vec<u8>> = Vec::new();
    let mut links = 0;
    while let Some(part) = left.pop() {
        match &*part {
            b"" | b"." => {}
            b".." => drop(dir.pop().ok_or(sys::Errno::XDEV)?),
            _ => {
                dir.push(part);
                let here = dir.join(&b'/');
                let found = match sys::stat(&here, false) {
                    // Missing directories will be created.
                    Err(sys::Errno::NOENT) => return Ok(()),
                    found => found?,
                };
                if found.is_symlink() {
                    links += 1;
                    if links > LINKS_MAX {
                        return Err(sys::Errno::LOOP);
                    }
                    dir.pop();
                    let mut to = sys::readlink(&here)?;
                    if to.starts_with(b"/") {
                        dir.clear();
                        let inside = inside_of(&to, &sys::getcwd()?);
                        to = inside.ok_or(sys::Errno::XDEV)?;
                    }
                    left.append(&mut parts(&to));
                } else if !found.is_dir() {
                    return Err(sys::Errno::NOTDIR);
                }
            }
        }
    }
    Ok(())
}

// The rest of a name that is below a directory.
fn inside_of(name: &[u8], dir: &[u8]) -> Option<Vec<u8>> {
    let rest = name.strip_prefix(dir)?;
    (rest.is_empty() || rest.starts_with(b"/") || dir.ends_with(b"/")).then(|| rest.to_vec())
}

// Chooses the name with the fewest components; among these the one with the shortest last component, then the shortest
// name, then the first one.
fn simplest<'a>(names: &[&'a Vec<u8>]) -> Option<&'a Vec<u8>> {
    let rank = |n: &&&'a Vec<u8>| {
        let parts = n.split(|b| *b == b'/').filter(|p| !p.is_empty());
        let base = n.rsplit(|b| *b == b'/').next().map_or(0, <[u8]>::len);
        (parts.count(), base, n.len())
    };
    names.iter().min_by_key(rank).copied()
}

pub(super) fn read(name: &[u8]) -> sys::Result<Vec<u8>> {
    sys::read_file(name)
}

/// The target of a symbolic link, which counts as its content.
pub(super) fn read_link(name: &[u8]) -> sys::Result<Vec<u8>> {
    sys::readlink(name)
}

/// Replaces a file by a symbolic link.
pub(super) fn replace_link(name: &[u8], to: &[u8]) -> Result<(), Fatal> {
    make_parents(name)?;
    let made = match sys::symlink(to, name) {
        Err(sys::Errno::EXIST) => sys::unlink(name).and_then(|()| sys::symlink(to, name)),
        other => other,
    };
    made.map_err(|e| Fatal::file("Can't create symbolic link", name, e))
}

/// Replaces a file's content. Its permissions are `mode`, or without it those of a new file under the umask. Other
/// links to the old file keep the old content.
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

/// Removes a file, and the parent directories that are empty then.
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

/// Makes a backup of a file. If it does not exist, the backup is an empty file.
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

/// The name of the reject file.
pub(super) fn reject_name(name: &[u8]) -> Vec<u8> {
    bytes!(name, ".rej")
}

fn backup_name(name: &[u8], options: &Options) -> Vec<u8> {
    let named = options.prefix.is_some() || options.base_prefix.is_some() || options.named_suffix;
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

// The highest number among the file's numbered backups, or 0.
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

// Splits a name into the directory with its slash, and the last component.
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
