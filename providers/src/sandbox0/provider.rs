//! Creates, lists and deletes sandboxes.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::api::{Api, Info, NAME};
use super::options::Sandbox0Options;
use super::sandbox::{Sandbox0Sandbox, WORKDIR};
use crate::cloud::{Id, existing, make_workdir, parse_time, ready_or_ended};
use crate::{
    CreateOptions, Error, ExecuteRequest, ListOptions, NetworkPolicy, ProviderCapabilities, ProviderMetadata,
    ResourceLimits, Result, Sandbox, SandboxInfo, SandboxPage, SandboxProvider, SandboxState, SnapshotInfo,
};

/// The prefix of the ids of root filesystem snapshots. Any other name is that of a template.
const SNAPSHOT: &str = "snap";

/// The default number of sandboxes on a page.
const PAGE: usize = 50;

/// Sandbox0.
#[derive(Debug)]
pub struct Sandbox0Provider(Arc<Api>);

impl Sandbox0Provider {
    /// Makes a client. Nothing is sent until it is used.
    ///
    /// # Errors
    ///
    /// `Unexpected` if TLS cannot be set up.
    pub fn new(options: Sandbox0Options) -> Result<Self> {
        Ok(Self(Arc::new(Api::new(options)?)))
    }

    async fn create(&self, options: &CreateOptions) -> Result<Arc<dyn Sandbox>> {
        if !options.labels.is_empty() {
            return Err(self.unsupported("labels"));
        }
        let claimed = self.0.claim(&self.claim(options)?).await?;
        let id = claimed.id.clone();
        let ready = async {
            let info = self.0.reach(claimed, "running").await?;
            let sandbox = self.handle(info, options.workdir.clone());
            if let Some(workdir) = &options.workdir {
                make_workdir(&*sandbox, workdir).await?;
            }
            Ok(sandbox)
        };
        ready_or_ended(ready, self.delete(id.as_str())).await
    }

    fn claim(&self, options: &CreateOptions) -> Result<Value> {
        let mut config = json!({"auto_resume": true});
        let ResourceLimits { memory, .. } = options.limits;
        if options.limits != (ResourceLimits { memory, ..ResourceLimits::default() }) {
            return Err(self.unsupported("limits but that of memory"));
        }
        if let Some(memory) = memory {
            config["resources"] = json!({"memory": format!("{}Mi", memory.div_ceil(1 << 20))});
        }
        let mut env: Map<String, Value> =
            options.env.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
        if let Some(workdir) = &options.workdir {
            env.insert(WORKDIR.to_owned(), Value::from(workdir.as_str()));
        }
        if !env.is_empty() {
            config["env_vars"] = Value::Object(env);
        }
        if let Some(ttl) = options.ttl {
            config["hard_ttl"] = Value::from(seconds(ttl));
        }
        match options.network {
            NetworkPolicy::ProviderDefault => {}
            NetworkPolicy::Blocked => config["network"] = json!({"mode": "block-all"}),
            NetworkPolicy::Open => config["network"] = json!({"mode": "allow-all"}),
        }
        let mut body = json!({"template": self.0.options.template, "config": config});
        match &options.snapshot {
            Some(snapshot) if snapshot.starts_with(SNAPSHOT) => body["snapshot_id"] = json!(snapshot),
            Some(template) => body["template"] = json!(template),
            None => {}
        }
        Ok(body)
    }

    fn handle(&self, info: Info, workdir: Option<String>) -> Arc<dyn Sandbox> {
        Arc::new(Sandbox0Sandbox { api: self.0.clone(), id: info.id, workdir })
    }

    /// A handle with the working directory that the sandbox was created with.
    async fn existing_handle(&self, info: Info) -> Result<Arc<dyn Sandbox>> {
        let sandbox = Sandbox0Sandbox { api: self.0.clone(), id: info.id, workdir: None };
        let printed = sandbox.execute(ExecuteRequest::new(format!("printf %s \"${WORKDIR}\""))).await?;
        let workdir = String::from_utf8_lossy(&printed.stdout).into_owned();
        Ok(Arc::new(Sandbox0Sandbox { workdir: Some(workdir).filter(|path| !path.is_empty()), ..sandbox }))
    }

    async fn wake(&self, id: &Id) -> Result<Info> {
        let info = self.0.get(id).await?;
        if info.status == "paused" {
            self.0.http.success(self.0.act(id, "resume", &json!({})).await?)?;
            return self.0.reach(self.0.get(id).await?, "running").await;
        }
        self.0.reach(info, "running").await
    }
}

#[async_trait]
impl SandboxProvider for Sandbox0Provider {
    fn metadata(&self) -> ProviderMetadata {
        let capabilities = ProviderCapabilities {
            reattach: true,
            list: true,
            snapshot: true,
            restore: true,
            fork: true,
            pause: true,
            ttl: true,
            env: true,
            workdir: true,
            network: true,
            ..ProviderCapabilities::NONE
        };
        ProviderMetadata::new(NAME, "/workspace", capabilities)
    }

    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let Some(id) = &existing(&options)? else { return self.create(&options).await };
        self.existing_handle(self.wake(id).await?).await
    }

    /// The service's pages have offsets, so a cursor is a number of sandboxes.
    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        if !options.labels.is_empty() {
            return Err(self.unsupported("labels"));
        }
        let offset = match &options.cursor {
            None => 0,
            Some(cursor) => cursor
                .parse::<usize>()
                .map_err(|_| Error::invalid_request(format!("{cursor:?} is no cursor of this provider")))?,
        };
        let page = self.0.list(options.limit.unwrap_or(PAGE).clamp(1, PAGE), offset).await?;
        let next = offset.saturating_add(page.sandboxes.len());
        let next = (page.has_more && !page.sandboxes.is_empty()).then(|| next.to_string());
        let alive = page.sandboxes.into_iter().map(info).filter(|info| info.state != SandboxState::Ended);
        Ok(SandboxPage::new(alive.collect(), next))
    }

    /// The service answers 202: the sandbox ends in the background.
    async fn delete(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.remove(&format!("/sandboxes/{id}")).await
    }

    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        let id = &Id::new(id)?;
        let body = name.map_or_else(|| json!({}), |name| json!({"name": name}));
        let taken: super::api::Snapshot = self.0.data(self.0.act(id, "snapshots", &body).await?)?;
        let mut info = SnapshotInfo::new(taken.id);
        info.name = name.map(str::to_owned);
        Ok(info)
    }

    async fn restore(&self, id: &str, snapshot: &str) -> Result<()> {
        let id = &Id::new(id)?;
        let answer = self.0.act(id, "rootfs/restore", &json!({"snapshot_id": snapshot})).await?;
        self.0.http.success(answer)?;
        self.wake(id).await.map(drop)
    }

    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        let snapshot = &Id::new(snapshot)?;
        self.0.remove(&format!("/sandbox-rootfs-snapshots/{snapshot}")).await
    }

    async fn fork(&self, id: &str) -> Result<Arc<dyn Sandbox>> {
        let id = &Id::new(id)?;
        #[derive(serde::Deserialize)]
        struct Forked {
            sandbox: Info,
        }
        let forked: Forked = self.0.data(self.0.act(id, "fork", &json!({})).await?)?;
        // A fork begins paused.
        self.existing_handle(self.wake(&forked.sandbox.id).await?).await
    }

    async fn pause(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.http.success(self.0.act(id, "pause", &json!({})).await?)?;
        self.0.reach(self.0.get(id).await?, "paused").await.map(drop)
    }

    async fn resume(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.wake(id).await.map(drop)
    }

    async fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.update(id, &json!({"hard_ttl": ttl.map_or(0, seconds)})).await
    }
}

fn info(info: Info) -> SandboxInfo {
    let state = match info.status.as_str() {
        "running" => SandboxState::Running,
        "paused" => SandboxState::Paused,
        "starting" => SandboxState::Starting,
        "terminating" | "failed" => SandboxState::Ended,
        _ => SandboxState::Unknown,
    };
    let mut listed = SandboxInfo::new(info.id, state);
    listed.created_at = info.created_at.as_deref().and_then(parse_time);
    listed
}

/// Whole seconds, at least one.
fn seconds(time: Duration) -> u64 {
    time.as_secs().max(1)
}
