//! Names and paths of the host from bytes. (`OsStr::as_encoded_bytes` is the other direction.)

use crate::Result;
use std::ffi::{OsStr, OsString};

/// The name or path with these bytes. `EINVAL` if the host's names are text and these are not UTF-8.
pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<OsString> {
    #[cfg(unix)]
    return Ok(std::os::unix::ffi::OsStringExt::from_vec(bytes.into()));
    #[cfg(not(unix))]
    return String::from_utf8(bytes.into()).map(OsString::from).map_err(|_| crate::Errno::Inval);
}

/// As [`from_bytes`], borrowed.
pub fn as_os_str(bytes: &[u8]) -> Result<&OsStr> {
    #[cfg(unix)]
    return Ok(std::os::unix::ffi::OsStrExt::from_bytes(bytes));
    #[cfg(not(unix))]
    return std::str::from_utf8(bytes).map(OsStr::new).map_err(|_| crate::Errno::Inval);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_bytes() {
        for name in ["a", "a b/é", ""] {
            assert_eq!(from_bytes(name).unwrap().as_encoded_bytes(), name.as_bytes());
            assert_eq!(as_os_str(name.as_bytes()).unwrap(), OsStr::new(name));
        }
        // Bytes that are no text are a name on Unix only.
        assert_eq!(from_bytes(b"\xff".to_vec()).is_ok(), cfg!(unix));
    }
}
