//! Where the host's directories are that sandboxes mount.
//!
//! A guest that may write above a mounted directory can put a link in its place. The next sandbox that mounts it would get
//! whatever directory of the host the link leads to. So links are followed only the first time.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::options::{LocalOptions, MountSource};

/// Where links from each path led when it was first asked for.
#[derive(Debug, Default)]
pub(super) struct Places(Mutex<HashMap<PathBuf, PathBuf>>);

impl Places {
    /// Those of the mounts of these options, as far as they are there.
    pub(super) fn of(options: &LocalOptions) -> Self {
        let host = |source: &MountSource| match source {
            MountSource::HostReadOnly(path)
            | MountSource::HostReadWrite(path)
            | MountSource::Overlay(path) => Some((path.clone(), std::fs::canonicalize(path).ok()?)),
            _ => None,
        };
        Self(Mutex::new(options.mounts.iter().filter_map(|mount| host(&mount.source)).collect()))
    }

    /// The directory that this path is of.
    ///
    /// # Errors
    /// Those of the host, and that links lead to another one now.
    pub(super) fn of_path(&self, path: &Path) -> io::Result<PathBuf> {
        let known = self.0.lock().get(path).cloned();
        let real = match known {
            Some(real) => real,
            None => {
                let real = std::fs::canonicalize(path)?;
                self.0.lock().entry(path.to_owned()).or_insert(real).clone()
            }
        };
        leads_to(path, &real)?;
        Ok(real)
    }
}

/// Whether links from this path still lead to that directory, and from there nowhere else. The error says where they lead.
/// This is to be asked before the directory is opened, and again when it is open.
pub(super) fn leads_to(path: &Path, real: &Path) -> io::Result<()> {
    for from in [path, real] {
        let now = std::fs::canonicalize(from)?;
        if now != real {
            let (real, now) = (real.display(), now.display());
            return Err(io::Error::other(format!("it was {real}, but links lead from there to {now} now")));
        }
    }
    Ok(())
}
