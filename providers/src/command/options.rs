//! Options of command providers.

use std::time::Duration;

use serde_json::{Map, Value};

/// A command that is a provider.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CommandOptions {
    /// The name of the provider; `None`: the name that the command gives.
    pub name: Option<String>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Environment variables in addition to those of this process.
    pub env: Vec<(String, String)>,
    /// Parameters for the command, sent with the request `hello`.
    pub params: Map<String, Value>,
    /// The time limit for an answer. Commands have their own timeout instead; creating a sandbox may take three
    /// times as long.
    pub deadline: Duration,
}

impl CommandOptions {
    /// Options for this program with these arguments.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            name: None,
            command: command.into_iter().map(Into::into).collect(),
            env: Vec::new(),
            params: Map::new(),
            deadline: Duration::from_secs(60),
        }
    }
}
