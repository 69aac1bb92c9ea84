//! The file being examined.

use super::state::{Links, State};
use crate::out::message;
use sandshell_cli::bytes;
use sandshell_cli::quote::quote;
use sandshell_sys as sys;
use std::cell::OnceCell;

pub(crate) struct Entry<'a> {
    /// The path as it is printed.
    pub(crate) path: Vec<u8>,
    /// The starting point.
    pub(crate) root: &'a [u8],
    /// The directory in which it was found, if that is still open.
    pub(crate) directory: Option<sys::Fd>,
    pub(crate) depth: usize,
    /// The type bits from the directory entry; 0 if unknown.
    pub(crate) hint: u32,
    pub(crate) cache: OnceCell<Option<sys::Stat>>,
}

impl Entry<'_> {
    /// The file's status, following links as the options say. A failure is reported the first time and gives `None`.
    pub(crate) fn stat(&self, s: &State) -> Option<sys::Stat> {
        *self.cache.get_or_init(|| match self.status(s.links) {
            Ok(st) => Some(st),
            Err(e) => {
                s.flush();
                message("find", &bytes!(quote(&self.path), ": ", e.to_string()));
                s.failed.set(true);
                None
            }
        })
    }

    fn status(&self, links: Links) -> sys::Result<sys::Stat> {
        match self.directory {
            Some(directory) => status(directory, self.name(), self.depth, links),
            None => status(sys::AT_FDCWD, &self.path, self.depth, links),
        }
    }

    /// Whether it is a link that should be followed but cannot be, for example a link to itself. That is reported.
    pub(crate) fn is_lost(&self, s: &State) -> bool {
        !self.hint_is_enough(s) && self.hint == sys::S_IFLNK && self.stat(s).is_none()
    }

    // Whether the type from the directory entry is the type that the options about links ask for.
    fn hint_is_enough(&self, s: &State) -> bool {
        let follows = s.links == Links::Always || (s.links == Links::Operands && self.depth == 0);
        self.hint != 0 && !(follows && self.hint == sys::S_IFLNK)
    }

    /// Its type bits; 0 if they cannot be determined.
    pub(crate) fn kind(&self, s: &State) -> u32 {
        let known = self.hint_is_enough(s);
        if known && self.cache.get().is_none() {
            return self.hint;
        }
        self.stat(s).map_or(self.hint, |st| st.mode & sys::S_IFMT)
    }

    /// The last component, with trailing slashes if the operand had them.
    pub(crate) fn base(&self) -> &[u8] {
        let end = self.path.iter().rposition(|b| *b != b'/').map_or(0, |i| i + 1);
        if end == 0 {
            return self.path.get(..1).unwrap_or_default();
        }
        let start =
            self.path.get(..end).and_then(|p| p.iter().rposition(|b| *b == b'/')).map_or(0, |i| i + 1);
        self.path.get(start..).unwrap_or_default()
    }

    /// The last component without slashes; `/` for the root.
    pub(crate) fn name(&self) -> &[u8] {
        let base = self.base();
        let end = base.iter().rposition(|b| *b != b'/').map_or(base.len(), |i| i + 1);
        base.get(..end).unwrap_or(base)
    }
}

/// Stats a path relative to an open directory, following links as `links` says.
pub(crate) fn status(directory: sys::Fd, path: &[u8], depth: usize, links: Links) -> sys::Result<sys::Stat> {
    let follow = links == Links::Always || (links == Links::Operands && depth == 0);
    match sys::statat(directory, path, follow) {
        // A broken link is treated as the link itself.
        Err(sys::Errno::NOENT) if follow => sys::statat(directory, path, false),
        other => other,
    }
}
