//! Calls to both services.

use std::fmt;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;
use prost::Message;
use sandshell_modal::Empty;
use sandshell_modal::control::{
    self, AppGetOrCreateRequest, AppGetOrCreateResponse, AuthTokenGetResponse, CommandRouterAccess,
    EnvironmentGetOrCreateResponse, GenericStatus, Image, ImageFromIdRequest, ImageFromIdResponse,
    ImageGetOrCreateRequest, ImageGetOrCreateResponse, ImageJoinStreamingRequest, ImageJoinStreamingResponse,
    ObjectCreationType, SandboxGetCommandRouterAccessRequest, SandboxGetTaskIdResponse, SandboxRequest,
    TaskGetCommandRouterAccessRequest,
};
use tonic::Status;
use tonic::metadata::{Ascii, MetadataMap, MetadataValue};
use tonic::transport::Channel;

use super::channel::{Call, channel, error};
use super::options::{ModalOptions, NAME};
use crate::cloud::{Secret, address, required, unique};
use crate::{Error, ErrorKind, Result};

/// The version of the protocol: that of the official client with the same messages.
const VERSION: &str = "1.6.4";

/// How long a token for the second generation of sandboxes is used.
const TOKEN_LIFE: Duration = Duration::from_secs(300);

/// How many seconds the service waits for an image's build in each call.
const LOOK: f32 = 10.0;

/// The service.
pub(super) struct Api {
    /// Created by the first call, because it needs a runtime.
    channel: OnceLock<Channel>,
    pub(super) options: ModalOptions,
    token: Mutex<Option<(Instant, String)>>,
}

impl Api {
    pub(super) fn new(mut options: ModalOptions) -> Self {
        options.client = options.client.bounded();
        Self { channel: OnceLock::new(), options, token: Mutex::default() }
    }

    fn channel(&self) -> Result<&Channel> {
        if let Some(channel) = self.channel.get() {
            return Ok(channel);
        }
        let made = channel(self.options.server_url.trim_end_matches('/'), &self.options.client)?;
        Ok(self.channel.get_or_init(|| made))
    }

    /// Calls `ModalClient`.
    pub(super) async fn call<Q, R>(&self, method: &str, request: Q) -> Result<R>
    where
        Q: Message + Clone + 'static,
        R: Message + Default + 'static,
    {
        let mut metadata = self.metadata()?;
        if method.ends_with("V2") || method == "SandboxGetCommandRouterAccess" {
            metadata.insert("x-modal-auth-token", value(&self.auth_token().await?)?);
        }
        self.prepared(method, metadata)?.unary(request).await.map_err(|status| error(&status))
    }

    fn prepared(&self, method: &str, metadata: MetadataMap) -> Result<Call<'_>> {
        Ok(Call {
            channel: self.channel()?,
            path: format!("{}{method}", control::SERVICE),
            metadata,
            deadline: Some(self.options.client.deadline),
            options: &self.options.client,
        })
    }

    fn metadata(&self) -> Result<MetadataMap> {
        let id = required(self.options.token_id.as_ref(), NAME, "MODAL_TOKEN_ID")?;
        let secret = required(self.options.token_secret.as_ref(), NAME, "MODAL_TOKEN_SECRET")?;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut metadata = MetadataMap::new();
        metadata.insert("x-modal-client-version", MetadataValue::from_static(VERSION));
        metadata.insert("x-modal-client-type", MetadataValue::from_static("1"));
        metadata.insert("x-modal-token-id", sensitive(id)?);
        metadata.insert("x-modal-token-secret", sensitive(secret)?);
        metadata.insert("x-modal-timestamp", value(&now.as_secs_f64().to_string())?);
        metadata.insert("x-idempotency-key", value(&unique())?);
        Ok(metadata)
    }

    async fn auth_token(&self) -> Result<String> {
        if let Some((since, token)) = self.token.lock().clone()
            && since.elapsed() < TOKEN_LIFE
        {
            return Ok(token);
        }
        let call = self.prepared("AuthTokenGet", self.metadata()?)?;
        let answer: AuthTokenGetResponse = call.unary(Empty {}).await.map_err(|status| error(&status))?;
        *self.token.lock() = Some((Instant::now(), answer.token.clone()));
        Ok(answer.token)
    }

    /// The application's id.
    pub(super) async fn app(&self) -> Result<String> {
        let request = AppGetOrCreateRequest {
            app_name: self.options.app.clone(),
            environment_name: self.options.environment.clone(),
            object_creation_type: ObjectCreationType::CreateIfMissing.into(),
        };
        let answer: AppGetOrCreateResponse = self.call("AppGetOrCreate", request).await?;
        Ok(answer.app_id)
    }

    /// The id of an image: an existing image, or one from a registry, which is built if necessary.
    pub(super) async fn image(&self, app: &str, name: &str) -> Result<String> {
        if name.starts_with("im-") {
            let request = ImageFromIdRequest { image_id: name.to_owned() };
            let answer: ImageFromIdResponse = self.call("ImageFromId", request).await?;
            return Ok(answer.image_id);
        }
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(Error::invalid_request(format!("{name:?} is not the name of an image")));
        }
        let environment: EnvironmentGetOrCreateResponse =
            self.call("EnvironmentGetOrCreate", Empty {}).await?;
        let settings = environment.metadata.and_then(|metadata| metadata.settings).unwrap_or_default();
        let request = ImageGetOrCreateRequest {
            image: Some(Image { dockerfile_commands: vec![format!("FROM {name}")], ..Image::default() }),
            app_id: app.to_owned(),
            existing_image_id: String::new(),
            builder_version: settings.image_builder_version,
        };
        let answer: ImageGetOrCreateResponse = self.call("ImageGetOrCreate", request).await?;
        let mut result = answer.result;
        let deadline = Instant::now() + self.options.client.ready_timeout;
        loop {
            match result.as_ref().map(|result| (result.status(), &result.exception)) {
                Some((GenericStatus::Success, _)) => return Ok(answer.image_id),
                None | Some((GenericStatus::Unspecified, _)) if Instant::now() < deadline => {
                    result = self.built(&answer.image_id).await?;
                }
                other => {
                    let why = other.map(|(_, why)| why.as_str()).unwrap_or("it is not ready in time");
                    return Err(failed(
                        ErrorKind::Unavailable,
                        format!("the image {name} was not built: {why}"),
                    ));
                }
            }
        }
    }

    /// Waits some time for an image's build; returns its result if it has ended.
    async fn built(&self, image: &str) -> Result<Option<control::GenericResult>> {
        let request = ImageJoinStreamingRequest { image_id: image.to_owned(), timeout: LOOK };
        let call = self.prepared("ImageJoinStreaming", self.metadata()?)?;
        let mut answers = call
            .streaming::<_, ImageJoinStreamingResponse>(request)
            .await
            .map_err(|status| error(&status))?;
        let end = tokio::time::Instant::now() + self.options.client.deadline;
        loop {
            let next = tokio::time::timeout_at(end, answers.message()).await;
            // If the stream ends or goes on without a result, the service is asked again while there is time.
            let Ok(next) = next else { return Ok(None) };
            let Some(answer) = next.map_err(|status| error(&status))? else { return Ok(None) };
            if answer.result.as_ref().is_some_and(|result| result.status() != GenericStatus::Unspecified) {
                return Ok(answer.result);
            }
        }
    }

    /// Waits for the task that runs a sandbox, and returns its id.
    pub(super) async fn task(&self, id: &str) -> Result<String> {
        let method = method("SandboxGetTaskId", id);
        let deadline = Instant::now() + self.options.client.ready_timeout;
        loop {
            let request = SandboxRequest { sandbox_id: id.to_owned() };
            let answer: SandboxGetTaskIdResponse = self.call(&method, request).await?;
            let over = answer.task_result.is_some_and(|result| result.status() != GenericStatus::Unspecified);
            match answer.task_id.filter(|task| !task.is_empty()) {
                _ if over => {
                    return Err(failed(ErrorKind::NotFound, format!("the sandbox {id} has ended")));
                }
                Some(task) => return Ok(task),
                None if Instant::now() >= deadline => {
                    return Err(failed(ErrorKind::Unavailable, format!("the sandbox {id} is not ready")));
                }
                None => tokio::time::sleep(self.options.client.ready_interval).await,
            }
        }
    }

    /// The address and token for commands in a sandbox.
    pub(super) async fn access(&self, id: &str, task: &str) -> Result<CommandRouterAccess> {
        if is_first(id) {
            let request = TaskGetCommandRouterAccessRequest { task_id: task.to_owned() };
            return self.call("TaskGetCommandRouterAccess", request).await;
        }
        let request =
            SandboxGetCommandRouterAccessRequest { sandbox_id: id.to_owned(), task_id: String::new() };
        self.call("SandboxGetCommandRouterAccess", request).await
    }
}

/// The name of a call for the sandbox generation that the id belongs to.
pub(super) fn method(name: &str, id: &str) -> String {
    if is_first(id) { name.to_owned() } else { format!("{name}V2") }
}

/// Sandboxes of the first generation have ids of 22 letters and digits.
fn is_first(id: &str) -> bool {
    id.strip_prefix("sb-")
        .is_some_and(|rest| rest.len() == 22 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

pub(super) fn failed(kind: ErrorKind, message: impl fmt::Display) -> Error {
    Error::new(kind, format!("{NAME}: {message}"))
}

pub(super) fn value(text: &str) -> Result<MetadataValue<Ascii>> {
    text.parse().map_err(|_| failed(ErrorKind::Unexpected, "a token cannot be sent"))
}

fn sensitive(secret: &Secret) -> Result<MetadataValue<Ascii>> {
    let mut value = value(secret.expose())?;
    value.set_sensitive(true);
    Ok(value)
}

/// One sandbox's service for commands.
pub(super) struct Router {
    channel: Channel,
    token: MetadataValue<Ascii>,
}

impl Router {
    pub(super) fn new(api: &Api, access: &CommandRouterAccess) -> Result<Self> {
        let mut token = value(&format!("Bearer {}", access.jwt))?;
        token.set_sensitive(true);
        let url = address(&api.options.server_url, &access.url).map_err(|why| {
            failed(ErrorKind::Unexpected, format!("the service's answer is malformed: {why}"))
        })?;
        let same = url == api.options.server_url.trim_end_matches('/');
        let channel = if same { api.channel()?.clone() } else { channel(&url, &api.options.client)? };
        Ok(Self { channel, token })
    }

    pub(super) fn call<'a>(&'a self, api: &'a Api, method: &str, deadline: Option<Duration>) -> Call<'a> {
        let mut metadata = MetadataMap::new();
        metadata.insert("authorization", self.token.clone());
        let path = format!("{}{method}", sandshell_modal::router::SERVICE);
        Call { channel: &self.channel, path, metadata, deadline, options: &api.options.client }
    }
}

/// Whether this status means that a new token is needed.
pub(super) fn is_stale(status: &Status) -> bool {
    status.code() == tonic::Code::Unauthenticated
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("options", &self.options).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_generations() {
        assert_eq!(method("SandboxWait", "sb-rFi7SI7otTI2nOXFhQNwsT"), "SandboxWait");
        for second in ["sb-01CBF1045F6EF04DAB9D0FB316", "sb-", "x", "sb-rFi7SI7otTI2nOXFhQNw/T"] {
            assert_eq!(method("SandboxWait", second), "SandboxWaitV2", "{second}");
        }
    }
}
