//! Files and directories that only the user who runs this program may change.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a directory, and those above it, that only this user may enter.
pub fn create_directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Options for creating a file that only this user may read and write.
pub fn file_options() -> OpenOptions {
    #[cfg_attr(not(unix), allow(unused_mut, reason = "rights come from the directory"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Whether nobody but the user who runs this program may change this directory. `new_file` is one that this program has
/// just created in it.
pub fn is_directory_of(path: &Path, new_file: &File) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let metadata = fs::metadata(path)?;
        Ok(metadata.uid() == new_file.metadata()?.uid() && metadata.mode() & 0o022 == 0)
    }
    #[cfg(not(unix))]
    {
        let _ = new_file;
        in_profile(path)
    }
}

/// Whether this path, which exists, lies in the user's own directory. Where the host has no owners and modes, it lets
/// nobody else in there.
pub fn in_profile(path: &Path) -> io::Result<bool> {
    let home = std::env::home_dir().ok_or(io::ErrorKind::NotFound)?;
    Ok(fs::canonicalize(path)?.starts_with(fs::canonicalize(home)?))
}

/// Whether an open file is still the one at this path.
pub fn is_at(file: &File, path: &Path) -> bool {
    let id = |file: &File| {
        let found = cap_std::fs::Metadata::from_file(file).ok()?;
        Some((cap_fs_ext::MetadataExt::dev(&found), cap_fs_ext::MetadataExt::ino(&found)))
    };
    let own = id(file);
    own.is_some() && own == File::open(path).ok().and_then(|found| id(&found))
}

/// Whether a file that is open can be replaced in every directory of the host.
pub(crate) const REPLACES_OPEN_FILES: bool = cfg!(unix);

/// Makes the names in a directory durable, where the host asks for that.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}
