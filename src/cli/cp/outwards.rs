//! From the sandbox to the host.

use super::last_name;
use crate::cli::failure::{Failure, name as name_of, path, reason};
use crate::cli::host_file;
use sandshell::vfs::{
    Context, Errno, File as GuestFile, FileKind, Follow, Location, MAX_PATH, Metadata, Namespace,
    OpenOptions, Opened, Surveyed, Surveyor, host_names,
};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const CX: &Context = &Context::ROOT;

pub(super) fn copy(files: &Namespace, sources: &[&[u8]], target: &OsString) -> Result<(), Failure> {
    let target = Path::new(target);
    let into = target.is_dir();
    if !into && (sources.len() > 1 || target.as_os_str().as_encoded_bytes().ends_with(b"/")) {
        return Err(Failure::about(path(target), "not a directory"));
    }
    // All sources are looked up before anything is written.
    let mut found = Vec::new();
    for source in sources {
        let at =
            files.resolve(CX, &files.root(), source, Follow::Yes).map_err(|errno| failed(source, errno))?;
        let to = match into {
            true => target.join(host_name(last_name(source), source)?),
            false => target.to_owned(),
        };
        found.push((at, to, *source));
    }
    let mut items = Vec::new();
    for (at, to, source) in &found {
        list(files, at, to, source, &mut items)?;
    }
    check(&items, target)?;
    for item in &items {
        make(files, item)?;
    }
    // A directory may get a mode with which we can no longer write into it, so modes are set last.
    for item in items.iter().rev().filter(|item| item.metadata.kind == FileKind::Directory) {
        let set = host_file::set_mode(&item.to, item.metadata.mode & 0o777);
        set.map_err(|error| host_failed(&item.to, &error))?;
    }
    Ok(())
}

/// A file of the sandbox and its place on the host.
struct Item {
    at: Location,
    metadata: Metadata,
    from: Vec<u8>,
    to: PathBuf,
}

/// Adds a file and everything below it, each directory before its entries.
fn list(
    files: &Namespace,
    at: &Location,
    to: &Path,
    from: &[u8],
    items: &mut Vec<Item>,
) -> Result<(), Failure> {
    let metadata = at.metadata().map_err(|errno| failed(from, errno))?;
    let directory = metadata.kind == FileKind::Directory;
    items.push(Item { at: at.clone(), metadata, from: from.to_vec(), to: to.to_owned() });
    if !directory {
        return Ok(());
    }
    let mut below = Below { files, at, to, from, items, outcome: Ok(()) };
    files.survey(CX, at, &mut below);
    below.outcome
}

struct Below<'a> {
    files: &'a Namespace,
    at: &'a Location,
    to: &'a Path,
    from: &'a [u8],
    items: &'a mut Vec<Item>,
    outcome: Result<(), Failure>,
}

impl Surveyor for Below<'_> {
    fn entry(&mut self, below: &[u8], _entry: Surveyed<'_>) -> ControlFlow<()> {
        let from = [self.from, b"/", below].concat();
        let found =
            self.files.resolve(CX, self.at, below, Follow::No).and_then(|at| Ok((at.metadata()?, at)));
        match found {
            Ok((metadata, at)) => {
                let to = match host_names::as_os_str(below) {
                    Ok(name) => self.to.join(name),
                    Err(errno) => {
                        self.outcome = Err(failed(&from, errno));
                        return ControlFlow::Break(());
                    }
                };
                self.items.push(Item { at, metadata, from, to });
                ControlFlow::Continue(())
            }
            Err(errno) => {
                self.outcome = Err(failed(&from, errno));
                ControlFlow::Break(())
            }
        }
    }

    fn enter(&mut self, _below: &[u8]) -> bool {
        self.outcome.is_ok()
    }

    fn left_out(&mut self, below: &[u8], errno: Errno) {
        if self.outcome.is_ok() {
            self.outcome = Err(failed(&[self.from, b"/", below].concat(), errno));
        }
    }
}

/// Refuses what the host cannot store, before anything is written.
fn check(items: &[Item], target: &Path) -> Result<(), Failure> {
    let regular = || items.iter().filter(|item| item.metadata.kind == FileKind::Regular);
    for item in items {
        if !matches!(item.metadata.kind, FileKind::Regular | FileKind::Directory | FileKind::Symlink) {
            let what = format!(":{}", name_of(&item.from));
            return Err(Failure::about(what, "neither a file, a directory nor a link"));
        }
        if item.to.as_os_str().len() > MAX_PATH {
            return Err(failed(&item.from, Errno::NameTooLong));
        }
    }
    let Some(largest) = regular().max_by_key(|item| item.metadata.size) else { return Ok(()) };
    let place = if target.is_dir() { target.to_owned() } else { directory(target) };
    let failed = |error: &io::Error| host_failed(&place, error);
    let probe = tempfile::tempfile_in(&place).map_err(|error| failed(&error))?;
    if let Err(error) = probe.set_len(largest.metadata.size) {
        let why = format!("{} bytes: {}", largest.metadata.size, reason(&error));
        return Err(Failure::about(format!(":{}", name_of(&largest.from)), why));
    }
    // Where the host does not tell, a full disk is noticed later.
    let Some(available) = host_file::free_space(&probe).map_err(|error| failed(&error))? else {
        return Ok(());
    };
    let needed = regular().map(|item| item.metadata.blocks.saturating_mul(512)).fold(0, u64::saturating_add);
    if needed > available {
        let why = format!("{needed} bytes do not fit into {available} bytes of free space");
        return Err(Failure::about(path(&place), why));
    }
    Ok(())
}

fn make(files: &Namespace, Item { at, metadata, from, to }: &Item) -> Result<(), Failure> {
    let guest = |errno| failed(from, errno);
    let host = |error: io::Error| host_failed(to, &error);
    match metadata.kind {
        FileKind::Directory => match fs::symlink_metadata(to) {
            Ok(there) if there.is_dir() => Ok(()),
            // A link that a sandbox made must not redirect later copies to another place.
            Ok(_) => Err(Failure::about(path(to), "in the way, not a directory")),
            Err(_) => fs::create_dir(to).map_err(host),
        },
        FileKind::Symlink => {
            let target = at.fs().read_link(CX, at.node()).map_err(guest)?;
            if fs::symlink_metadata(to).is_ok_and(|there| !there.is_dir()) {
                fs::remove_file(to).map_err(host)?;
            }
            host_file::symlink(&target, to).map_err(host)
        }
        _ => {
            let opened = files.open_location(CX, at, &OpenOptions::READ).map_err(guest)?;
            let Opened::File { file, .. } = opened else { return Err(guest(Errno::Io)) };
            let temporary =
                tempfile::Builder::new().prefix(".sandshell-cp-").tempfile_in(directory(to)).map_err(host)?;
            content(&*file, temporary.as_file(), host, guest)?;
            host_file::set_file_mode(temporary.as_file(), metadata.mode & 0o777).map_err(host)?;
            temporary.persist(to).map(drop).map_err(|error| host(error.error))
        }
    }
}

/// Copies the stored bytes; holes stay holes.
fn content(
    from: &dyn GuestFile,
    to: &File,
    host: impl Fn(io::Error) -> Failure,
    guest: impl Fn(Errno) -> Failure,
) -> Result<(), Failure> {
    let mut buffer = vec![0; 256 << 10];
    let mut offset = 0;
    while let Some(data) = from.next_data(offset).map_err(&guest)? {
        offset = data.start;
        let wanted = usize::try_from(data.end - data.start).unwrap_or(buffer.len()).min(buffer.len());
        let count = from.read_at(&mut buffer[..wanted], offset).map_err(&guest)?;
        if count == 0 {
            break;
        }
        host_file::write_all_at(to, &buffer[..count], offset).map_err(&host)?;
        offset += count as u64;
    }
    // Files that the system generates when they are read claim to be empty.
    loop {
        match from.read_at(&mut buffer, offset).map_err(&guest)? {
            0 => break,
            _ if from.metadata().map_err(&guest)?.size > 0 => break,
            count => {
                host_file::write_all_at(to, &buffer[..count], offset).map_err(&host)?;
                offset += count as u64;
            }
        }
    }
    let size = from.metadata().map_err(&guest)?.size.max(offset);
    to.set_len(size).map_err(&host)
}

/// A name from the sandbox as one of the host.
fn host_name<'a>(name: &'a [u8], path: &[u8]) -> Result<&'a OsStr, Failure> {
    match name {
        b"" | b"." | b".." => {
            Err(Failure::about(format!(":{}", name_of(path)), "it has no name to copy it to"))
        }
        name => host_names::as_os_str(name).map_err(|errno| failed(path, errno)),
    }
}

fn directory(file: &Path) -> PathBuf {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn failed(path: &[u8], errno: Errno) -> Failure {
    Failure::about(format!(":{}", name_of(path)), errno)
}

fn host_failed(to: &Path, error: &io::Error) -> Failure {
    Failure::about(path(to), reason(error))
}
