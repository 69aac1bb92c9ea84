//! Providers in any language: a command that reads requests and writes answers, one JSON object on each line.
//!
//! The command is started once and serves all sandboxes. Requests overlap; their `id` tells them apart. Bytes are a
//! string if they are UTF-8, otherwise `{"base64": "…"}`. Times are in seconds. Default values are left out.
//!
//! * Request: `{"id": 7, "method": "execute", "params": {"sandbox": "s1", "command": "ls", "timeout": 30}}`
//! * Reply: `{"id": 7, "result": {"exit_code": 0, "stdout": "a\n"}}`, or
//!   `{"id": 7, "error": {"kind": "not_found", "message": "there is no sandbox s1"}}`
//! * Output while a command runs, any number of times: `{"id": 7, "output": {"stdout": "a\n"}}`
//! * The caller no longer waits: `{"cancel": 7}`; no answer is needed.
//!
//! The first request is `hello`. The command must exit when its standard input ends. `docs/command-providers.md`
//! describes the parameters and results of each method.
//!
//! The same protocol can be spoken over any connection: [`serve`] answers, and [`RemoteProvider`] asks.

mod backend;
mod connection;
mod line;
mod options;
mod process;
mod remote;
mod serve;
mod untaken;

use std::sync::Arc;

pub use options::CommandOptions;
pub use remote::RemoteProvider;
pub use serve::serve;

use crate::calls::BackendProvider;
use crate::{Result, SandboxProvider};

/// Starts the command and sends it the request `hello`.
///
/// # Errors
///
/// `InvalidRequest` if the command cannot be started, `Unavailable` if it exits, `DeadlineExceeded` if it does not
/// answer in time, `Unexpected` if its answer is malformed.
pub async fn connect(options: CommandOptions) -> Result<Arc<dyn SandboxProvider>> {
    let connection = Arc::new(process::start(&options)?);
    let remote =
        backend::Remote::greet(connection, options.name.as_deref(), &options.params, options.deadline)
            .await?;
    Ok(Arc::new(BackendProvider::new(remote)))
}
