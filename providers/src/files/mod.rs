//! The file operations of agents: their contract, requests and answers.

mod error;
mod info;
mod read;
mod search;

use async_trait::async_trait;
use bytes::Bytes;

pub use error::{FailureReason, FileOperation, FileOperationError, FileResult};
pub use info::FileInfo;
pub use read::{LineRange, Page, ReadContent, ReadResult};
pub use search::{GlobRequest, GlobResult, GlobTruncation, GrepMatch, GrepRequest, GrepResult};

/// File operations. Each is one call.
///
/// # Contract
///
/// * Paths are absolute. Repeated slashes, `.` segments and trailing slashes are removed before use; the sandbox
///   resolves `..` and symbolic links. A relative path, or one with NUL, is [`FailureReason::InvalidPath`].
/// * Paths in answers begin with the request's path, cleaned in this way, and never end in a slash.
/// * All operations have the permissions of the sandbox's user.
/// * Every implementation gives the same answers; the conformance suite compares them.
///
/// # Conventions of other interfaces
///
/// Answers hold more than any one client needs, so that adapters only have to convert or leave out parts: for
/// example add a slash to directories, make glob paths relative (they all begin with the request's path), drop
/// directories, turn an error of `ls` into an empty list, or encode binary content as base64.
#[async_trait]
pub trait FileOperations: Send + Sync {
    /// Reads lines of a text file, or all of a binary one.
    ///
    /// The first of these rules that applies decides the kind of the file:
    ///
    /// * A file without bytes is [`ReadContent::Empty`].
    /// * A file whose extension names an image, audio, video or document format is binary. Above 512,000 bytes it
    ///   is refused ([`FailureReason::BinaryTooLarge`]).
    /// * A file whose first 8,192 bytes are not UTF-8 is binary too, at any size.
    /// * Any other file is text. CR LF and a lone CR end a line as LF does, and are returned as `\n`. The last line
    ///   of a page has no `\n`. Bytes that are not UTF-8 become U+FFFD. A page holds at most 512,000 bytes including
    ///   its notice: see [`Page::truncated`].
    ///
    /// # Errors
    ///
    /// `FileNotFound`, `PermissionDenied`, `NotARegularFile`, `BinaryTooLarge`, `OffsetBeyondEnd`.
    async fn read(&self, path: &str, range: LineRange) -> FileResult<ReadResult>;

    /// Writes a whole file, creating missing parent directories.
    ///
    /// # Errors
    ///
    /// `AlreadyExists` (only with [`WriteMode::CreateNew`]), `IsDirectory`, `PermissionDenied`, `InvalidPath`.
    async fn write(&self, path: &str, content: Bytes, mode: WriteMode) -> FileResult<()>;

    /// Replaces literal text in a UTF-8 file.
    ///
    /// `old` is searched for as given, then with every line end as CR LF, then with every line end as LF. `new` is
    /// converted in the same way, so that the file keeps its line ends. In a file with mixed line ends, only the
    /// first style that matches is replaced. `old` and `new` may be equal. Occurrences are counted without
    /// overlaps.
    ///
    /// # Errors
    ///
    /// `EmptyOldText`, `FileNotFound`, `PermissionDenied`, `NotARegularFile`, `NotText`, `TextNotFound`,
    /// `TextNotUnique`; the file is then unchanged.
    async fn edit(&self, path: &str, edit: &EditRequest) -> FileResult<EditOutcome>;

    /// Lists a directory, hidden entries included, sorted by the bytes of the name.
    ///
    /// # Errors
    ///
    /// `FileNotFound`, `NotADirectory`, `PermissionDenied` (reading and searching it are both needed).
    async fn ls(&self, path: &str) -> FileResult<Vec<FileInfo>>;

    /// Finds literal text in regular files, recursively. The search is case-sensitive.
    ///
    /// The lines of the pattern are alternatives, as for `grep -F`. Hidden files are searched. Directories named
    /// `.git` are searched only if the search starts in one, and symbolic links are followed only if the search
    /// starts at one. Files with a NUL byte and files that cannot be read are skipped. Matches are sorted by path,
    /// then by line.
    ///
    /// # Errors
    ///
    /// `FileNotFound`, `PermissionDenied`, `InvalidPattern`, `PatternTooBroad`.
    async fn grep(&self, request: &GrepRequest) -> FileResult<GrepResult>;

    /// Finds files by name.
    ///
    /// * A pattern without `/` matches the last name at any depth; with `/` it matches the path below the root. A
    ///   leading `/` has only this effect.
    /// * `*` and `?` stay within a name, `**` as a whole segment is any number of directories, `[a-z]`, `[!a]` and
    ///   `[^a]` are one character, `{a,b}` are alternatives and may be nested (at most 1,000). There is no escape
    ///   character: `[*]` is a literal star.
    /// * A name that begins with `.` is matched only by a segment that begins with `.`, and `**` does not match it.
    /// * A pattern that ends in `/` matches directories only.
    /// * A symbolic link counts as its target, a dangling one is left out, and the search does not enter links to
    ///   directories. A search from `/` leaves out `/proc`, `/sys` and `/dev`.
    /// * Matches are sorted by the bytes of the path. At most 10,000 are returned.
    ///
    /// # Errors
    ///
    /// `FileNotFound`, `NotADirectory`, `PermissionDenied`, `InvalidPattern` (a `..` segment, an empty pattern,
    /// NUL), `PatternTooBroad`.
    async fn glob(&self, request: &GlobRequest) -> FileResult<GlobResult>;

    /// Removes a file, a symbolic link (not what it points to) or a directory with everything in it.
    ///
    /// If removing a directory fails, a part of it may have been removed. `/` is `InvalidPath`.
    ///
    /// # Errors
    ///
    /// `FileNotFound`, `PermissionDenied`, `InvalidPath`.
    async fn delete(&self, path: &str) -> FileResult<()>;
}

/// What [`FileOperations::write`] does if the file exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteMode {
    /// Replaces the content.
    #[default]
    Overwrite,
    /// Fails. If two callers create the same file at the same time, only one succeeds, except in a sandbox without
    /// native file operations, where both may.
    CreateNew,
}

/// A replacement of literal text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditRequest {
    /// The text to replace; not empty.
    pub old: String,
    /// The replacement; may be empty.
    pub new: String,
    /// Replaces every occurrence instead of requiring exactly one.
    pub replace_all: bool,
}

/// A replacement that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditOutcome {
    /// How often the text was replaced; at least 1.
    pub occurrences: u64,
}

impl EditRequest {
    /// Replaces the only occurrence of `old`.
    pub fn once(old: impl Into<String>, new: impl Into<String>) -> Self {
        Self { old: old.into(), new: new.into(), replace_all: false }
    }

    /// Replaces every occurrence of `old`.
    pub fn all(old: impl Into<String>, new: impl Into<String>) -> Self {
        Self { old: old.into(), new: new.into(), replace_all: true }
    }
}
