//! What is started.

use std::time::Duration;

use serde_json::{Map, Value};

/// A command that is a provider.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CommandOptions {
    /// The name of the provider; `None`: what the command calls itself.
    pub name: Option<String>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables beside those of this process.
    pub env: Vec<(String, String)>,
    /// What the command is told when it is greeted.
    pub params: Map<String, Value>,
    /// Time for an answer. Commands are bound by their own timeout; creation has three times as long.
    pub deadline: Duration,
}

impl CommandOptions {
    /// This program with these arguments.
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
