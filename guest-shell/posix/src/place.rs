//! Files of a tree that is walked, found from the open directories above them.
//!
//! A path costs the kernel a step for each name in it. A walk that keeps its directories open takes one step for each
//! file, and notices nothing of directories above that are renamed meanwhile.

use sandshell_sys::{self as sys, Fd, Result, Stat};
use std::rc::Rc;

/// Directories up to this depth stay open while their contents are visited. The number of descriptors is limited.
const OPEN_DEPTH: usize = 64;

/// A file of a walk.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its path from the working directory, as it is shown.
    pub path: Vec<u8>,
    above: Directory,
}

/// Where the files in a directory are looked up. It is open as long as one of its copies or of its files is there.
#[derive(Clone, Debug, Default)]
pub struct Directory(Option<Rc<Opened>>);

#[derive(Debug)]
struct Opened {
    fd: Fd,
    /// How many bytes of the paths of its files lead to it.
    prefix: usize,
    depth: usize,
}

impl Place {
    /// Where a walk begins.
    pub fn start(path: Vec<u8>) -> Self {
        Self { path, above: Directory::default() }
    }

    /// `openat(2)` without creating anything.
    ///
    /// # Errors
    /// As `open(2)`.
    pub fn open(&self, flags: u32) -> Result<Fd> {
        let (base, path) = self.relative();
        sys::openat(base, path, flags, 0)
    }

    /// `fstatat(2)`.
    ///
    /// # Errors
    /// As `stat(2)`; `lstat(2)` without `follow`.
    pub fn stat(&self, follow: bool) -> Result<Stat> {
        let (base, path) = self.relative();
        sys::statat(base, path, follow)
    }

    /// This directory, opened as `fd`, which is closed with it. The paths of what is in it continue after `prefix`
    /// bytes.
    pub fn opened(&self, fd: Fd, prefix: usize) -> Directory {
        let depth = self.above.0.as_ref().map_or(0, |above| above.depth + 1);
        let opened = Opened { fd, prefix, depth };
        if depth < OPEN_DEPTH { Directory(Some(Rc::new(opened))) } else { self.above.clone() }
    }

    fn relative(&self) -> (Fd, &[u8]) {
        match &self.above.0 {
            Some(above) => (above.fd, self.path.get(above.prefix..).unwrap_or_default()),
            None => (sys::AT_FDCWD, &self.path),
        }
    }
}

impl Directory {
    /// A file in it or below it.
    pub fn place(&self, path: Vec<u8>) -> Place {
        Place { path, above: self.clone() }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let _ = sys::close(self.fd);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{OPEN_DEPTH, Place};
    use sandshell_sys::{self as sys, Errno, open_flags as f};
    use std::collections::HashSet;

    #[test]
    fn a_tree_of_any_depth_is_walked_with_few_descriptors() {
        let root = std::env::temp_dir().join(format!("sandshell-place-{}", std::process::id()));
        let depth = OPEN_DEPTH * 2;
        std::fs::create_dir_all(root.join("d/".repeat(depth))).expect("a deep directory");
        let mut place = Place::start(root.to_str().expect("text").into());
        let mut fds = HashSet::new();
        for _ in 0..=depth {
            let fd = place.open(f::READ | f::DIRECTORY).expect("it is there");
            fds.insert(fd);
            let prefix = place.path.len() + 1;
            let path = [&place.path[..], b"/d"].concat();
            place = place.opened(fd, prefix).place(path);
        }
        assert!(fds.len() <= OPEN_DEPTH + 1, "{} descriptors", fds.len());
        assert_eq!(place.stat(false).map(|stat| stat.is_dir()), Err(Errno::NOENT));
        // The path of the first one leads nowhere now, but what is below is found.
        let moved = root.with_extension("moved");
        let start = Place::start(root.to_str().expect("text").into());
        let fd = start.open(f::READ | f::DIRECTORY).expect("it is there");
        let inner = start.opened(fd, start.path.len() + 1).place([&start.path[..], b"/d"].concat());
        std::fs::rename(&root, &moved).expect("another name");
        assert_eq!(inner.stat(false).map(|stat| stat.is_dir()), Ok(true));
        assert_eq!(sys::stat(&inner.path, false).map(drop), Err(Errno::NOENT));
        drop(inner);
        assert_eq!(sys::fstat(fd).map(drop), Err(Errno::BADF), "the last one closes it");
        std::fs::remove_dir_all(&moved).expect("it is removed");
    }
}
