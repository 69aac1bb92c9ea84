//! `--state FILE`: a sandbox's own files in a tar archive, from one run to the next.

use super::failure::{Failure, reason};
use super::host_file;
use sandshell::vfs::is_given_up;
use sandshell::{LocalSandbox, archive};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Puts the archive's files into a new sandbox. A missing file counts as an empty archive.
pub(crate) fn load(sandbox: &LocalSandbox, file: &Path) -> Result<(), Failure> {
    let archived = match File::open(file) {
        Ok(archived) => archived,
        Err(error) if error.kind() == ErrorKind::NotFound => return check_directory(file),
        Err(error) => return Err(Failure::about(file.display(), reason(&error))),
    };
    if archived.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Failure::about(file.display(), "Is a directory"));
    }
    archive::read(sandbox, BufReader::new(archived)).map_err(|why| Failure::about(file.display(), why))
}

/// Replaces the archive with the sandbox's files as they are now: all or nothing.
pub(crate) fn save(sandbox: &LocalSandbox, file: &Path) -> Result<(), Failure> {
    replace(file, |to| archive::write(sandbox, to))
}

/// Replaces a file with what `write` writes: all or nothing.
pub(crate) fn replace(
    file: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::about(file.display(), reason(&error));
    // If the path is a link, the file that it points to is replaced, not the link.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let mut temporary = tempfile::Builder::new()
        .prefix(".sandshell-state-")
        .tempfile_in(directory(&target))
        .map_err(failed)?;
    let mut buffer = BufWriter::new(InterruptibleFile(temporary.as_file_mut()));
    write(&mut buffer).map_err(failed)?;
    buffer.flush().map_err(failed)?;
    drop(buffer);
    // The archive may hold secrets that the sandbox was given, so a new one is private, and an existing one keeps
    // its mode.
    let mode = fs::metadata(&target).map_or(0o600, |metadata| host_file::mode(&metadata) & 0o777);
    host_file::set_file_mode(temporary.as_file(), mode).map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(&target).map_err(|error| failed(error.error))?;
    Ok(())
}

/// A file whose writing stops with an error when the user has interrupted the program.
struct InterruptibleFile<'a>(&'a mut File);

impl Write for InterruptibleFile<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if is_given_up() { Err(io::Error::other("interrupted")) } else { self.0.write(buf) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Checks, before the command runs, that its files can be kept.
fn check_directory(file: &Path) -> Result<(), Failure> {
    match fs::metadata(directory(file)) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(Failure::about(file.display(), "Not a directory")),
        Err(error) => Err(Failure::about(file.display(), reason(&error))),
    }
}

fn directory(file: &Path) -> PathBuf {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
