//! Transfers whole files into and out of a namespace.

use std::borrow::Cow;

use bytes::Bytes;
use sandshell_vfs::{Context, Errno, File, FileKind, Follow, Namespace, OpenOptions, Opened, SetAttributes};

use crate::{FileError, names};

/// The largest file that is transferred: a sparse file can claim to be larger than the host's memory.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 30;

pub(super) fn upload(
    namespace: &Namespace,
    cx: &Context,
    path: &str,
    content: &[u8],
) -> Result<(), FileError> {
    let path = &*check(path)?;
    let root = namespace.root();
    // Truncate only after it is known that the file can be written.
    let how = OpenOptions { mode: 0o644, truncate: false, ..OpenOptions::WRITE };
    let opened = match namespace.open(cx, &root, path, &how) {
        Err(Errno::NoEnt) => {
            create_parents(namespace, cx, path)?;
            namespace.open(cx, &root, path, &how)
        }
        other => other,
    };
    let file = match opened.map_err(upload_error)? {
        Opened::File { file, .. } => file,
        Opened::Directory { .. } => return Err(FileError::IsDirectory),
        _ => return Err(FileError::Other("not a regular file".to_owned())),
    };
    let size = SetAttributes { size: Some(0), ..SetAttributes::default() };
    file.set_attributes(cx, &size).map_err(upload_error)?;
    write_all(&*file, content).map_err(upload_error)
}

pub(super) fn download(namespace: &Namespace, cx: &Context, path: &str) -> Result<Bytes, FileError> {
    let path = &*check(path)?;
    let root = namespace.root();
    let at = namespace.resolve(cx, &root, path, Follow::Yes).map_err(download_error)?;
    match at.kind() {
        FileKind::Regular => {}
        FileKind::Directory => return Err(FileError::IsDirectory),
        _ => return Err(FileError::Other("not a regular file".to_owned())),
    }
    match namespace.open_location(cx, &at, &OpenOptions::READ).map_err(download_error)? {
        Opened::File { file, .. } => read_all(&*file),
        _ => Err(FileError::Other("not a regular file".to_owned())),
    }
}

/// Reads all of an open file.
pub(super) fn read_all(file: &dyn File) -> Result<Bytes, FileError> {
    let size = file.metadata().map_err(download_error)?.size;
    if size > MAX_FILE_BYTES {
        return Err(FileError::Other(format!("larger than {MAX_FILE_BYTES} bytes")));
    }
    // One byte more than the file's size, so that an unchanged file takes only two reads.
    let mut content = vec![0; usize::try_from(size).unwrap_or_default() + 1];
    let mut length = 0;
    loop {
        let Some(room) = content.get_mut(length..).filter(|room| !room.is_empty()) else {
            if content.len() as u64 > MAX_FILE_BYTES {
                return Err(FileError::Other(format!("larger than {MAX_FILE_BYTES} bytes")));
            }
            content.resize(content.len() * 2, 0);
            continue;
        };
        match file.read_at(room, length as u64).map_err(download_error)? {
            0 => break,
            count => length += count,
        }
    }
    content.truncate(length);
    Ok(content.into())
}

fn write_all(file: &dyn File, content: &[u8]) -> sandshell_vfs::Result<()> {
    let mut written = 0;
    while let Some(rest) = content.get(written..).filter(|rest| !rest.is_empty()) {
        match file.write_at(rest, written as u64)? {
            0 => return Err(Errno::NoSpc),
            count => written += count,
        }
    }
    Ok(())
}

fn create_parents(namespace: &Namespace, cx: &Context, path: &[u8]) -> Result<(), FileError> {
    let root = namespace.root();
    for end in memchr::memchr_iter(b'/', path).skip(1) {
        let above = path.get(..end).unwrap_or_default();
        match namespace.metadata(cx, &root, above, Follow::Yes) {
            Err(Errno::NoEnt) => match namespace.create_dir(cx, &root, above, 0o755) {
                // Another upload has created it meanwhile.
                Ok(()) | Err(Errno::Exist) => {}
                Err(errno) => return Err(upload_error(errno)),
            },
            Ok(_) => {}
            Err(errno) => return Err(upload_error(errno)),
        }
    }
    Ok(())
}

/// Checks a path and returns its bytes.
fn check(path: &str) -> Result<Cow<'_, [u8]>, FileError> {
    let usable = path.starts_with('/') && !path.contains('\0');
    if usable { Ok(names::bytes(path)) } else { Err(FileError::InvalidPath) }
}

fn upload_error(errno: Errno) -> FileError {
    match errno {
        Errno::Acces | Errno::Perm => FileError::PermissionDenied,
        Errno::IsDir => FileError::IsDirectory,
        Errno::NotDir | Errno::Inval | Errno::Loop | Errno::NameTooLong | Errno::NoEnt => {
            FileError::InvalidPath
        }
        other => FileError::Other(other.to_string()),
    }
}

pub(super) fn download_error(errno: Errno) -> FileError {
    match errno {
        Errno::Acces | Errno::Perm => FileError::PermissionDenied,
        Errno::IsDir => FileError::IsDirectory,
        Errno::NoEnt | Errno::NotDir | Errno::Loop | Errno::NameTooLong => FileError::FileNotFound,
        Errno::Inval => FileError::InvalidPath,
        other => FileError::Other(other.to_string()),
    }
}
