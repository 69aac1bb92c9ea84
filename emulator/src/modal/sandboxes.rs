//! Sandboxes of both generations.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::http::{HeaderMap, Uri};
use sandshell_modal::Empty;
use sandshell_modal::control::{
    GenericStatus, NetworkAccess, NetworkAccessType, Sandbox, SandboxCreateRequest, SandboxCreateResponse,
    SandboxCreateV2Request, SandboxCreateV2Response, SandboxGetCommandRouterAccessRequest,
    SandboxGetFromNameRequest, SandboxGetFromNameResponse, SandboxGetTaskIdResponse, SandboxHandleMetadata,
    SandboxInfo, SandboxListRequest, SandboxListResponse, SandboxRequest, SandboxSnapshotFsResponse,
    SandboxTag, SandboxTagsGetResponse, SandboxTagsSetRequest, SandboxTerminateResponse, SandboxWaitRequest,
    SandboxWaitResponse, SecretSource, Source, TaskGetCommandRouterAccessRequest, TaskInfo,
};
use sandshell_providers::{CreateOptions, NetworkPolicy};
use serde_json::json;

use super::grpc::{ALREADY_EXISTS, Called, INVALID_ARGUMENT, NOT_FOUND, Status, UNIMPLEMENTED, answer, read};
use super::{HOME, Modal, exec, task};
use crate::http::HttpAnswer;
use crate::ids::random_id;
use crate::world::{Machine, Plan, Status as Life};

/// How many sandboxes are on one page.
const PAGE: usize = 50;

/// How long one call waits at most for the end of a sandbox.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How often it checks.
const LOOK: Duration = Duration::from_millis(50);

pub(super) async fn call(
    modal: Arc<Modal>,
    method: &str,
    uri: &Uri,
    headers: &HeaderMap,
    body: Body,
) -> HttpAnswer {
    match method {
        "SandboxCreateV2" => answer(create_second(&modal, uri, headers, body).await),
        "SandboxCreate" => answer(create_first(&modal, body).await),
        "SandboxWaitV2" | "SandboxWait" => answer(wait(&modal, body).await),
        "SandboxTerminateV2" | "SandboxTerminate" => answer(terminate(&modal, body).await),
        "SandboxListV2" | "SandboxList" => answer(list(&modal, body).await),
        "SandboxGetTaskIdV2" | "SandboxGetTaskId" => answer(task_id(&modal, body).await),
        "SandboxGetCommandRouterAccess" => {
            let request = read::<SandboxGetCommandRouterAccessRequest>(body).await;
            answer(request.and_then(|request| {
                let found = if request.task_id.is_empty() {
                    modal.get(&request.sandbox_id)
                } else {
                    modal.of_task(&request.task_id)
                };
                found.map(|_| modal.commands(uri, headers))
            }))
        }
        "TaskGetCommandRouterAccess" => {
            let request = read::<TaskGetCommandRouterAccessRequest>(body).await;
            answer(
                request.and_then(|request| {
                    modal.of_task(&request.task_id).map(|_| modal.commands(uri, headers))
                }),
            )
        }
        "SandboxGetFromNameV2" | "SandboxGetFromName" => answer(from_name(&modal, body).await),
        "SandboxTagsGetV2" | "SandboxTagsGet" => answer(tags(&modal, body).await),
        "SandboxTagsSetV2" | "SandboxTagsSet" => answer(set_tags(&modal, body).await),
        "SandboxSnapshotFs" => answer(snapshot(&modal, body).await),
        _ => answer::<Empty>(Err(Status(UNIMPLEMENTED, format!("{method}: not emulated by sandshell")))),
    }
}

async fn create_second(
    modal: &Arc<Modal>,
    uri: &Uri,
    headers: &HeaderMap,
    body: Body,
) -> Called<SandboxCreateV2Response> {
    let request: SandboxCreateV2Request = read(body).await?;
    let mut env = modal.variables(&request.secret_sources, &[])?;
    env.extend(request.ephemeral_secrets.unwrap_or_default().contents);
    // Ids of the first generation have 22 letters and digits, so this must have another length.
    let id = format!("sb-01{}", random_id(24).to_uppercase());
    let machine = modal.create(id, request.app_id, request.definition, request.tags, env).await?;
    Ok(SandboxCreateV2Response {
        sandbox_id: machine.id.clone(),
        task_id: task::id(&machine.id),
        metadata: Some(metadata(&machine)),
        command_router_access: Some(modal.commands(uri, headers)),
        sandbox_token: modal.token(),
    })
}

async fn create_first(modal: &Arc<Modal>, body: Body) -> Called<SandboxCreateResponse> {
    let request: SandboxCreateRequest = read(body).await?;
    let id = format!("sb-{}", random_id(22));
    let machine = modal.create(id, request.app_id, request.definition, request.tags, HashMap::new()).await?;
    Ok(SandboxCreateResponse { sandbox_id: machine.id.clone(), metadata: Some(metadata(&machine)) })
}

impl Modal {
    async fn create(
        self: &Arc<Self>,
        id: String,
        app: String,
        definition: Option<Sandbox>,
        tags: Vec<SandboxTag>,
        mut env: HashMap<String, String>,
    ) -> Called<Arc<Machine>> {
        let definition = definition.unwrap_or_default();
        if let Some(workdir) = definition.workdir.as_ref().filter(|workdir| !workdir.starts_with('/')) {
            let why = format!("the working directory {workdir:?} is not absolute");
            return Err(Status(INVALID_ARGUMENT, why));
        }
        if !self.state.lock().apps.values().any(|known| *known == app) {
            return Err(Status(NOT_FOUND, format!("App {app} not found")));
        }
        self.known_image(&definition.image_id)?;
        if let Some(name) = &definition.name
            && self.named(&app, name).is_some()
        {
            return Err(Status(ALREADY_EXISTS, format!("Sandbox with name {name:?} already exists")));
        }
        let (image, files) = {
            let state = self.state.lock();
            let image = state.images.get(&definition.image_id).cloned().unwrap_or_default();
            (image, state.files.get(&definition.image_id).cloned())
        };
        // A layer on top of a snapshot has that snapshot's files, or there is no such image any more.
        if let Some(files) = files.as_ref().filter(|files| self.world.was_deleted(files)) {
            return Err(Status(NOT_FOUND, format!("Image {files} not found")));
        }
        env.extend(self.variables(&[], &definition.secret_ids)?);
        env.extend(definition.environment_variables.clone().unwrap_or_default().contents);
        let workdir = definition.workdir.or(image.workdir).unwrap_or_else(|| HOME.to_owned());
        let mut options = CreateOptions::default().workdir(&workdir);
        options.env =
            image.env.into_iter().filter(|(name, _)| !env.contains_key(name)).chain(env.clone()).collect();
        options.env.sort();
        let access = definition.network_access.as_ref().map(NetworkAccess::network_access_type);
        if definition.block_network || access == Some(NetworkAccessType::Blocked) {
            options.network = NetworkPolicy::Blocked;
        }
        let end = SystemTime::now() + Duration::from_secs(u64::from(definition.timeout_secs));
        let labels = tags.into_iter().map(|tag| (tag.tag_name, tag.tag_value)).collect();
        let mut life = Life::running(Some(end), labels);
        life.extra = json!({
            "app": app,
            "name": definition.name,
            "timeout": definition.timeout_secs,
            "idle": definition.idle_timeout_secs,
            "workdir": workdir,
            "image": definition.image_id,
        });
        let plan = Plan { id, template: files.unwrap_or(definition.image_id), options, status: life };
        let machine = self.world.create(plan).await?;
        self.state.lock().results.insert(machine.id.clone(), None);
        exec::touch(&machine);
        if !definition.entrypoint_args.is_empty() {
            exec::main(self, &machine, &definition.entrypoint_args);
        }
        Ok(machine)
    }

    /// The variables of secrets.
    pub(super) fn variables(
        &self,
        sources: &[SecretSource],
        ids: &[String],
    ) -> Called<HashMap<String, String>> {
        let state = self.state.lock();
        let known = |id: &String| {
            let secret = state.secrets.get(id).cloned();
            secret.ok_or_else(|| Status(NOT_FOUND, format!("Secret {id} not found")))
        };
        let mut variables = HashMap::new();
        for id in ids {
            variables.extend(known(id)?);
        }
        for source in sources {
            match &source.source {
                Some(Source::SecretId(id)) => variables.extend(known(id)?),
                Some(Source::Env(env)) => variables.extend(env.contents.clone()),
                None => {}
            }
        }
        Ok(variables)
    }

    pub(super) fn get(&self, id: &str) -> Called<Arc<Machine>> {
        self.world.get(id).ok_or_else(|| Status(NOT_FOUND, format!("Sandbox {id} not found")))
    }

    fn named(&self, app: &str, name: &str) -> Option<Arc<Machine>> {
        let is_it = |machine: &Machine| {
            let extra = machine.status().extra;
            extra["app"] == json!(app) && extra["name"] == json!(name)
        };
        self.world.list(0, 1, is_it).0.pop()
    }

    /// Saves the files of a sandbox as an image.
    pub(super) async fn save_as_image(&self, machine: &Machine) -> Called<String> {
        let image = format!("im-{}", random_id(22));
        self.world.snapshot(machine, image.clone(), Vec::new()).await?;
        let mut state = self.state.lock();
        let from = machine.status().extra["image"].as_str().unwrap_or_default().to_owned();
        let settings = state.images.get(&from).cloned().unwrap_or_default();
        state.images.insert(image.clone(), settings);
        drop(state);
        Ok(image)
    }
}

async fn wait(modal: &Modal, body: Body) -> Called<SandboxWaitResponse> {
    let request: SandboxWaitRequest = read(body).await?;
    let time = Duration::try_from_secs_f32(request.timeout).unwrap_or_default().min(LONGEST_WAIT);
    let deadline = tokio::time::Instant::now() + time;
    loop {
        let result = modal.result(&request.sandbox_id)?;
        if result.is_some() || tokio::time::Instant::now() >= deadline {
            let metadata = SandboxHandleMetadata { result: result.clone(), app_id: String::new() };
            return Ok(SandboxWaitResponse { result, metadata: Some(metadata) });
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn terminate(modal: &Modal, body: Body) -> Called<SandboxTerminateResponse> {
    let request: SandboxRequest = read(body).await?;
    let existing_result = modal.result(&request.sandbox_id)?;
    if existing_result.is_none() {
        modal.finish(&request.sandbox_id, task::ended(GenericStatus::Terminated, 137)).await?;
    }
    Ok(SandboxTerminateResponse { existing_result })
}

/// Lists sandboxes that are older than a given time, the newest first.
async fn list(modal: &Modal, body: Body) -> Called<SandboxListResponse> {
    let request: SandboxListRequest = read(body).await?;
    let chosen = |machine: &Machine| {
        let status = machine.status();
        (request.app_id.is_empty() || status.extra["app"] == json!(request.app_id))
            && request.tags.iter().all(|tag| status.labels.get(&tag.tag_name) == Some(&tag.tag_value))
            && (request.before_timestamp <= 0.0 || seconds(machine.created) < request.before_timestamp)
    };
    let (machines, _) = modal.world.list(0, usize::MAX - 1, chosen);
    let sandboxes = machines.iter().rev().take(PAGE).map(|machine| info(machine)).collect();
    Ok(SandboxListResponse { sandboxes })
}

fn info(machine: &Machine) -> SandboxInfo {
    let status = machine.status();
    let created_at = seconds(machine.created);
    SandboxInfo {
        id: machine.id.clone(),
        created_at,
        task_info: Some(TaskInfo { id: task::id(&machine.id), started_at: created_at, result: None }),
        app_id: status.extra["app"].as_str().unwrap_or_default().to_owned(),
        tags: shown(&status.labels),
        name: status.extra["name"].as_str().unwrap_or_default().to_owned(),
        image_id: status.extra["image"].as_str().unwrap_or_default().to_owned(),
        timeout_secs: status.extra["timeout"].as_u64().and_then(|t| u32::try_from(t).ok()).unwrap_or(0),
    }
}

async fn task_id(modal: &Modal, body: Body) -> Called<SandboxGetTaskIdResponse> {
    let request: SandboxRequest = read(body).await?;
    let task_result = modal.result(&request.sandbox_id)?;
    Ok(SandboxGetTaskIdResponse { task_id: Some(task::id(&request.sandbox_id)), task_result })
}

async fn from_name(modal: &Modal, body: Body) -> Called<SandboxGetFromNameResponse> {
    let request: SandboxGetFromNameRequest = read(body).await?;
    let app = modal.state.lock().apps.get(&request.app_name).cloned();
    let found = app.and_then(|app| modal.named(&app, &request.sandbox_name));
    let machine =
        found.ok_or_else(|| Status(NOT_FOUND, format!("Sandbox {:?} not found", request.sandbox_name)))?;
    Ok(SandboxGetFromNameResponse { sandbox_id: machine.id.clone(), metadata: Some(metadata(&machine)) })
}

async fn tags(modal: &Modal, body: Body) -> Called<SandboxTagsGetResponse> {
    let request: SandboxRequest = read(body).await?;
    Ok(SandboxTagsGetResponse { tags: shown(&modal.get(&request.sandbox_id)?.status().labels) })
}

async fn set_tags(modal: &Modal, body: Body) -> Called<Empty> {
    let request: SandboxTagsSetRequest = read(body).await?;
    let tags = request.tags.into_iter().map(|tag| (tag.tag_name, tag.tag_value)).collect();
    modal.get(&request.sandbox_id)?.set(|status| status.labels = tags)?;
    Ok(Empty {})
}

async fn snapshot(modal: &Modal, body: Body) -> Called<SandboxSnapshotFsResponse> {
    let request: SandboxRequest = read(body).await?;
    let image_id = modal.save_as_image(&*modal.get(&request.sandbox_id)?).await?;
    Ok(SandboxSnapshotFsResponse { image_id, result: Some(task::ended(GenericStatus::Success, 0)) })
}

fn metadata(machine: &Machine) -> SandboxHandleMetadata {
    let app_id = machine.status().extra["app"].as_str().unwrap_or_default().to_owned();
    SandboxHandleMetadata { result: None, app_id }
}

fn shown(labels: &BTreeMap<String, String>) -> Vec<SandboxTag> {
    let tag =
        |(name, value): (&String, &String)| SandboxTag { tag_name: name.clone(), tag_value: value.clone() };
    labels.iter().map(tag).collect()
}

fn seconds(time: SystemTime) -> f64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
