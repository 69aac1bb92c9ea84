//! Creates, lists and deletes sandboxes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::{Value, json};

use super::api::{Api, Created, Detail, Envd, NAME, WORKDIR};
use super::options::E2bOptions;
use super::sandbox::E2bSandbox;
use crate::cloud::{
    Id, encode, existing, make_workdir, object, parse_time, ready_or_ended, segment_of_parts,
};
use crate::{
    CreateOptions, ListOptions, NetworkPolicy, ProviderCapabilities, ProviderMetadata, ResourceLimits,
    Result, Sandbox, SandboxInfo, SandboxPage, SandboxProvider, SandboxState, SnapshotInfo,
};

/// E2B.
#[derive(Debug)]
pub struct E2bProvider(Arc<Api>);

impl E2bProvider {
    /// Makes a client. Nothing is sent until it is used.
    ///
    /// # Errors
    ///
    /// `Unexpected` if TLS cannot be set up.
    pub fn new(options: E2bOptions) -> Result<Self> {
        Ok(Self(Arc::new(Api::new(options)?)))
    }

    async fn create(&self, options: &CreateOptions) -> Result<Arc<dyn Sandbox>> {
        if options.limits != ResourceLimits::default() {
            return Err(self.unsupported("limits: they belong to the template"));
        }
        let mut body = json!({
            "templateID": options.snapshot.as_ref().unwrap_or(&self.0.options.template),
            "timeout": seconds(options.ttl.unwrap_or(self.0.options.ttl)),
        });
        let mut metadata = object(&options.labels);
        if let Some(workdir) = &options.workdir {
            metadata.insert(WORKDIR.to_owned(), Value::from(workdir.as_str()));
        }
        if !metadata.is_empty() {
            body["metadata"] = Value::Object(metadata);
        }
        if !options.env.is_empty() {
            body["envVars"] = Value::Object(object(&options.env));
        }
        match options.network {
            NetworkPolicy::ProviderDefault => {}
            NetworkPolicy::Blocked => body["allow_internet_access"] = Value::from(false),
            NetworkPolicy::Open => body["allow_internet_access"] = Value::from(true),
        }
        let created = self.0.create(&body).await?;
        let sandbox = self.handle(created, options.workdir.clone())?;
        let prepared = async {
            match &options.workdir {
                Some(workdir) => make_workdir(&*sandbox, workdir).await,
                None => Ok(()),
            }
        };
        ready_or_ended(prepared, self.delete(sandbox.id())).await?;
        Ok(sandbox)
    }

    fn handle(&self, created: Created, workdir: Option<String>) -> Result<Arc<dyn Sandbox>> {
        Ok(Arc::new(E2bSandbox { envd: Arc::new(Envd::new(self.0.clone(), created)?), workdir }))
    }

    /// The time in seconds that a sandbox has left, so that reattaching does not change its end.
    fn time_left(&self, detail: &Detail) -> u64 {
        if detail.state.as_deref() == Some("paused") {
            return seconds(self.0.options.ttl);
        }
        let end = detail.end_at.as_deref().and_then(parse_time);
        let left = end.and_then(|end| end.duration_since(SystemTime::now()).ok());
        left.map_or(1, |left| left.as_secs().max(1))
    }
}

#[async_trait]
impl SandboxProvider for E2bProvider {
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
        ProviderMetadata::new(NAME, "/home/user", capabilities)
    }

    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let Some(id) = &existing(&options)? else { return self.create(&options).await };
        let detail = self.0.detail(id).await?;
        let created = self.0.connect(id, self.time_left(&detail)).await?;
        let workdir = detail.metadata.unwrap_or_default().remove(WORKDIR);
        self.handle(created, workdir)
    }

    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        let mut pairs = vec![("state", "running,paused".to_owned())];
        if !options.labels.is_empty() {
            pairs.push(("metadata", metadata_filter(&options.labels)));
        }
        if let Some(limit) = options.limit {
            pairs.push(("limit", limit.clamp(1, 100).to_string()));
        }
        if let Some(cursor) = options.cursor {
            pairs.push(("nextToken", cursor));
        }
        let (details, next) = self.0.list(&pairs).await?;
        Ok(SandboxPage::new(details.into_iter().map(info).collect(), next))
    }

    async fn delete(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.remove(&format!("/sandboxes/{id}")).await.map(drop)
    }

    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        let id = &Id::new(id)?;
        let mut info = SnapshotInfo::new(self.0.snapshot(id, name).await?.id);
        info.name = name.map(str::to_owned);
        Ok(info)
    }

    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        self.0.remove(&format!("/templates/{}", segment_of_parts(snapshot)?)).await.map(drop)
    }

    async fn fork(&self, id: &str) -> Result<Arc<dyn Sandbox>> {
        let id = &Id::new(id)?;
        let detail = self.0.detail(id).await?;
        let created = self.0.fork(id, self.time_left(&detail)).await?;
        self.handle(created, detail.metadata.unwrap_or_default().remove(WORKDIR))
    }

    async fn pause(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        let answer = self.0.act(id, "pause", &json!({})).await?;
        // The sandbox is already paused.
        if answer.status == 409 { Ok(()) } else { self.0.succeeded(answer).map(drop) }
    }

    async fn resume(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        let detail = self.0.detail(id).await?;
        self.0.connect(id, self.time_left(&detail)).await.map(drop)
    }

    async fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        let id = &Id::new(id)?;
        let ttl = ttl.ok_or_else(|| self.unsupported("a sandbox that never ends"))?;
        self.0.succeeded(self.0.act(id, "timeout", &json!({"timeout": seconds(ttl)})).await?).map(drop)
    }
}

fn info(detail: Detail) -> SandboxInfo {
    let state = match detail.state.as_deref() {
        Some("running") | None => SandboxState::Running,
        Some("paused") => SandboxState::Paused,
        Some(_) => SandboxState::Unknown,
    };
    let mut info = SandboxInfo::new(detail.id, state);
    let metadata = detail.metadata.unwrap_or_default();
    info.labels = metadata.into_iter().filter(|(name, _)| name != WORKDIR).collect();
    info.created_at = detail.started_at.as_deref().and_then(parse_time);
    info
}

/// Names and values are encoded twice, in addition to the query's own encoding.
fn metadata_filter(labels: &[(String, String)]) -> String {
    let twice = |text: &str| encode(&encode(text)).into_owned();
    let pairs: Vec<String> =
        labels.iter().map(|(name, value)| format!("{}={}", twice(name), twice(value))).collect();
    pairs.join("&")
}

/// Whole seconds, at least one.
fn seconds(time: Duration) -> u64 {
    time.as_secs().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_encoded_as_the_service_decodes_it() {
        let labels = [("k".to_owned(), "v v".to_owned())];
        assert_eq!(encode(&metadata_filter(&labels)), "k%3Dv%252520v");
    }
}
