//! Finding programs, and the table of `hash`.

use crate::options::{Shopt, flag};
use crate::shell::Shell;
use crate::variables::hash::{BucketTable, COMMAND_BUCKETS};
use sandshell_sys as sys;

/// A remembered program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hashed {
    pub(crate) path: Vec<u8>,
    pub(crate) hits: u32,
}

/// Programs found in `PATH`.
#[derive(Debug)]
pub(crate) struct Hash {
    pub(crate) table: BucketTable<Hashed>,
    /// Whether the table has ever had an entry.
    pub(crate) used: bool,
}

impl Default for Hash {
    fn default() -> Self {
        Self { table: BucketTable::new(COMMAND_BUCKETS), used: false }
    }
}

impl Hash {
    pub(crate) fn clear(&mut self) {
        if self.table.len() > 0 {
            *self = Self { used: true, ..Self::default() };
        }
    }
}

/// The search path of `command -p`.
pub(crate) const STANDARD_PATH: &[u8] = b"/bin:/usr/bin:/sbin:/usr/sbin:/etc:/usr/etc";

/// Joins a directory of `PATH` and a name.
pub(crate) fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    let dir = if dir.is_empty() { b"." } else { dir };
    let mut out = Vec::with_capacity(dir.len() + name.len() + 1);
    out.extend_from_slice(dir);
    if !out.ends_with(b"/") {
        out.push(b'/');
    }
    out.extend_from_slice(name);
    out
}

/// Whether the file can be run by this user.
pub(crate) fn is_executable(path: &[u8]) -> bool {
    sys::stat(path, true).is_ok_and(|s| s.is_file()) && sys::access(path, 1).is_ok()
}

impl Shell {
    /// The value of `PATH`.
    pub(crate) fn search_path(&mut self) -> Vec<u8> {
        let name = self.names.path;
        self.value(name).map(|v| v.into_owned()).unwrap_or_default()
    }

    /// Files of that name in a search path. Without `all`, only the first one, preferably executable.
    pub(crate) fn search(&mut self, name: &[u8], path: &[u8], all: bool) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let mut fallback = None;
        for dir in path.split(|b| *b == b':') {
            let file = join(dir, name);
            let Ok(stat) = sys::stat(&file, true) else { continue };
            if !stat.is_file() {
                continue;
            }
            if sys::access(&file, 1).is_ok() {
                found.push(file);
                if !all {
                    return found;
                }
            } else if fallback.is_none() {
                fallback = Some(file);
            }
        }
        if found.is_empty() && !all {
            found.extend(fallback);
        }
        found
    }

    /// The program that `name` runs: `name` itself if it contains a slash, else from the table or from `PATH`.
    pub(crate) fn find_program(&mut self, name: &[u8]) -> Option<Vec<u8>> {
        self.find(name, true)
    }

    /// As [`find_program`](Self::find_program), for a process with a table of its own: the shell's table is not
    /// changed.
    pub(crate) fn find_program_of_child(&mut self, name: &[u8]) -> Option<Vec<u8>> {
        self.find(name, false)
    }

    fn find(&mut self, name: &[u8], learn: bool) -> Option<Vec<u8>> {
        if name.contains(&b'/') {
            if !learn && self.opts.restricted {
                return None;
            }
            return Some(name.to_vec());
        }
        let known = self.hash.table.get(name).map(|h| h.path.clone());
        if let Some(path) = known
            && (!self.opts.shopt(Shopt::checkhash) || is_executable(&path))
        {
            if learn {
                self.hash.table.entry(name).hits += 1;
            }
            return Some(path);
        }
        let path = self.search_path();
        let file = self.search(name, &path, false).pop()?;
        if learn && self.opts.has(flag::HASHALL) && file.starts_with(b"/") {
            *self.hash.table.entry(name) = Hashed { path: file.clone(), hits: 1 };
            self.hash.used = true;
        }
        Some(file)
    }
}
