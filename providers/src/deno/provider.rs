//! Creates, lists and deletes sandboxes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::json;

use super::api::{Api, Listed, NAME};
use super::options::DenoOptions;
use super::rpc::Rpc;
use super::sandbox::DenoSandbox;
use super::socket::{connect, create};
use crate::cloud::{Id, encode, existing, make_workdir, object, parse_time, ready_or_ended};
use crate::{
    CreateOptions, Error, ErrorKind, ListOptions, NetworkPolicy, ProviderCapabilities, ProviderMetadata,
    ResourceLimits, Result, Sandbox, SandboxInfo, SandboxPage, SandboxProvider, SandboxState,
};

/// The sandbox's variable that stores its working directory.
const WORKDIR: &str = "SANDSHELL_WORKDIR";

/// The most requests to extend a sandbox's life. Each extends it by as much as the service allows at once.
const EXTENSIONS: usize = 64;

/// Deno Sandbox.
#[derive(Debug)]
pub struct DenoProvider(Arc<Api>);

impl DenoProvider {
    /// Makes a client. Nothing is sent until it is used.
    ///
    /// # Errors
    ///
    /// `Unexpected` if TLS cannot be set up.
    pub fn new(options: DenoOptions) -> Result<Self> {
        Ok(Self(Arc::new(Api::new(options)?)))
    }

    async fn create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let memory = options.limits.memory;
        if options.limits != (ResourceLimits { memory, ..ResourceLimits::default() }) {
            return Err(self.unsupported("limits other than memory"));
        }
        if options.network == NetworkPolicy::Blocked {
            return Err(self.unsupported("a blocked network"));
        }
        let stop = SystemTime::now().checked_add(options.ttl.unwrap_or(self.0.options.ttl));
        let stop = stop.ok_or_else(|| Error::invalid_request("the time to live is too long"))?;
        let mut config = json!({
            // All times in the config are in milliseconds.
            "stop_at_ms": milliseconds(stop),
            "labels": object(&options.labels),
        });
        if let Some(memory) = memory {
            config["memory_mb"] = json!(memory.div_ceil(1 << 20));
        }
        if let Some(root) = &options.snapshot {
            config["root"] = json!({"volume": root});
        }
        let (socket, id) = create(&self.0, &config).await?;
        let rpc = Arc::new(Rpc::new(self.0.clone(), socket));
        let mut sandbox = DenoSandbox::new(self.0.clone(), id, rpc.clone());
        let id = sandbox.id().to_owned();
        ready_or_ended(self.prepare(&rpc, &mut sandbox, options), self.delete(id.as_str())).await?;
        Ok(Arc::new(sandbox))
    }

    /// Sets the variables and the working directory.
    async fn prepare(&self, rpc: &Rpc, sandbox: &mut DenoSandbox, options: CreateOptions) -> Result<()> {
        let deadline = Some(self.0.options.client.deadline);
        let workdir = options.workdir.clone().map(|workdir| (WORKDIR.to_owned(), workdir));
        for (name, value) in options.env.into_iter().chain(workdir) {
            let set = rpc.call("envSet", json!({"key": name, "value": value}), deadline).await;
            set.map_err(|failure| rpc.error(failure))?;
        }
        if let Some(workdir) = options.workdir {
            make_workdir(&*sandbox, &workdir).await?;
            sandbox.workdir = Some(workdir);
        }
        Ok(())
    }
}

#[async_trait]
impl SandboxProvider for DenoProvider {
    fn metadata(&self) -> ProviderMetadata {
        let capabilities = ProviderCapabilities {
            reattach: true,
            list: true,
            labels: true,
            ttl: true,
            env: true,
            workdir: true,
            ..ProviderCapabilities::NONE
        };
        ProviderMetadata::new(NAME, "/home/app", capabilities)
    }

    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let Some(id) = &existing(&options)? else { return self.create(options).await };
        let rpc = Arc::new(Rpc::new(self.0.clone(), connect(&self.0, id).await?));
        let mut sandbox = DenoSandbox::new(self.0.clone(), id.clone(), rpc.clone());
        let deadline = Some(self.0.options.client.deadline);
        let workdir = rpc.call("envGet", json!({"key": WORKDIR}), deadline).await;
        let workdir = workdir.map_err(|failure| rpc.error(failure))?;
        sandbox.workdir = workdir.as_str().map(str::to_owned);
        Ok(Arc::new(sandbox))
    }

    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        let names: Vec<String> =
            options.labels.iter().map(|(name, _)| format!("labels%5B{}%5D", encode(name))).collect();
        let values = options.labels.iter().map(|(_, value)| value.clone());
        let mut pairs: Vec<(&str, String)> = names.iter().map(String::as_str).zip(values).collect();
        if let Some(limit) = options.limit {
            pairs.push(("limit", limit.clamp(1, 100).to_string()));
        }
        if let Some(cursor) = options.cursor {
            pairs.push(("cursor", cursor));
        }
        let (listed, next) = self.0.list(&pairs).await?;
        Ok(SandboxPage::new(listed.into_iter().map(info).collect(), next))
    }

    async fn delete(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.kill(id).await
    }

    /// The service can only extend a sandbox's life, and only by so much at once, so it is asked repeatedly.
    async fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        let id = &Id::new(id)?;
        let ttl = ttl.ok_or_else(|| self.unsupported("a sandbox that never ends"))?;
        let stop = SystemTime::now().checked_add(ttl).map(milliseconds);
        let stop = stop.ok_or_else(|| Error::invalid_request("the time to live is too long"))?;
        let mut given = 0;
        for _ in 0..EXTENSIONS {
            let before = given;
            given = self.0.extend(id, stop).await?;
            if given >= stop {
                return Ok(());
            }
            if given <= before {
                break;
            }
        }
        Err(self
            .0
            .http
            .error(ErrorKind::QuotaExceeded, "the service does not let the sandbox live that long"))
    }
}

fn info(listed: Listed) -> SandboxInfo {
    let state = match listed.status.as_deref() {
        Some("running") => SandboxState::Running,
        Some("stopped") => SandboxState::Ended,
        _ => SandboxState::Unknown,
    };
    let mut info = SandboxInfo::new(listed.id, state);
    info.created_at = listed.created_at.as_deref().and_then(parse_time);
    info
}

/// Milliseconds since 1970.
fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
