//! Shells that live.

use bytes::Bytes;

use super::{Sandbox, TerminalRequest, TerminalScreen};
use crate::{ExecuteRequest, ExecuteResponse, Result};

/// A shell of a sandbox that lives from one command to the next, by its name.
#[derive(Debug)]
pub struct Session<'a, S: ?Sized> {
    sandbox: &'a S,
    name: String,
}

/// The answer to a command in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionResponse {
    /// What the command did.
    pub response: ExecuteResponse,
    /// What jobs wrote between the last command and this one; the beginning, if it is much. What they write while a
    /// command runs is a part of that command's output.
    pub background: Bytes,
    /// Why the shell had to be started anew for this command; one line.
    pub restarted: Option<String>,
    /// The shell ended with this command: the next one gets a new shell.
    pub ended: bool,
}

/// A session as [`Sandbox::sessions`] lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Its name.
    pub name: String,
    /// Whether a call goes on in it.
    pub busy: bool,
    /// Whether it has a terminal.
    pub terminal: bool,
}

impl SessionInfo {
    /// A session.
    pub fn new(name: impl Into<String>, busy: bool, terminal: bool) -> Self {
        Self { name: name.into(), busy, terminal }
    }
}

impl SessionResponse {
    /// An answer of a shell that goes on.
    pub fn new(response: ExecuteResponse) -> Self {
        Self { response, ..Self::default() }
    }
}

impl<'a, S: Sandbox + ?Sized> Session<'a, S> {
    pub(crate) fn new(sandbox: &'a S, name: String) -> Self {
        Self { sandbox, name }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs a command in it; see [`Sandbox::execute_in_session`].
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub async fn execute(&self, request: ExecuteRequest) -> Result<SessionResponse> {
        self.sandbox.execute_in_session(&self.name, request).await
    }

    /// Uses its terminal; see [`Sandbox::use_terminal`].
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub async fn terminal(&self, request: TerminalRequest) -> Result<TerminalScreen> {
        self.sandbox.use_terminal(&self.name, request).await
    }

    /// What its jobs wrote since its last answer.
    ///
    /// # Errors
    ///
    /// Those of [`Sandbox::session_output`].
    pub async fn output(&self) -> Result<Bytes> {
        self.sandbox.session_output(&self.name).await
    }

    /// Ends its shell with all that it started.
    ///
    /// # Errors
    ///
    /// Those of [`Sandbox::end_session`].
    pub async fn close(self) -> Result<()> {
        self.sandbox.end_session(&self.name).await
    }
}
