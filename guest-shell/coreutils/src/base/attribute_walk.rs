//! Walks trees to change attributes, for `chmod`, `chown` and `chgrp`.

use sandshell_cli::quote::quoteaf;
use sandshell_cli::{bytes, warn};
use sandshell_posix::path;
use sandshell_sys::{self as sys, Stat};

/// Which links a recursive walk follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    None,
    Arguments,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    None,
    Changes,
    All,
}

pub(crate) struct Walk {
    pub(crate) name: &'static str,
    pub(crate) recursive: bool,
    pub(crate) links: Links,
    pub(crate) quiet: bool,
    pub(crate) preserve_root: bool,
    pub(crate) status: i32,
}

/// Changes one file: its path, and its attributes unless they could not be read.
pub(crate) type Change<'a, T> = dyn FnMut(&mut T, &[u8], Option<&Stat>) + 'a;

impl Walk {
    pub(crate) fn complain(&mut self, text: Vec<u8>) {
        if !self.quiet {
            warn!(self.name, text);
        }
        self.status = 1;
    }

    pub(crate) fn refuse_root(&mut self, file: &[u8]) {
        warn!(self.name, "it is dangerous to operate recursively on ", quoteaf(file), same_as_root(file));
        warn!(self.name, "use --no-preserve-root to override this failsafe");
        self.status = 1;
    }

    /// Calls `change` on a file and, if recursive, on everything below it.
    pub(crate) fn visit(&mut self, file: &[u8], follow_self: bool, change: &mut Change<Self>) {
        let root = sys::stat(b"/", true).ok();
        // Entries with attributes are directories whose contents have been processed.
        let mut pending = vec![(file.to_vec(), true, None)];
        while let Some((file, argument, done)) = pending.pop() {
            if let Some(stat) = done {
                change(self, &file, Some(&stat));
                continue;
            }
            let through = match self.links {
                Links::All => true,
                Links::Arguments => argument,
                // `chmod` follows links named on the command line.
                Links::None => argument && self.name == "chmod",
            };
            let through = if self.recursive { through } else { follow_self };
            let link = match sys::stat(&file, false) {
                Ok(s) => s,
                Err(e) => {
                    self.complain(bytes!("cannot access ", quoteaf(&file), ": ", e));
                    change(self, &file, None);
                    continue;
                }
            };
            let follows = through || follow_self && (argument || self.name != "chmod");
            let stat = if link.is_symlink() && follows {
                match sys::stat(&file, true) {
                    Ok(s) => s,
                    Err(_) if self.name == "chmod" => {
                        self.complain(bytes!("cannot operate on dangling symlink ", quoteaf(&file)));
                        change(self, &file, None);
                        continue;
                    }
                    // The operation may be about the link itself.
                    Err(_) => link,
                }
            } else {
                link
            };
            // A link that leads to one of its ancestors is not followed. The ancestors are in `pending`.
            let is_here =
                |done: &Option<Stat>| done.as_ref().is_some_and(|s| (s.dev, s.ino) == (stat.dev, stat.ino));
            let circle = link.is_symlink() && pending.iter().any(|p| is_here(&p.2));
            let descends = self.recursive && stat.is_dir() && (!link.is_symlink() || through) && !circle;
            if descends && self.preserve_root && root.is_some_and(|r| (r.dev, r.ino) == (stat.dev, stat.ino))
            {
                self.refuse_root(&file);
                continue;
            }
            // A directory's mode is changed before its entries are visited, but its owner is changed after them.
            let before = self.name == "chmod" || !descends;
            if before {
                change(self, &file, Some(&stat));
            }
            if !descends {
                continue;
            }
            match sys::read_dir(&file) {
                Ok(entries) => {
                    let below = entries.into_iter().rev().map(|e| (path::join(&file, &e.name), false, None));
                    let below: Vec<_> = below.collect();
                    if !before {
                        pending.push((file, argument, Some(stat)));
                    }
                    pending.extend(below);
                }
                Err(e) => {
                    self.complain(bytes!("cannot read directory ", quoteaf(&file), ": ", e));
                    change(self, &file, None);
                }
            }
        }
    }
}

pub(crate) fn same_as_root(file: &[u8]) -> &'static str {
    if file == b"/" { "" } else { " (same as '/')" }
}
