//! Directories of the host that belong to a sandbox which is kept on disk.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::options::{LocalOptions, Mount, MountSource};
use crate::{Error, Result};
use sandshell_vfs::check_leads_to;

/// A mounted directory, as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeptMount {
    at: String,
    host: PathBuf,
    mode: Mode,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Ro,
    Rw,
    Overlay,
}

/// Whoever can write to a store of others has no right to their directories.
fn is_trusted(options: &LocalOptions) -> bool {
    options.trust_mounts && options.shared.is_none()
}

/// The mounts of these options, to be stored.
pub(super) fn stored_mounts(options: &LocalOptions) -> Result<Vec<KeptMount>> {
    if !is_trusted(options) {
        return Err(Error::invalid_request("sandboxes cannot keep mounts here: they would not be used"));
    }
    options.mounts.iter().map(keep).collect()
}

fn keep(mount: &Mount) -> Result<KeptMount> {
    let (host, mode) = match &mount.source {
        MountSource::HostReadOnly(host) => (host, Mode::Ro),
        MountSource::HostReadWrite(host) => (host, Mode::Rw),
        MountSource::Overlay(host) => (host, Mode::Overlay),
        _ => return Err(Error::invalid_request("only mounts of directories of the host can be kept")),
    };
    Ok(KeptMount { at: mount.at.clone(), host: real(host)?, mode })
}

/// The path without links. A guest that may write above a mounted directory can put a link in its place, which is not
/// to be followed later: it would lead to any directory of the host.
fn real(host: &Path) -> Result<PathBuf> {
    std::fs::canonicalize(host)
        .map_err(|error| Error::invalid_request(format!("{}: {error}", host.display())).with_source(error))
}

/// Whether each stored mount that is used is still the directory that was mounted, and no link to another one. This is
/// to be asked before the directories are opened, and again when they are open.
pub(super) fn check(kept: &[KeptMount], given: &LocalOptions) -> Result<()> {
    if !is_trusted(given) {
        return Ok(());
    }
    for KeptMount { at, host, .. } in kept {
        if given.mounts.iter().any(|mount| mount.at == *at) {
            continue;
        }
        check_leads_to(host, host).map_err(|error| {
            let why = format!("{}, which is mounted at {at}: {error}", host.display());
            Error::invalid_request(why).with_source(error)
        })?;
    }
    Ok(())
}

/// Mounts what was stored, except where something else is mounted.
pub(super) fn apply(kept: Vec<KeptMount>, options: &mut LocalOptions) {
    if !is_trusted(options) {
        return;
    }
    for KeptMount { at, host, mode } in kept {
        if options.mounts.iter().any(|mount| mount.at == at) {
            continue;
        }
        let source = match mode {
            Mode::Ro => MountSource::HostReadOnly(host),
            Mode::Rw => MountSource::HostReadWrite(host),
            Mode::Overlay => MountSource::Overlay(host),
        };
        options.mounts.push(Mount { at, source });
    }
}
