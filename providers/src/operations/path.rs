//! Cleans paths for the operations.

use crate::FailureReason;

/// Removes repeated slashes, `.` segments and trailing slashes. `..` stays, because only the sandbox knows where it
/// leads. The root becomes the empty string, so that `/` and a name can be appended to any result.
///
/// # Errors
///
/// `InvalidPath` for a relative path or one with NUL.
pub fn clean_path(path: &str) -> Result<String, FailureReason> {
    if !path.starts_with('/') || path.contains('\0') {
        return Err(FailureReason::InvalidPath);
    }
    let mut clean = String::with_capacity(path.len());
    for segment in path.split('/').filter(|segment| !segment.is_empty() && *segment != ".") {
        clean.push('/');
        clean.push_str(segment);
    }
    Ok(clean)
}

/// Joins a cleaned directory and a path below it. If that is empty, returns the directory itself.
pub fn join_path(directory: &str, below: &str) -> String {
    match (directory, below) {
        ("", "") => "/".to_owned(),
        (_, "") => directory.to_owned(),
        _ => format!("{directory}/{below}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_matter_is_dropped() {
        for (path, clean) in [
            ("/", ""),
            ("//", ""),
            ("/a", "/a"),
            ("//a//b/", "/a/b"),
            ("/a/./b/.", "/a/b"),
            ("/a/../b", "/a/../b"),
            ("/...", "/..."),
            ("/-n", "/-n"),
        ] {
            assert_eq!(clean_path(path).as_deref(), Ok(clean), "{path}");
        }
    }

    #[test]
    fn relative_and_impossible_paths_are_refused() {
        for path in ["", "a", "./a", "~/a", "/a\0b"] {
            assert_eq!(clean_path(path), Err(FailureReason::InvalidPath), "{path:?}");
        }
    }
}
