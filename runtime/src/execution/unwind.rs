//! How a program is left.

/// How a host function ends the program that called it.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(crate) enum Unwind {
    #[error("the process exits")]
    Exit(u32),
    #[error("the process executes another program")]
    Exec,
}
