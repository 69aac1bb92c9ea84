//! From the host into the sandbox.

use super::last_name;
use crate::cli::failure::{Failure, reason};
use sandshell::vfs::{
    Context, Errno, FileKind, Follow, Namespace, OpenOptions, Opened, SetAttributes, SetTime, Time,
};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Files arrive as the sandbox's user's own.
const CX: &Context = &Context::USER;

pub(super) fn copy(files: &Namespace, sources: &[OsString], target: &[u8]) -> Result<(), Failure> {
    let into = sources.len() > 1 || target.ends_with(b"/") || is_directory(files, target);
    for source in sources {
        let source = Path::new(source);
        // What is named is followed; links below are copied as links.
        let metadata =
            fs::metadata(source).map_err(|error| Failure::about(source.display(), reason(&error)))?;
        let to = match into {
            true => [target, b"/", &name(source)?].concat(),
            false => target.to_vec(),
        };
        parents(files, &to).map_err(|errno| failed(&to, errno))?;
        entry(files, source, &metadata, &to)?;
    }
    Ok(())
}

fn name(source: &Path) -> Result<Vec<u8>, Failure> {
    match last_name(source.as_os_str().as_bytes()) {
        b"" | b"." | b".." => {
            let whole = fs::canonicalize(source);
            let whole = whole.map_err(|error| Failure::about(source.display(), reason(&error)))?;
            match whole.file_name() {
                Some(name) => Ok(name.as_bytes().to_vec()),
                None => Err(Failure::about(source.display(), "it has no name to copy it to")),
            }
        }
        name => Ok(name.to_vec()),
    }
}

fn entry(files: &Namespace, source: &Path, metadata: &Metadata, to: &[u8]) -> Result<(), Failure> {
    let root = files.root();
    let host = |error: std::io::Error| Failure::about(source.display(), reason(&error));
    let guest = |errno: Errno| failed(to, errno);
    let kind = metadata.file_type();
    let follow = if kind.is_symlink() { Follow::No } else { Follow::Yes };
    if kind.is_dir() {
        match files.create_dir(CX, &root, to, 0o700) {
            Ok(()) => {}
            Err(Errno::Exist) if is_directory(files, to) => {}
            Err(errno) => return Err(guest(errno)),
        }
        for below in fs::read_dir(source).map_err(host)? {
            let below = below.map_err(host)?;
            let metadata = below.metadata().map_err(host)?;
            let to = [to, b"/", below.file_name().as_bytes()].concat();
            entry(files, &below.path(), &metadata, &to)?;
        }
    } else if kind.is_symlink() {
        let target = fs::read_link(source).map_err(host)?;
        match files.unlink(CX, &root, to) {
            Ok(()) | Err(Errno::NoEnt) => {}
            Err(errno) => return Err(guest(errno)),
        }
        files.symlink(CX, target.as_os_str().as_bytes(), &root, to).map_err(guest)?;
    } else if kind.is_file() {
        let how = OpenOptions { mode: 0o600, ..OpenOptions::WRITE };
        let Opened::File { file, .. } = files.open(CX, &root, to, &how).map_err(guest)? else {
            return Err(guest(Errno::Inval));
        };
        let mut from = File::open(source).map_err(host)?;
        let mut buffer = vec![0; 256 << 10];
        loop {
            let count = from.read(&mut buffer).map_err(host)?;
            let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
            file.append(bytes).map_err(guest)?;
        }
    } else {
        return Err(Failure::about(source.display(), "neither a file, a directory nor a link"));
    }
    let attributes = SetAttributes {
        mode: (!kind.is_symlink()).then_some(metadata.mode() & 0o7777),
        mtime: Some(SetTime::At(Time {
            secs: metadata.mtime(),
            nanos: u32::try_from(metadata.mtime_nsec()).unwrap_or(0),
        })),
        ..SetAttributes::default()
    };
    files.set_attributes(CX, &root, to, follow, &attributes).map_err(guest)
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
    Failure::about(format!(":{}", String::from_utf8_lossy(path)), errno)
}
