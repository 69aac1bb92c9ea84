//! Creates, lists and deletes sandboxes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use reqwest::Method;
use serde_json::{Value, json};

use super::api::{Api, Info, NAME, SandboxWithSession, Taken, WORKDIR};
use super::options::VercelOptions;
use super::sandbox::VercelSandbox;
use crate::cloud::{Id, existing, make_workdir, object, ready_or_ended, unique};
use crate::{
    CreateOptions, ErrorKind, ListOptions, NetworkPolicy, ProviderCapabilities, ProviderMetadata,
    ResourceLimits, Result, Sandbox, SandboxInfo, SandboxPage, SandboxProvider, SandboxState, SnapshotInfo,
};

/// Vercel.
#[derive(Debug)]
pub struct VercelProvider(Arc<Api>);

impl VercelProvider {
    /// Makes a client. Nothing is sent until it is used.
    ///
    /// # Errors
    ///
    /// `Unexpected` if TLS cannot be set up.
    pub fn new(options: VercelOptions) -> Result<Self> {
        Ok(Self(Arc::new(Api::new(options)?)))
    }

    async fn create(&self, options: &CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let name = format!("sandshell-{}", unique());
        let created = self.0.create(&self.body(&name, options)?).await?;
        let ready = async {
            let sandbox = self.handle(self.0.reach(created).await?)?;
            if let Some(workdir) = &options.workdir {
                make_workdir(&*sandbox, workdir).await?;
            }
            Ok(sandbox)
        };
        ready_or_ended(ready, self.delete(&name)).await
    }

    fn body(&self, name: &str, options: &CreateOptions) -> Result<Value> {
        let mut body = json!({"name": name, "projectId": self.0.project()?});
        let ResourceLimits { milli_cpus, .. } = options.limits;
        if options.limits != (ResourceLimits { milli_cpus, ..ResourceLimits::default() }) {
            return Err(self.unsupported("limits but that of processors"));
        }
        if let Some(milli_cpus) = milli_cpus {
            body["resources"] = json!({"vcpus": milli_cpus.div_ceil(1000).max(1)});
        }
        let mut tags = object(&options.labels);
        if let Some(workdir) = &options.workdir {
            tags.insert(WORKDIR.to_owned(), Value::from(workdir.as_str()));
        }
        if !tags.is_empty() {
            body["tags"] = Value::Object(tags);
        }
        if !options.env.is_empty() {
            body["env"] = Value::Object(object(&options.env));
        }
        if let Some(ttl) = options.ttl {
            body["timeout"] = json!(milliseconds(ttl));
        }
        if let Some(snapshot) = &options.snapshot {
            body["source"] = json!({"type": "snapshot", "snapshotId": snapshot});
        }
        match options.network {
            NetworkPolicy::ProviderDefault => {}
            NetworkPolicy::Blocked => body["networkPolicy"] = json!({"mode": "deny-all"}),
            NetworkPolicy::Open => body["networkPolicy"] = json!({"mode": "allow-all"}),
        }
        Ok(body)
    }

    fn handle(&self, found: SandboxWithSession) -> Result<Arc<dyn Sandbox>> {
        let workdir = found.sandbox.tags.unwrap_or_default().remove(WORKDIR);
        let name = Id::new(found.sandbox.name)?;
        Ok(Arc::new(VercelSandbox::new(self.0.clone(), name, found.session.id, workdir)))
    }

    /// Stops the session; the files stay.
    async fn stop(&self, session: &Id) -> Result<()> {
        let call = self.0.within(Method::POST, session, "/stop")?.json(&json!({})).repeatable();
        match self.0.http.send(call).await {
            // The session has already stopped.
            Err(error) if error.kind() == ErrorKind::SandboxEnded => Ok(()),
            done => done.map(drop),
        }
    }
}

#[async_trait]
impl SandboxProvider for VercelProvider {
    fn metadata(&self) -> ProviderMetadata {
        let capabilities = ProviderCapabilities {
            reattach: true,
            list: true,
            labels: true,
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
        ProviderMetadata::new(NAME, "/vercel/sandbox", capabilities)
    }

    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let Some(id) = &existing(&options)? else { return self.create(&options).await };
        self.handle(self.0.wake(id).await?)
    }

    /// The service filters by one tag. Further labels are compared here, so a page may hold fewer sandboxes than
    /// its limit.
    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        let mut pairs = vec![
            ("project", self.0.project()?.to_owned()),
            ("sortBy", "createdAt".to_owned()),
            ("sortOrder", "asc".to_owned()),
        ];
        if let Some((name, value)) = options.labels.first() {
            pairs.push(("tags", format!("{name}:{value}")));
        }
        if let Some(limit) = options.limit {
            pairs.push(("limit", limit.clamp(1, 50).to_string()));
        }
        if let Some(cursor) = options.cursor {
            pairs.push(("cursor", cursor));
        }
        let page = self.0.list(&pairs).await?;
        let wanted = |info: &SandboxInfo| options.labels.iter().all(|label| info.labels.contains(label));
        let next = page.pagination.next.filter(|next| !next.is_empty());
        Ok(SandboxPage::new(page.sandboxes.into_iter().map(info).filter(wanted).collect(), next))
    }

    async fn delete(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.http.remove(self.0.about(Method::DELETE, id, "", &[])?).await.map(drop)
    }

    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        let id = &Id::new(id)?;
        let session = self.0.wake(id).await?.session.id;
        let answer = self.0.act(&session, "/snapshot", &json!({})).await?;
        let taken: Taken = self.0.http.parse(&answer)?;
        // Taking the snapshot has stopped the session.
        self.0.wake(id).await?;
        let mut info = SnapshotInfo::new(taken.snapshot.id);
        info.name = name.map(str::to_owned);
        Ok(info)
    }

    /// The next session begins from the snapshot.
    async fn restore(&self, id: &str, snapshot: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.stop(&self.0.get(id, false).await?.session.id).await?;
        let call = self.0.about(Method::PATCH, id, "", &[])?.json(&json!({"currentSnapshotId": snapshot}));
        self.0.http.send(call.repeatable()).await?;
        self.0.wake(id).await.map(drop)
    }

    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        let snapshot = &Id::new(snapshot)?;
        let path = format!("/v2/sandboxes/snapshots/{snapshot}");
        self.0.http.remove(self.0.call(Method::DELETE, &path, &[])?).await.map(drop)
    }

    async fn fork(&self, id: &str) -> Result<Arc<dyn Sandbox>> {
        let id = &Id::new(id)?;
        let tags = self.0.get(id, false).await?.sandbox.tags.unwrap_or_default();
        let body = json!({"name": format!("sandshell-{}", unique()), "tags": tags});
        let answer = self.0.http.send(self.0.about(Method::POST, id, "/fork", &[])?.json(&body)).await?;
        self.handle(self.0.reach(self.0.http.parse(&answer)?).await?)
    }

    async fn pause(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.stop(&self.0.get(id, false).await?.session.id).await
    }

    async fn resume(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        self.0.wake(id).await.map(drop)
    }

    async fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        let id = &Id::new(id)?;
        let ttl = ttl.ok_or_else(|| self.unsupported("a sandbox that never stops"))?;
        let session = self.0.wake(id).await?.session;
        let start = session.started_at.map(Duration::from_millis).unwrap_or_default();
        let end = start.saturating_add(Duration::from_millis(session.timeout));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let more = now.saturating_add(ttl).saturating_sub(end);
        if more.is_zero() {
            return Err(self.unsupported("an end that comes earlier than it did"));
        }
        let body = json!({"duration": milliseconds(more)});
        self.0.act(&session.id, "/extend-timeout", &body).await.map(drop)
    }
}

fn info(info: Info) -> SandboxInfo {
    let state = match info.status.as_str() {
        "running" | "snapshotting" => SandboxState::Running,
        "pending" => SandboxState::Starting,
        "stopped" | "stopping" => SandboxState::Paused,
        "failed" | "aborted" => SandboxState::Ended,
        _ => SandboxState::Unknown,
    };
    let mut listed = SandboxInfo::new(info.name, state);
    listed.labels = info.tags.unwrap_or_default().into_iter().filter(|(name, _)| name != WORKDIR).collect();
    listed.created_at = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(info.created_at));
    listed
}

/// Whole milliseconds, at least one.
fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}
