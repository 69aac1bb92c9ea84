//! The file operations an agent has: their contract, requests and answers.

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

/// File operations, each one call.
///
/// # Contract
///
/// * Paths are absolute; repeated slashes, `.` segments and slashes at the end are dropped before use, `..` and
///   symbolic links are resolved by the sandbox. A relative path or one with NUL is
///   [`FailureReason::InvalidPath`].
/// * Paths in answers begin with the request's path (so cleaned), and never end in a slash.
/// * Everything happens with the rights of the sandbox's user.
/// * Every implementation gives the same answers; the conformance suite compares them.
///
/// # The conventions of others
///
/// The answers are richer than any one client wants, so that an adapter only leaves things out: it adds a slash
/// to directories, makes glob paths relative (they all begin with the request's path), drops directories, turns
/// an error of `ls` into an empty list, or renders binary content as base64.
#[async_trait]
pub trait FileOperations: Send + Sync {
    /// Reads lines of a text file, or the whole of a binary one.
    ///
    /// In this order: a file without bytes is [`ReadContent::Empty`]. A file whose extension names an image,
    /// audio, video or document format is binary, and refused above 512,000 bytes
    /// ([`FailureReason::BinaryTooLarge`]); so is, at any size, one whose first 8,192 bytes are not UTF-8.
    /// Otherwise it is text: CR LF and a lone CR count as line ends like LF and are returned as `\n`, the last
    /// line of a page has no `\n`, bytes that are not UTF-8 become U+FFFD. A page holds at most 512,000 bytes
    /// with its notice: see [`Page::truncated`].
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
    /// `old` is looked for as given, then with every line end as CR LF, then as LF; `new` is changed the same
    /// way, so that the file keeps its style. In a file of mixed styles only the first style that matches is
    /// replaced. `old` and `new` may be equal. Counting does not overlap.
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

    /// Finds literal text in regular files, recursively; case matters.
    ///
    /// The lines of the pattern are alternatives, as for `grep -F`. Hidden files are searched, directories
    /// named `.git` only when the search starts in one, symbolic links only when the search starts at one, and
    /// files with a NUL byte never. Files that cannot be read are passed over. Sorted by path, then line.
    ///
    /// # Errors
    ///
    /// `FileNotFound`, `PermissionDenied`, `InvalidPattern`, `PatternTooBroad`.
    async fn grep(&self, request: &GrepRequest) -> FileResult<GrepResult>;

    /// Finds files by name.
    ///
    /// * A pattern without `/` matches the last name at any depth; with `/` it matches the path below the
    ///   root, a leading `/` only says so.
    /// * `*` and `?` stay within a name, `**` as a whole segment is any number of directories, `[a-z]`, `[!a]` and
    ///   `[^a]` are one character, `{a,b}` are alternatives and may be nested (at most 1,000). There is no escape
    ///   character: `[*]` is a literal star.
    /// * A name that begins with `.` matches only a segment that begins with `.`; `**` does not pass through one.
    /// * A pattern that ends in `/` matches directories only.
    /// * Symbolic links count as what they point to, dangling ones as nothing, and are not descended into.
    ///   `/proc`, `/sys` and `/dev` are left out of a search from `/`.
    /// * Sorted by path bytes; at most 10,000.
    ///
    /// # Errors
    ///
    /// `FileNotFound`, `NotADirectory`, `PermissionDenied`, `InvalidPattern` (a `..` segment, an empty pattern,
    /// NUL), `PatternTooBroad`.
    async fn glob(&self, request: &GlobRequest) -> FileResult<GlobResult>;

    /// Removes a file, a symbolic link (not what it points to) or a directory with everything in it.
    ///
    /// A removal that fails may have removed a part. `/` is `InvalidPath`.
    ///
    /// # Errors
    ///
    /// `FileNotFound`, `PermissionDenied`, `InvalidPath`.
    async fn delete(&self, path: &str) -> FileResult<()>;
}

/// What [`FileOperations::write`] does with a file that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteMode {
    /// Replaces its content.
    #[default]
    Overwrite,
    /// Refuses. Two writers can only both succeed on a sandbox without native operations.
    CreateNew,
}

/// A replacement of literal text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditRequest {
    /// What to look for; not empty.
    pub old: String,
    /// What to put there; may be empty.
    pub new: String,
    /// Replaces every occurrence instead of insisting on exactly one.
    pub replace_all: bool,
}

/// A replacement that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditOutcome {
    /// How often it was replaced, at least 1.
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
