//! Hashes of a pack's contents.

use sandshell_vfs::host_names;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io;
use std::path::Path;

/// The SHA-256 of a file.
///
/// # Errors
/// Errors of the host.
pub fn file_hash(path: &Path) -> io::Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok(hasher.finalize().into())
}

/// A hash of the names and contents of all files below a directory. It is a SHA-256 over this data of each file, in
/// the byte order of the paths: the path below the directory, a NUL byte, and the SHA-256 of the contents.
///
/// # Errors
/// Errors of the host; `InvalidInput` if there is anything other than files and directories.
pub fn tree_hash(directory: &Path) -> io::Result<[u8; 32]> {
    let mut files = collect(directory)?;
    files.sort();
    let mut hasher = Sha256::new();
    for file in files {
        hasher.update(&file);
        hasher.update([0]);
        hasher.update(file_hash(&directory.join(host_names::as_os_str(&file)?))?);
    }
    Ok(hasher.finalize().into())
}

/// The paths of all files below a directory.
fn collect(directory: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut files = Vec::new();
    let mut pending = vec![Vec::new()];
    while let Some(below) = pending.pop() {
        for entry in std::fs::read_dir(directory.join(host_names::as_os_str(&below)?))? {
            let entry = entry?;
            let mut path = below.clone();
            path.extend_from_slice(entry.file_name().as_encoded_bytes());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                path.push(b'/');
                pending.push(path);
            } else if kind.is_file() {
                files.push(path);
            } else {
                let message = format!("{} is neither a file nor a directory", entry.path().display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
        }
    }
    Ok(files)
}

/// In hexadecimal.
pub(super) fn format(hash: &[u8; 32]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn parse(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut hash = [0; 32];
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_read_as_they_are_written() {
        let hash = std::array::from_fn(|index| index as u8 * 7);
        assert_eq!(parse(&format(&hash)), Some(hash));
        assert_eq!(parse("00"), None);
        assert_eq!(parse(&"g".repeat(64)), None);
    }

    #[test]
    fn a_tree_is_its_names_and_contents() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let path = directory.path();
        std::fs::create_dir(path.join("d"))?;
        std::fs::write(path.join("d/a"), "1")?;
        let first = tree_hash(path)?;
        std::fs::write(path.join("d/a"), "2")?;
        assert_ne!(tree_hash(path)?, first);
        std::fs::write(path.join("d/a"), "1")?;
        assert_eq!(tree_hash(path)?, first);
        std::fs::rename(path.join("d/a"), path.join("d/b"))?;
        assert_ne!(tree_hash(path)?, first);
        Ok(())
    }
}
