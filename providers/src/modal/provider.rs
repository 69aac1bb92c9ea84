//! Creates, lists and deletes sandboxes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use sandshell_modal::Empty;
use sandshell_modal::control::{
    ImageDeleteRequest, NetworkAccess, NetworkAccessType, Resources, Sandbox as Definition,
    SandboxCreateV2Request, SandboxCreateV2Response, SandboxInfo as Listed, SandboxListRequest,
    SandboxListResponse, SandboxRequest, SandboxTag, SandboxTerminateResponse, SecretSource, Source,
    StringMap,
};
use sandshell_modal::router::{TaskSnapshotFilesystemRequest, TaskSnapshotFilesystemResponse};

use super::api::{Api, Router, failed, method};
use super::options::{ModalOptions, NAME};
use super::sandbox::ModalSandbox;
use crate::cloud::{Id, existing, make_workdir, ready_or_ended, unique};
use crate::{
    CreateOptions, Error, ErrorKind, ListOptions, NetworkPolicy, ProviderCapabilities, ProviderMetadata,
    ResourceLimits, Result, Sandbox, SandboxInfo, SandboxPage, SandboxProvider, SandboxState, SnapshotInfo,
};

/// The default working directory of commands.
const WORKDIR: &str = "/workspace";

/// The lifetime of a snapshot that is kept until it is deleted.
const NO_END: i64 = -1;

/// Modal.
#[derive(Debug)]
pub struct ModalProvider(Arc<Api>);

impl ModalProvider {
    /// Makes a client. Nothing is sent until it is used.
    ///
    /// # Errors
    ///
    /// None at present.
    pub fn new(options: ModalOptions) -> Result<Self> {
        Ok(Self(Arc::new(Api::new(options))))
    }

    async fn create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let (memory, milli_cpus) = (options.limits.memory, options.limits.milli_cpus);
        if options.limits != (ResourceLimits { memory, milli_cpus, ..ResourceLimits::default() }) {
            return Err(self.unsupported("limits other than memory and processors"));
        }
        let app_id = self.0.app().await?;
        let image = options.snapshot.as_ref().unwrap_or(&self.0.options.image);
        let image_id = self.0.image(&app_id, image).await?;
        let network = match options.network {
            NetworkPolicy::Blocked => NetworkAccessType::Blocked,
            NetworkPolicy::ProviderDefault | NetworkPolicy::Open => NetworkAccessType::Open,
        };
        let megabytes = memory.map(|bytes| bytes.div_ceil(1 << 20)).unwrap_or_default();
        let workdir = options.workdir.as_deref().unwrap_or(WORKDIR).to_owned();
        let definition = Definition {
            image_id,
            resources: Some(Resources {
                memory_mb: u32::try_from(megabytes).unwrap_or(u32::MAX),
                milli_cpu: milli_cpus.unwrap_or_default(),
                gpu_config: None,
            }),
            timeout_secs: seconds(options.ttl.unwrap_or(self.0.options.ttl)),
            workdir: Some(workdir.clone()),
            network_access: Some(NetworkAccess { network_access_type: network.into() }),
            ..Definition::default()
        };
        let env = StringMap { contents: options.env.iter().cloned().collect() };
        let secret_sources = if options.env.is_empty() {
            Vec::new()
        } else {
            vec![SecretSource { source: Some(Source::Env(env)) }]
        };
        let request = SandboxCreateV2Request {
            app_id,
            definition: Some(definition),
            ephemeral_secrets: None,
            tags: tags(&options.labels),
            secret_sources,
        };
        let created: SandboxCreateV2Response = self.0.call("SandboxCreateV2", request).await?;
        let id = created.sandbox_id.clone();
        let ready = async {
            let sandbox = self.attach(created).await?;
            make_workdir(&*sandbox, &workdir).await?;
            Ok(sandbox)
        };
        ready_or_ended(ready, self.delete(id.as_str())).await
    }

    /// Makes a handle from the answer to a creation. If the answer lacks details, they are requested.
    async fn attach(&self, created: SandboxCreateV2Response) -> Result<Arc<dyn Sandbox>> {
        let (api, id) = (&self.0, created.sandbox_id);
        let task = if created.task_id.is_empty() { api.task(&id).await? } else { created.task_id };
        let access = match created.command_router_access {
            Some(access) => access,
            None => api.access(&id, &task).await?,
        };
        let router = Router::new(api, &access)?;
        Ok(Arc::new(ModalSandbox::new(api.clone(), id, task, router)))
    }

    async fn sandbox(&self, id: &Id) -> Result<ModalSandbox> {
        let id = id.as_str();
        let task = self.0.task(id).await?;
        let access = self.0.access(id, &task).await?;
        let router = Router::new(&self.0, &access)?;
        Ok(ModalSandbox::new(self.0.clone(), id.to_owned(), task, router))
    }
}

#[async_trait]
impl SandboxProvider for ModalProvider {
    fn metadata(&self) -> ProviderMetadata {
        let capabilities = ProviderCapabilities {
            reattach: true,
            list: true,
            labels: true,
            snapshot: true,
            create_ttl: true,
            env: true,
            workdir: true,
            limits: true,
            network: true,
            ..ProviderCapabilities::NONE
        };
        ProviderMetadata::new(NAME, WORKDIR, capabilities)
    }

    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let Some(id) = &existing(&options)? else { return self.create(options).await };
        Ok(Arc::new(self.sandbox(id).await?))
    }

    /// The newest come first. The cursor is a creation time; the next page holds older sandboxes.
    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        let before = match &options.cursor {
            None => 0.0,
            Some(cursor) => cursor.parse().map_err(|_| {
                Error::invalid_request(format!("{cursor:?} is not a cursor of this provider"))
            })?,
        };
        let request = SandboxListRequest {
            app_id: self.0.app().await?,
            before_timestamp: before,
            include_finished: false,
            tags: tags(&options.labels),
        };
        let answer: SandboxListResponse = self.0.call("SandboxListV2", request).await?;
        let limit = options.limit.unwrap_or(usize::MAX).max(1);
        let page: Vec<&Listed> = answer.sandboxes.iter().take(limit).collect();
        // The service does not mark the last page, so only an empty page ends the list.
        let next = page.last().map(|last| last.created_at.to_string());
        Ok(SandboxPage::new(page.into_iter().map(info).collect(), next))
    }

    async fn delete(&self, id: &str) -> Result<()> {
        let id = &Id::new(id)?;
        let request = SandboxRequest { sandbox_id: id.as_str().to_owned() };
        let name = method("SandboxTerminate", id.as_str());
        let ended = self.0.call::<_, SandboxTerminateResponse>(&name, request).await;
        missing_is_done(ended.map(drop))
    }

    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        let id = &Id::new(id)?;
        let sandbox = self.sandbox(id).await?;
        let request = TaskSnapshotFilesystemRequest {
            task_id: sandbox.task.clone(),
            snapshot_id: unique(),
            ttl_seconds: Some(NO_END),
        };
        let deadline = Some(self.0.options.client.ready_timeout);
        let taken: TaskSnapshotFilesystemResponse =
            sandbox.call("TaskSnapshotFilesystem", request, deadline).await?;
        if taken.image_id.is_empty() {
            return Err(failed(ErrorKind::Unexpected, "a snapshot without an image"));
        }
        let mut info = SnapshotInfo::new(taken.image_id);
        info.name = name.map(str::to_owned);
        Ok(info)
    }

    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        let snapshot = &Id::new(snapshot)?;
        let request = ImageDeleteRequest { image_id: snapshot.as_str().to_owned() };
        missing_is_done(self.0.call::<_, Empty>("ImageDelete", request).await.map(drop))
    }
}

fn missing_is_done(done: Result<()>) -> Result<()> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

fn tags(labels: &[(String, String)]) -> Vec<SandboxTag> {
    let tag =
        |(name, value): &(String, String)| SandboxTag { tag_name: name.clone(), tag_value: value.clone() };
    labels.iter().map(tag).collect()
}

fn info(listed: &Listed) -> SandboxInfo {
    let mut info = SandboxInfo::new(listed.id.clone(), SandboxState::Running);
    info.labels = listed.tags.iter().map(|tag| (tag.tag_name.clone(), tag.tag_value.clone())).collect();
    info.labels.sort();
    let since = Duration::try_from_secs_f64(listed.created_at).ok();
    info.created_at = since.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since));
    info
}

/// Whole seconds, at least one.
fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs().max(1)).unwrap_or(u32::MAX)
}
