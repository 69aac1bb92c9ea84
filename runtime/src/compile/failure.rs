//! Why there is no program.

use std::sync::Arc;

use crate::error::Errno;
use crate::limits::Limit;

/// Why there is no program.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    Errno(Errno),
    /// It is no program that can be run here (`ENOEXEC`), and why.
    Invalid(Arc<str>),
    /// A budget of the sandbox does not allow it.
    Limit(Limit),
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Failure {
        Failure::Errno(errno)
    }
}

impl From<wasmtime::Error> for Failure {
    /// A module that was not compiled or linked.
    fn from(error: wasmtime::Error) -> Failure {
        Failure::Invalid(format!("{error:#}").into())
    }
}

impl From<sandshell_vfs::Errno> for Failure {
    fn from(errno: sandshell_vfs::Errno) -> Failure {
        Failure::Errno(errno.into())
    }
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;
