//! One of the two files of a comparison.

use sandshell_cli::input;
use sandshell_sys as sys;

/// Whether a file exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    There,
    /// It does not exist and counts as an empty file.
    Absent,
    Unreadable(sys::Errno),
}

/// A file or directory by name.
#[derive(Clone)]
pub(crate) struct File {
    pub(crate) name: Vec<u8>,
    pub(crate) presence: Presence,
    pub(crate) stat: sys::Stat,
}

impl File {
    /// Stats a file; `-` is standard input.
    pub(crate) fn new(name: &[u8], follow: bool) -> Self {
        let stdin = name == b"-";
        let found = if stdin { sys::fstat(0) } else { sys::stat(name, follow) };
        let (presence, mut stat) = match found {
            Ok(stat) => (Presence::There, stat),
            Err(e) => (Presence::Unreadable(e), sys::Stat::default()),
        };
        if stdin {
            let now = sys::realtime();
            stat.mtime = (now / 1_000_000_000).cast_signed();
            stat.mtime_nsec = (now % 1_000_000_000) as u32;
        }
        Self { name: name.to_vec(), presence, stat }
    }

    /// A file that does not exist and counts as empty.
    pub(crate) fn absent(name: &[u8]) -> Self {
        Self { name: name.to_vec(), presence: Presence::Absent, stat: sys::Stat::default() }
    }

    pub(crate) fn is_dir(&self) -> bool {
        self.stat.is_dir()
    }

    pub(crate) fn is_absent(&self) -> bool {
        self.presence == Presence::Absent
    }

    /// Reads the content; empty if the file is absent.
    pub(crate) fn read(&self) -> sys::Result<Vec<u8>> {
        if self.is_absent() {
            return Ok(Vec::new());
        }
        input::contents(&self.name)
    }

    /// The kind of file, in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self.stat.mode & sys::S_IFMT {
            sys::S_IFREG if self.stat.size == 0 => "regular empty file",
            sys::S_IFREG => "regular file",
            sys::S_IFDIR => "directory",
            sys::S_IFLNK => "symbolic link",
            sys::S_IFIFO => "fifo",
            sys::S_IFCHR => "character special file",
            sys::S_IFBLK => "block special file",
            sys::S_IFSOCK => "socket",
            _ => "weird file",
        }
    }
}

/// The last component of a name, without trailing slashes.
pub(crate) fn base_name(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|b| *b != b'/').map_or(0, |i| i + 1);
    let name = name.get(..end).unwrap_or_default();
    name.rsplit(|b| *b == b'/').next().unwrap_or_default()
}

/// The path of `name` in the directory `dir`.
pub(crate) fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    match dir.iter().rposition(|b| *b != b'/') {
        Some(last) => [dir.get(..=last).unwrap_or_default(), b"/", name].concat(),
        None => [dir, name].concat(),
    }
}
