//! Errors of file operations.

use std::fmt;

use crate::FileError;

/// The result of a file operation.
pub type FileResult<T> = std::result::Result<T, FileOperationError>;

/// A file operation failed, or could not be tried.
///
/// `Display` of a failed operation is the text that Deep Agents gives to a language model. An adapter that needs
/// other texts uses the fields.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileOperationError {
    /// The sandbox answered that the operation is not possible.
    #[error("{}", Message(*operation, path, reason))]
    Failed {
        /// The operation.
        operation: FileOperation,
        /// The path as it was given.
        path: String,
        /// Why it is not possible.
        reason: FailureReason,
    },
    /// The sandbox did not answer.
    #[error(transparent)]
    Sandbox(#[from] crate::Error),
}

/// The operations of [`FileOperations`](crate::FileOperations).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the trait's methods")]
pub enum FileOperation {
    Read,
    Write,
    Edit,
    Ls,
    Grep,
    Glob,
    Delete,
}

/// Why a file operation is not possible.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureReason {
    /// Nothing is there.
    FileNotFound,
    /// The sandbox's user lacks permission.
    PermissionDenied,
    /// The path is relative, contains NUL, leads through a file, or must not be deleted.
    InvalidPath,
    /// A file was needed and this is a directory.
    IsDirectory,
    /// A directory was needed and this is something else.
    NotADirectory,
    /// A regular file was needed and this is a directory, device, pipe or socket.
    NotARegularFile,
    /// The file already exists.
    AlreadyExists,
    /// The file is binary by its extension and larger than this many bytes.
    BinaryTooLarge {
        /// The largest size in bytes that is returned.
        limit: u64,
    },
    /// The file has fewer lines than were to be skipped.
    OffsetBeyondEnd {
        /// The offset asked for.
        offset: u64,
        /// The number of lines in the file.
        lines: u64,
    },
    /// The text to replace is empty.
    EmptyOldText,
    /// The file is not UTF-8.
    NotText,
    /// The text to replace is not in the file.
    TextNotFound {
        /// The text to replace.
        old: String,
    },
    /// The text to replace occurs more than once.
    TextNotUnique {
        /// The text to replace.
        old: String,
        /// How often it occurs.
        occurrences: u64,
    },
    /// The pattern cannot be used.
    InvalidPattern,
    /// The pattern has too many alternatives.
    PatternTooBroad,
    /// Another reason, in the sandbox's own words.
    Other(String),
}

impl FileOperationError {
    /// The failure of `operation` on `path`.
    pub fn failed(operation: FileOperation, path: impl Into<String>, reason: FailureReason) -> Self {
        Self::Failed { operation, path: path.into(), reason }
    }

    /// The reason, if this is an answer.
    pub fn reason(&self) -> Option<&FailureReason> {
        match self {
            Self::Failed { reason, .. } => Some(reason),
            Self::Sandbox(_) => None,
        }
    }
}

impl From<FileError> for FailureReason {
    fn from(error: FileError) -> Self {
        match error {
            FileError::FileNotFound => Self::FileNotFound,
            FileError::PermissionDenied => Self::PermissionDenied,
            FileError::IsDirectory => Self::IsDirectory,
            FileError::InvalidPath => Self::InvalidPath,
            FileError::Other(text) => Self::Other(text),
        }
    }
}

struct Message<'a>(FileOperation, &'a str, &'a FailureReason);

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use FailureReason as R;
        let Self(operation, path, reason) = *self;
        match operation {
            FileOperation::Read => write!(f, "File '{path}': {}", Code(operation, reason)),
            FileOperation::Write => write!(f, "Failed to write file '{path}': {}", Code(operation, reason)),
            FileOperation::Ls | FileOperation::Grep | FileOperation::Glob => {
                write!(f, "Path '{path}': {}", Code(operation, reason))
            }
            FileOperation::Edit => match reason {
                R::FileNotFound => write!(f, "Error: File '{path}' not found"),
                R::PermissionDenied => write!(f, "Error: Permission denied editing file '{path}'"),
                R::NotARegularFile | R::IsDirectory => write!(f, "Error: '{path}' is not a regular file"),
                R::NotText => write!(f, "Error: File '{path}' is not a text file"),
                R::EmptyOldText => {
                    f.write_str("Error: old_string cannot be empty. Provide the exact text to replace.")
                }
                R::TextNotFound { old } => write!(f, "Error: String not found in file: '{old}'"),
                R::TextNotUnique { old, .. } => write!(
                    f,
                    "Error: String '{old}' appears multiple times. Use replace_all=True to replace all occurrences."
                ),
                other => write!(f, "Error editing file '{path}': {}", Code(operation, other)),
            },
            FileOperation::Delete => match reason {
                R::FileNotFound => write!(f, "Error: '{path}' not found"),
                other => write!(f, "Error deleting file '{path}': {}", Code(operation, other)),
            },
        }
    }
}

struct Code<'a>(FileOperation, &'a FailureReason);

impl fmt::Display for Code<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use FailureReason as R;
        let Self(operation, reason) = *self;
        let searching = matches!(operation, FileOperation::Ls | FileOperation::Grep | FileOperation::Glob);
        let text = match reason {
            R::FileNotFound if searching => "path_not_found",
            R::FileNotFound => "file_not_found",
            R::PermissionDenied => "permission_denied",
            R::InvalidPath => "invalid_path",
            R::IsDirectory | R::NotARegularFile if operation == FileOperation::Read => "not_a_file",
            R::IsDirectory => "is_directory",
            R::NotADirectory => "not_a_directory",
            R::NotARegularFile => "not_a_file",
            R::AlreadyExists => "already exists. Read and then make an edit, or write to a new path.",
            R::EmptyOldText => "old_string cannot be empty",
            R::NotText => "not_a_text_file",
            R::InvalidPattern => "invalid_pattern",
            R::PatternTooBroad => "pattern_too_broad",
            R::BinaryTooLarge { limit } => {
                return write!(f, "Binary file exceeds maximum preview size of {limit} bytes");
            }
            R::OffsetBeyondEnd { offset, lines } => {
                return write!(f, "Line offset {offset} exceeds file length ({lines} lines)");
            }
            R::TextNotFound { old } => return write!(f, "string not found: '{old}'"),
            R::TextNotUnique { occurrences, .. } => return write!(f, "multiple occurrences ({occurrences})"),
            R::Other(text) => text,
        };
        f.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(operation: FileOperation, reason: FailureReason) -> String {
        FileOperationError::failed(operation, "/a", reason).to_string()
    }

    #[test]
    fn texts_are_those_a_model_knows() {
        use FailureReason as R;
        use FileOperation as O;
        let cases = [
            (O::Read, R::FileNotFound, "File '/a': file_not_found"),
            (O::Read, R::IsDirectory, "File '/a': not_a_file"),
            (
                O::Read,
                R::OffsetBeyondEnd { offset: 9, lines: 2 },
                "File '/a': Line offset 9 exceeds file length (2 lines)",
            ),
            (
                O::Read,
                R::BinaryTooLarge { limit: 512_000 },
                "File '/a': Binary file exceeds maximum preview size of 512000 bytes",
            ),
            (O::Ls, R::FileNotFound, "Path '/a': path_not_found"),
            (O::Ls, R::NotADirectory, "Path '/a': not_a_directory"),
            (O::Glob, R::InvalidPattern, "Path '/a': invalid_pattern"),
            (O::Write, R::PermissionDenied, "Failed to write file '/a': permission_denied"),
            (O::Edit, R::FileNotFound, "Error: File '/a' not found"),
            (O::Edit, R::TextNotFound { old: "x".into() }, "Error: String not found in file: 'x'"),
            (
                O::Edit,
                R::TextNotUnique { old: "x".into(), occurrences: 2 },
                "Error: String 'x' appears multiple times. Use replace_all=True to replace all occurrences.",
            ),
            (O::Delete, R::FileNotFound, "Error: '/a' not found"),
            (O::Delete, R::PermissionDenied, "Error deleting file '/a': permission_denied"),
        ];
        for (operation, reason, expected) in cases {
            assert_eq!(text(operation, reason), expected);
        }
    }
}
