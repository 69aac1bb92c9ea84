//! The status of this program for what a command did.

use sandshell::runtime::Outcome;

/// The status after a timeout, the same as that of `timeout(1)`.
pub(crate) const TIMED_OUT: u8 = 124;

pub(crate) fn status(outcome: &Outcome) -> u8 {
    if outcome.timed_out { TIMED_OUT } else { u8::try_from(outcome.status.code()).unwrap_or(u8::MAX) }
}
