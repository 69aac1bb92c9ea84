//! Errors between a caller and a sandbox. Their kinds say what the caller can do next.

use std::time::Duration;

/// The result of a sandbox or provider call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A call could not be carried out.
///
/// A command that fails, a missing file and a reached limit are *answers*, not errors of this type: see
/// [`ExecuteResponse`](crate::ExecuteResponse), [`FileError`](crate::FileError) and
/// [`FailureReason`](crate::FailureReason).
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    retry: Retry,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What the caller can do about an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No sandbox or snapshot has this id: use another id or create one.
    NotFound,
    /// The sandbox existed and has ended (deleted, expired, crashed): create another.
    SandboxEnded,
    /// The request itself is wrong: correct it.
    InvalidRequest,
    /// The implementation lacks a capability: do without it or choose another provider.
    Unsupported,
    /// Credentials are missing or refused: supply others.
    Unauthenticated,
    /// The credentials do not allow this: ask for the right.
    PermissionDenied,
    /// Something with this name exists, or its state does not allow the request: look at it first.
    Conflict,
    /// An account or host limit is reached: free something or wait.
    QuotaExceeded,
    /// Too many requests: wait, then repeat.
    RateLimited,
    /// The service cannot be reached or is failing: repeat later.
    Unavailable,
    /// The call's own deadline passed (not the command's timeout): the outcome is unknown.
    DeadlineExceeded,
    /// The implementation got something that it does not understand: report it.
    Unexpected,
}

/// Whether repeating the same call can help, and is safe.
///
/// Kept apart from [`ErrorKind`]: an unavailable service makes a download worth repeating, but not an
/// `execute` whose command may have run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// The same call would fail again, or its effect could happen twice.
    Never,
    /// The call had no effect and may succeed later; not before the given delay, where one is known.
    Later(Option<Duration>),
}

impl ErrorKind {
    /// All kinds.
    pub const ALL: &'static [Self] = &[
        Self::NotFound,
        Self::SandboxEnded,
        Self::InvalidRequest,
        Self::Unsupported,
        Self::Unauthenticated,
        Self::PermissionDenied,
        Self::Conflict,
        Self::QuotaExceeded,
        Self::RateLimited,
        Self::Unavailable,
        Self::DeadlineExceeded,
        Self::Unexpected,
    ];

    /// The kind's name, such as `not_found`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::SandboxEnded => "sandbox_ended",
            Self::InvalidRequest => "invalid_request",
            Self::Unsupported => "unsupported",
            Self::Unauthenticated => "unauthenticated",
            Self::PermissionDenied => "permission_denied",
            Self::Conflict => "conflict",
            Self::QuotaExceeded => "quota_exceeded",
            Self::RateLimited => "rate_limited",
            Self::Unavailable => "unavailable",
            Self::DeadlineExceeded => "deadline_exceeded",
            Self::Unexpected => "unexpected",
        }
    }

    /// The kind with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

impl Error {
    /// An error of this kind that is not worth repeating.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry: Retry::Never, source: None }
    }

    /// [`ErrorKind::Unsupported`]; the message names the capability and who lacks it.
    pub fn unsupported(implementation: &str, capability: &str) -> Self {
        Self::new(ErrorKind::Unsupported, format!("{implementation} does not support {capability}"))
    }

    /// [`ErrorKind::InvalidRequest`].
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidRequest, message)
    }

    /// The same error with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same error, marked as safe to repeat after `delay` (`None`: the caller's own backoff).
    #[must_use]
    pub fn retry_after(mut self, delay: Option<Duration>) -> Self {
        self.retry = Retry::Later(delay);
        self
    }

    /// What the caller can do next.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the same call may be repeated.
    pub fn retry(&self) -> Retry {
        self.retry
    }
}
