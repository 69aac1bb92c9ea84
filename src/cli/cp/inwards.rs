//! From the host into the sandbox.

use super::last_name;
use crate::cli::failure::{Failure, name as name_of, path, reason};
use crate::cli::host_file;
use sandshell::vfs::{
    Context, Errno, File as GuestFile, FileKind, Follow, Namespace, OpenOptions, Opened, SetAttributes,
    SetTime,
};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The sandbox's user owns the copied files.
const CX: &Context = &Context::USER;

pub(super) fn copy(files: &Namespace, sources: &[OsString], target: &[u8]) -> Result<(), Failure> {
    let into = sources.len() > 1 || target.ends_with(b"/") || is_directory(files, target);
    for source in sources {
        let source = Path::new(source);
        // Links that are named as sources are followed; links in directories are copied as links.
        let metadata = fs::metadata(source).map_err(|error| Failure::about(path(source), reason(&error)))?;
        let to = match into {
            true => [target, b"/", &name(source)?].concat(),
            false => target.to_vec(),
        };
        parents(files, &to).map_err(|errno| failed(&to, errno))?;
        tree(files, source, metadata, to)?;
    }
    Ok(())
}

fn name(source: &Path) -> Result<Vec<u8>, Failure> {
    match last_name(source.as_os_str().as_encoded_bytes()) {
        b"" | b"." | b".." => {
            let whole = fs::canonicalize(source);
            let whole = whole.map_err(|error| Failure::about(path(source), reason(&error)))?;
            match whole.file_name() {
                Some(name) => Ok(name.as_encoded_bytes().to_vec()),
                None => Err(Failure::about(path(source), "it has no name to copy it to")),
            }
        }
        name => Ok(name.to_vec()),
    }
}

/// A file of the host and its place in the sandbox.
struct Item {
    source: PathBuf,
    metadata: Metadata,
    to: Vec<u8>,
}

/// Copies a file, or a directory with everything in it.
fn tree(files: &Namespace, source: &Path, metadata: Metadata, to: Vec<u8>) -> Result<(), Failure> {
    let mut pending = vec![Item { source: source.to_owned(), metadata, to }];
    // Creating a file changes its directory's time, so directories get their attributes at the end, the innermost
    // first.
    let mut directories = Vec::new();
    while let Some(item) = pending.pop() {
        if item.metadata.is_dir() {
            pending.extend(directory(files, &item)?);
            directories.push(item);
        } else {
            entry(files, &item)?;
            attributes(files, &item)?;
        }
    }
    directories.iter().rev().try_for_each(|item| attributes(files, item))
}

/// Makes a directory; returns what is in it.
fn directory(files: &Namespace, item: &Item) -> Result<Vec<Item>, Failure> {
    let host = |error: io::Error| Failure::about(path(&item.source), reason(&error));
    match files.create_dir(CX, &files.root(), &item.to, 0o700) {
        Ok(()) => {}
        Err(Errno::Exist) if is_directory(files, &item.to) => {}
        Err(errno) => return Err(failed(&item.to, errno)),
    }
    let mut below = Vec::new();
    for entry in fs::read_dir(&item.source).map_err(host)? {
        let entry = entry.map_err(host)?;
        let to = [item.to.as_slice(), b"/", entry.file_name().as_encoded_bytes()].concat();
        below.push(Item { source: entry.path(), metadata: entry.metadata().map_err(host)?, to });
    }
    Ok(below)
}

fn entry(files: &Namespace, item: &Item) -> Result<(), Failure> {
    let Item { source, metadata, to } = item;
    let root = files.root();
    let host = |error: io::Error| Failure::about(path(source), reason(&error));
    let guest = |errno: Errno| failed(to, errno);
    let kind = metadata.file_type();
    if kind.is_symlink() {
        let target = fs::read_link(source).map_err(host)?;
        match files.unlink(CX, &root, to) {
            Ok(()) | Err(Errno::NoEnt) => {}
            Err(errno) => return Err(guest(errno)),
        }
        files.symlink(CX, target.as_os_str().as_encoded_bytes(), &root, to).map_err(guest)
    } else if kind.is_file() {
        let how = OpenOptions { mode: 0o600, ..OpenOptions::WRITE };
        let Opened::File { file, .. } = files.open(CX, &root, to, &how).map_err(guest)? else {
            return Err(guest(Errno::Inval));
        };
        content(&File::open(source).map_err(host)?, &*file, host, guest)
    } else {
        Err(Failure::about(path(source), "neither a file, a directory nor a link"))
    }
}

/// Copies the stored bytes; holes stay holes.
fn content(
    from: &File,
    to: &dyn GuestFile,
    host: impl Fn(io::Error) -> Failure,
    guest: impl Fn(Errno) -> Failure,
) -> Result<(), Failure> {
    let mut buffer = vec![0; 256 << 10];
    let mut offset = 0;
    // Files in `/proc` and similar claim to be empty, so they are read to their end.
    while let Some(data) = host_file::next_data(from, offset).map_err(&host)? {
        offset = data.start;
        let wanted = usize::try_from(data.end - data.start).unwrap_or(buffer.len()).min(buffer.len());
        let count = host_file::read_at(from, &mut buffer[..wanted], offset).map_err(&host)?;
        if count == 0 {
            break;
        }
        let mut done = 0;
        while done < count {
            match to.write_at(&buffer[done..count], offset + done as u64).map_err(&guest)? {
                0 => return Err(guest(Errno::NoSpc)),
                more => done += more,
            }
        }
        offset += count as u64;
    }
    let size = from.metadata().map_err(&host)?.len().max(offset);
    to.set_attributes(CX, &SetAttributes { size: Some(size), ..SetAttributes::default() }).map_err(&guest)
}

fn attributes(files: &Namespace, item: &Item) -> Result<(), Failure> {
    let metadata = &item.metadata;
    let link = metadata.file_type().is_symlink();
    let attributes = SetAttributes {
        mode: (!link).then_some(host_file::mode(metadata)),
        mtime: Some(SetTime::At(host_file::modified(metadata))),
        ..SetAttributes::default()
    };
    let follow = if link { Follow::No } else { Follow::Yes };
    let set = files.set_attributes(CX, &files.root(), &item.to, follow, &attributes);
    set.map_err(|errno| failed(&item.to, errno))
}

fn is_directory(files: &Namespace, path: &[u8]) -> bool {
    files.metadata(CX, &files.root(), path, Follow::Yes).is_ok_and(|found| found.kind == FileKind::Directory)
}

fn parents(files: &Namespace, path: &[u8]) -> Result<(), Errno> {
    let root = files.root();
    for (end, _) in path.iter().enumerate().skip(1).filter(|(_, byte)| **byte == b'/') {
        match files.create_dir(CX, &root, &path[..end], 0o755) {
            Ok(()) | Err(Errno::Exist) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

fn failed(path: &[u8], errno: Errno) -> Failure {
    Failure::about(format!(":{}", name_of(path)), errno)
}
