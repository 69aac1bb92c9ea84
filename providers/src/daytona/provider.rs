//! Creates, lists and deletes sandboxes.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::api::{Api, Info, NAME, Toolbox, WORKDIR};
use super::options::DaytonaOptions;
use super::sandbox::DaytonaSandbox;
use crate::cloud::{Id, existing, make_workdir, object, parse_time, ready_or_ended, unique};
use crate::{
    CreateOptions, ListOptions, NetworkPolicy, ProviderCapabilities, ProviderMetadata, ResourceLimits,
    Result, Sandbox, SandboxInfo, SandboxPage, SandboxProvider, SandboxState, SnapshotInfo,
};

/// Daytona.
#[derive(Debug)]
pub struct DaytonaProvider(Arc<Api>);

impl DaytonaProvider {
    /// Makes a client. Nothing is sent until it is used.
    ///
    /// # Errors
    ///
    /// `Unexpected` if TLS cannot be set up.
    pub fn new(options: DaytonaOptions) -> Result<Self> {
        Ok(Self(Arc::new(Api::new(options)?)))
    }

    async fn create(&self, options: &CreateOptions) -> Result<Arc<dyn Sandbox>> {
        if options.limits != ResourceLimits::default() {
            return Err(self.unsupported("limits: they belong to the snapshot"));
        }
        let mut labels = object(&options.labels);
        if let Some(workdir) = &options.workdir {
            labels.insert(WORKDIR.to_owned(), Value::from(workdir.as_str()));
        }
        let mut body = json!({"env": object(&options.env), "labels": labels});
        if let Some(snapshot) = &options.snapshot {
            body["snapshot"] = Value::from(snapshot.as_str());
        }
        if let Some(target) = &self.0.options.target {
            body["target"] = Value::from(target.as_str());
        }
        if let Some(ttl) = options.ttl {
            body["ttlMinutes"] = Value::from(minutes(ttl));
        }
        match options.network {
            NetworkPolicy::ProviderDefault => {}
            NetworkPolicy::Blocked => body["networkBlockAll"] = Value::from(true),
            NetworkPolicy::Open => body["networkBlockAll"] = Value::from(false),
        }
        let created = self.0.create(&body).await?;
        let id = created.id.clone();
        ready_or_ended(self.ready(created, options.workdir.as_deref()), self.delete(id.as_str())).await
    }

    async fn ready(&self, created: Info, workdir: Option<&str>) -> Result<Arc<dyn Sandbox>> {
        let sandbox = self.handle(self.0.reach(created, &["started"]).await?).await?;
        if let Some(workdir) = workdir {
            make_workdir(&*sandbox, workdir).await?;
        }
        Ok(sandbox)
    }

    async fn handle(&self, mut info: Info) -> Result<Arc<dyn Sandbox>> {
        let workdir = info.labels.remove(WORKDIR);
        let toolbox = Arc::new(Toolbox::new(self.0.clone(), info).await?);
        Ok(Arc::new(DaytonaSandbox { toolbox, workdir }))
    }
}

#[async_trait]
impl SandboxProvider for DaytonaProvider {
    fn metadata(&self) -> ProviderMetadata {
        let capabilities = ProviderCapabilities {
            reattach: true,
            list: true,
            labels: true,
            snapshot: true,
            fork: true,
            pause: true,
            ttl: true,
            env: true,
            workdir: true,
            network: true,
            ..ProviderCapabilities::NONE
        };
        ProviderMetadata::new(NAME, "/home/daytona", capabilities)
    }

    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let Some(id) = &existing(&options)? else { return self.create(&options).await };
        let mut info = self.0.get(id).await?;
        if matches!(info.state.as_deref(), Some("stopped" | "paused" | "archived")) {
            self.0.act(id, "start", &Value::Null).await?;
            info = self.0.get(id).await?;
        }
        self.handle(self.0.reach(info, &["started"]).await?).await
    }

    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        let mut pairs = Vec::new();
        if !options.labels.is_empty() {
            pairs.push(("labels", Value::Object(object(&options.labels)).to_string()));
        }
        if let Some(limit) = options.limit {
            pairs.push(("limit", limit.clamp(1, 100).to_string()));
        }
        if let Some(cursor) = options.cursor {
            pairs.push(("cursor", cursor));
        }
        let (infos, next) = self.0.list(&pairs).await?;
        let alive = infos.into_iter().map(info).filter(|info| info.state != SandboxState::Ended);
        Ok(SandboxPage::new(alive.collect(), next))
    }

    async fn delete(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.remove(&format!("/sandbox/{id}")).await
    }

    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        let id = &Id::new(id)?;
        let own = name.map_or_else(|| format!("sandshell-{}", unique()), str::to_owned);
        self.0.act(id, "snapshot", &json!({"name": own})).await?;
        self.0.reach(self.0.get(id).await?, &["started", "stopped", "paused", "archived"]).await?;
        let mut info = SnapshotInfo::new(own);
        info.name = name.map(str::to_owned);
        Ok(info)
    }

    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        let snapshot = &Id::new(snapshot)?;
        self.0.remove(&format!("/snapshots/{snapshot}")).await
    }

    async fn fork(&self, id: &str) -> Result<Arc<dyn Sandbox>> {
        let id = &Id::new(id)?;
        let fork = self.0.fork(id).await?;
        self.handle(self.0.reach(fork, &["started"]).await?).await
    }

    async fn pause(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.act(id, "pause", &Value::Null).await?;
        self.0.reach(self.0.get(id).await?, &["paused", "stopped"]).await.map(drop)
    }

    async fn resume(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        let info = self.0.get(id).await?;
        if info.state.as_deref() == Some("started") {
            return Ok(());
        }
        self.0.act(id, "start", &Value::Null).await?;
        self.0.reach(self.0.get(id).await?, &["started"]).await.map(drop)
    }

    async fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        let id = &Id::new(id)?;
        let minutes = ttl.map_or(0, minutes);
        self.0.act(id, &format!("ttl/{minutes}"), &Value::Null).await.map(drop)
    }
}

fn info(info: Info) -> SandboxInfo {
    let state = match info.state.as_deref() {
        Some("started" | "snapshotting" | "forking" | "resizing") => SandboxState::Running,
        Some("stopped" | "stopping" | "paused" | "pausing" | "archived" | "archiving") => {
            SandboxState::Paused
        }
        Some(
            "creating" | "restoring" | "starting" | "resuming" | "pending_build" | "building_snapshot"
            | "pulling_snapshot",
        ) => SandboxState::Starting,
        Some("destroyed" | "destroying") => SandboxState::Ended,
        _ => SandboxState::Unknown,
    };
    let mut listed = SandboxInfo::new(info.id, state);
    listed.labels = info.labels.into_iter().filter(|(name, _)| name != WORKDIR).collect();
    listed.created_at = info.created_at.as_deref().and_then(parse_time);
    listed
}

/// Whole minutes, rounded up.
fn minutes(time: Duration) -> u64 {
    time.as_secs().div_ceil(60).max(1)
}
