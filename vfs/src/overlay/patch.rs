//! Shows changes as a patch.

use super::Overlay;
use super::error::DiffError;
use crate::patch::Patch;

impl Overlay {
    /// The changes as unified diffs with three lines of context. `git apply` accepts the patch, and `patch -p1` does
    /// except for binary files.
    ///
    /// Files with a NUL byte in the first 8000 bytes, or that are not UTF-8, are shown as git's binary patches, so that
    /// the patch is always UTF-8. Directories and special files are left out. Of mode bits, the patch contains only
    /// whether the owner may execute; other changes of mode bits are lines that begin with `#`, which tools ignore.
    ///
    /// A file of more than 64 MiB, and any file after 1 GiB of contents, is shown as `Binary files … differ`, which
    /// `git apply` refuses. A line that begins with `#` gives its size.
    ///
    /// The diff of a file becomes coarser after 5 seconds, and those of all files together after 30; they stay correct.
    ///
    /// # Errors
    /// As [`diff`](Self::diff).
    pub fn patch(&self) -> std::result::Result<Vec<u8>, DiffError> {
        let mut patch = Patch::new();
        for delta in &self.layers.deltas()? {
            let after = delta.after.as_ref();
            let old = || self.layers.contents_below(&self.layers.lower_at(&delta.path)?)?.whole();
            let new = || match after {
                Some((source, _)) => self.layers.contents_above(source)?.whole(),
                None => Ok(Vec::new()),
            };
            patch
                .add(&delta.path, delta.before.as_ref(), after.map(|(_, metadata)| metadata), old, new)
                .map_err(|errno| DiffError::Failed { path: delta.path.to_vec(), errno })?;
        }
        Ok(patch.text)
    }
}
