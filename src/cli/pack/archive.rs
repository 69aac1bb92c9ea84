//! A pack as one file: a tar archive.

use crate::cli::failure::{Failure, reason};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A pack's directory, temporary if it came out of an archive.
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

/// The directory itself, or what an archive holds.
pub(super) fn unpack(from: &Path) -> Result<Unpacked, Failure> {
    let failed = |error: std::io::Error| Failure::about(from.display(), reason(&error));
    if from.is_dir() {
        return Ok(Unpacked::Directory(from.to_owned()));
    }
    let file = File::open(from).map_err(failed)?;
    let directory = tempfile::tempdir().map_err(failed)?;
    // Paths that lead out of the directory are refused by the library.
    tar::Archive::new(file).unpack(directory.path()).map_err(failed)?;
    Ok(Unpacked::Temporary(directory))
}

/// Writes a pack's directory to an archive that is the same for the same files.
pub(super) fn write(directory: &Path, to: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::about(to.display(), reason(&error));
    let mut builder = tar::Builder::new(File::create(to).map_err(failed)?);
    builder.mode(tar::HeaderMode::Deterministic);
    add(&mut builder, directory, Path::new("")).map_err(failed)?;
    builder.into_inner().map(drop).map_err(failed)
}

fn add(builder: &mut tar::Builder<File>, directory: &Path, below: &Path) -> std::io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(directory)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            add(builder, &entry.path(), &name)?;
        } else {
            builder.append_path_with_name(entry.path(), &name)?;
        }
    }
    Ok(())
}
