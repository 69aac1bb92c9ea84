//! A file in a listing, and the sort orders of files.

use super::options::{Options, Sort, Time};
use sandshell_posix::{characters, version_order};
use sandshell_sys::{self as sys, Stat};
use std::cmp::Ordering;

/// A file to list.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    /// The name as given or as found.
    pub(super) name: Vec<u8>,
    /// The file's status. Without `has_stat`, only its type and inode are valid.
    pub(super) stat: Stat,
    pub(super) has_stat: bool,
    /// False if `stat` failed.
    pub(super) readable: bool,
    /// The target of a symbolic link.
    pub(super) link: Option<Vec<u8>>,
    /// The absolute name, if names are printed as hyperlinks.
    pub(super) absolute: Option<Vec<u8>>,
    /// The mode of the link's target.
    pub(super) link_mode: Option<u32>,
    pub(super) broken_link: bool,
    /// Whether it is a directory named on the command line, whose contents are listed.
    pub(super) argument_dir: bool,
    /// The quoted name, its width in columns, and whether it is preceded by a blank instead of a quote.
    pub(super) shown: Vec<u8>,
    pub(super) columns: usize,
}

impl Entry {
    /// Type and permissions.
    pub(super) fn mode(&self) -> u32 {
        self.stat.mode
    }

    /// Whether it is a directory or a link to one.
    pub(super) fn leads_to_dir(&self) -> bool {
        self.stat.is_dir() || self.link_mode.is_some_and(|m| m & sys::S_IFMT == sys::S_IFDIR)
    }

    /// The timestamp that the options ask for.
    pub(super) fn time(&self, which: Time) -> (i64, u32) {
        match which {
            Time::Modified | Time::Born => (self.stat.mtime, self.stat.mtime_nsec),
            Time::Changed => (self.stat.ctime, self.stat.ctime_nsec),
            Time::Accessed => (self.stat.atime, self.stat.atime_nsec),
        }
    }
}

/// Sorts the entries as the options say.
pub(super) fn sort(entries: &mut [Entry], o: &Options) {
    if o.sort == Sort::None {
        return;
    }
    entries.sort_by(|a, b| {
        if o.directories_first {
            match b.leads_to_dir().cmp(&a.leads_to_dir()) {
                Ordering::Equal => {}
                other => return other,
            }
        }
        let order = by(o, a, b).then_with(|| a.name.cmp(&b.name));
        if o.reverse { order.reverse() } else { order }
    });
}

fn by(o: &Options, a: &Entry, b: &Entry) -> Ordering {
    match o.sort {
        Sort::None | Sort::Name => Ordering::Equal,
        Sort::Extension => extension(&a.name).cmp(extension(&b.name)),
        Sort::Width => characters::columns(&a.shown).cmp(&characters::columns(&b.shown)),
        Sort::Size => b.stat.size.cmp(&a.stat.size),
        Sort::Version => version_order::compare(&a.name, &b.name),
        Sort::Time => b.time(o.time).cmp(&a.time(o.time)),
    }
}

fn extension(name: &[u8]) -> &[u8] {
    name.iter().rposition(|b| *b == b'.').map_or(b"", |i| &name[i..])
}
