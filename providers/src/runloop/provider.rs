//! Creates, lists and deletes sandboxes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::{Value, json};

use super::api::{Api, Devbox, NAME, WORKDIR};
use super::options::RunloopOptions;
use super::sandbox::RunloopSandbox;
use crate::cloud::{Id, existing, make_workdir, object, ready_or_ended};
use crate::{
    CreateOptions, ErrorKind, ListOptions, NetworkPolicy, ProviderCapabilities, ProviderMetadata,
    ResourceLimits, Result, Sandbox, SandboxInfo, SandboxPage, SandboxProvider, SandboxState, SnapshotInfo,
};

/// Runloop.
#[derive(Debug)]
pub struct RunloopProvider(Arc<Api>);

impl RunloopProvider {
    /// Makes a client. Nothing is sent until it is used.
    ///
    /// # Errors
    ///
    /// `Unexpected` if TLS cannot be set up.
    pub fn new(options: RunloopOptions) -> Result<Self> {
        Ok(Self(Arc::new(Api::new(options)?)))
    }

    async fn create(&self, options: &CreateOptions) -> Result<Arc<dyn Sandbox>> {
        if options.limits != ResourceLimits::default() {
            return Err(self.unsupported("limits"));
        }
        if options.network != NetworkPolicy::ProviderDefault {
            return Err(self.unsupported("network"));
        }
        let mut metadata = object(&options.labels);
        if let Some(workdir) = &options.workdir {
            metadata.insert(WORKDIR.to_owned(), Value::from(workdir.as_str()));
        }
        let mut body = json!({"environment_variables": object(&options.env), "metadata": metadata});
        if let Some(snapshot) = &options.snapshot {
            // The prefix of an id tells snapshots and blueprints apart. Without a prefix it is the name of either.
            let (kind, value) = match snapshot {
                _ if snapshot.starts_with("snp_") => ("snapshot_id", snapshot.clone()),
                _ if snapshot.starts_with("bpt_") => ("blueprint_id", snapshot.clone()),
                name => match self.0.snapshot_named(name).await? {
                    Some(found) => ("snapshot_id", found.id.into()),
                    None if self.0.lacks_blueprint(name).await? => {
                        let why = format!("there is neither a snapshot nor a blueprint {name:?}");
                        return Err(self.0.http.error(ErrorKind::NotFound, why));
                    }
                    None => ("blueprint_name", name.clone()),
                },
            };
            body[kind] = Value::from(value);
        }
        if let Some(ttl) = options.ttl {
            let seconds = ttl.as_secs().max(1);
            body["launch_parameters"] = json!({"keep_alive_time_seconds": seconds});
        }
        let created = self.0.create(&body).await?;
        let id = created.id.clone();
        ready_or_ended(self.ready(created, options.workdir.as_deref()), self.delete(id.as_str())).await
    }

    async fn ready(&self, created: Devbox, workdir: Option<&str>) -> Result<Arc<dyn Sandbox>> {
        let sandbox = self.handle(self.0.reach(created, "running").await?);
        if let Some(workdir) = workdir {
            make_workdir(&*sandbox, workdir).await?;
        }
        Ok(sandbox)
    }

    fn handle(&self, mut devbox: Devbox) -> Arc<dyn Sandbox> {
        let workdir = devbox.metadata.remove(WORKDIR);
        Arc::new(RunloopSandbox { api: self.0.clone(), id: devbox.id, workdir })
    }

    async fn wake(&self, id: &Id) -> Result<Devbox> {
        let devbox = self.0.get(id).await?;
        if matches!(devbox.status.as_str(), "suspended" | "suspending") {
            self.0.http.success(self.0.act(id, "resume", &json!({})).await?)?;
            return self.0.reach(self.0.get(id).await?, "running").await;
        }
        self.0.reach(devbox, "running").await
    }
}

#[async_trait]
impl SandboxProvider for RunloopProvider {
    fn metadata(&self) -> ProviderMetadata {
        let capabilities = ProviderCapabilities {
            reattach: true,
            list: true,
            labels: true,
            snapshot: true,
            pause: true,
            create_ttl: true,
            env: true,
            workdir: true,
            ..ProviderCapabilities::NONE
        };
        ProviderMetadata::new(NAME, "/home/user", capabilities)
    }

    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let Some(id) = &existing(&options)? else { return self.create(&options).await };
        Ok(self.handle(self.wake(id).await?))
    }

    /// The service filters only by status. Labels are compared here, so a page may hold fewer sandboxes than its
    /// limit.
    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        let mut pairs = Vec::new();
        if let Some(limit) = options.limit {
            pairs.push(("limit", limit.clamp(1, 5000).to_string()));
        }
        if let Some(cursor) = options.cursor {
            pairs.push(("starting_after", cursor));
        }
        let page = self.0.list(&pairs).await?;
        let next = page.devboxes.last().filter(|_| page.has_more).map(|devbox| devbox.id.clone().into());
        let wanted = |info: &SandboxInfo| {
            info.state != SandboxState::Ended
                && options.labels.iter().all(|label| info.labels.contains(label))
        };
        Ok(SandboxPage::new(page.devboxes.into_iter().map(info).filter(wanted).collect(), next))
    }

    async fn delete(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        let answer = self.0.act(id, "shutdown", &json!({})).await?;
        match answer.status {
            200..300 | 404 => Ok(()),
            // A devbox that has already ended cannot be shut down.
            400 | 409 if matches!(self.0.get(id).await?.status.as_str(), "shutdown" | "failure") => Ok(()),
            _ => Err(self.0.http.refused(&answer)),
        }
    }

    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        let id = &Id::new(id)?;
        let mut info = SnapshotInfo::new(self.0.snapshot(id, name).await?.id);
        info.name = name.map(str::to_owned);
        Ok(info)
    }

    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        let snapshot = &Id::new(snapshot)?;
        let answer = self.0.delete_snapshot(snapshot).await?;
        self.0.http.removed(&answer).map(drop)
    }

    async fn pause(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.http.success(self.0.act(id, "suspend", &json!({})).await?)?;
        self.0.reach(self.0.get(id).await?, "suspended").await.map(drop)
    }

    async fn resume(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.wake(id).await.map(drop)
    }
}

fn info(devbox: Devbox) -> SandboxInfo {
    let state = match devbox.status.as_str() {
        "running" => SandboxState::Running,
        "suspending" | "suspended" => SandboxState::Paused,
        "scheduled" | "queued" | "provisioning" | "initializing" | "resuming" => SandboxState::Starting,
        "failure" | "shutdown" => SandboxState::Ended,
        _ => SandboxState::Unknown,
    };
    let mut listed = SandboxInfo::new(devbox.id, state);
    listed.labels = devbox.metadata.into_iter().filter(|(name, _)| name != WORKDIR).collect();
    listed.created_at = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(devbox.create_time_ms));
    listed
}
