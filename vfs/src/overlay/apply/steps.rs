//! The steps in a target: names that are moved to their places and away from them, such that everything can be undone.

use super::super::error::{Conflict, ConflictReason};
use super::super::layers::split;
use super::ApplyError;
use super::target::Target;
use crate::{Errno, FileKind, Metadata, Result, Time};
use std::collections::HashMap;

/// Everything that is done in one target. Paths are relative to its root.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The staging directory. Step `N` takes the new file from `nN` there, and leaves the old one in `oN`, or in `nN`
    /// if both were exchanged.
    pub(super) stage: Vec<u8>,
    pub(super) steps: Vec<Step>,
    /// Directories whose mode changes, parents first.
    pub(super) modes: Vec<Mode>,
}

/// The replacement, addition or removal of one name. No step's path is inside another's.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) path: Vec<u8>,
    /// The file before the step.
    pub(super) old: Option<Identity>,
    /// The file after the step.
    pub(super) new: Option<Identity>,
    /// Everything in a directory that is removed.
    pub(super) below: Vec<(Vec<u8>, Identity)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mode {
    pub(super) path: Vec<u8>,
    pub(super) before: u32,
    pub(super) after: u32,
}

/// Attributes by which a file is recognised. For a directory only the inode number, because the rest changes with its
/// entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) ino: u64,
    pub(super) kind: FileKind,
    pub(super) size: u64,
    pub(super) mtime: Time,
}

impl Identity {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let directory = metadata.kind == FileKind::Directory;
        Self {
            ino: metadata.ino,
            kind: metadata.kind,
            size: if directory { 0 } else { metadata.size },
            mtime: if directory { Time::default() } else { metadata.mtime },
        }
    }
}

impl Identity {
    /// Whether `now` is the same file after a move. The inode number can change on a filesystem with layers.
    fn is_still(self, now: Option<Self>) -> bool {
        now.is_some_and(|now| (self.kind, self.size, self.mtime) == (now.kind, now.size, now.mtime))
    }
}

/// Mode bits that are needed to create names in a directory.
const OPEN: u32 = 0o300;

/// Up to this many names are synchronised one by one; for more, the whole filesystem is.
pub(super) const MAX_SINGLE_SYNCS: usize = 64;

impl Plan {
    pub(super) fn new(stage: Vec<u8>) -> Self {
        Self { stage, steps: Vec::new(), modes: Vec::new() }
    }

    pub(super) fn slot(&self, letter: char, number: usize) -> Vec<u8> {
        [&*self.stage, format!("/{letter}{number}").as_bytes()].concat()
    }

    /// Takes all steps, until one fails.
    pub(super) fn execute(&self, target: &Target) -> std::result::Result<(), ApplyError> {
        let failed = |path: &[u8]| {
            let path = path.to_vec();
            move |errno| ApplyError::Failed { path, errno }
        };
        for Mode { path, before, .. } in self.modes.iter().filter(|mode| mode.before & OPEN != OPEN) {
            target.set_mode(path, before | OPEN).map_err(failed(path))?;
        }
        for (number, step) in self.steps.iter().enumerate() {
            self.take_step(target, number, step)?;
        }
        for Mode { path, after, .. } in self.modes.iter().rev() {
            target.set_mode(path, *after).map_err(failed(path))?;
        }
        Ok(())
    }

    fn take_step(&self, target: &Target, number: usize, step: &Step) -> std::result::Result<(), ApplyError> {
        let explain = |errno| match errno {
            Errno::Exist => conflict(&step.path, ConflictReason::Exists),
            Errno::NoEnt | Errno::NotDir => conflict(&step.path, ConflictReason::Missing),
            errno => ApplyError::Failed { path: step.path.clone(), errno },
        };
        let (new, old) = (self.slot('n', number), self.slot('o', number));
        match (&step.old, &step.new) {
            (None, None) => Ok(()),
            (None, Some(_)) => target.move_to_vacant(&new, &step.path).map_err(explain),
            (Some(_), Some(_)) if target.exchange(&new, &step.path).map_err(explain)? => {
                step.verify(target, &new)
            }
            (Some(_), moved_in) => {
                target.move_to_vacant(&step.path, &old).map_err(explain)?;
                step.verify(target, &old)?;
                if moved_in.is_some() {
                    target.move_to_vacant(&new, &step.path).map_err(explain)?;
                }
                Ok(())
            }
        }
    }

    /// Checks everything once more that was moved out of the target.
    pub(super) fn confirm(&self, target: &Target) -> std::result::Result<(), ApplyError> {
        for (number, step) in self.steps.iter().enumerate().filter(|(_, step)| step.old.is_some()) {
            let failed = |errno| ApplyError::Failed { path: step.path.clone(), errno };
            match self.old_file(target, number, step).map_err(failed)? {
                Some(slot) => step.verify(target, &slot)?,
                None => return Err(conflict(&step.path, ConflictReason::Missing)),
            }
        }
        Ok(())
    }

    /// Makes the staged or moved files durable.
    pub(super) fn sync(&self, target: &Target) -> std::result::Result<(), ApplyError> {
        let one_by_one = || -> Result<()> {
            if self.steps.len() > MAX_SINGLE_SYNCS || self.steps.iter().any(Step::is_about_directories) {
                return Err(Errno::NotSup);
            }
            target.sync(b"")?;
            target.sync(&self.stage)?;
            self.steps.iter().try_for_each(|step| target.sync(split(&step.path).0))
        };
        one_by_one()
            .or_else(|_| target.fs.sync())
            .map_err(|errno| ApplyError::Failed { path: self.stage.clone(), errno })
    }

    /// Undoes all steps, in whatever state they were left. The error is a path that could not be restored, because
    /// another process has put something else there or the host refuses.
    pub(super) fn undo(&self, target: &Target) -> std::result::Result<(), Vec<u8>> {
        match target.metadata(&self.stage) {
            // Either no step was taken, or all were finished.
            Ok(None) => return Ok(()),
            Ok(Some(found)) if found.kind == FileKind::Directory => {}
            _ => return Err(self.stage.clone()),
        }
        let now = |mode: &Mode| {
            let found = target.metadata(&mode.path).ok().flatten();
            found.filter(|found| found.kind == FileKind::Directory).map(|found| found.mode)
        };
        for mode in &self.modes {
            if let Some(closed) = now(mode).filter(|now| now & OPEN != OPEN) {
                // If this fails, moving names back fails too and reports it.
                let _ = target.set_mode(&mode.path, closed | OPEN);
            }
        }
        let mut left = None;
        for (number, step) in self.steps.iter().enumerate().rev() {
            if !self.undo_step(target, number, step).unwrap_or(false) {
                left = Some(step.path.clone());
            }
        }
        for mode in self.modes.iter().rev() {
            let Some(now) = now(mode).filter(|now| *now != mode.before) else { continue };
            let ours = [mode.after, mode.after | OPEN, mode.before | OPEN].contains(&now);
            if ours && target.set_mode(&mode.path, mode.before).is_err() {
                left = Some(mode.path.clone());
            }
        }
        left.map_or(Ok(()), Err)
    }

    fn undo_step(&self, target: &Target, number: usize, step: &Step) -> Result<bool> {
        let here = target.metadata(&step.path)?.as_ref().map(Identity::of);
        let known = here.filter(|here| here.kind != FileKind::Directory || Some(*here) == step.new);
        let ours = known.is_some_and(|here| step.is_new(here));
        match (self.old_file(target, number, step)?, ours, here) {
            (Some(slot), true, _) => {
                if !target.exchange(&slot, &step.path)? {
                    target.move_back(&step.path, &self.slot('u', number))?;
                    target.move_back(&slot, &step.path)?;
                }
                Ok(true)
            }
            (Some(slot), false, None) => target.move_back(&slot, &step.path).map(|()| true),
            // A directory may have been moved partly. Anything else was put there by somebody else.
            (Some(slot), false, Some(_)) => match target.move_back(&slot, &step.path) {
                Err(Errno::Exist) => Ok(false),
                moved => moved.map(|()| true),
            },
            (None, true, _) => {
                target.move_back(&step.path, &self.slot('u', number))?;
                Ok(step.old.is_none())
            }
            (None, false, _) => Ok(true),
        }
    }

    /// The path of a step's old file in the staging directory, if it was moved there.
    fn old_file(&self, target: &Target, number: usize, step: &Step) -> Result<Option<Vec<u8>>> {
        if step.old.is_none() {
            return Ok(None);
        }
        let old = self.slot('o', number);
        if target.metadata(&old)?.is_some() {
            return Ok(Some(old));
        }
        let new = self.slot('n', number);
        let found = target.metadata(&new)?.as_ref().map(Identity::of);
        Ok(found.is_some_and(|found| !step.is_new(found)).then_some(new))
    }
}

impl Step {
    fn is_about_directories(&self) -> bool {
        let directory =
            |identity: &Option<Identity>| identity.is_some_and(|one| one.kind == FileKind::Directory);
        directory(&self.old) || directory(&self.new)
    }

    /// Whether a file is the new one and not the old one. All attributes count, because inode numbers can change at a
    /// reboot, and a sandbox can choose size and time.
    fn is_new(&self, found: Identity) -> bool {
        if Some(found) == self.new || Some(found) == self.old {
            return Some(found) == self.new;
        }
        let like = |identity: Option<Identity>| identity.is_some_and(|one| one.is_still(Some(found)));
        like(self.new) && !like(self.old)
    }

    /// Checks that the file in `slot` is the expected old file, with the expected contents if it is a directory.
    fn verify(&self, target: &Target, slot: &[u8]) -> std::result::Result<(), ApplyError> {
        let failed = |errno| ApplyError::Failed { path: self.path.clone(), errno };
        let found = target.metadata(slot).map_err(failed)?.as_ref().map(Identity::of);
        if !self.old.is_some_and(|old| old.is_still(found)) {
            return Err(conflict(&self.path, ConflictReason::Modified));
        }
        if self.old.is_none_or(|old| old.kind != FileKind::Directory) {
            return Ok(());
        }
        let mut expected: HashMap<&[u8], Identity> =
            self.below.iter().map(|(path, identity)| (path.as_slice(), *identity)).collect();
        let mut pending = vec![(slot.to_vec(), self.path.clone())];
        while let Some((at, was)) = pending.pop() {
            for entry in target.list(&at).map_err(failed)? {
                let [at, was] = [&at, &was].map(|above| [above.as_slice(), b"/", &entry.name].concat());
                let found = target.metadata(&at).map_err(failed)?;
                match (found.as_ref().map(Identity::of), expected.remove(was.as_slice())) {
                    (found, Some(known)) if known.is_still(found) => {}
                    (_, None) => return Err(conflict(&was, ConflictReason::Exists)),
                    _ => return Err(conflict(&was, ConflictReason::Modified)),
                }
                if entry.kind == FileKind::Directory {
                    pending.push((at, was));
                }
            }
        }
        match expected.into_keys().next() {
            Some(path) => Err(conflict(path, ConflictReason::Missing)),
            None => Ok(()),
        }
    }
}

fn conflict(path: &[u8], reason: ConflictReason) -> ApplyError {
    ApplyError::Conflicts(vec![Conflict { path: path.to_vec(), reason }])
}
