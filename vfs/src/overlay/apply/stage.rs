//! Creates the new files in a staging directory.

use super::super::contents::Contents;
use super::super::diff::{Delta, Source};
use super::super::layers::{Layers, split};
use super::ApplyError;
use super::steps::{Identity, MAX_SINGLE_SYNCS, Mode, Plan, Step};
use super::target::Target;
use crate::{Errno, FileKind, Metadata, NewBody, Result, SetAttributes, SetTime, time_budget};
use std::collections::HashMap;

/// Bytes that are copied at a time.
const PIECE: usize = 256 * 1024;

/// Mode bits that a sandbox may set: permissions and the sticky bit.
const SETTABLE: u32 = 0o1777;

impl Target {
    /// Creates the new contents of all changes in the plan's staging directory, and adds the steps to the plan. `seen`
    /// is what the target has at each path.
    pub(super) fn stage(
        &self,
        layers: &Layers,
        deltas: &[Delta],
        seen: &[Option<Metadata>],
        plan: &mut Plan,
    ) -> std::result::Result<(), ApplyError> {
        let made = self.create(&plan.stage, NewBody::Directory, 0o700);
        made.map_err(|errno| ApplyError::Failed { path: plan.stage.clone(), errno })?;
        self.check_room(deltas)?;
        let mut stage = Stage {
            target: self,
            layers,
            plan,
            inside: HashMap::new(),
            sync_each: deltas.len() <= MAX_SINGLE_SYNCS,
            gone: HashMap::new(),
        };
        let mut directories = Vec::new();
        for (delta, seen) in deltas.iter().zip(seen) {
            stage.add(delta, seen.as_ref(), &mut directories).map_err(|errno| {
                let size = delta.after.as_ref().map_or(0, |(_, metadata)| metadata.size);
                match errno {
                    Errno::FBig => ApplyError::TooLarge { path: delta.path.to_vec(), size },
                    errno => ApplyError::Failed { path: delta.path.to_vec(), errno },
                }
            })?;
        }
        // Subdirectories first, because a directory may get a mode that forbids access.
        for (path, mode) in directories.into_iter().rev() {
            self.set_mode(&path, mode).map_err(|errno| ApplyError::Failed { path, errno })?;
        }
        Ok(())
    }

    /// Refuses changes that cannot fit, before filling the disk.
    fn check_room(&self, deltas: &[Delta]) -> std::result::Result<(), ApplyError> {
        let bytes = |delta: &Delta| match &delta.after {
            Some((_, metadata)) if metadata.kind == FileKind::Regular => metadata.blocks.saturating_mul(512),
            _ => 0,
        };
        let needed = deltas.iter().map(bytes).fold(0, u64::saturating_add);
        let free = self.fs.stat_fs().map_err(|errno| ApplyError::Failed { path: Vec::new(), errno })?;
        let available = free.blocks_available.saturating_mul(free.block_size);
        if needed > available { Err(ApplyError::NoRoom { needed, available }) } else { Ok(()) }
    }

    fn write(&self, path: &[u8], metadata: &Metadata, contents: &Contents, sync: bool) -> Result<()> {
        let file = self.open_new(&self.create(path, NewBody::File, 0o600)?)?;
        // Set the size first: this fails at once if the file is too large.
        file.set_attributes(
            super::target::CX,
            &SetAttributes { size: Some(metadata.size), ..Default::default() },
        )?;
        let mut buffer = vec![0; PIECE];
        let mut offset = 0;
        while let Some(data) = contents.next_data(offset)?.filter(|data| data.start < metadata.size) {
            offset = data.start;
            while offset < data.end.min(metadata.size) {
                let wanted =
                    usize::try_from(data.end.min(metadata.size) - offset).unwrap_or(PIECE).min(PIECE);
                time_budget::spend(wanted as u64)?;
                let count = contents.read(&mut buffer[..wanted], offset)?;
                if count == 0 {
                    return Err(Errno::Io);
                }
                let mut done = 0;
                while done < count {
                    match file.write_at(&buffer[done..count], offset + done as u64)? {
                        0 => return Err(Errno::Io),
                        more => done += more,
                    }
                }
                offset += count as u64;
            }
        }
        if sync {
            file.sync()?;
        }
        let mode = Some(self.fs.nearest_mode(FileKind::Regular, metadata.mode & SETTABLE));
        let mtime = Some(SetTime::At(metadata.mtime));
        file.set_attributes(super::target::CX, &SetAttributes { mode, mtime, ..Default::default() })
    }
}

struct Stage<'a> {
    target: &'a Target,
    layers: &'a Layers,
    plan: &'a mut Plan,
    /// New directories, and where they are in the staging directory.
    inside: HashMap<&'a [u8], Vec<u8>>,
    /// Whether each file is synchronised separately.
    sync_each: bool,
    /// Directories that are removed, and the indices of their steps.
    gone: HashMap<&'a [u8], usize>,
}

impl<'a> Stage<'a> {
    /// Adds a change. They come in the order of their paths: a directory before its contents.
    fn add(
        &mut self,
        delta: &'a Delta,
        seen: Option<&Metadata>,
        directories: &mut Vec<(Vec<u8>, u32)>,
    ) -> Result<()> {
        let path = &*delta.path;
        let (above, name) = split(path);
        let is_directory = |metadata: &Metadata| metadata.kind == FileKind::Directory;
        let after = delta.after.as_ref();
        if let (Some(seen), Some((_, new))) = (seen, after)
            && is_directory(seen)
            && is_directory(new)
        {
            let mode = self.directory_mode(new.mode, seen.mode);
            if mode != seen.mode {
                self.plan.modes.push(Mode { path: path.to_vec(), before: seen.mode, after: mode });
            }
            return Ok(());
        }
        let number = self.plan.steps.len();
        let parent = self.inside.get(above);
        let within = parent.is_some();
        let mut new = None;
        if let Some((source, metadata)) = after {
            let place = match parent {
                Some(parent) => [parent.as_slice(), b"/", name].concat(),
                None => self.plan.slot('n', number),
            };
            self.make(&place, source, metadata)?;
            let made = self.target.metadata(&place)?.ok_or(Errno::NoEnt)?;
            new = Some(Identity::of(&made));
            if is_directory(metadata) {
                let mode = self.directory_mode(metadata.mode, made.mode);
                if within || mode & 0o300 == 0o300 {
                    directories.push((place.clone(), mode));
                } else {
                    // A directory cannot be moved with such a mode.
                    self.plan.modes.push(Mode { path: path.to_vec(), before: made.mode, after: mode });
                }
                self.inside.insert(path, place);
            }
        }
        if within {
            return Ok(());
        }
        let old = seen.map(Identity::of);
        if let Some(top) = self.gone.get(above).copied() {
            if let (Some(step), Some(old)) = (self.plan.steps.get_mut(top), old) {
                step.below.push((path.to_vec(), old));
                self.gone.insert(path, top);
            }
            return Ok(());
        }
        if old.is_none() && new.is_none() {
            return Ok(());
        }
        if seen.is_some_and(is_directory) {
            self.gone.insert(path, number);
        }
        self.plan.steps.push(Step { path: path.to_vec(), old, new, below: Vec::new() });
        Ok(())
    }

    /// The mode that a directory gets which has `now`: the bits that the host has set stay.
    fn directory_mode(&self, wanted: u32, now: u32) -> u32 {
        self.target.fs.nearest_mode(FileKind::Directory, wanted & SETTABLE | now & !SETTABLE)
    }

    fn make(&self, place: &[u8], source: &Source, metadata: &Metadata) -> Result<()> {
        let contents = || self.layers.contents_above(source);
        match metadata.kind {
            FileKind::Directory => self.target.create(place, NewBody::Directory, 0o700).map(drop),
            FileKind::Symlink => {
                let target = contents()?.whole()?;
                self.target.create(place, NewBody::Symlink(&target), 0o777).map(drop)
            }
            _ => self.target.write(place, metadata, &contents()?, self.sync_each),
        }
    }
}
