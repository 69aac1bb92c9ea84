//! Putting archived files into a fresh sandbox.

use super::write::names;
use sandshell::vfs::{
    Context, Errno, FileKind, Follow, Location, Namespace, OpenOptions, Opened, SetAttributes, SetTime, Time,
};
use std::collections::HashSet;
use std::io::Read;
use tar::{Archive, Entry, EntryType};

const CX: &Context = &Context::ROOT;

/// Attributes to set when everything is in its place: creating a file changes its directory's time.
type Later = Vec<(Vec<u8>, SetAttributes)>;

/// Makes the sandbox's own files those of the archive: what a fresh sandbox has and the archive has not was removed.
/// The directory `keep` and those above it stay.
pub(super) fn read(files: &Namespace, from: impl Read, keep: &[u8]) -> Result<(), String> {
    let mut archive = Archive::new(from);
    let mut seen = HashSet::new();
    let mut later = Later::new();
    for entry in archive.entries().map_err(bad)? {
        let mut entry = entry.map_err(bad)?;
        let path = relative(&entry.path_bytes())?;
        if path.is_empty() {
            continue;
        }
        place(files, &mut entry, &path, &mut later)
            .map_err(|why| format!("/{}: {why}", path.escape_ascii()))?;
        seen.insert(path);
    }
    if seen.is_empty() {
        // An empty file, or an archive of nothing: a sandbox that begins.
        return Ok(());
    }
    remove_unseen(files, &files.root(), b"", &seen, keep.strip_prefix(b"/").unwrap_or(keep))
        .map_err(|errno| errno.to_string())?;
    for (path, attributes) in later.into_iter().rev() {
        files
            .set_attributes(CX, &files.root(), &path, Follow::No, &attributes)
            .map_err(|errno| format!("/{}: {errno}", path.escape_ascii()))?;
    }
    Ok(())
}

fn bad(error: std::io::Error) -> String {
    format!("not a sandbox's files: {error}")
}

/// The path without `.` and slashes at its ends.
fn relative(path: &[u8]) -> Result<Vec<u8>, String> {
    let mut names: Vec<&[u8]> = Vec::new();
    for name in path.split(|byte| *byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." => return Err(format!("not a sandbox's files: the path {}", path.escape_ascii())),
            name => names.push(name),
        }
    }
    Ok(names.join(&b'/'))
}

fn place(
    files: &Namespace,
    entry: &mut Entry<'_, impl Read>,
    path: &[u8],
    later: &mut Later,
) -> Result<(), String> {
    let (kind, header) = (entry.header().entry_type(), entry.header());
    let number = |field: std::io::Result<u64>| field.map_err(|error| error.to_string());
    let owner = |field| number(field).map(|id| u32::try_from(id).unwrap_or(1000));
    let time = Time { secs: i64::try_from(number(header.mtime())?).unwrap_or(0), nanos: 0 };
    let (uid, gid) = (owner(header.uid())?, owner(header.gid())?);
    let mode = header.mode().map_err(|error| error.to_string())? & 0o7777;
    let link = entry.link_name_bytes().map(|name| name.into_owned()).unwrap_or_default();
    let root = files.root();
    let text = |errno: Errno| errno.to_string();

    parents(files, path).map_err(text)?;
    let there = match files.metadata(CX, &root, path, Follow::No) {
        Ok(there) => Some(there.kind),
        Err(Errno::NoEnt) => None,
        Err(errno) => return Err(text(errno)),
    };
    match (there, kind) {
        (Some(FileKind::Directory), EntryType::Directory) | (None, _) => {}
        (Some(FileKind::Directory), _) => {
            let at = files.resolve(CX, &root, path, Follow::No).map_err(text)?;
            remove_tree(files, &at).map_err(text)?;
            files.remove_dir(CX, &root, path).map_err(text)?;
        }
        (Some(_), _) => files.unlink(CX, &root, path).map_err(text)?,
    }
    match kind {
        EntryType::Directory if there == Some(FileKind::Directory) => {}
        EntryType::Directory => files.create_dir(CX, &root, path, 0o700).map_err(text)?,
        EntryType::Symlink => files.symlink(CX, &link, &root, path).map_err(text)?,
        EntryType::Link => {
            let first = relative(&link)?;
            return files.hard_link(CX, &root, &first, Follow::No, &root, path).map_err(text);
        }
        EntryType::Fifo => files.make_node(CX, &root, path, FileKind::Fifo, 0o600).map_err(text)?,
        EntryType::Regular | EntryType::Continuous => content(files, entry, path)?,
        other => return Err(format!("the archive has a file of kind {other:?}")),
    }
    let mut attributes = SetAttributes {
        mode: (kind != EntryType::Symlink).then_some(mode),
        uid: Some(uid),
        gid: Some(gid),
        ..SetAttributes::default()
    };
    attributes.mtime = Some(SetTime::At(time));
    later.push((path.to_vec(), attributes));
    Ok(())
}

fn content(files: &Namespace, entry: &mut impl Read, path: &[u8]) -> Result<(), String> {
    let how = OpenOptions { mode: 0o600, ..OpenOptions::WRITE };
    let opened = files.open(CX, &files.root(), path, &how).map_err(|errno| errno.to_string())?;
    let Opened::File { file, .. } = opened else { return Err(Errno::Io.to_string()) };
    let mut buffer = vec![0; 256 << 10];
    loop {
        let count = entry.read(&mut buffer).map_err(|error| error.to_string())?;
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { return Ok(()) };
        file.append(bytes).map_err(|errno| errno.to_string())?;
    }
}

/// Makes the directories above a path, as the user's.
fn parents(files: &Namespace, path: &[u8]) -> Result<(), Errno> {
    let root = files.root();
    for (end, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
        let above = &path[..end];
        match files.create_dir(CX, &root, above, 0o755) {
            Ok(()) => {
                let Context { uid, gid, .. } = Context::USER;
                let owner = SetAttributes { uid: Some(uid), gid: Some(gid), ..SetAttributes::default() };
                files.set_attributes(CX, &root, above, Follow::No, &owner)?;
            }
            Err(Errno::Exist) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

fn remove_unseen(
    files: &Namespace,
    at: &Location,
    path: &[u8],
    seen: &HashSet<Vec<u8>>,
    keep: &[u8],
) -> Result<(), Errno> {
    for name in names(files, at).map_err(|_| Errno::Io)? {
        let below = if path.is_empty() { name.to_vec() } else { [path, b"/", &name].concat() };
        let child = files.resolve(CX, at, &name, Follow::No)?;
        let directory = child.kind() == FileKind::Directory;
        if directory {
            remove_unseen(files, &child, &below, seen, keep)?;
        }
        let kept = keep.starts_with(&below) && matches!(keep.get(below.len()), None | Some(b'/'));
        if kept || seen.contains(&below) || child.metadata()?.uid == 0 {
            continue;
        }
        match directory {
            true => match files.remove_dir(CX, at, &name) {
                // It holds something of the system or to be kept.
                Ok(()) | Err(Errno::NotEmpty) => {}
                Err(errno) => return Err(errno),
            },
            false => files.unlink(CX, at, &name)?,
        }
    }
    Ok(())
}

fn remove_tree(files: &Namespace, at: &Location) -> Result<(), Errno> {
    for name in names(files, at).map_err(|_| Errno::Io)? {
        let child = files.resolve(CX, at, &name, Follow::No)?;
        if child.kind() == FileKind::Directory {
            remove_tree(files, &child)?;
            files.remove_dir(CX, at, &name)?;
        } else {
            files.unlink(CX, at, &name)?;
        }
    }
    Ok(())
}
