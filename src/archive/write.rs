//! Writing a sandbox's files.

use super::tar::{Map, write_sparse};
use sandshell_vfs::host_names::as_os_str;
use sandshell_vfs::{
    Context, Errno, File, FileKey, FileKind, Follow, Location, Metadata, Namespace, OpenOptions, Opened,
    Surveyed, Surveyor, quoted,
};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use tar::{Builder, EntryType, Header};

const CX: &Context = &Context::ROOT;

/// Writes every file that does not belong to the system, each directory before its entries. Holes stay holes.
pub(super) fn write(files: &Namespace, to: impl Write) -> io::Result<()> {
    let root = files.root();
    let builder = Builder::new(to);
    let mut archive = Archive { builder, files, root: &root, links: HashMap::new(), outcome: Ok(()) };
    files.survey(CX, &root, &mut archive);
    archive.outcome?;
    archive.builder.finish()
}

struct Archive<'a, W: Write> {
    builder: Builder<W>,
    files: &'a Namespace,
    root: &'a Location,
    /// For files with several hard links: the name under which each was first written.
    links: HashMap<FileKey, Vec<u8>>,
    outcome: io::Result<()>,
}

impl<W: Write> Surveyor for Archive<'_, W> {
    fn entry(&mut self, below: &[u8], _entry: Surveyed<'_>) -> ControlFlow<()> {
        self.outcome = self.add(below);
        if self.outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn enter(&mut self, _below: &[u8]) -> bool {
        self.outcome.is_ok()
    }

    fn left_out(&mut self, below: &[u8], errno: Errno) {
        // All or nothing: a directory that cannot be kept is an error.
        if self.outcome.is_ok() {
            self.outcome = Err(failed(below)(errno));
        }
    }
}

impl<W: Write> Archive<'_, W> {
    fn add(&mut self, path: &[u8]) -> io::Result<()> {
        let at = self.files.resolve(CX, self.root, path, Follow::No).map_err(failed(path))?;
        let metadata = at.metadata().map_err(failed(path))?;
        if metadata.uid == 0 { Ok(()) } else { self.member(&at, &metadata, path) }
    }

    fn member(&mut self, at: &Location, metadata: &Metadata, path: &[u8]) -> io::Result<()> {
        let mut header = header(metadata);
        let name = Path::new(as_os_str(path).map_err(failed(path))?);
        if metadata.kind != FileKind::Directory && metadata.nlink > 1 {
            if let Some(first) = self.links.get(&at.key()) {
                header.set_entry_type(EntryType::Link);
                return self.builder.append_link(&mut header, name, as_os_str(first).map_err(failed(path))?);
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
                self.builder.append_link(&mut header, name, as_os_str(&target).map_err(failed(path))?)
            }
            FileKind::Fifo => {
                header.set_entry_type(EntryType::Fifo);
                self.builder.append_data(&mut header, name, io::empty())
            }
            FileKind::Regular => {
                let opened = self.files.open_location(CX, at, &OpenOptions::READ).map_err(failed(path))?;
                let Opened::File { file, .. } = opened else { return Err(failed(path)(Errno::Io)) };
                header.set_entry_type(EntryType::Regular);
                let map = map(&*file).map_err(failed(path))?;
                let content = Content { file: &*file, map: &map, done: 0 };
                let stored: u64 = map.iter().map(|stretch| stretch.end - stretch.start).sum();
                if stored < metadata.size {
                    return write_sparse(&mut self.builder, &header, path, metadata.size, &map, content);
                }
                header.set_size(metadata.size);
                self.builder.append_data(&mut header, name, content)
            }
            // The sandbox's user cannot create other kinds of files.
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

/// The ranges of a file that are stored.
fn map(file: &dyn File) -> Result<Map, Errno> {
    let mut map = Map::new();
    let mut offset = 0;
    while let Some(stretch) = file.next_data(offset)? {
        offset = stretch.end;
        match map.last_mut() {
            Some(last) if last.end == stretch.start => last.end = stretch.end,
            _ => map.push(stretch),
        }
    }
    Ok(map)
}

/// The stored bytes of a file, one range after another.
struct Content<'a> {
    file: &'a dyn File,
    map: &'a [std::ops::Range<u64>],
    /// How many bytes of the first range were read.
    done: u64,
}

impl Read for Content<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let Some((first, rest)) = self.map.split_first() else { return Ok(0) };
        let offset = first.start + self.done;
        let wanted = usize::try_from(first.end - offset).unwrap_or(usize::MAX).min(buf.len());
        let count = self
            .file
            .read_at(&mut buf[..wanted], offset)
            .map_err(|errno| io::Error::other(errno.to_string()))?;
        self.done += count as u64;
        if first.start + self.done >= first.end {
            (self.map, self.done) = (rest, 0);
        }
        Ok(count)
    }
}

fn failed(path: &[u8]) -> impl Fn(Errno) -> io::Error {
    let start = [&b"/"[..], path.get(..path.len().min(200)).unwrap_or_default()].concat();
    let more = if path.len() > 200 { "…" } else { "" };
    let path = quoted(&start);
    move |errno| io::Error::other(format!("{path}{more}: {errno}"))
}
