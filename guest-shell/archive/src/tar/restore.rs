//! What is done after all members are extracted: modes and times of directories, and symbolic links that lead out.

use super::log::{self, Fatal};
use super::places::Places;
use sandshell_cli::quote::quote;
use sandshell_sys::{self as sys, SetTime};

struct Directory {
    place: usize,
    path: Vec<u8>,
    mode: u32,
    mtime: Option<(i64, u32)>,
}

struct Link {
    place: usize,
    path: Vec<u8>,
    target: Vec<u8>,
    mtime: (i64, u32),
}

#[derive(Default)]
pub(crate) struct Later {
    directories: Vec<Directory>,
    links: Vec<Link>,
}

impl Later {
    pub(crate) fn directory(&mut self, place: usize, path: &[u8], mode: u32, mtime: Option<(i64, u32)>) {
        self.directories.push(Directory { place, path: path.to_vec(), mode, mtime });
    }

    pub(crate) fn symlink(&mut self, place: usize, path: &[u8], target: &[u8], mtime: (i64, u32)) {
        self.links.push(Link { place, path: path.to_vec(), target: target.to_vec(), mtime });
    }

    /// The target of a link that will be made later.
    pub(crate) fn symlink_at(&self, place: usize, path: &[u8]) -> Option<Vec<u8>> {
        self.links.iter().find(|l| l.place == place && l.path == path).map(|l| l.target.clone())
    }

    /// Does everything in the list, the last directories first.
    pub(crate) fn apply(&mut self, places: &mut Places, _umask: u32) -> Result<(), Fatal> {
        for link in std::mem::take(&mut self.links) {
            places.enter(link.place)?;
            let placeholder = sys::stat(&link.path, false).is_ok_and(|s| s.is_file() && s.size == 0);
            if !placeholder {
                continue;
            }
            if let Err(e) = sys::unlink(&link.path).and_then(|()| sys::symlink(&link.target, &link.path)) {
                let to = quote(&link.target);
                let text = [&log::colon(&link.path)[..], b": Cannot create symlink to ", &to, b": "].concat();
                log::error([&text[..], e.to_string().as_bytes()].concat());
            } else {
                let time = SetTime::At(link.mtime.0, link.mtime.1);
                let _ = sys::utimens(&link.path, SetTime::Omit, time, false);
            }
        }
        for dir in std::mem::take(&mut self.directories).iter().rev() {
            places.enter(dir.place)?;
            if !sys::stat(&dir.path, false).is_ok_and(|s| s.is_dir()) {
                continue;
            }
            if let Some((seconds, nanos)) = dir.mtime
                && let Err(e) = sys::utimens(&dir.path, SetTime::Now, SetTime::At(seconds, nanos), false)
            {
                log::error([&log::colon(&dir.path)[..], format!(": Cannot utime: {e}").as_bytes()].concat());
            }
            if let Err(e) = sys::chmod(&dir.path, dir.mode) {
                log::error(
                    [&log::colon(&dir.path)[..], format!(": Cannot change mode: {e}").as_bytes()].concat(),
                );
            }
        }
        Ok(())
    }
}
