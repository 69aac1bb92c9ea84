//! Where the host's directories are that sandboxes mount.
//!
//! A guest that may write above a mounted directory can put a link in its place. The next sandbox that mounts it would
//! get whatever directory of the host the link leads to. So links are followed only the first time.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use sandshell_vfs::check_leads_to;

use super::options::{LocalOptions, MountSource};

/// Where links from each absolute path led when it was first asked for.
#[derive(Debug, Default)]
pub(super) struct Places(Mutex<HashMap<PathBuf, PathBuf>>);

impl Places {
    /// Those of the mounts of these options, as far as they are there.
    pub(super) fn of(options: &LocalOptions) -> Self {
        let host = |source: &MountSource| match source {
            MountSource::HostReadOnly(path)
            | MountSource::HostReadWrite(path)
            | MountSource::Overlay(path) => {
                Some((std::path::absolute(path).ok()?, std::fs::canonicalize(path).ok()?))
            }
            _ => None,
        };
        Self(Mutex::new(options.mounts.iter().filter_map(|mount| host(&mount.source)).collect()))
    }

    /// The directory that this path is of, to be opened without links. A relative one begins at the program's working
    /// directory of now.
    ///
    /// # Errors
    /// Those of the host, and that links lead to another one now.
    pub(super) fn of_path(&self, path: &Path) -> io::Result<PathBuf> {
        let path = std::path::absolute(path)?;
        let known = self.0.lock().get(&path).cloned();
        match known {
            // Whether there are links now is found when it is opened.
            Some(real) if real == path => Ok(real),
            Some(real) => check_leads_to(&path, &real).map(|()| real),
            None => {
                let real = std::fs::canonicalize(&path)?;
                Ok(self.0.lock().entry(path).or_insert(real).clone())
            }
        }
    }
}
