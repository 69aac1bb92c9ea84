//! The journal of an application, in a directory that no sandbox can write to.
//!
//! A journal is a text file in a directory that only its user can write to. It is locked as long as its process lives,
//! and replaced as a whole, so that it is complete at any moment. Its states:
//!
//! 1. `staging`: there may be a staging directory in the target.
//! 2. `ready`: lists all steps; written before the first of them.
//! 3. `ready` with the last line `done`: only the staging directory remains to be removed.
//!
//! A journal inside a target is ignored: it may come from a sandbox or a repository.

use super::steps::{Identity, Mode, Plan, Step};
use super::target::Target;
use crate::host::{names, private};
use crate::{FileKind, FileSystem, Time};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A directory for journals.
#[derive(Clone, Debug)]
pub struct Journals {
    directory: PathBuf,
}

/// The recovery of an application that was interrupted.
#[derive(Debug)]
pub struct Recovered {
    /// The directory that it was for.
    pub root: PathBuf,
    /// The result.
    pub outcome: Recovery,
}

/// The result of a recovery, see [`Recovered`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Recovery {
    /// All changes were undone.
    Undone,
    /// Everything had been applied; the replaced files have now been removed.
    Finished,
    /// The changes were undone except for some: another process has put something else at `path` since. The original
    /// file is in the directory `kept` of the target.
    Left {
        /// The first path.
        path: Vec<u8>,
        /// The directory.
        kept: Vec<u8>,
    },
    /// The target could not be opened or cleaned up. The next run tries again.
    Failed(io::Error),
}

impl Journals {
    /// Opens a directory for journals, which is created with mode 0700 if it is missing.
    ///
    /// # Errors
    /// The host's error. `PermissionDenied` if others than the user who runs this program own the directory or may
    /// write to it, because whoever can write journals can cause files to be renamed.
    pub fn open(directory: impl AsRef<Path>) -> io::Result<Self> {
        private::create_directory(directory.as_ref())?;
        let directory = fs::canonicalize(directory)?;
        if !is_own(&directory)? {
            let why = "others than the user who runs this program may write there";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        Ok(Self { directory })
    }

    /// The directory, without links in its path.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Undoes or finishes what processes that have ended left incomplete in these directories, in directories above
    /// them and in directories inside them. `open` opens a directory for writing.
    pub fn recover(
        &self,
        concerned: &[PathBuf],
        open: impl Fn(&Path) -> io::Result<Arc<dyn FileSystem>>,
    ) -> Vec<Recovered> {
        let Ok(entries) = fs::read_dir(&self.directory) else { return Vec::new() };
        let mut recovered = Vec::new();
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.extension() == Some(OsStr::new(UNFINISHED)) && locked(&path).is_some() {
                // It was never renamed to its place.
                let _ = fs::remove_file(&path);
            }
            if path.extension() != Some(OsStr::new(ENDING)) {
                continue;
            }
            // A journal that cannot be read belongs to a running process or to another version.
            let Some((_locked, state, parts)) = take(&path) else { continue };
            let concerns =
                |part: &Part| concerned.iter().any(|one| one.starts_with(&part.0) || part.0.starts_with(one));
            if !parts.iter().any(concerns) {
                continue;
            }
            let outcomes: Vec<_> = parts
                .into_iter()
                .map(|(root, plan)| {
                    let outcome = match open(&root) {
                        Ok(fs) => recover(&Target::new(fs), state, &plan),
                        Err(error) => Some(Recovery::Failed(error)),
                    };
                    (root, outcome)
                })
                .collect();
            let unsettled = |outcome: &Option<Recovery>| {
                matches!(outcome, Some(Recovery::Left { .. } | Recovery::Failed(_)))
            };
            if !outcomes.iter().any(|(_, outcome)| unsettled(outcome)) {
                // If this fails, the next run finds nothing to do.
                let _ = fs::remove_file(&path);
            }
            recovered.extend(
                outcomes
                    .into_iter()
                    .filter_map(|(root, outcome)| Some(Recovered { root, outcome: outcome? })),
            );
        }
        recovered
    }

    pub(super) fn begin(&self, roots: &[&Path], stages: &[Vec<u8>]) -> io::Result<Journal> {
        let path = self.fresh()?;
        let mut text = format!("{TITLE}\nstaging\n");
        for (root, stage) in roots.iter().zip(stages) {
            put_root(&mut text, root, stage);
        }
        let file = self.write(&path, text)?;
        Ok(Journal { journals: self.clone(), path, file })
    }

    /// The path of a journal that does not exist yet.
    fn fresh(&self) -> io::Result<PathBuf> {
        Ok(self.directory.join(random_name()?).with_extension(ENDING))
    }

    /// Writes a locked file durably and renames it to its place.
    fn write(&self, path: &Path, mut text: String) -> io::Result<File> {
        text.push_str("end\n");
        let new = path.with_extension(UNFINISHED);
        let mut file = loop {
            let file = private::file_options().write(true).create(true).truncate(true).open(&new)?;
            file.lock()?;
            // Before it was locked, another process may have removed it as the file of a dead process.
            if private::is_at(&file, &new) {
                break file;
            }
        };
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)?;
        private::sync_directory(&self.directory)?;
        Ok(file)
    }
}

/// Whether only the user who runs this program, who is the owner of a new file, may write to a directory.
fn is_own(directory: &Path) -> io::Result<bool> {
    let path = directory.join(random_name()?).with_extension(UNFINISHED);
    let file = private::file_options().write(true).create_new(true).open(&path)?;
    let own = private::is_directory_of(directory, &file);
    // Another process may have removed it.
    let _ = fs::remove_file(&path);
    own
}

/// A name that nobody can have created before.
pub(super) fn random_name() -> io::Result<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The journal of an application in progress.
pub(super) struct Journal {
    journals: Journals,
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Call when everything is staged, before the first step.
    pub(super) fn ready(&mut self, roots: &[&Path], plans: &[Plan]) -> io::Result<()> {
        let mut text = format!("{TITLE}\nready\n");
        for (root, plan) in roots.iter().zip(plans) {
            put_root(&mut text, root, &plan.stage);
            for step in &plan.steps {
                // Writing into a string does not fail.
                let _ =
                    writeln!(text, "step {} {} {}", escaped(&step.path), known(step.old), known(step.new));
            }
            for Mode { path, before, after } in &plan.modes {
                let _ = writeln!(text, "mode {} {before:o} {after:o}", escaped(path));
            }
        }
        if private::REPLACES_OPEN_FILES {
            self.file = self.journals.write(&self.path, text)?;
            return Ok(());
        }
        // This is a file beside the first one. No step is taken before that is gone: until then both say the same, to
        // remove what is staged.
        let path = self.journals.fresh()?;
        let file = self.journals.write(&path, text)?;
        let (first, locked) = (mem::replace(&mut self.path, path), mem::replace(&mut self.file, file));
        fs::remove_file(first)?;
        drop(locked);
        Ok(())
    }

    /// Call when all steps were taken.
    pub(super) fn done(&mut self) -> io::Result<()> {
        self.file.write_all(b"done\n")?;
        self.file.sync_all()
    }

    /// Removes the journal.
    pub(super) fn end(self) {
        // If this fails, the next run finds nothing to do.
        let _ = fs::remove_file(&self.path);
    }
}

const TITLE: &str = "sandshell-apply 1";
const ENDING: &str = "journal";
const UNFINISHED: &str = "new";

/// A target and its plan.
type Part = (PathBuf, Plan);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Staging,
    Ready,
    Done,
}

/// `None` if there was nothing to do.
fn recover(target: &Target, state: State, plan: &Plan) -> Option<Recovery> {
    match target.metadata(&plan.stage) {
        Ok(Some(_)) => {}
        Ok(None) => return None,
        Err(errno) => return Some(Recovery::Failed(errno.into())),
    }
    if state == State::Ready
        && let Err(path) = plan.undo(target)
    {
        return Some(Recovery::Left { path, kept: plan.stage.clone() });
    }
    Some(match target.remove_tree(&plan.stage) {
        Ok(()) if state == State::Done => Recovery::Finished,
        Ok(()) => Recovery::Undone,
        Err(errno) => Recovery::Failed(errno.into()),
    })
}

/// Opens and locks a file, unless a running process has locked it.
fn locked(path: &Path) -> Option<File> {
    let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
    file.try_lock().ok()?;
    // It may have been replaced or removed before it was locked.
    private::is_at(&file, path).then_some(file)
}

/// Locks and reads a journal whose process has ended.
fn take(path: &Path) -> Option<(File, State, Vec<Part>)> {
    let mut file = locked(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let (state, parts) = parse(&text)?;
    Some((file, state, parts))
}

fn parse(text: &str) -> Option<(State, Vec<Part>)> {
    let mut lines = text.lines();
    if lines.next()? != TITLE {
        return None;
    }
    let mut state = match lines.next()? {
        "staging" => State::Staging,
        "ready" => State::Ready,
        _ => return None,
    };
    let mut parts: Vec<Part> = Vec::new();
    loop {
        let words: Vec<&str> = lines.next()?.split(' ').collect();
        match (words.as_slice(), parts.last_mut()) {
            (["root", root, stage], _) => {
                let root = PathBuf::from(names::from_bytes(unescaped(root)?).ok()?);
                parts.push((root, Plan::new(unescaped(stage)?)));
            }
            (["step", path, old, new], Some((_, plan))) => {
                let (old, new) = (identity(old)?, identity(new)?);
                plan.steps.push(Step { path: unescaped(path)?, old, new, below: Vec::new() });
            }
            (["mode", path, before, after], Some((_, plan))) => {
                let octal = |digits| u32::from_str_radix(digits, 8).ok();
                let (before, after) = (octal(before)?, octal(after)?);
                plan.modes.push(Mode { path: unescaped(path)?, before, after });
            }
            (["end"], _) => break,
            _ => return None,
        }
    }
    if lines.next() == Some("done") && text.ends_with('\n') && state == State::Ready {
        state = State::Done;
    }
    Some((state, parts))
}

fn put_root(text: &mut String, root: &Path, stage: &[u8]) {
    let _ = writeln!(text, "root {} {}", escaped(root.as_os_str().as_encoded_bytes()), escaped(stage));
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::from("=");
    for byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                text.push(char::from(*byte))
            }
            _ => {
                let _ = write!(text, "%{byte:02x}");
            }
        }
    }
    text
}

fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.strip_prefix('=')?.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first != b'%' {
            bytes.push(*first);
            rest = after;
            continue;
        }
        let digits = std::str::from_utf8(after.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after.get(2..)?;
    }
    Some(bytes)
}

fn known(identity: Option<Identity>) -> String {
    identity.map_or("-".to_owned(), |Identity { ino, kind, size, mtime }| {
        format!("{ino}:{:o}:{size}:{}:{}", kind.format_bits(), mtime.secs, mtime.nanos)
    })
}

#[allow(clippy::option_option, reason = "the outer one is that of parsing")]
fn identity(text: &str) -> Option<Option<Identity>> {
    if text == "-" {
        return Some(None);
    }
    let mut parts = text.split(':');
    let identity = Identity {
        ino: parts.next()?.parse().ok()?,
        kind: FileKind::from_mode(u32::from_str_radix(parts.next()?, 8).ok()?)?,
        size: parts.next()?.parse().ok()?,
        mtime: Time { secs: parts.next()?.parse().ok()?, nanos: parts.next()?.parse().ok()? },
    };
    parts.next().is_none().then_some(Some(identity))
}
