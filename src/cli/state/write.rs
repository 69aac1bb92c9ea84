//! Writing a sandbox's files.

use sandshell::vfs::{
    Context, Errno, File, FileKey, FileKind, Follow, Location, Metadata, Namespace, OpenOptions, Opened,
};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use tar::{Builder, EntryType, Header};

const CX: &Context = &Context::ROOT;

/// Writes every file that does not belong to the system, directories before what is in them.
pub(super) fn write(files: &Namespace, to: impl Write) -> io::Result<()> {
    let mut archive = Archive { builder: Builder::new(to), files, links: HashMap::new() };
    archive.directory(&files.root(), b"")?;
    archive.builder.finish()
}

struct Archive<'a, W: Write> {
    builder: Builder<W>,
    files: &'a Namespace,
    /// First names of files that have several.
    links: HashMap<FileKey, Vec<u8>>,
}

impl<W: Write> Archive<'_, W> {
    fn directory(&mut self, at: &Location, path: &[u8]) -> io::Result<()> {
        for name in names(self.files, at)? {
            let below = if path.is_empty() { name.to_vec() } else { [path, b"/", &name].concat() };
            let child = self.files.resolve(CX, at, &name, Follow::No).map_err(failed(&below))?;
            let metadata = child.metadata().map_err(failed(&below))?;
            if metadata.uid != 0 {
                self.entry(&child, &metadata, &below)?;
            }
            if metadata.kind == FileKind::Directory {
                self.directory(&child, &below)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, at: &Location, metadata: &Metadata, path: &[u8]) -> io::Result<()> {
        let mut header = header(metadata);
        let name = Path::new(OsStr::from_bytes(path));
        if metadata.kind != FileKind::Directory && metadata.nlink > 1 {
            if let Some(first) = self.links.get(&at.key()) {
                header.set_entry_type(EntryType::Link);
                return self.builder.append_link(&mut header, name, OsStr::from_bytes(first));
            }
            self.links.insert(at.key(), path.to_vec());
        }
        match metadata.kind {
            FileKind::Directory => {
                header.set_entry_type(EntryType::Directory);
                self.builder.append_data(&mut header, name, io::empty())
            }
            FileKind::Symlink => {
                let target = at.fs().read_link(CX, at.node()).map_err(failed(path))?;
                header.set_entry_type(EntryType::Symlink);
                self.builder.append_link(&mut header, name, OsStr::from_bytes(&target))
            }
            FileKind::Fifo => {
                header.set_entry_type(EntryType::Fifo);
                self.builder.append_data(&mut header, name, io::empty())
            }
            FileKind::Regular => {
                let opened = self.files.open_location(CX, at, &OpenOptions::READ).map_err(failed(path))?;
                let Opened::File { file, .. } = opened else { return Err(failed(path)(Errno::Io)) };
                header.set_entry_type(EntryType::Regular);
                header.set_size(metadata.size);
                let content = Content { file: &*file, offset: 0 }.take(metadata.size);
                self.builder.append_data(&mut header, name, content)
            }
            // A user of the sandbox can make no other kind.
            _ => Ok(()),
        }
    }
}

fn header(metadata: &Metadata) -> Header {
    let mut header = Header::new_gnu();
    header.set_mode(metadata.mode);
    header.set_uid(u64::from(metadata.uid));
    header.set_gid(u64::from(metadata.gid));
    header.set_mtime(u64::try_from(metadata.mtime.secs).unwrap_or(0));
    header.set_size(0);
    header
}

/// The names in a directory, sorted.
pub(super) fn names(files: &Namespace, at: &Location) -> io::Result<Vec<Box<[u8]>>> {
    let how = OpenOptions { directory: true, ..OpenOptions::READ };
    let Opened::Directory { file, .. } = files.open_location(CX, at, &how).map_err(failed(b""))? else {
        return Err(failed(b"")(Errno::NotDir));
    };
    let mut names = Vec::new();
    let mut cursor = 0;
    loop {
        let batch = file.read_dir(CX, cursor).map_err(failed(b""))?;
        let Some(last) = batch.last() else { return Ok(names) };
        cursor = last.next;
        names.extend(batch.into_iter().map(|entry| entry.name));
    }
}

struct Content<'a> {
    file: &'a dyn File,
    offset: u64,
}

impl Read for Content<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count =
            self.file.read_at(buf, self.offset).map_err(|errno| io::Error::other(errno.to_string()))?;
        self.offset += count as u64;
        Ok(count)
    }
}

fn failed(path: &[u8]) -> impl Fn(Errno) -> io::Error {
    let path = path.escape_ascii().to_string();
    move |errno| io::Error::other(format!("/{path}: {errno}"))
}
