//! Providers in any language: a command that reads requests and writes answers, a JSON object a line.
//!
//! The command is started once and serves every sandbox; requests overlap and are told apart by their `id`. Bytes are a
//! string where they are UTF-8, otherwise `{"base64": "…"}`; times are seconds; what is at its default is left out.
//!
//! * Request: `{"id": 7, "method": "execute", "params": {"sandbox": "s1", "command": "ls", "timeout": 30}}`
//! * Reply: `{"id": 7, "result": {"exit_code": 0, "stdout": "a\n"}}`, or
//!   `{"id": 7, "error": {"kind": "not_found", "message": "there is no sandbox s1"}}`
//! * While a command runs, as often as there is output: `{"id": 7, "output": {"stdout": "a\n"}}`
//! * Nobody waits any more: `{"cancel": 7}`; no answer is needed.
//!
//! The first request is `hello`. When its standard input ends the command is to end. What each method takes and gives is
//! in `docs/command-providers.md`.

mod backend;
mod connection;
mod line;
mod options;

use std::sync::Arc;

pub use options::CommandOptions;

use crate::calls::BackendProvider;
use crate::{Result, SandboxProvider};

/// Starts the command and greets it.
///
/// # Errors
///
/// `InvalidRequest` if it cannot be started; `Unavailable` if it ends, `DeadlineExceeded` if it is silent, `Unexpected` if
/// it answers nonsense.
pub async fn connect(options: CommandOptions) -> Result<Arc<dyn SandboxProvider>> {
    Ok(Arc::new(BackendProvider::new(backend::Remote::connect(options).await?)))
}
