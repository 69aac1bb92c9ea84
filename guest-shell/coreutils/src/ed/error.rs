//! Why a command failed.

use sandshell_sys::Errno;
use std::borrow::Cow;

pub(super) type Result<T> = std::result::Result<T, Error>;

pub(super) const NO_SUCH_LINE: Error = Error::Said(Cow::Borrowed("Invalid address"));
pub(super) const INVALID_SUFFIX: Error = Error::Said(Cow::Borrowed("Invalid command suffix"));
pub(super) const NO_MATCH: Error = Error::Said(Cow::Borrowed("No match"));
pub(super) const NO_FILE_NAME: Error = Error::Said(Cow::Borrowed("No current filename"));
pub(super) const UNEXPECTED_END: Error = Error::Said(Cow::Borrowed("Unexpected end-of-file"));

/// Why a command failed, or that it ends the editor.
#[derive(Debug)]
pub(super) enum Error {
    /// With this explanation.
    Said(Cow<'static, str>),
    /// A file or a command of the shell could not be used: its name, what the system says, and the explanation.
    File(Vec<u8>, Option<Errno>, &'static str),
    /// There are changes that are in no file. The same command succeeds when it is repeated.
    Unsaved,
    /// The terminal's user interrupted it.
    Interrupted,
    /// The editor ends.
    Quit,
}

impl Error {
    pub(super) fn explanation(&self) -> &str {
        match self {
            Error::Said(text) => text,
            Error::File(_, _, text) => text,
            Error::Unsaved => "Warning: buffer modified",
            Error::Interrupted => "Interrupt",
            Error::Quit => "",
        }
    }
}

impl From<&'static str> for Error {
    fn from(text: &'static str) -> Error {
        Error::Said(Cow::Borrowed(text))
    }
}
