//! What a directory gives away of the places that are withheld: compared by device, inode and place in a filesystem.

use super::super::Withheld;
use super::node::proc_path;
use super::retry::retry;
use crate::Result;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// A file of the host: device and inode.
type Id = (u64, u64);

/// How many symbolic links are followed on the path to a place: as many as Linux follows.
const MAX_LINKS: usize = 40;

impl Withheld {
    /// The first place that a sandbox with this directory mounted for writing could change.
    ///
    /// # Errors
    /// The host's error, if that could not be determined.
    pub fn given_away_by(&self, directory: impl AsFd) -> Result<Option<&Path>> {
        if self.places.is_empty() {
            return Ok(None);
        }
        let view = Reach::of(directory.as_fd())?;
        for place in &self.places {
            if view.reaches(&PlacePath::to(place, &view.mounts)?) {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Whether a file may be in a directory with locks of this program. Asked for files of mounts only that show a
    /// place.
    pub(super) fn has_locks(&self, file: BorrowedFd<'_>) -> bool {
        if self.locked.is_empty() {
            return false;
        }
        let mounts = mounts();
        // If it cannot be told, it may.
        let Some(own) = inside(file, &mounts) else { return true };
        self.locked.iter().any(|place| match PlacePath::to(place, &mounts) {
            Ok(way) => way.end.and_then(|(_, inside)| inside).is_some_and(|end| end.holds(&own)),
            Err(_) => true,
        })
    }

    /// Whether a file is one of the secrets, by its attributes.
    pub(super) fn is_secret(&self, identity: Id, mode: u32) -> bool {
        // A file that others can access is no secret, so most files need no system call.
        mode & 0o077 == 0
            && self
                .secrets
                .iter()
                .any(|secret| rustix::fs::stat(secret).is_ok_and(|stat| id(&stat) == identity))
    }
}

/// What a sandbox can access through a directory.
struct Reach {
    mounts: Vec<Mount>,
    /// The directory and all its ancestors, the root last.
    above: Vec<Id>,
    /// The directory and the roots of mounts below it.
    tops: Vec<(Id, Option<Inside>)>,
}

/// The location of a directory in its filesystem, which does not depend on how the filesystem is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Inside {
    device: Vec<u8>,
    path: PathBuf,
}

impl Inside {
    /// Whether another location is this one, or lies below it.
    fn holds(&self, other: &Self) -> bool {
        self.device == other.device && other.path.starts_with(&self.path)
    }
}

impl Reach {
    fn of(directory: BorrowedFd<'_>) -> Result<Reach> {
        let mounts = mounts();
        let above = above(directory)?;
        let path = link(directory)?;
        let own = above.first().copied().unwrap_or_default();
        let mut tops = vec![(own, inside(directory, &mounts))];
        for mount in mounts.iter().filter(|mount| mount.at != path && mount.at.starts_with(&path)) {
            if let Ok(stat) = rustix::fs::stat(&mount.at) {
                let inside = Inside { device: mount.device.clone(), path: mount.root.clone() };
                tops.push((id(&stat), Some(inside)));
            }
        }
        Ok(Reach { mounts, above, tops })
    }

    fn reaches(&self, way: &PlacePath) -> bool {
        let on_the_way = self.tops.iter().any(|(top, _)| way.directories.contains(top));
        let within = way.end.as_ref().is_some_and(|(end, _)| self.above.contains(end));
        let insides = || self.tops.iter().filter_map(|(_, inside)| inside.as_ref());
        let aliased_above = way.last.as_ref().is_some_and(|last| insides().any(|top| top.holds(last)));
        let end = way.end.as_ref().and_then(|(_, inside)| inside.as_ref());
        let aliased_within = end.is_some_and(|end| insides().any(|top| end.holds(top)));
        on_the_way || within || aliased_above || aliased_within
    }
}

/// The path to a place, as the kernel would resolve it.
#[derive(Default)]
struct PlacePath {
    /// Every directory in which a name is looked up, and the place itself.
    directories: Vec<Id>,
    /// The last directory on the path that exists.
    last: Option<Inside>,
    /// The place, if it exists.
    end: Option<(Id, Option<Inside>)>,
}

impl PlacePath {
    fn to(place: &Path, mounts: &[Mount]) -> Result<PlacePath> {
        // Relative paths start at the working directory. `..` is not resolved here, because of links.
        let place = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
        let mut names: Vec<OsString> = reversed(&place);
        let mut way = PlacePath::default();
        let mut here = root()?;
        way.directories.push(identity(here.as_fd())?);
        let mut links = 0;
        while let Some(name) = names.pop() {
            if name == ".." {
                here = parent(here.as_fd())?;
                way.directories.push(identity(here.as_fd())?);
                continue;
            }
            // What this program's user cannot look up, that user cannot change, and neither can a sandbox.
            let Ok(stat) = rustix::fs::statat(&here, &*name, AtFlags::SYMLINK_NOFOLLOW) else { break };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Symlink if links < MAX_LINKS => {
                    links += 1;
                    let Ok(target) = rustix::fs::readlinkat(&here, &*name, Vec::new()) else { break };
                    let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                    if target.is_absolute() {
                        here = root()?;
                    }
                    names.extend(reversed(&target));
                }
                FileType::Directory => {
                    let Ok(next) =
                        rustix::fs::openat(&here, &*name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())
                    else {
                        break;
                    };
                    here = next;
                    way.directories.push(identity(here.as_fd())?);
                    if names.is_empty() {
                        way.end = Some((identity(here.as_fd())?, inside(here.as_fd(), mounts)));
                    }
                }
                _ => break,
            }
        }
        way.last = inside(here.as_fd(), mounts);
        Ok(way)
    }
}

/// The names of a path in reverse order.
fn reversed(path: &Path) -> Vec<OsString> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().rev().filter_map(name).collect()
}

const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

fn root() -> Result<OwnedFd> {
    retry(|| rustix::fs::openat(CWD, "/", DIRECTORY, Mode::empty()))
}

fn parent(directory: BorrowedFd<'_>) -> Result<OwnedFd> {
    retry(|| rustix::fs::openat(directory, "..", DIRECTORY, Mode::empty()))
}

/// A directory and all its ancestors.
fn above(directory: BorrowedFd<'_>) -> Result<Vec<Id>> {
    let mut ids = vec![identity(directory)?];
    let mut here = parent(directory)?;
    loop {
        let found = identity(here.as_fd())?;
        if ids.last() == Some(&found) {
            return Ok(ids);
        }
        ids.push(found);
        here = parent(here.as_fd())?;
    }
}

fn identity(file: BorrowedFd<'_>) -> Result<Id> {
    Ok(id(&retry(|| rustix::fs::fstat(file))?))
}

fn id(stat: &Stat) -> Id {
    (stat.st_ino, stat.st_dev)
}

/// The kernel's path of an open directory.
fn link(file: BorrowedFd<'_>) -> Result<PathBuf> {
    let target = retry(|| rustix::fs::readlinkat(CWD, proc_path(file).as_str(), Vec::new()))?;
    Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
}

/// A line of `/proc/self/mountinfo`.
struct Mount {
    id: u64,
    device: Vec<u8>,
    /// The directory in the filesystem that is mounted.
    root: PathBuf,
    at: PathBuf,
}

fn mounts() -> Vec<Mount> {
    // Without it, directories are still compared by inode.
    let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
    table.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let id = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let _parent = fields.next()?;
    let device = fields.next()?.to_vec();
    let (root, at) = (unescaped(fields.next()?), unescaped(fields.next()?));
    Some(Mount { id, device, root, at })
}

/// Decodes octal escapes such as `\040`.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, tail @ ..] = rest {
        let octal = tail
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        bytes.push(octal.unwrap_or(*first));
        rest = if octal.is_some() { tail.get(3..).unwrap_or_default() } else { tail };
    }
    OsStr::from_bytes(&bytes).into()
}

/// The location of an open directory in its filesystem. `None` if the kernel does not tell.
fn inside(directory: BorrowedFd<'_>, mounts: &[Mount]) -> Option<Inside> {
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", directory.as_raw_fd())).ok()?;
    let number = info.lines().find_map(|line| line.strip_prefix("mnt_id:"))?.trim().parse::<u64>().ok()?;
    let mount = mounts.iter().find(|mount| mount.id == number)?;
    let path = link(directory).ok()?;
    Some(Inside { device: mount.device.clone(), path: mount.root.join(path.strip_prefix(&mount.at).ok()?) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Whether a directory is refused for writing.
    fn refused(withheld: &Withheld, directory: &Path) -> bool {
        withheld.given_away_by(fs::File::open(directory).unwrap()).unwrap().is_some()
    }

    #[test]
    fn directories_that_contain_a_place_or_lie_in_it_are_refused() {
        let top = tempfile::tempdir().unwrap();
        let path = |name: &str| top.path().join(name);
        fs::create_dir_all(path("home/.cache/own/inner")).unwrap();
        fs::create_dir_all(path("home/project")).unwrap();
        let withheld = Withheld { places: vec![path("home/.cache/own")], ..Withheld::default() };
        for holds in ["", "home", "home/.cache", "home/.cache/own", "home/.cache/own/inner"] {
            assert!(refused(&withheld, &path(holds)), "{holds:?}");
        }
        assert!(refused(&withheld, Path::new("/")));
        assert!(!refused(&withheld, &path("home/project")));
        symlink("home/.cache", path("alias")).unwrap();
        assert!(refused(&withheld, &path("alias")), "by another name");
    }

    #[test]
    fn missing_places_are_protected() {
        let top = tempfile::tempdir().unwrap();
        let path = |name: &str| top.path().join(name);
        fs::create_dir_all(path("home/project")).unwrap();
        let withheld = Withheld { places: vec![path("home/.cache/own")], ..Withheld::default() };
        assert!(refused(&withheld, &path("home")));
        assert!(!refused(&withheld, &path("home/project")));
    }

    #[test]
    fn every_link_on_the_way_counts() {
        let top = tempfile::tempdir().unwrap();
        let path = |name: &str| top.path().join(name);
        for directory in ["home", "disk/cache/own", "links", "other", "up/a"] {
            fs::create_dir_all(path(directory)).unwrap();
        }
        symlink("../links/cache", path("home/.cache")).unwrap();
        symlink(path("disk/cache"), path("links/cache")).unwrap();
        let withheld = Withheld { places: vec![path("home/.cache/own")], ..Withheld::default() };
        for on_the_way in ["home", "links", "disk", "disk/cache", "disk/cache/own"] {
            assert!(refused(&withheld, &path(on_the_way)), "{on_the_way}");
        }
        assert!(!refused(&withheld, &path("other")));
        let file = Withheld { places: vec![path("up/a/../file")], ..Withheld::default() };
        fs::write(path("up/file"), "").unwrap();
        assert!(refused(&file, &path("up")));
        symlink("loop", path("loop")).unwrap();
        let looped = Withheld { places: vec![path("loop/x")], ..Withheld::default() };
        assert!(!refused(&looped, &path("other")));
    }

    #[test]
    fn another_mount_of_the_same_filesystem_is_found_by_its_place_in_it() {
        let inside =
            |device: &str, path: &str| Some(Inside { device: device.as_bytes().to_vec(), path: path.into() });
        let way = |end: &str| PlacePath {
            directories: vec![(1, 1)],
            last: inside("8:1", end),
            end: Some(((2, 1), inside("8:1", end))),
        };
        let view = |device: &str, top: &str| Reach {
            mounts: Vec::new(),
            above: vec![(7, 7)],
            tops: vec![((7, 7), inside(device, top))],
        };
        assert!(view("8:1", "/home/u").reaches(&way("/home/u/.cache/own")));
        assert!(view("8:1", "/home/u/.cache/own/x").reaches(&way("/home/u/.cache/own")));
        assert!(!view("8:1", "/home/u/project").reaches(&way("/home/u/.cache/own")));
        assert!(!view("8:2", "/home/u").reaches(&way("/home/u/.cache/own")));
        assert_eq!(unescaped(br"/a\040b\134c"), PathBuf::from(r"/a b\c"));
    }
}
