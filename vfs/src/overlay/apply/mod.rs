//! Applies overlays' changes to real directories: all of them or none.
//!
//! 1. Every path is compared with its state when the overlay first changed it ([`check`]).
//! 2. New files are created in a staging directory with an staging_name name in the target ([`stage`]). If something
//!    fails until here, that directory is removed, and nothing else was touched.
//! 3. The journal lists all steps, and is durable before the first of them ([`journal`]).
//! 4. Each step moves one name out of the staging directory, into it, or both at once ([`steps`]). What was moved out
//!    of the target is compared once more. If anything is not as expected, all steps are undone.
//! 5. The journal records that all steps are done; then the staging directory is removed with everything that was
//!    replaced.
//!
//! If the process dies at any moment, [`Journals::recover`] undoes all steps from the journal, or, if they were all
//! done, removes the staging directory.

mod check;
mod journal;
mod rebase;
mod stage;
mod steps;
mod target;

pub use journal::{Journals, Recovered, Recovery};

use super::Overlay;
use super::diff::Delta;
use super::error::{Conflict, ConflictReason, DiffError};
use crate::time_budget::uncancellable;
use crate::{Change, Errno, FileSystem, quoted};
use journal::Journal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use steps::Plan;
use target::Target;

/// Why changes were not applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The target is not in the state to which the changes were made. Nothing was changed, or it has been undone.
    #[error("{} conflicting path(s), the first: {}", .0.len(), .0.first().map(ToString::to_string).unwrap_or_default())]
    Conflicts(Vec<Conflict>),
    /// The changes cannot be listed. Nothing was changed.
    #[error(transparent)]
    Diff(#[from] DiffError),
    /// A file is too large for the target's filesystem. Nothing was changed.
    #[error("{}: {size} bytes are more than a file can have there", quoted(path))]
    TooLarge {
        /// The path from the root.
        path: Vec<u8>,
        /// Bytes, holes included.
        size: u64,
    },
    /// There is not enough space for the new files. Nothing was changed.
    #[error("{needed} bytes of changes do not fit into {available} bytes of free space")]
    NoRoom {
        /// Bytes that take space.
        needed: u64,
        /// Bytes that are free.
        available: u64,
    },
    /// The journal could not be written. Nothing was changed, or it has been undone.
    #[error("the journal of what is applied: {0}")]
    Journal(std::io::Error),
    /// An operation failed. What was changed has been undone.
    #[error("{}: {errno}", quoted(path))]
    Failed {
        /// The path from the root.
        path: Vec<u8>,
        /// The error.
        #[source]
        errno: Errno,
    },
    /// An operation failed, and the changes could not be undone completely. With a journal, the next run tries again.
    #[error("{why}; {} could not be put back: it is kept in {}", quoted(path), quoted(kept))]
    Unfinished {
        /// The first path that was not restored.
        path: Vec<u8>,
        /// The directory in the target that holds the original file.
        kept: Vec<u8>,
        /// What failed first.
        why: Box<ApplyError>,
    },
}

/// An overlay and the directory to apply its changes to: its lower directory, opened for writing.
pub struct Application<'a> {
    /// The overlay.
    pub overlay: &'a Overlay,
    /// The directory.
    pub target: Arc<dyn FileSystem>,
    /// The directory's path on the host, absolute and without links, for the journal.
    pub root: PathBuf,
}

/// Protects the application. Directories that a sandbox must not change at all are not opened as targets: see
/// [`Withheld`](crate::Withheld).
#[derive(Clone, Copy, Default)]
pub struct Safeguards<'a> {
    /// Where the journal is kept; no change may touch it. `None`: if the process dies meanwhile, the changes stay
    /// incomplete.
    pub journals: Option<&'a Journals>,
}

impl Overlay {
    /// Checks whether [`apply`](Self::apply) would be refused because of conflicts, without changing anything.
    pub fn check(&self, target: Arc<dyn FileSystem>) -> Result<(), ApplyError> {
        let extra = self.layers.extra();
        let deltas = self.layers.deltas_with(&extra)?;
        self.layers.compare_target(&extra, &deltas, &Target::new(target)).map(drop)
    }

    /// Applies all changes to `target`, the lower directory opened for writing, and returns them. All or nothing, as
    /// [`apply_together`] without a journal.
    pub fn apply(&self, target: Arc<dyn FileSystem>) -> Result<Vec<Change>, ApplyError> {
        let one = Application { overlay: self, target, root: PathBuf::new() };
        let mut all = apply_together(&[one], Safeguards::default()).map_err(|(_, error)| error)?;
        Ok(all.pop().unwrap_or_default())
    }
}

/// Applies the changes of all overlays, or none. Returns the changes of each. An error comes with the index of its
/// overlay.
///
/// First, every path is compared with its state when the overlay first changed it; if one differs, everything is
/// refused. Then new contents are written to a directory of the target whose name only this program knows, so that
/// running out of space changes nothing, and are moved to their places one by one. They keep the overlay's modification
/// times, and holes stay holes. If something fails, or another process turns out to have changed a path at the last
/// moment, everything is moved back. Hard links become separate files, owners are the target's, and set-user-ID and
/// set-group-ID bits are not set.
///
/// Afterwards the overlays have no changes, and can be used and applied again.
///
/// # Errors
/// [`ApplyError`]; what its variants say about the target holds for all targets.
pub fn apply_together(
    all: &[Application<'_>],
    safeguards: Safeguards<'_>,
) -> Result<Vec<Vec<Change>>, (usize, ApplyError)> {
    // Locked until the end, so that nothing is copied up or renamed meanwhile.
    let mut extras: Vec<_> = all.iter().map(|one| one.overlay.layers.extra_mut()).collect();
    let targets: Vec<_> = all.iter().map(|one| Target::new(one.target.clone())).collect();
    let mut differences = Vec::new();
    for (index, ((one, extra), target)) in all.iter().zip(&extras).zip(&targets).enumerate() {
        let layers = &one.overlay.layers;
        let deltas = layers.deltas_with(extra).map_err(|error| (index, ApplyError::from(error)))?;
        refuse_protected(&one.root, &deltas, safeguards).map_err(|error| (index, error))?;
        let seen = layers.compare_target(extra, &deltas, target).map_err(|error| (index, error))?;
        differences.push((deltas, seen));
    }
    if differences.iter().all(|(deltas, _)| deltas.is_empty()) {
        return Ok(all.iter().map(|_| Vec::new()).collect());
    }
    let mut plans: Vec<Plan> = Vec::new();
    let mut journal = prepare(all, &targets, &differences, safeguards, &mut plans)?;
    let done = targets
        .iter()
        .zip(&plans)
        .enumerate()
        .try_for_each(|(index, (target, plan))| plan.execute(target).map_err(|error| (index, error)));
    // Check what was replaced once more: a process that had it open may have written to it.
    let done = done.and_then(|()| {
        targets.iter().zip(&plans).enumerate().try_for_each(|(index, (target, plan))| {
            plan.confirm(target).and_then(|()| plan.sync(target)).map_err(|error| (index, error))
        })
    });
    let done = done.and_then(|()| match &mut journal {
        Some(journal) => journal.done().map_err(|error| (0_usize, ApplyError::Journal(error))),
        None => Ok(()),
    });
    if let Err((index, error)) = done {
        let (mut unfinished, mut tidy) = (None, true);
        uncancellable(|| {
            for (target, plan) in targets.iter().zip(&plans) {
                match plan.undo(target) {
                    Ok(()) => tidy &= target.remove_tree(&plan.stage).is_ok(),
                    Err(path) => unfinished = unfinished.take().or(Some((path, plan.stage.clone()))),
                }
            }
        });
        return Err((
            index,
            match unfinished {
                // The journal stays.
                Some((path, kept)) => ApplyError::Unfinished { path, kept, why: Box::new(error) },
                None => {
                    if tidy {
                        journal.into_iter().for_each(Journal::end);
                    }
                    error
                }
            },
        ));
    }
    if discard(&targets, &plans) {
        journal.into_iter().for_each(Journal::end);
    }
    for (index, (one, extra)) in all.iter().zip(&mut extras).enumerate() {
        let rebased = uncancellable(|| one.overlay.layers.rebase(extra));
        rebased.map_err(|errno| (index, ApplyError::Failed { path: Vec::new(), errno }))?;
    }
    Ok(differences.iter().map(|(deltas, _)| deltas.iter().flat_map(Delta::changes).collect()).collect())
}

/// The changes of one overlay, and the target's attributes at their paths.
type Difference = (Vec<Delta>, Vec<Option<crate::Metadata>>);

/// Stages all new files, and writes the journal.
fn prepare(
    all: &[Application<'_>],
    targets: &[Target],
    differences: &[Difference],
    safeguards: Safeguards<'_>,
    plans: &mut Vec<Plan>,
) -> Result<Option<Journal>, (usize, ApplyError)> {
    let first = |error: ApplyError| (0_usize, error);
    let stages = targets.iter().map(|_| staging_name()).collect::<Result<Vec<_>, _>>().map_err(first)?;
    let roots: Vec<&Path> = all.iter().map(|one| one.root.as_path()).collect();
    let journal = safeguards.journals.map(|journals| journals.begin(&roots, &stages)).transpose();
    let mut journal = journal.map_err(|error| first(ApplyError::Journal(error)))?;
    let mut outcome = Ok(());
    for (index, stage) in stages.into_iter().enumerate() {
        let (Some(one), Some(target), Some((deltas, seen))) =
            (all.get(index), targets.get(index), differences.get(index))
        else {
            break;
        };
        plans.push(Plan::new(stage));
        let Some(plan) = plans.last_mut() else { break };
        outcome = target.stage(&one.overlay.layers, deltas, seen, plan).map_err(|error| (index, error));
        if outcome.is_ok() {
            outcome = plan.sync(target).map_err(|error| (index, error));
        }
        if outcome.is_err() {
            break;
        }
    }
    let outcome = outcome.and_then(|()| match &mut journal {
        Some(journal) => journal.ready(&roots, plans).map_err(|error| first(ApplyError::Journal(error))),
        None => Ok(()),
    });
    match outcome {
        Ok(()) => Ok(journal),
        Err(error) => {
            if discard(targets, plans) {
                journal.into_iter().for_each(Journal::end);
            }
            Err(error)
        }
    }
}

/// Removes the staging directories. Returns whether all are gone; if not, the journal stays and the next run tries
/// again.
fn discard(targets: &[Target], plans: &[Plan]) -> bool {
    let stays = |(target, plan): &(&Target, &Plan)| target.remove_tree(&plan.stage).is_err();
    // Count all, so that one failure does not stop the rest.
    uncancellable(|| targets.iter().zip(plans).filter(stays).count() == 0)
}

/// A name that nobody can have created before.
fn staging_name() -> Result<Vec<u8>, ApplyError> {
    let random = journal::random_name().map_err(ApplyError::Journal)?;
    Ok(format!(".sandshell-apply-{random}").into_bytes())
}

/// Refuses changes to the journals' directory, which is trusted.
fn refuse_protected(root: &Path, deltas: &[Delta], safeguards: Safeguards<'_>) -> Result<(), ApplyError> {
    let mut conflicts = Vec::new();
    let Some(own) = safeguards.journals.map(Journals::directory) else { return Ok(()) };
    if root.as_os_str().is_empty() {
        return Ok(());
    }
    for delta in deltas {
        // A name that the host cannot hold is no name of the journals.
        let Ok(name) = crate::host::names::as_os_str(&delta.path) else { continue };
        let path = root.join(name);
        if path.starts_with(own) || delta.replaces() && own.starts_with(&path) {
            conflicts.push(Conflict { path: delta.path.to_vec(), reason: ConflictReason::Protected });
        }
    }
    if conflicts.is_empty() { Ok(()) } else { Err(ApplyError::Conflicts(conflicts)) }
}
