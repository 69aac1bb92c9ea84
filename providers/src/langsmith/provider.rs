//! Creates, lists and deletes sandboxes.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::Method;
use serde_json::{Value, json};

use super::api::{Api, DataPlane, Info, NAME, WORKDIR};
use super::options::LangSmithOptions;
use super::sandbox::LangSmithSandbox;
use crate::cloud::{Id, existing, make_workdir, object, parse_time, ready_or_ended, unique};
use crate::{
    CreateOptions, ListOptions, NetworkPolicy, ProviderCapabilities, ProviderMetadata, ResourceLimits,
    Result, Sandbox, SandboxInfo, SandboxPage, SandboxProvider, SandboxState, SnapshotInfo,
};

/// LangSmith.
#[derive(Debug)]
pub struct LangSmithProvider(Arc<Api>);

impl LangSmithProvider {
    /// Makes a client. Nothing is sent until it is used.
    ///
    /// # Errors
    ///
    /// `Unexpected` if TLS cannot be set up.
    pub fn new(options: LangSmithOptions) -> Result<Self> {
        Ok(Self(Arc::new(Api::new(options)?)))
    }

    async fn create(&self, options: &CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let created = self.0.create(&self.body(options)?).await?;
        let id = created.id.clone();
        let ready = async {
            let sandbox = self.handle(self.0.reach(created, "ready").await?)?;
            if let Some(workdir) = &options.workdir {
                make_workdir(&*sandbox, workdir).await?;
            }
            Ok(sandbox)
        };
        ready_or_ended(ready, self.delete(id.as_str())).await
    }

    fn body(&self, options: &CreateOptions) -> Result<Value> {
        if options.network != NetworkPolicy::ProviderDefault {
            return Err(self.unsupported("network"));
        }
        let mut body =
            json!({"wait_for_ready": true, "timeout": self.0.options.client.ready_timeout.as_secs()});
        let ResourceLimits { memory, milli_cpus, disk, .. } = options.limits;
        if options.limits != (ResourceLimits { memory, milli_cpus, disk, ..ResourceLimits::default() }) {
            return Err(self.unsupported("limits but those of memory, processors and disk"));
        }
        if let Some(memory) = memory {
            body["mem_bytes"] = json!(memory);
        }
        if let Some(milli_cpus) = milli_cpus {
            body["vcpus"] = json!(milli_cpus.div_ceil(1000).max(1));
        }
        if let Some(disk) = disk {
            body["fs_capacity_bytes"] = json!(disk);
        }
        let mut labels = object(&options.labels);
        if let Some(workdir) = &options.workdir {
            labels.insert(WORKDIR.to_owned(), Value::from(workdir.as_str()));
        }
        if !labels.is_empty() {
            body["labels"] = Value::Object(labels);
        }
        if !options.env.is_empty() {
            body["env_vars"] = Value::Object(object(&options.env));
        }
        if let Some(snapshot) = &options.snapshot {
            // Anything that does not look like an id is a name.
            let kind = if is_uuid(snapshot) { "snapshot_id" } else { "snapshot_name" };
            body[kind] = json!(snapshot);
        }
        if let Some(ttl) = options.ttl {
            body["idle_ttl_seconds"] = json!(minutes(ttl));
            body["delete_after_stop_seconds"] = json!(60);
        }
        Ok(body)
    }

    fn handle(&self, mut info: Info) -> Result<Arc<dyn Sandbox>> {
        let workdir = info.labels.as_mut().and_then(|labels| labels.remove(WORKDIR));
        let data = Arc::new(DataPlane::new(self.0.clone(), info)?);
        Ok(Arc::new(LangSmithSandbox { data, workdir }))
    }

    async fn wake(&self, id: &Id) -> Result<Info> {
        let info = self.0.get(id).await?;
        if info.status == "stopped" {
            self.0.change(Method::POST, &format!("/boxes/{id}/start"), &json!({})).await?;
            return self.0.reach(self.0.get(id).await?, "ready").await;
        }
        self.0.reach(info, "ready").await
    }
}

#[async_trait]
impl SandboxProvider for LangSmithProvider {
    fn metadata(&self) -> ProviderMetadata {
        let capabilities = ProviderCapabilities {
            reattach: true,
            list: true,
            labels: true,
            snapshot: true,
            pause: true,
            ttl: true,
            env: true,
            workdir: true,
            ..ProviderCapabilities::NONE
        };
        ProviderMetadata::new(NAME, "/root", capabilities)
    }

    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let Some(id) = &existing(&options)? else { return self.create(&options).await };
        self.handle(self.wake(id).await?)
    }

    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        let mut pairs: Vec<(&str, String)> =
            options.labels.iter().map(|(name, value)| ("label", format!("{name}={value}"))).collect();
        if let Some(limit) = options.limit {
            pairs.push(("page_size", limit.clamp(1, 100).to_string()));
        }
        if let Some(cursor) = options.cursor {
            pairs.push(("cursor", cursor));
        }
        let page = self.0.list(&pairs).await?;
        let next = page.next_cursor.filter(|cursor| !cursor.is_empty());
        Ok(SandboxPage::new(page.items.into_iter().map(info).collect(), next))
    }

    async fn delete(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.remove(&format!("/boxes/{id}")).await
    }

    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        let id = &Id::new(id)?;
        let own = name.map_or_else(|| format!("sandshell-{}", unique()), str::to_owned);
        let mut info = SnapshotInfo::new(self.0.snapshot(id, &own).await?.id);
        info.name = name.map(str::to_owned);
        Ok(info)
    }

    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        let snapshot = &Id::new(snapshot)?;
        self.0.remove(&format!("/snapshots/{snapshot}")).await
    }

    async fn pause(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.change(Method::POST, &format!("/boxes/{id}/stop"), &json!({})).await?;
        self.0.reach(self.0.get(id).await?, "stopped").await.map(drop)
    }

    async fn resume(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.wake(id).await.map(drop)
    }

    async fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        let id = &Id::new(id)?;
        let body = match ttl {
            None => json!({"idle_ttl_seconds": 0}),
            Some(ttl) => json!({"idle_ttl_seconds": minutes(ttl), "delete_after_stop_seconds": 60}),
        };
        self.0.change(Method::PATCH, &format!("/boxes/{id}"), &body).await.map(drop)
    }
}

fn info(info: Info) -> SandboxInfo {
    let state = match info.status.as_str() {
        "ready" => SandboxState::Running,
        "stopped" => SandboxState::Paused,
        "provisioning" => SandboxState::Starting,
        "failed" => SandboxState::Ended,
        _ => SandboxState::Unknown,
    };
    let mut listed = SandboxInfo::new(info.id, state);
    listed.labels = info.labels.unwrap_or_default().into_iter().filter(|(name, _)| name != WORKDIR).collect();
    listed.created_at = info.created_at.as_deref().and_then(parse_time);
    listed
}

fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Seconds of whole minutes, rounded up.
fn minutes(time: Duration) -> u64 {
    time.as_secs().div_ceil(60).max(1).saturating_mul(60)
}
