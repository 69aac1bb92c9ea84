//! Applies the changes of overlays to the host's directories: all of them or none, even if the program is killed.
//!
//! Each step is written to a journal in the user's data directory before it is made. The next program that uses
//! such a directory calls [`recover`] first.

pub use crate::places::user_journals;

use crate::{Error, ErrorKind, HostOverlay, Result};
use sandshell_vfs::{
    Application, ApplyError, FileSystem, HostAccess, HostBudget, HostDir, Journals, OpenError, Recovery,
    Safeguards, apply_together, quoted,
};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What [`apply`] did.
#[derive(Debug)]
#[non_exhaustive]
pub struct Applied {
    /// How many changes there were.
    pub changes: usize,
    /// Why no journal could be kept; `None` if one was. Without a journal, a program that is killed in the middle
    /// leaves only a part of the changes made.
    pub without_journal: Option<String>,
    /// Paths whose set-user-ID or set-group-ID bits were not applied on the host.
    pub bits_dropped: Vec<Vec<u8>>,
}

/// Makes the changes of all overlays in the directories of the host, or none. `journals` is the directory for the
/// journal, such as [`user_journals`]. What a sandbox may not change directly is not changed this way either
/// ([`HostOverlay::target`]).
///
/// # Errors
/// `Conflict` if a directory is no longer as it was when the overlay first changed it, or if a change cannot be
/// made there; `Unexpected` if the host refuses. In both cases nothing has been changed, unless the message says
/// otherwise.
pub fn apply(overlays: &[HostOverlay], journals: Option<&Path>) -> Result<Applied> {
    let (journals, without_journal) = match journals.map(Journals::open) {
        Some(Ok(journals)) => (Some(journals), None),
        Some(Err(error)) => (None, Some(error.to_string())),
        None => (None, Some("there is no home directory".to_owned())),
    };
    let mut applications = Vec::new();
    for one in overlays {
        // This fails for a directory through which the program's own directories could be changed.
        let target: Arc<dyn FileSystem> = Arc::new(one.target().map_err(|error| failed(one, &error))?);
        applications.push(Application { overlay: &one.overlay, target, root: one.real.clone() });
    }
    let safeguards = Safeguards { journals: journals.as_ref() };
    let all =
        apply_together(&applications, safeguards).map_err(|(index, error)| match overlays.get(index) {
            Some(one) => refused(one, error),
            None => Error::new(ErrorKind::Unexpected, error.to_string()),
        })?;
    let changes = all.iter().map(Vec::len).sum();
    let dropped = all.into_iter().flatten().filter(|change| change.gives_privileges());
    Ok(Applied { changes, without_journal, bits_dropped: dropped.map(|change| change.path).collect() })
}

/// Undoes or completes what a program that was killed had begun to apply in these directories of the host. Returns
/// sentences for the user that say what was done.
pub fn recover(directories: &[PathBuf], journals: Option<&Path>) -> Vec<String> {
    // Without this directory, no program has begun to apply anything.
    let Some(journals) = journals.filter(|path| path.is_dir()).and_then(|path| Journals::open(path).ok())
    else {
        return Vec::new();
    };
    let directories: Vec<PathBuf> =
        directories.iter().filter_map(|path| std::fs::canonicalize(path).ok()).collect();
    if directories.is_empty() {
        return Vec::new();
    }
    let recovered = journals.recover(&directories, open);
    let tell = |root: &Path, outcome: &Recovery| {
        let root = quoted(root.as_os_str().as_encoded_bytes());
        match outcome {
            Recovery::Undone => format!("{root}: what an earlier run had begun to apply was undone"),
            Recovery::Finished => format!("{root}: what an earlier run had applied was completed"),
            Recovery::Left { path, kept } => format!(
                "{root}: what an earlier run had begun to apply was undone but for {}: what was there is kept in {}",
                quoted(path),
                quoted(kept)
            ),
            Recovery::Failed(error) => {
                format!("{root}: what an earlier run had begun to apply cannot be undone: {error}")
            }
            _ => format!("{root}: what an earlier run had begun to apply was looked at"),
        }
    };
    recovered.iter().map(|one| tell(&one.root, &one.outcome)).collect()
}

/// Opens a directory of the host for writing, by the path without links that a journal has.
fn open(root: &Path) -> io::Result<Arc<dyn FileSystem>> {
    let opened = HostDir::open_real(root, HostAccess::ReadWrite, &Arc::default(), HostBudget::default());
    match opened {
        Ok(target) => Ok(Arc::new(target)),
        Err(OpenError::Host(error)) => Err(error),
        Err(error) => Err(io::Error::other(error)),
    }
}

fn failed(one: &HostOverlay, why: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::Unexpected, format!("{}: {why}", shown(&one.host)))
}

fn refused(one: &HostOverlay, error: ApplyError) -> Error {
    let kind = match error {
        ApplyError::Conflicts(_) | ApplyError::TooLarge { .. } | ApplyError::NoRoom { .. } => {
            ErrorKind::Conflict
        }
        _ => ErrorKind::Unexpected,
    };
    Error::new(kind, format!("{}: not applied: {error}", shown(&one.host)))
}

fn shown(path: &Path) -> String {
    let path: &OsStr = path.as_ref();
    quoted(path.as_encoded_bytes())
}
