//! Shows what overlays changed, and writes it back.

use super::args::{ChangeArgs, DiffForm};
use super::failure::{Failure, note, path, reason};
use super::progress::Progress;
use sandshell::apply::user_journals;
use sandshell::vfs::{Change, ChangeKind, FileKind, MAX_SHOWN, OpenError, quoted};
use sandshell::{HostOverlay, LocalSandbox};
use std::io::Write;
use std::path::PathBuf;

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
            DiffForm::Patch => one.overlay.patch().map_err(|error| failed(one, error))?,
            DiffForm::List => list(&diff(one)?),
        };
        if overlays.len() > 1 && !part.is_empty() {
            // Tools that read patches skip lines that are not part of one.
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

/// Writes all changes to the host and returns how many there were. If the directory of any overlay was changed
/// meanwhile, nothing is written to any of them. Changes that cannot be written back are kept as a patch.
pub(crate) fn apply(overlays: &[HostOverlay]) -> Result<usize, Failure> {
    try_apply(overlays).map_err(|why| match keep(overlays) {
        Ok(Some(patch)) => {
            let all = if is_complete(overlays) { "" } else { ", but for the contents of large files," };
            Failure::new(format!("{why}; the changes{all} are kept in {}", patch.display()))
        }
        Ok(None) => Failure::new(why),
        Err(lost) => Failure::new(format!("{why}; and the changes could not be kept: {lost}")),
    })
}

fn try_apply(overlays: &[HostOverlay]) -> Result<usize, String> {
    let _progress = Progress::new("applying changes");
    let journals = user_journals();
    let applied =
        sandshell::apply::apply(overlays, journals.as_deref()).map_err(|error| error.to_string())?;
    if let Some(why) = applied.without_journal.filter(|_| applied.changes > 0) {
        note(&format!("applied without a journal: {why}"));
    }
    for path in &applied.bits_dropped {
        note(&format!("{}: set-user-ID and set-group-ID bits are not applied", quoted(path)));
    }
    Ok(applied.changes)
}

/// Undoes or completes what an earlier run had begun to apply in directories that are about to be used.
pub(crate) fn recover(directories: &[PathBuf]) {
    for message in sandshell::apply::recover(directories, user_journals().as_deref()) {
        note(&message);
    }
}

/// Whether a patch has the contents of all files.
fn is_complete(overlays: &[HostOverlay]) -> bool {
    let sizes = overlays.iter().filter_map(|one| one.overlay.diff().ok()).flatten().map(|change| change.size);
    let (mut largest, mut total) = (0, 0_u64);
    sizes.for_each(|size| (largest, total) = (size.max(largest), total.saturating_add(size)));
    largest <= MAX_SHOWN && total <= MAX_SHOWN
}

/// Checks, before the command runs, that changes can be applied to these directories at all.
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
    format!("{}: {why}", path(&one.host))
}

/// Writes the changes that were not applied, as a patch, to the directory for temporary files.
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
    one.overlay.diff().map_err(|error| failed(one, error))
}

fn failed(one: &HostOverlay, why: impl std::fmt::Display) -> Failure {
    Failure::about(path(&one.host), why)
}

/// The letter of a change, as in `git status`.
pub(crate) fn letter(change: ChangeKind) -> char {
    match change {
        ChangeKind::Added => 'A',
        ChangeKind::Changed => 'M',
        ChangeKind::Removed => 'D',
    }
}

/// One line for each change: a letter and the name, quoted as git does. Unusual mode bits are in a third column.
fn list(changes: &[Change]) -> Vec<u8> {
    let mut text = String::new();
    for change in changes {
        let mut name = change.path.clone();
        if change.kind == FileKind::Directory {
            name.push(b'/');
        }
        text.push_str(&format!("{}\t{}", letter(change.change), quoted(&name)));
        match change.old_mode {
            Some(old) if old != change.mode => {
                text.push_str(&format!("\tmode {old:04o} -> {:04o}", change.mode))
            }
            _ if change.gives_privileges() => text.push_str(&format!("\tmode {:04o}", change.mode)),
            _ => {}
        }
        text.push('\n');
    }
    text.into_bytes()
}
