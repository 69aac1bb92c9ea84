//! Options of all clients.

use std::time::Duration;

use super::{Secret, bounded};
use crate::{Error, ErrorKind, Result};

/// How a client talks to its service.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientOptions {
    /// The time limit for one call with all its retries. It does not apply to file transfers, nor to commands,
    /// which have their own timeout.
    pub deadline: Duration,
    /// The time limit for establishing a connection.
    pub connect_timeout: Duration,
    /// After this time without a single byte, a stream or transfer counts as stalled.
    pub idle_timeout: Duration,
    /// How often a call is retried if that is safe.
    pub retries: u32,
    /// Uses HTTP/2 without negotiation, so that concurrent calls share a connection. This is for an address without
    /// TLS that is known to support it; with TLS, HTTP/2 is negotiated anyway.
    pub http2: bool,
    /// How long a new sandbox may take to become ready.
    pub ready_timeout: Duration,
    /// How often is checked whether a new sandbox is ready.
    pub ready_interval: Duration,
    /// The most bytes of an ordinary answer, one that holds neither a file nor a command's output. A longer one is
    /// an error.
    pub max_answer: u64,
    /// The most bytes of a file, or of an answer with a command's output, that is held in memory. A longer one is
    /// an error. [`download_to`](crate::Sandbox::download_to) does not hold the file in memory and has no limit.
    pub max_download: u64,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(60),
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(150),
            retries: 3,
            http2: false,
            ready_timeout: Duration::from_secs(180),
            ready_interval: Duration::from_secs(2),
            max_answer: 8 << 20,
            max_download: 256 << 20,
        }
    }
}

impl ClientOptions {
    /// The same options with durations limited so that they can be added to the current time.
    pub(crate) fn bounded(mut self) -> Self {
        for time in [
            &mut self.deadline,
            &mut self.connect_timeout,
            &mut self.idle_timeout,
            &mut self.ready_timeout,
            &mut self.ready_interval,
        ] {
            *time = bounded(*time);
        }
        self
    }
}

/// Looks up variables from which options are read: usually the process's environment, which this crate itself never
/// reads.
///
/// Each name is first looked up with the prefix `SANDSHELL_`. An empty variable counts as missing.
pub struct Variables<'a>(pub &'a dyn Fn(&str) -> Option<String>);

impl Variables<'_> {
    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<String> {
        let filled = |name: &str| (self.0)(name).filter(|value| !value.is_empty());
        filled(&format!("SANDSHELL_{name}")).or_else(|| filled(name))
    }

    /// The value of a variable, as a credential.
    pub fn secret(&self, name: &str) -> Option<Secret> {
        self.get(name).map(Secret::new)
    }
}

/// A credential, or an error that names the variable that is missing.
pub(crate) fn required<'a>(secret: Option<&'a Secret>, provider: &str, variable: &str) -> Result<&'a Secret> {
    secret.ok_or_else(|| {
        Error::new(ErrorKind::Unauthenticated, format!("{provider} needs a credential: set {variable}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_wins_and_empty_is_missing() {
        let variables = [("A", "plain"), ("SANDSHELL_A", "own"), ("B", ""), ("SANDSHELL_C", ""), ("C", "c")];
        let get = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        let variables = Variables(&get);
        assert_eq!(variables.get("A").as_deref(), Some("own"));
        assert_eq!(variables.get("B"), None);
        assert_eq!(variables.get("C").as_deref(), Some("c"));
    }
}
