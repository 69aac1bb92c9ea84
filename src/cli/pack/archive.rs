//! A pack as one file: a tar archive.

use crate::cli::failure::{Failure, path, reason};
use crate::cli::host_file;
use sandshell::vfs::{host_names, quoted};
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};
use tar::EntryType;

/// A pack's directory; a temporary one if the pack was an archive.
pub(super) enum Unpacked {
    Directory(PathBuf),
    Temporary(tempfile::TempDir),
}

impl Unpacked {
    pub(super) fn path(&self) -> &Path {
        match self {
            Unpacked::Directory(path) => path,
            Unpacked::Temporary(directory) => directory.path(),
        }
    }
}

/// The most bytes of an unpacked archive. A link in it is a few bytes, and a file of its own when it is unpacked.
const LARGEST: u64 = 8 << 30;

/// Returns a directory as it is; unpacks an archive. An archive may contain only files and directories, and nothing
/// that leads out of it.
pub(super) fn unpack(from: &Path) -> Result<Unpacked, Failure> {
    unpack_within(from, LARGEST)
}

fn unpack_within(from: &Path, largest: u64) -> Result<Unpacked, Failure> {
    let mut room = largest;
    let failed = |error: std::io::Error| Failure::about(from.display(), reason(&error));
    if from.is_dir() {
        return Ok(Unpacked::Directory(from.to_owned()));
    }
    let mut archive = tar::Archive::new(File::open(from).map_err(failed)?);
    let directory = tempfile::tempdir().map_err(failed)?;
    for entry in archive.entries().map_err(failed)? {
        let mut entry = entry.map_err(failed)?;
        let name = quoted(&entry.path_bytes());
        let refused = |why: &str| Failure::about(path(from), format!("{name} {why}"));
        let below = inside(&entry.path_bytes()).ok_or_else(|| refused("leads out of the pack"))?;
        if below.as_os_str().is_empty() {
            continue;
        }
        let to = directory.path().join(below);
        match entry.header().entry_type() {
            EntryType::Directory => fs::create_dir_all(&to).map_err(failed)?,
            EntryType::Regular | EntryType::Continuous => {
                take(&mut room, entry.size()).ok_or_else(|| too_large(from, largest))?;
                let mut file = create(&to).map_err(failed)?;
                io::copy(&mut entry, &mut file).map_err(failed)?;
                let mode = entry.header().mode().map_err(failed)? & 0o777;
                host_file::set_file_mode(&file, mode | 0o600).map_err(failed)?;
            }
            // A hard link to another file of the pack becomes a file of its own.
            EntryType::Link => {
                let link = entry.link_name_bytes().and_then(|name| inside(&name));
                let first = directory.path().join(link.ok_or_else(|| refused("is a link out of the pack"))?);
                let known = fs::symlink_metadata(&first).ok().filter(|found| found.is_file());
                let Some(known) = known else {
                    return Err(refused("is a link to a file that the pack does not have"));
                };
                take(&mut room, known.len()).ok_or_else(|| too_large(from, largest))?;
                let mut file = create(&to).map_err(failed)?;
                io::copy(&mut File::open(first).map_err(failed)?, &mut file).map_err(failed)?;
            }
            EntryType::Symlink => return Err(refused("is a symbolic link, which a pack cannot have")),
            EntryType::XGlobalHeader => {}
            _ => return Err(refused("is neither a file nor a directory")),
        }
    }
    Ok(Unpacked::Temporary(directory))
}

fn take(room: &mut u64, bytes: u64) -> Option<()> {
    *room = room.checked_sub(bytes)?;
    Some(())
}

fn too_large(from: &Path, largest: u64) -> Failure {
    Failure::about(path(from), format!("a pack has at most {largest} bytes"))
}

/// A path inside the pack, without `.` components; `None` if it leads out of the pack.
fn inside(path: &[u8]) -> Option<PathBuf> {
    let mut below = PathBuf::new();
    for part in Path::new(host_names::as_os_str(path).ok()?).components() {
        match part {
            Component::Normal(name) => below.push(name),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(below)
}

/// Creates a new file and its parent directories. An existing file or link is never written through.
fn create(path: &Path) -> io::Result<File> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::create_new(path),
    }
}

/// Writes a pack's directory to an archive. The same files always give the same archive.
pub(super) fn write(directory: &Path, to: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::about(to.display(), reason(&error));
    let mut builder = tar::Builder::new(File::create(to).map_err(failed)?);
    builder.mode(tar::HeaderMode::Deterministic);
    add(&mut builder, directory).map_err(failed)?;
    builder.into_inner().map(drop).map_err(failed)
}

fn add(builder: &mut tar::Builder<File>, directory: &Path) -> io::Result<()> {
    let mut pending = vec![PathBuf::new()];
    while let Some(below) = pending.pop() {
        let from = directory.join(&below);
        if !below.as_os_str().is_empty() && !from.is_dir() {
            builder.append_path_with_name(&from, &below)?;
            continue;
        }
        let mut names: Vec<_> =
            fs::read_dir(&from)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
        // Names are popped from the end, so the order is reversed.
        names.sort_by(|one, two| two.cmp(one));
        pending.extend(names.into_iter().map(|name| below.join(name)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_count_as_the_files_that_they_become() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let archive = directory.path().join("pack.tar");
        let mut builder = tar::Builder::new(File::create(&archive)?);
        let mut header = tar::Header::new_ustar();
        header.set_size(1000);
        header.set_mode(0o644);
        builder.append_data(&mut header, "file", &[7; 1000][..])?;
        for link in 0..100 {
            let mut header = tar::Header::new_ustar();
            header.set_entry_type(EntryType::Link);
            header.set_size(0);
            builder.append_link(&mut header, format!("link{link}"), "file")?;
        }
        builder.finish()?;
        assert!(unpack_within(&archive, 101_000).is_ok());
        let why = unpack_within(&archive, 100_999).err().map(|failure| failure.to_string());
        assert!(why.is_some_and(|why| why.contains("at most 100999 bytes")));
        assert!(unpack_within(&archive, 999).is_err());
        Ok(())
    }
}
