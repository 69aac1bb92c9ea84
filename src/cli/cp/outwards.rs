//! From the sandbox to the host.

use super::last_name;
use crate::cli::failure::{Failure, reason};
use sandshell::vfs::{Context, Errno, FileKind, Follow, Location, Namespace, OpenOptions, Opened};
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

const CX: &Context = &Context::ROOT;

pub(super) fn copy(files: &Namespace, sources: &[&[u8]], target: &OsString) -> Result<(), Failure> {
    let target = Path::new(target);
    let into = target.is_dir();
    if !into && (sources.len() > 1 || target.as_os_str().as_bytes().ends_with(b"/")) {
        return Err(Failure::about(target.display(), "not a directory"));
    }
    // Everything that is named is there before anything is written.
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
    for (at, to, source) in found {
        entry(files, &at, &to, source)?;
    }
    Ok(())
}

fn entry(files: &Namespace, at: &Location, to: &Path, from: &[u8]) -> Result<(), Failure> {
    let guest = |errno| failed(from, errno);
    let host = |error: std::io::Error| Failure::about(to.display(), reason(&error));
    let mode = Permissions::from_mode(at.metadata().map_err(guest)?.mode & 0o777);
    match at.kind() {
        FileKind::Directory => {
            match fs::symlink_metadata(to) {
                Ok(there) if there.is_dir() => {}
                // A link that a sandbox made must not lead what is copied later to another place.
                Ok(_) => return Err(Failure::about(to.display(), "in the way, not a directory")),
                Err(_) => fs::create_dir(to).map_err(host)?,
            }
            for name in names(files, at).map_err(guest)? {
                let below = [from, b"/", &name].concat();
                let child =
                    files.resolve(CX, at, &name, Follow::No).map_err(|errno| failed(&below, errno))?;
                entry(files, &child, &to.join(host_name(&name, &below)?), &below)?;
            }
            fs::set_permissions(to, mode).map_err(host)
        }
        FileKind::Symlink => {
            let target = at.fs().read_link(CX, at.node()).map_err(guest)?;
            if fs::symlink_metadata(to).is_ok_and(|there| !there.is_dir()) {
                fs::remove_file(to).map_err(host)?;
            }
            symlink(OsStr::from_bytes(&target), to).map_err(host)
        }
        FileKind::Regular => {
            let opened = files.open_location(CX, at, &OpenOptions::READ).map_err(guest)?;
            let Opened::File { file, .. } = opened else { return Err(guest(Errno::Io)) };
            let mut temporary =
                tempfile::Builder::new().prefix(".sandshell-cp-").tempfile_in(directory(to)).map_err(host)?;
            let mut buffer = vec![0; 256 << 10];
            let mut offset = 0;
            loop {
                let count = file.read_at(&mut buffer, offset).map_err(guest)?;
                let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
                temporary.write_all(bytes).map_err(host)?;
                offset += count as u64;
            }
            temporary.as_file().set_permissions(mode).map_err(host)?;
            temporary.persist(to).map(drop).map_err(|error| host(error.error))
        }
        _ => Err(Failure::about(
            format!(":{}", String::from_utf8_lossy(from)),
            "neither a file, a directory nor a link",
        )),
    }
}

/// A name from the sandbox as one of the host.
fn host_name<'a>(name: &'a [u8], path: &[u8]) -> Result<&'a OsStr, Failure> {
    match name {
        b"" | b"." | b".." => {
            Err(Failure::about(format!(":{}", String::from_utf8_lossy(path)), "it has no name to copy it to"))
        }
        name => Ok(OsStr::from_bytes(name)),
    }
}

fn names(files: &Namespace, at: &Location) -> Result<Vec<Box<[u8]>>, Errno> {
    let how = OpenOptions { directory: true, ..OpenOptions::READ };
    let Opened::Directory { file, .. } = files.open_location(CX, at, &how)? else {
        return Err(Errno::NotDir);
    };
    let mut names = Vec::new();
    let mut cursor = 0;
    loop {
        let batch = file.read_dir(CX, cursor)?;
        let Some(last) = batch.last() else { return Ok(names) };
        cursor = last.next;
        names.extend(batch.into_iter().map(|entry| entry.name));
    }
}

fn directory(file: &Path) -> PathBuf {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn failed(path: &[u8], errno: Errno) -> Failure {
    Failure::about(format!(":{}", String::from_utf8_lossy(path)), errno)
}
