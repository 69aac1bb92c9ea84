//! Walks the directory trees.

use super::entry::{Entry, status};
use super::eval::{eval, leave_directory};
use super::expr::Node;
use super::state::{Links, State};
use crate::out::message;
use sandshell_cli::bytes;
use sandshell_cli::quote::quote;
use sandshell_sys as sys;
use std::cell::{OnceCell, RefCell};

/// Directories up to this depth stay open while their contents are visited.
const OPEN_DEPTH: usize = 100;

pub(crate) struct Walk<'a> {
    s: &'a State,
    expression: &'a Node,
    /// The ancestor directories, for detecting loops: device, inode, path.
    above: RefCell<Vec<(u64, u64, Vec<u8>)>>,
    needs_identity: bool,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(s: &'a State, expression: &'a Node) -> Self {
        let needs_identity = s.links == Links::Always || s.one_device;
        Self { s, expression, above: RefCell::new(Vec::new()), needs_identity }
    }

    /// Walks the tree at one starting point.
    pub(crate) fn start(&self, root: &[u8]) {
        let st = match status(sys::AT_FDCWD, root, 0, self.s.links) {
            Ok(st) => st,
            Err(e) => return self.complain(root, e),
        };
        let cache = OnceCell::from(Some(st));
        let entry = Entry {
            path: root.to_vec(),
            root,
            directory: None,
            depth: 0,
            hint: st.mode & sys::S_IFMT,
            cache,
        };
        self.visit(&entry, st.dev);
        leave_directory(self.expression, self.s);
    }

    fn visit(&self, e: &Entry<'_>, device: u64) {
        let s = self.s;
        if s.quit.get() {
            return;
        }
        if e.is_lost(s) {
            return;
        }
        let directory = e.kind(s) == sys::S_IFDIR;
        if self.needs_identity && directory && self.is_loop(e) {
            return;
        }
        s.prune.set(false);
        let wanted = e.depth >= s.min_depth;
        if wanted && !(directory && s.depth_first) {
            eval(self.expression, e, s);
        }
        let pruned = s.prune.replace(false) && !s.depth_first;
        if directory && !pruned && !s.quit.get() && e.depth < s.max_depth {
            let other = s.one_device && e.stat(s).is_some_and(|st| st.dev != device);
            if !other {
                self.descend(e, device);
            }
        }
        if wanted && directory && s.depth_first && !s.quit.get() {
            eval(self.expression, e, s);
        }
    }

    fn descend(&self, e: &Entry<'_>, device: u64) {
        let flags = sys::open_flags::READ | sys::open_flags::DIRECTORY | sys::open_flags::CLOEXEC;
        let opened = match e.directory {
            Some(above) => sys::openat(above, e.name(), flags, 0),
            None => sys::open(&e.path, flags, 0),
        };
        let fd = match opened {
            Ok(fd) => fd,
            Err(error) => return self.complain(&e.path, error),
        };
        let entries = sys::read_dir_fd(fd);
        // Files below are examined relative to this descriptor. The number of descriptors is limited, so deep
        // directories are closed.
        let directory = (e.depth < OPEN_DEPTH).then_some(fd);
        if directory.is_none() || entries.is_err() {
            let _ = sys::close(fd);
        }
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => return self.complain(&e.path, error),
        };
        if self.needs_identity
            && let Some(st) = e.stat(self.s)
        {
            self.above.borrow_mut().push((st.dev, st.ino, e.path.clone()));
        }
        for child in entries {
            if self.s.quit.get() {
                break;
            }
            let path = if e.path.ends_with(b"/") {
                bytes!(e.path, child.name)
            } else {
                bytes!(e.path, "/", child.name)
            };
            let (root, depth, hint) = (e.root, e.depth + 1, child.kind);
            let entry = Entry { path, root, directory, depth, hint, cache: OnceCell::new() };
            self.visit(&entry, device);
        }
        if let Some(fd) = directory {
            let _ = sys::close(fd);
        }
        leave_directory(self.expression, self.s);
        if self.needs_identity {
            let depth = self.above.borrow().len().saturating_sub(1);
            self.above.borrow_mut().truncate(depth);
        }
    }

    // Whether the directory is its own ancestor. Reports it.
    fn is_loop(&self, e: &Entry<'_>) -> bool {
        let Some(st) = e.stat(self.s) else { return false };
        let above = self.above.borrow();
        let Some((_, _, path)) = above.iter().find(|(d, i, _)| (*d, *i) == (st.dev, st.ino)) else {
            return false;
        };
        self.s.flush();
        message(
            "find",
            &bytes!(
                "File system loop detected; ",
                quote(&e.path),
                " is part of the same file system loop as ",
                quote(path),
                "."
            ),
        );
        self.s.failed.set(true);
        true
    }

    fn complain(&self, path: &[u8], e: sys::Errno) {
        if e == sys::Errno::NOENT && self.s.ignore_race {
            return;
        }
        self.s.flush();
        message("find", &bytes!(quote(path), ": ", e.to_string()));
        self.s.failed.set(true);
    }
}
