//! What a directory gives away of the places that are withheld: compared by file and by path, links included.

use super::super::Withheld;
use super::exact::Id;
use super::system;
use cap_std::fs::{Dir, Metadata};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

/// How many symbolic links are followed on the path to a place.
const MAX_LINKS: usize = 40;

impl Withheld {
    /// The first place that a sandbox with this directory mounted for writing could change.
    pub(super) fn given_away_by(&self, dir: &Dir, path: &Path) -> io::Result<Option<&Path>> {
        if self.places.is_empty() {
            return Ok(None);
        }
        let own = system::identity(&dir.dir_metadata()?);
        let above = above(path, own)?;
        Ok(self.places.iter().map(PathBuf::as_path).find(|place| {
            let way = Way::to(place);
            way.directories.contains(&own) || way.end.is_some_and(|end| above.contains(&end))
        }))
    }

    /// Whether a file is one of the secrets, by its attributes.
    pub(super) fn is_secret(&self, id: Id, mode: u32) -> bool {
        // A file that others can access is no secret, so most files need no system call.
        let private = !system::HAS_MODES || mode & 0o077 == 0;
        private && self.secrets.iter().any(|secret| identity(secret).is_some_and(|found| found == id))
    }
}

/// The directory and all its ancestors.
fn above(path: &Path, own: Id) -> io::Result<Vec<Id>> {
    let path = path.canonicalize()?;
    // The path may lead to another directory by now. Then nothing is known of the one that was opened.
    if identity(&path) != Some(own) {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the directory was moved while it was opened"));
    }
    Ok(path.ancestors().filter_map(identity).collect())
}

/// The path to a place, as the host would resolve it.
#[derive(Default)]
struct Way {
    /// Every directory in which a name is looked up, and the place itself.
    directories: Vec<Id>,
    /// The place, if it exists.
    end: Option<Id>,
}

impl Way {
    fn to(place: &Path) -> Way {
        let place = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
        let mut way = Way::default();
        let (mut here, mut rest) = split(&place);
        let mut links = 0;
        way.directories.extend(identity(&here));
        while let Some(name) = rest.pop() {
            if name == ".." {
                here = here.canonicalize().unwrap_or(here);
                here.pop();
                way.directories.extend(identity(&here));
                continue;
            }
            let next = here.join(&name);
            // What this program's user cannot look up, that user cannot change, and neither can a sandbox.
            let Ok(metadata) = next.symlink_metadata() else { break };
            if metadata.is_symlink() && links < MAX_LINKS {
                links += 1;
                let Ok(target) = next.read_link() else { break };
                let (root, names) = split(&target);
                if target.has_root() {
                    here = root;
                    way.directories.extend(identity(&here));
                }
                rest.extend(names);
            } else if metadata.is_dir() {
                here = next;
                let found = identity(&here);
                way.directories.extend(found);
                if rest.is_empty() {
                    way.end = found;
                }
            } else {
                break;
            }
        }
        way
    }
}

/// A path's root and its names in reverse order.
fn split(path: &Path) -> (PathBuf, Vec<OsString>) {
    let (mut root, mut names) = (PathBuf::new(), Vec::new());
    for part in path.components() {
        match part {
            Component::Prefix(_) | Component::RootDir => root.push(part),
            Component::Normal(name) => names.push(name.to_owned()),
            Component::ParentDir => names.push("..".into()),
            Component::CurDir => {}
        }
    }
    names.reverse();
    (root, names)
}

fn identity(path: &Path) -> Option<Id> {
    let open = if path.is_dir() {
        Dir::open_ambient_dir(path, cap_std::ambient_authority()).ok()?.into_std_file()
    } else {
        File::open(path).ok()?
    };
    Some(system::identity(&Metadata::from_file(&open).ok()?))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// Whether a directory is refused for writing.
    fn refused(withheld: &Withheld, directory: &Path) -> bool {
        let dir = Dir::open_ambient_dir(directory, cap_std::ambient_authority()).unwrap();
        withheld.given_away_by(&dir, directory).unwrap().is_some()
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
        let missing = Withheld { places: vec![path("home/.config/own")], ..Withheld::default() };
        assert!(refused(&missing, &path("home")) && !refused(&missing, &path("home/project")));
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
}
