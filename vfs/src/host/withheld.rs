//! Files and directories of the host that no mount exposes to a sandbox.

use std::path::PathBuf;

/// Paths of the host that the program trusts. No sandbox may change them through any mount.
///
/// # Guarantees
/// [`HostDir::open_withholding`](super::HostDir::open_withholding) refuses to open a directory for writing if any of
/// the `places` could be changed or replaced through it. That is the case if the directory is such a place, lies inside
/// one, or contains one or a directory on the path to one. Names do not matter: directories are compared by device and
/// inode along the whole path, symbolic links included, and by their location in their filesystem, so that bind mounts
/// are recognised. A place that does not exist yet counts too, because a sandbox must not create it.
///
/// The contents of `secrets` cannot be read through any mount, and on Linux neither can files in the directories of
/// `locked`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Withheld {
    /// Directories and files that no sandbox may change. They need not exist.
    pub places: Vec<PathBuf>,
    /// Files that no sandbox may read. Only files that nobody but their owner can access (mode 0600) are protected.
    /// They need not exist.
    pub secrets: Vec<PathBuf>,
    /// Directories whose files cannot be opened through any mount, as this program has locks there: the system takes
    /// those away when a process closes any descriptor of the file. They are among the `places`.
    pub locked: Vec<PathBuf>,
}
