//! Puts archived files into a new sandbox.

use super::tar::{Member, Reader};
use sandshell_vfs::{
    Context, Errno, File, FileKind, Follow, Location, Namespace, OpenOptions, Opened, SetAttributes, SetTime,
    Surveyed, Surveyor, Time, quoted,
};
use std::collections::HashMap;
use std::io::Read;
use std::ops::ControlFlow;
use tar::EntryType;

const CX: &Context = &Context::ROOT;

/// The most bytes of all names of an archive. What compresses well can have any number of them.
const MOST_NAMES: usize = 512 << 20;

/// What of a name is counted beside its bytes.
const NAME: usize = 64;

/// The paths of an archive with the attributes of the last file that had each. They are set when all files exist,
/// because creating a file changes its directory's time.
struct Names {
    attributes: HashMap<Vec<u8>, Option<SetAttributes>>,
    /// How many bytes there may still be.
    left: usize,
}

impl Names {
    fn at_most(left: usize) -> Self {
        Self { attributes: HashMap::new(), left }
    }

    fn insert(&mut self, path: Vec<u8>, attributes: Option<SetAttributes>) -> Result<(), String> {
        if let Some(known) = self.attributes.get_mut(&path) {
            *known = attributes;
            return Ok(());
        }
        let left = self.left.checked_sub(path.len() + NAME);
        self.left = left.ok_or_else(|| bad(format!("names of more than {MOST_NAMES} bytes")))?;
        self.attributes.insert(path, attributes);
        Ok(())
    }
}

/// Makes the sandbox's own files those of the archive. Files of a new sandbox that are not in the archive had been
/// deleted in the earlier run, so they are removed. The directory `keep` and those above it stay.
pub(super) fn read(files: &Namespace, from: impl Read, keep: &[u8]) -> Result<(), String> {
    read_named(files, from, keep, Names::at_most(MOST_NAMES))
}

fn read_named(files: &Namespace, from: impl Read, keep: &[u8], mut names: Names) -> Result<(), String> {
    let mut archive = Reader::new(from);
    while let Some(member) = archive.next().map_err(bad)? {
        let path = relative(&member.path)?;
        if path.is_empty() {
            continue;
        }
        let attributes =
            place(files, &member, &mut archive, &path).map_err(|why| format!("{}: {why}", shown(&path)))?;
        names.insert(path, attributes)?;
    }
    if names.attributes.is_empty() {
        // An empty file or an empty archive: the sandbox has no earlier state.
        return Ok(());
    }
    remove_unseen(files, &names, keep.strip_prefix(b"/").unwrap_or(keep))
        .map_err(|errno| errno.to_string())?;
    for (path, attributes) in &names.attributes {
        let Some(attributes) = attributes else { continue };
        files
            .set_attributes(CX, &files.root(), path, Follow::No, attributes)
            .map_err(|errno| format!("{}: {errno}", shown(path)))?;
    }
    Ok(())
}

fn bad(why: String) -> String {
    format!("not a sandbox's files: {why}")
}

/// A path in the sandbox for display.
fn shown(path: &[u8]) -> String {
    quoted(&[&b"/"[..], path].concat())
}

/// The path without `.` components and without slashes at its start and end.
fn relative(path: &[u8]) -> Result<Vec<u8>, String> {
    let mut names: Vec<&[u8]> = Vec::new();
    for name in path.split(|byte| *byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." => return Err(format!("not a sandbox's files: the path {}", quoted(path))),
            name => names.push(name),
        }
    }
    Ok(names.join(&b'/'))
}

/// Makes a file; returns the attributes that it is to have. A hard link has those of its file.
fn place(
    files: &Namespace,
    member: &Member,
    data: &mut impl Read,
    path: &[u8],
) -> Result<Option<SetAttributes>, String> {
    let (kind, link) = (member.kind, &member.link);
    let owner = |id: u64| u32::try_from(id).unwrap_or(1000);
    let (uid, gid) = (owner(member.uid), owner(member.gid));
    let time = Time { secs: i64::try_from(member.mtime).unwrap_or(0), nanos: 0 };
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
            remove_contents(files, &at).map_err(text)?;
            files.remove_dir(CX, &root, path).map_err(text)?;
        }
        (Some(_), _) => files.unlink(CX, &root, path).map_err(text)?,
    }
    match kind {
        EntryType::Directory if there == Some(FileKind::Directory) => {}
        EntryType::Directory => files.create_dir(CX, &root, path, 0o700).map_err(text)?,
        EntryType::Symlink => files.symlink(CX, link, &root, path).map_err(text)?,
        EntryType::Link => {
            let first = relative(link)?;
            files.hard_link(CX, &root, &first, Follow::No, &root, path).map_err(text)?;
            return Ok(None);
        }
        EntryType::Fifo => files.make_node(CX, &root, path, FileKind::Fifo, 0o600).map_err(text)?,
        EntryType::Regular | EntryType::Continuous => content(files, member, data, path)?,
        other => return Err(format!("the archive has a file of kind {other:?}")),
    }
    let mut attributes = SetAttributes {
        mode: (kind != EntryType::Symlink).then_some(member.mode),
        uid: Some(uid),
        gid: Some(gid),
        ..SetAttributes::default()
    };
    attributes.mtime = Some(SetTime::At(time));
    Ok(Some(attributes))
}

/// How many bytes are copied at a time.
const PIECE: usize = 256 << 10;

fn content(files: &Namespace, member: &Member, data: &mut impl Read, path: &[u8]) -> Result<(), String> {
    let text = |errno: Errno| errno.to_string();
    let how = OpenOptions { mode: 0o600, ..OpenOptions::WRITE };
    let opened = files.open(CX, &files.root(), path, &how).map_err(text)?;
    let Opened::File { file, .. } = opened else { return Err(Errno::Io.to_string()) };
    let whole = 0..member.size;
    let mut buffer = vec![0; PIECE];
    for stretch in member.map.as_deref().unwrap_or(std::slice::from_ref(&whole)) {
        let mut offset = stretch.start;
        while offset < stretch.end {
            let wanted = usize::try_from(stretch.end - offset).unwrap_or(PIECE).min(PIECE);
            let count = data.read(&mut buffer[..wanted]).map_err(|error| error.to_string())?;
            if count == 0 {
                return Err("the archive ends too early".to_owned());
            }
            write(&*file, &buffer[..count], offset).map_err(text)?;
            offset += count as u64;
        }
    }
    // Everything after the last stored range is a hole.
    let size = SetAttributes { size: Some(member.size), ..SetAttributes::default() };
    file.set_attributes(CX, &size).map_err(text)
}

fn write(file: &dyn File, bytes: &[u8], offset: u64) -> Result<(), Errno> {
    let mut done = 0;
    while done < bytes.len() {
        match file.write_at(&bytes[done..], offset + done as u64)? {
            0 => return Err(Errno::NoSpc),
            count => done += count,
        }
    }
    Ok(())
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

fn remove_unseen(files: &Namespace, names: &Names, keep: &[u8]) -> Result<(), Errno> {
    let root = files.root();
    for (path, directory) in listed(files, &root)? {
        let kept = keep.starts_with(&path) && matches!(keep.get(path.len()), None | Some(b'/'));
        if kept
            || names.attributes.contains_key(&path)
            || files.metadata(CX, &root, &path, Follow::No)?.uid == 0
        {
            continue;
        }
        match directory {
            true => match files.remove_dir(CX, &root, &path) {
                // The directory still holds files of the system, or `keep`.
                Ok(()) | Err(Errno::NotEmpty) => {}
                Err(errno) => return Err(errno),
            },
            false => files.unlink(CX, &root, &path)?,
        }
    }
    Ok(())
}

fn remove_contents(files: &Namespace, at: &Location) -> Result<(), Errno> {
    for (path, directory) in listed(files, at)? {
        match directory {
            true => files.remove_dir(CX, at, &path)?,
            false => files.unlink(CX, at, &path)?,
        }
    }
    Ok(())
}

/// Everything below a directory, entries before their directory. The flag says whether it is a directory.
fn listed(files: &Namespace, at: &Location) -> Result<Vec<(Vec<u8>, bool)>, Errno> {
    let mut list = List { found: Vec::new(), failed: None };
    files.survey(CX, at, &mut list);
    list.found.reverse();
    list.failed.map_or(Ok(list.found), Err)
}

struct List {
    found: Vec<(Vec<u8>, bool)>,
    failed: Option<Errno>,
}

impl Surveyor for List {
    fn entry(&mut self, below: &[u8], entry: Surveyed<'_>) -> ControlFlow<()> {
        self.found.push((below.to_vec(), entry.kind() == FileKind::Directory));
        ControlFlow::Continue(())
    }

    fn enter(&mut self, _below: &[u8]) -> bool {
        true
    }

    fn left_out(&mut self, _below: &[u8], errno: Errno) {
        self.failed = Some(errno);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandshell_vfs::{MemoryFs, MountOptions};
    use std::sync::Arc;
    use tar::{Builder, Header};

    fn archive(paths: &[&str]) -> Vec<u8> {
        let mut builder = Builder::new(Vec::new());
        for path in paths {
            let mut header = Header::new_gnu();
            header.set_mode(0o600);
            header.set_uid(1000);
            header.set_gid(1000);
            header.set_mtime(0);
            header.set_size(1);
            builder.append_data(&mut header, path, &b"x"[..]).expect("a member");
        }
        builder.into_inner().expect("an archive")
    }

    #[test]
    fn the_names_of_an_archive_have_a_limit() {
        let read = |paths: &[&str]| {
            let files = Namespace::new(Arc::new(MemoryFs::new()), MountOptions::default());
            read_named(&files, &archive(paths)[..], b"", Names::at_most(4 * (NAME + 1)))
        };
        read(&["a", "b", "c", "d"]).expect("they fit");
        // What comes again takes no more.
        read(&["a"; 100]).expect("it fits");
        let error = read(&["a", "b", "c", "d", "e"]).expect_err("one more");
        assert!(error.contains("names of more than"), "{error}");
    }
}
