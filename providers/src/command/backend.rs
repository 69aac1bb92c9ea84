//! Sends calls as requests.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::connection::{Connection, WINDOW};
use crate::calls::json::{answer, file_result, params, provider_capabilities, sandbox_capabilities};
use crate::calls::{Backend, Call, Handle, Reply, download_whole, upload_whole};
use crate::{Capabilities, Error, FileError, FileSink, FileSource, OutputSender, ProviderMetadata, Result};

/// The version of the protocol.
pub(super) const PROTOCOL: u64 = 1;

/// How long after a command's timeout its answer may still arrive.
const GRACE: Duration = Duration::from_secs(10);

/// A provider at the other end of a connection.
#[derive(Debug)]
pub(super) struct Remote {
    connection: Arc<Connection>,
    metadata: ProviderMetadata,
    /// The capabilities of sandboxes that do not list their own.
    can: Capabilities,
    deadline: Duration,
    /// Whether files can be sent in pieces.
    pieces: bool,
    /// Whether output waits until what was sent before is taken.
    ahead: bool,
}

impl Remote {
    /// Begins to speak the protocol. `name`: of the provider, unless it is what the other end says.
    pub(super) async fn greet(
        connection: Arc<Connection>,
        name: Option<&str>,
        parameters: &Map<String, Value>,
        deadline: Duration,
    ) -> Result<Self> {
        let greeting = json!({"protocol": PROTOCOL, "params": parameters});
        let hello = connection.ask("hello", greeting, None, Some(deadline)).await?;
        if hello["protocol"] != PROTOCOL {
            let why = connection.problem(&format!("it does not speak protocol {PROTOCOL}"));
            return Err(why);
        }
        let text = |name: &str| hello[name].as_str().filter(|text| !text.is_empty());
        let name = name.or(text("name"));
        let working_dir = text("working_dir").filter(|path| path.starts_with('/'));
        let (Some(name), Some(working_dir)) = (name, working_dir) else {
            return Err(connection.problem("it names no `name` and absolute `working_dir`"));
        };
        let metadata =
            ProviderMetadata::new(name, working_dir, provider_capabilities(&hello["capabilities"])?);
        let can = sandbox_capabilities(&hello["sandbox_capabilities"])?;
        let (pieces, ahead) = (hello["pieces"] == true, hello["ahead"] == true);
        Ok(Self { connection, metadata, can, deadline, pieces, ahead })
    }

    fn deadline(&self, call: &Call) -> Option<Duration> {
        match call {
            Call::Execute(_, request) => {
                let timeout = request.timeout.filter(|timeout| !timeout.is_zero())?;
                Some(timeout.saturating_add(GRACE))
            }
            // File transfers have no deadline: they may be large.
            Call::Upload(..) | Call::Download(..) => None,
            Call::Create(_) | Call::Fork { .. } => Some(self.deadline * 3),
            _ => Some(self.deadline),
        }
    }
}

#[async_trait]
impl Backend for Remote {
    fn metadata(&self) -> ProviderMetadata {
        self.metadata.clone()
    }

    async fn call(&self, call: Call, output: Option<OutputSender>) -> Result<Reply> {
        if let Call::Execute(handle, request) = &call {
            check(&handle.capabilities, request)?;
        }
        let mut asked = params(&call);
        if output.is_some() {
            asked["stream"] = Value::from(true);
            if self.ahead {
                asked["ahead"] = Value::from(WINDOW);
            }
        }
        let streams = matches!(&call, Call::Execute(handle, _) if handle.capabilities.streaming);
        let (now, later) = if streams { (output, None) } else { (None, output) };
        let reply = self.connection.ask(call.method(), asked, now, self.deadline(&call)).await?;
        let answer = answer(&call, reply, self.can)?;
        if let (Some(output), Reply::Executed(response)) = (later, &answer) {
            crate::sandbox::send_all(response, &output).await;
        }
        Ok(answer)
    }

    async fn upload_from(
        &self,
        handle: &Handle,
        path: &str,
        content: FileSource,
    ) -> Result<Result<(), FileError>> {
        if !self.pieces {
            return upload_whole(self, handle, path, content).await;
        }
        let params = json!({"sandbox": &*handle.id, "path": path});
        let answer = self.connection.send_file("upload_from", params, content).await?;
        Ok(file_result(&answer))
    }

    async fn download_to(
        &self,
        handle: &Handle,
        path: &str,
        content: FileSink,
    ) -> Result<Result<(), FileError>> {
        if !self.pieces {
            return download_whole(self, handle, path, content).await;
        }
        let params = json!({"sandbox": &*handle.id, "path": path});
        let answer = self.connection.receive_file("download_to", params, content).await?;
        Ok(file_result(&answer))
    }
}

/// Refuses options that the sandbox does not support, and values that no sandbox accepts.
fn check(can: &Capabilities, request: &crate::ExecuteRequest) -> Result<()> {
    crate::execute::check(request)?;
    let asked = [
        ("stdin", request.stdin.is_some(), can.stdin),
        ("cwd", request.cwd.is_some(), can.cwd),
        ("env", !request.env.is_empty(), can.env),
    ];
    match asked.iter().find(|(_, asked, can)| *asked && !can) {
        Some((name, ..)) => Err(Error::unsupported("the sandbox", name)),
        None => Ok(()),
    }
}
