//! Sends calls as requests to the command.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::CommandOptions;
use super::connection::Connection;
use crate::calls::json::{answer, params, provider_capabilities, sandbox_capabilities};
use crate::calls::{Backend, Call, Reply};
use crate::{Capabilities, Error, ErrorKind, OutputSender, ProviderMetadata, Result};

/// The version of the protocol.
const PROTOCOL: u64 = 1;

/// How long after a command's timeout its answer may still arrive.
const GRACE: Duration = Duration::from_secs(10);

/// A command that is a provider.
#[derive(Debug)]
pub(super) struct Remote {
    connection: Connection,
    metadata: ProviderMetadata,
    /// The capabilities of sandboxes that do not list their own.
    can: Capabilities,
    deadline: Duration,
}

impl Remote {
    pub(super) async fn connect(options: CommandOptions) -> Result<Self> {
        let connection = Connection::start(&options)?;
        let deadline = options.deadline;
        let greeting = json!({"protocol": PROTOCOL, "params": options.params});
        let hello = connection.ask("hello", greeting, None, Some(deadline)).await?;
        if hello["protocol"] != PROTOCOL {
            let why = format!("the provider's command does not speak protocol {PROTOCOL}");
            return Err(Error::new(ErrorKind::Unexpected, why));
        }
        let text = |name: &str| hello[name].as_str().filter(|text| !text.is_empty());
        let name = options.name.as_deref().or(text("name"));
        let working_dir = text("working_dir").filter(|path| path.starts_with('/'));
        let (Some(name), Some(working_dir)) = (name, working_dir) else {
            let why = "the provider's command names no `name` and absolute `working_dir`";
            return Err(Error::new(ErrorKind::Unexpected, why));
        };
        let metadata =
            ProviderMetadata::new(name, working_dir, provider_capabilities(&hello["capabilities"])?);
        let can = sandbox_capabilities(&hello["sandbox_capabilities"])?;
        Ok(Self { connection, metadata, can, deadline })
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
