//! Creates, lists and deletes sandboxes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::{Value, json};

use super::api::{Api, Session};
use super::options::{AgentCoreOptions, NAME};
use super::sandbox::AgentCoreSandbox;
use crate::cloud::{Id, existing, make_workdir, parse_time, ready_or_ended, wait_until_ready};
use crate::{
    CreateOptions, Error, ErrorKind, ListOptions, NetworkPolicy, ProviderCapabilities, ProviderMetadata,
    ResourceLimits, Result, Sandbox, SandboxInfo, SandboxPage, SandboxProvider, SandboxState,
};

/// The default working directory of commands.
const WORKDIR: &str = "/tmp";

/// The prefix of a session's name that stores a different working directory.
const PREFIX: &str = "workdir=";

/// The longest name that a session can have.
const LONGEST_NAME: usize = 100;

/// Amazon Bedrock AgentCore.
#[derive(Debug)]
pub struct AgentCoreProvider(Arc<Api>);

impl AgentCoreProvider {
    /// Makes a client. Nothing is sent until it is used.
    ///
    /// # Errors
    ///
    /// `Unexpected` if TLS cannot be set up.
    pub fn new(options: AgentCoreOptions) -> Result<Self> {
        Ok(Self(Arc::new(Api::new(options)?)))
    }

    async fn create(&self, options: &CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let lacking = [
            (options.snapshot.is_some(), "snapshot"),
            (!options.labels.is_empty(), "labels"),
            (!options.env.is_empty(), "env"),
            (options.limits != ResourceLimits::default(), "limits"),
            (options.network != NetworkPolicy::ProviderDefault, "network: it belongs to the interpreter"),
        ];
        if let Some((_, what)) = lacking.iter().find(|(asked, _)| *asked) {
            return Err(self.unsupported(what));
        }
        let mut body = json!({});
        if let Some(ttl) = options.ttl {
            body["sessionTimeoutSeconds"] = json!(ttl.as_secs().max(1));
        }
        if let Some(workdir) = &options.workdir {
            let name = format!("{PREFIX}{workdir}");
            if name.len() > LONGEST_NAME {
                return Err(Error::invalid_request(format!("the working directory {workdir} is too long")));
            }
            body["name"] = json!(name);
        }
        let id = self.0.start(body).await?.id;
        let api = &self.0;
        let ready = async {
            let session = wait_until_ready(&api.http, || {
                let id = &id;
                async move {
                    let session = api.get(id).await?;
                    Ok((session.status.as_deref() == Some("READY")).then_some(session))
                }
            })
            .await?;
            let sandbox = self.handle(session);
            if let Some(workdir) = &options.workdir {
                make_workdir(&*sandbox, workdir).await?;
            }
            Ok(sandbox)
        };
        ready_or_ended(ready, self.delete(id.as_str())).await
    }

    fn handle(&self, session: Session) -> Arc<dyn Sandbox> {
        let own = session.name.as_deref().and_then(|name| name.strip_prefix(PREFIX));
        let workdir = own.unwrap_or(WORKDIR).to_owned();
        Arc::new(AgentCoreSandbox { api: self.0.clone(), id: session.id, workdir })
    }
}

#[async_trait]
impl SandboxProvider for AgentCoreProvider {
    fn metadata(&self) -> ProviderMetadata {
        let capabilities = ProviderCapabilities {
            reattach: true,
            list: true,
            create_ttl: true,
            workdir: true,
            ..ProviderCapabilities::NONE
        };
        ProviderMetadata::new(NAME, WORKDIR, capabilities)
    }

    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let Some(id) = &existing(&options)? else { return self.create(&options).await };
        let session = self.0.get(id).await?;
        if session.status.as_deref() == Some("TERMINATED") {
            return Err(self.0.http.error(ErrorKind::NotFound, format!("session {} has ended", id.as_str())));
        }
        Ok(self.handle(session))
    }

    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        if !options.labels.is_empty() {
            return Err(self.unsupported("labels"));
        }
        let mut body = json!({"status": "READY"});
        if let Some(limit) = options.limit {
            body["maxResults"] = json!(limit.clamp(1, 100));
        }
        if let Some(cursor) = options.cursor {
            body["nextToken"] = json!(cursor);
        }
        let page = self.0.list(&body).await?;
        Ok(SandboxPage::new(page.items.into_iter().map(info).collect(), page.next_token))
    }

    async fn delete(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.stop(id).await
    }
}

fn info(session: Session) -> SandboxInfo {
    let state = match session.status.as_deref() {
        Some("READY") => SandboxState::Running,
        Some("TERMINATED") => SandboxState::Ended,
        _ => SandboxState::Unknown,
    };
    let mut info = SandboxInfo::new(session.id, state);
    info.created_at = match &session.created_at {
        Some(Value::String(text)) => parse_time(text),
        // AWS's JSON also writes times as numbers of seconds.
        Some(Value::Number(seconds)) => seconds
            .as_f64()
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since)),
        _ => None,
    };
    info
}
