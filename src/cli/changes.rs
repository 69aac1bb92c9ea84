//! What overlays changed: shown, and written back.

use super::args::{ChangeArgs, DiffForm};
use super::failure::{Failure, reason};
use super::progress::Progress;
use sandshell::vfs::{ApplyError, Change, ChangeKind, FileKind, FileSystem, OpenError};
use sandshell::{HostOverlay, LocalSandbox};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// The overlays of a sandbox, for options that need some.
pub(crate) fn overlays(sandbox: &LocalSandbox, args: &ChangeArgs) -> Result<Vec<HostOverlay>, Failure> {
    let found = sandbox.overlays();
    let option = match (args.apply, args.diff) {
        (true, _) => "--apply",
        (false, Some(_)) => "--diff",
        (false, None) => return Ok(found),
    };
    if found.is_empty() {
        return Err(Failure::about(option, "there is no overlay: use --mount HOST:GUEST:overlay"));
    }
    Ok(found)
}

/// The changes as a patch or a list, for people and for `git apply`.
pub(crate) fn text(overlays: &[HostOverlay], form: DiffForm) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    for one in overlays {
        let part = match form {
            DiffForm::Patch => one.overlay.patch().map_err(|errno| failed(one, errno))?,
            DiffForm::List => list(&diff(one)?),
        };
        if overlays.len() > 1 && !part.is_empty() {
            // Tools that read patches pass over lines that are none.
            text.extend_from_slice(format!("# {}\n", one.at).as_bytes());
        }
        text.extend_from_slice(&part);
    }
    Ok(text)
}

/// Every change with the guest path of its overlay.
pub(crate) fn changes(overlays: &[HostOverlay]) -> Result<Vec<(&str, Change)>, Failure> {
    let mut all = Vec::new();
    for one in overlays {
        all.extend(diff(one)?.into_iter().map(|change| (one.at.as_str(), change)));
    }
    Ok(all)
}

/// Writes all changes to the host; how many there were. If any overlay's directory is not what the changes were made to,
/// nothing is written to any. What cannot be written back is kept as a patch.
pub(crate) fn apply(overlays: &[HostOverlay]) -> Result<usize, Failure> {
    try_apply(overlays).map_err(|why| match keep(overlays) {
        Ok(Some(patch)) => Failure::new(format!("{why}; the changes are kept in {}", patch.display())),
        Ok(None) => Failure::new(why),
        Err(lost) => Failure::new(format!("{why}; and the changes could not be kept: {lost}")),
    })
}

fn try_apply(overlays: &[HostOverlay]) -> Result<usize, String> {
    let _progress = Progress::new("applying changes");
    let mut targets = Vec::new();
    for one in overlays {
        let explain = |error| explain(one, &error);
        let directory = one.target().map_err(|error| refused(one, &error))?;
        let target: Arc<dyn FileSystem> = Arc::new(directory);
        one.overlay.check(target.clone()).map_err(explain)?;
        targets.push(target);
    }
    let mut count = 0;
    for (one, target) in overlays.iter().zip(targets) {
        count += one.overlay.apply(target).map_err(|error| explain(one, &error))?.len();
    }
    Ok(count)
}

/// That changes can be applied to these directories at all, before anything is done for them.
pub(crate) fn applicable(overlays: &[HostOverlay]) -> Result<(), Failure> {
    overlays
        .iter()
        .try_for_each(|one| one.target().map(drop).map_err(|error| Failure::new(refused(one, &error))))
}

fn refused(one: &HostOverlay, error: &OpenError) -> String {
    let why = match error {
        OpenError::Host(error) => reason(error),
        other => other.to_string(),
    };
    format!("{}: {why}", one.host.display())
}

/// Keeps what was not applied as a patch in the directory for temporary files.
fn keep(overlays: &[HostOverlay]) -> Result<Option<PathBuf>, String> {
    let patch = text(overlays, DiffForm::Patch).map_err(|failure| failure.to_string())?;
    if patch.is_empty() {
        return Ok(None);
    }
    let file = tempfile::Builder::new().prefix("sandshell-").suffix(".patch").tempfile();
    let kept = file.and_then(|mut file| {
        file.write_all(&patch)?;
        file.keep().map_err(|error| error.error)
    });
    kept.map(|(_, path)| Some(path)).map_err(|error| reason(&error))
}

fn diff(one: &HostOverlay) -> Result<Vec<Change>, Failure> {
    one.overlay.diff().map_err(|errno| failed(one, errno))
}

fn failed(one: &HostOverlay, why: impl std::fmt::Display) -> Failure {
    Failure::about(one.host.display(), why)
}

fn explain(one: &HostOverlay, error: &ApplyError) -> String {
    match error {
        ApplyError::Conflicts(_) => format!("{}: not applied: {error}", one.host.display()),
        _ => format!("{}: {error}", one.host.display()),
    }
}

/// The letter of a change, as in `git status`.
pub(crate) fn letter(change: ChangeKind) -> char {
    match change {
        ChangeKind::Added => 'A',
        ChangeKind::Changed => 'M',
        ChangeKind::Removed => 'D',
    }
}

fn list(changes: &[Change]) -> Vec<u8> {
    let mut text = Vec::new();
    for change in changes {
        text.extend_from_slice(format!("{}\t", letter(change.change)).as_bytes());
        text.extend_from_slice(&change.path);
        if change.kind == FileKind::Directory {
            text.push(b'/');
        }
        text.push(b'\n');
    }
    text
}
