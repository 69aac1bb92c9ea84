//! What every client can be told.

use std::time::Duration;

use super::{Secret, bounded};
use crate::{Error, ErrorKind, Result};

/// How a client talks to its service.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientOptions {
    /// Time for one call with all its repetitions. Commands and file transfers are not bound by it; those of a
    /// command are its timeout's affair.
    pub deadline: Duration,
    /// Time to get a connection.
    pub connect_timeout: Duration,
    /// Time without a single byte after which a stream or transfer counts as stalled.
    pub idle_timeout: Duration,
    /// How often a call that is safe to repeat is repeated.
    pub retries: u32,
    /// Speaks HTTP/2 without asking, so that calls at the same time share a connection also where TLS does not agree on it:
    /// for an address without TLS that is known to understand it.
    pub http2: bool,
    /// How long a new sandbox may take until it is ready.
    pub ready_timeout: Duration,
    /// The time between two looks whether it is.
    pub ready_interval: Duration,
    /// Bytes of an answer that describes something. A longer one is an error, as no service has one.
    pub max_answer: u64,
    /// Bytes of a file, or of an answer with a command's output, that is held in memory as a whole. A longer one is an error;
    /// [`download_to`](crate::Sandbox::download_to) holds no file as a whole and has no limit.
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
    /// The same with times that can be added to the present.
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

/// Variables that options are read from: usually the process's environment, which this crate itself never reads.
///
/// Each name is looked up with the prefix `SANDSHELL_` first. A variable that is empty counts as missing.
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

/// A credential, or the error that names the variable it is missing from.
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
