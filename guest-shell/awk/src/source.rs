//! The source files of a program.

use crate::diag::bytes;
use crate::streams;
use sandshell_sys as sys;

/// One source of the program.
pub(crate) struct Source {
    /// The name for messages.
    pub(crate) name: Vec<u8>,
    pub(crate) text: Vec<u8>,
    /// The identity of the file, if it is one.
    pub(crate) file: Option<FileId>,
    /// Whether it was included, as opposed to given with `-f`.
    pub(crate) included: bool,
}

/// Device and inode.
pub(crate) type FileId = (u64, u64);

/// The files that have been read, and whether each was included.
pub(crate) type Files = Vec<(FileId, bool)>;

impl Source {
    /// A program text from the command line.
    pub(crate) fn text(text: Vec<u8>) -> Self {
        Self { name: b"cmd. line".to_vec(), text, file: None, included: false }
    }

    /// Reads a file. A name without a slash is looked up in `AWKPATH`, also with `.awk` appended.
    pub(crate) fn read(name: &[u8], included: bool) -> sys::Result<Self> {
        let (fd, owned) = if name.contains(&b'/') || name == b"-" { direct(name) } else { in_path(name) }?;
        let file = sys::fstat(fd).ok().map(|s| (s.dev, s.ino));
        let text = sys::read_to_end(fd);
        if owned {
            let _ = sys::close(fd);
        }
        // Standard input may be given twice.
        Ok(Self { name: name.to_vec(), text: text?, file: file.filter(|_| owned), included })
    }
}

/// Whether a source has been read before.
pub(crate) enum Seen {
    /// It is new, or may be read again.
    New,
    /// It has been included already.
    Again,
    /// It is both an included file and a program file.
    Both,
}

/// Looks up a source among the files that have been read, and adds it.
pub(crate) fn note(files: &mut Files, source: &Source) -> Seen {
    let Some(file) = source.file else { return Seen::New };
    match files.iter().find(|f| f.0 == file) {
        Some((_, included)) if *included != source.included => Seen::Both,
        Some(_) if source.included => Seen::Again,
        _ => {
            files.push((file, source.included));
            Seen::New
        }
    }
}

fn direct(name: &[u8]) -> sys::Result<(sys::Fd, bool)> {
    match streams::open_input(name) {
        Err(sys::Errno::NOENT) => streams::open_input(&bytes!(name, ".awk")),
        found => found,
    }
}

fn in_path(name: &[u8]) -> sys::Result<(sys::Fd, bool)> {
    let mut error = sys::Errno::NOENT;
    let path = std::env::var_os("AWKPATH")
        .map_or_else(|| b".:/usr/share/awk".to_vec(), std::ffi::OsString::into_encoded_bytes);
    for suffix in [&b""[..], b".awk"] {
        for dir in path.split(|b| *b == b':') {
            let dir: &[u8] = if dir.is_empty() { b"." } else { dir };
            match streams::open_input(&bytes!(dir, "/", name, suffix)) {
                Ok(found) => return Ok(found),
                Err(sys::Errno::NOENT) => {}
                Err(e) => error = e,
            }
        }
    }
    Err(error)
}
