//! Searching by content and by name.

use super::FileInfo;

/// A search for literal text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GrepRequest {
    /// Literal text; a newline separates alternatives.
    pub pattern: String,
    /// The directory or the one file to search.
    pub path: String,
    /// Searches only files that match this pattern. It is a pattern of
    /// [`FileOperations::glob`](crate::FileOperations::glob), except that wildcards match leading dots too. It has
    /// no effect if `path` is a file.
    pub glob: Option<String>,
    /// How many matches to return at most, over all files; `None`: as many as fit in [`GrepResult::MAX_BYTES`].
    pub max_count: Option<u64>,
}

/// The result of a search for text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GrepResult {
    /// The matching lines.
    pub matches: Vec<GrepMatch>,
    /// There are more than [`GrepRequest::max_count`], or than fit in [`GrepResult::MAX_BYTES`].
    pub truncated: bool,
}

/// A line that contains the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GrepMatch {
    /// The file.
    pub path: String,
    /// The line's number, from 1. Only LF ends a line.
    pub line: u64,
    /// The line without its LF. Bytes that are not UTF-8 become U+FFFD.
    pub text: String,
}

/// A search by name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GlobRequest {
    /// The pattern: see [`FileOperations::glob`](crate::FileOperations::glob).
    pub pattern: String,
    /// The directory where the search starts.
    pub path: String,
    /// Returns directories too, not only regular files.
    pub directories: bool,
}

/// The result of a search by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GlobResult {
    /// The matching entries.
    pub matches: Vec<FileInfo>,
    /// Why there may be more matches; `None` if these are all.
    pub truncation: Option<GlobTruncation>,
}

/// Why a [`GlobResult`] is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GlobTruncation {
    /// There are more matches than the limit: narrow the search.
    Budget,
    /// A directory could not be read: narrowing does not help.
    Unreadable,
}

impl GrepRequest {
    /// Searches everything below `path`.
    pub fn new(pattern: impl Into<String>, path: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), path: path.into(), glob: None, max_count: None }
    }

    /// Searches only files that match `glob`.
    #[must_use]
    pub fn glob(mut self, glob: impl Into<String>) -> Self {
        self.glob = Some(glob.into());
        self
    }

    /// Returns at most this many matches.
    #[must_use]
    pub fn max_count(mut self, max_count: u64) -> Self {
        self.max_count = Some(max_count);
        self
    }
}

impl GlobRequest {
    /// Searches below `path`, for regular files.
    pub fn new(pattern: impl Into<String>, path: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), path: path.into(), directories: false }
    }

    /// Returns directories too.
    #[must_use]
    pub fn with_directories(mut self) -> Self {
        self.directories = true;
        self
    }
}

impl GrepResult {
    /// The most memory that the matches take together, with their paths.
    pub const MAX_BYTES: usize = 64 << 20;
}

impl GlobResult {
    /// The most matches that are returned.
    pub const MAX_MATCHES: usize = 10_000;
}
