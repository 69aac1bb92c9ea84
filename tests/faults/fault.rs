//! The faults, and the errors that they must cause.

use sandshell::ErrorKind;

use crate::clients::Wire;

/// A fault of a request, or of a message to an open socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The connection is reset before the service sees the request.
    Reset,
    /// The service acts, and the connection is closed without an answer.
    Silenced,
    /// The service acts, and the connection is reset in the middle of the answer.
    Cut,
    /// The service acts, and the answer ends too early.
    Short,
    /// The service acts, and the answer is nonsense.
    Garbage,
    /// Answered with this status, and `Retry-After` if that is given; the service sees nothing.
    Status(u16, Option<&'static str>),
    /// No answer ever comes; the service sees nothing.
    Stall,
    /// The service acts, and the answer stops in the middle.
    Hang,
}

impl Fault {
    pub(crate) const ALL: &[Self] = &[
        Self::Reset,
        Self::Silenced,
        Self::Cut,
        Self::Short,
        Self::Garbage,
        Self::Status(500, None),
        Self::Status(503, Some("0")),
        Self::Status(429, None),
        Self::Status(429, Some("0")),
        // Credentials that have expired.
        Self::Status(401, None),
        Self::Stall,
        Self::Hang,
    ];

    /// Faults from which an idempotent call recovers if they happen once.
    pub(crate) const PASSING: &[Self] = &[
        Self::Reset,
        Self::Silenced,
        Self::Cut,
        Self::Status(503, None),
        Self::Status(503, Some("0")),
        Self::Status(429, Some("0")),
    ];

    /// The possible errors of a call if every request has this fault.
    pub(crate) fn expected(self, wire: Wire) -> &'static [ErrorKind] {
        use ErrorKind as E;
        match (self, wire) {
            (Self::Status(429, None), Wire::Grpc) => &[E::QuotaExceeded],
            // A framing error counts as a broken connection.
            (Self::Garbage | Self::Short, Wire::Grpc) => &[E::Unavailable, E::Unexpected],
            // A socket has no statuses, so it is closed.
            (Self::Status(429, _), Wire::Sockets) => &[E::RateLimited, E::Unavailable],
            (Self::Status(401, _), Wire::Sockets) => &[E::Unauthenticated, E::Unavailable],
            (Self::Garbage, Wire::Sockets) => &[E::Unexpected, E::Unavailable],
            (Self::Stall | Self::Hang, Wire::Sockets) => &[E::DeadlineExceeded, E::Unavailable],
            (Self::Reset | Self::Silenced | Self::Cut, _) => &[E::Unavailable],
            (Self::Short, _) => &[E::Unavailable, E::Unexpected],
            (Self::Garbage, _) => &[E::Unexpected],
            (Self::Status(429, _), _) => &[E::RateLimited],
            (Self::Status(401, _), _) => &[E::Unauthenticated],
            (Self::Status(..), _) => &[E::Unavailable],
            (Self::Stall | Self::Hang, _) => &[E::DeadlineExceeded],
        }
    }

    /// Whether a call may still succeed: only the status of its answer matters, or wrong bytes cannot be detected.
    pub(crate) fn is_harmless(self, call: &str, wire: Wire) -> bool {
        match self {
            // Answers to several calls share a socket; the half that arrives may contain a complete one.
            Self::Cut | Self::Short | Self::Hang if wire == Wire::Sockets => true,
            Self::Garbage => matches!(call, "delete" | "upload" | "download"),
            // An answer without a body has no middle.
            Self::Cut | Self::Short | Self::Hang => matches!(call, "delete" | "upload"),
            _ => false,
        }
    }
}
