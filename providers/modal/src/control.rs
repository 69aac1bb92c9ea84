//! `modal.client.ModalClient`: applications, images, sandboxes.

use std::collections::HashMap;

/// The prefix of the calls' paths.
pub const SERVICE: &str = "/modal.client.ModalClient/";

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ClientHelloResponse {
    #[prost(string, tag = "1")]
    pub warning: String,
    #[prost(string, tag = "2")]
    pub image_builder_version: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct AuthTokenGetResponse {
    #[prost(string, tag = "1")]
    pub token: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct AppGetOrCreateRequest {
    #[prost(string, tag = "1")]
    pub app_name: String,
    #[prost(string, tag = "2")]
    pub environment_name: String,
    #[prost(enumeration = "ObjectCreationType", tag = "3")]
    pub object_creation_type: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
pub enum ObjectCreationType {
    Unspecified = 0,
    CreateIfMissing = 1,
    CreateFailIfExists = 2,
    CreateOverwriteIfExists = 3,
    AnonymousOwnedByApp = 4,
    Ephemeral = 5,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct AppGetOrCreateResponse {
    #[prost(string, tag = "1")]
    pub app_id: String,
    #[prost(message, optional, tag = "2")]
    pub handle_metadata: Option<AppHandleMetadata>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct AppHandleMetadata {
    #[prost(string, tag = "1")]
    pub description: String,
    #[prost(string, tag = "2")]
    pub app_id: String,
    #[prost(string, tag = "3")]
    pub environment_name: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct EnvironmentGetOrCreateResponse {
    #[prost(string, tag = "1")]
    pub environment_id: String,
    #[prost(message, optional, tag = "2")]
    pub metadata: Option<EnvironmentMetadata>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct EnvironmentMetadata {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub settings: Option<EnvironmentSettings>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct EnvironmentSettings {
    #[prost(string, tag = "1")]
    pub image_builder_version: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ImageFromIdRequest {
    #[prost(string, tag = "1")]
    pub image_id: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ImageFromIdResponse {
    #[prost(string, tag = "1")]
    pub image_id: String,
    #[prost(message, optional, tag = "2")]
    pub metadata: Option<ImageMetadata>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ImageMetadata {
    #[prost(string, optional, tag = "5")]
    pub image_builder_version: Option<String>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ImageGetOrCreateRequest {
    #[prost(message, optional, tag = "2")]
    pub image: Option<Image>,
    #[prost(string, tag = "4")]
    pub app_id: String,
    #[prost(string, tag = "5")]
    pub existing_image_id: String,
    #[prost(string, tag = "9")]
    pub builder_version: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Image {
    #[prost(message, repeated, tag = "5")]
    pub base_images: Vec<BaseImage>,
    #[prost(string, repeated, tag = "6")]
    pub dockerfile_commands: Vec<String>,
}

/// An image that another image is built on, and the name by which the build commands refer to it.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BaseImage {
    #[prost(string, tag = "1")]
    pub image_id: String,
    #[prost(string, tag = "2")]
    pub docker_tag: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ImageGetOrCreateResponse {
    #[prost(string, tag = "1")]
    pub image_id: String,
    #[prost(message, optional, tag = "2")]
    pub result: Option<GenericResult>,
    #[prost(message, optional, tag = "3")]
    pub metadata: Option<ImageMetadata>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ImageJoinStreamingRequest {
    #[prost(string, tag = "1")]
    pub image_id: String,
    #[prost(float, tag = "2")]
    pub timeout: f32,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ImageJoinStreamingResponse {
    #[prost(message, optional, tag = "1")]
    pub result: Option<GenericResult>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ImageDeleteRequest {
    #[prost(string, tag = "1")]
    pub image_id: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct GenericResult {
    #[prost(enumeration = "GenericStatus", tag = "1")]
    pub status: i32,
    #[prost(string, tag = "2")]
    pub exception: String,
    #[prost(int32, tag = "3")]
    pub exitcode: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
pub enum GenericStatus {
    Unspecified = 0,
    Success = 1,
    Failure = 2,
    Terminated = 3,
    Timeout = 4,
    InitFailure = 5,
    InternalFailure = 6,
    IdleTimeout = 7,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SecretGetOrCreateRequest {
    #[prost(string, tag = "1")]
    pub deployment_name: String,
    #[prost(map = "string, string", tag = "5")]
    pub env_dict: HashMap<String, String>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SecretGetOrCreateResponse {
    #[prost(string, tag = "1")]
    pub secret_id: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct StringMap {
    #[prost(map = "string, string", tag = "1")]
    pub contents: HashMap<String, String>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SecretSource {
    #[prost(oneof = "Source", tags = "1, 2")]
    pub source: Option<Source>,
}

/// Where variables come from.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum Source {
    #[prost(string, tag = "1")]
    SecretId(String),
    #[prost(message, tag = "2")]
    Env(StringMap),
}

/// The definition of a sandbox.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Sandbox {
    #[prost(string, repeated, tag = "1")]
    pub entrypoint_args: Vec<String>,
    #[prost(string, tag = "3")]
    pub image_id: String,
    #[prost(string, repeated, tag = "4")]
    pub secret_ids: Vec<String>,
    #[prost(message, optional, tag = "5")]
    pub resources: Option<Resources>,
    #[prost(uint32, tag = "7")]
    pub timeout_secs: u32,
    #[prost(string, optional, tag = "8")]
    pub workdir: Option<String>,
    #[prost(message, repeated, tag = "9")]
    pub nfs_mounts: Vec<super::Empty>,
    #[prost(bool, tag = "11")]
    pub block_network: bool,
    #[prost(message, repeated, tag = "13")]
    pub volume_mounts: Vec<super::Empty>,
    #[prost(message, repeated, tag = "14")]
    pub cloud_bucket_mounts: Vec<super::Empty>,
    #[prost(message, optional, tag = "15")]
    pub pty_info: Option<PtyInfo>,
    #[prost(message, optional, tag = "20")]
    pub open_ports: Option<PortSpecs>,
    #[prost(message, optional, tag = "22")]
    pub network_access: Option<NetworkAccess>,
    #[prost(string, optional, tag = "30")]
    pub name: Option<String>,
    #[prost(uint32, optional, tag = "33")]
    pub idle_timeout_secs: Option<u32>,
    #[prost(message, optional, tag = "38")]
    pub readiness_probe: Option<super::Empty>,
    #[prost(message, optional, tag = "40")]
    pub environment_variables: Option<StringMap>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Resources {
    #[prost(uint32, tag = "2")]
    pub memory_mb: u32,
    #[prost(uint32, tag = "3")]
    pub milli_cpu: u32,
    #[prost(message, optional, tag = "4")]
    pub gpu_config: Option<GpuConfig>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct GpuConfig {
    #[prost(uint32, tag = "2")]
    pub count: u32,
    #[prost(string, tag = "4")]
    pub gpu_type: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PtyInfo {
    #[prost(bool, tag = "1")]
    pub enabled: bool,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PortSpecs {
    #[prost(message, repeated, tag = "1")]
    pub ports: Vec<super::Empty>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct NetworkAccess {
    #[prost(enumeration = "NetworkAccessType", tag = "1")]
    pub network_access_type: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
pub enum NetworkAccessType {
    Unspecified = 0,
    Open = 1,
    Blocked = 2,
    Allowlist = 3,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxTag {
    #[prost(string, tag = "1")]
    pub tag_name: String,
    #[prost(string, tag = "2")]
    pub tag_value: String,
}

/// The first generation's request.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxCreateRequest {
    #[prost(string, tag = "1")]
    pub app_id: String,
    #[prost(message, optional, tag = "2")]
    pub definition: Option<Sandbox>,
    #[prost(message, repeated, tag = "4")]
    pub tags: Vec<SandboxTag>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxCreateResponse {
    #[prost(string, tag = "1")]
    pub sandbox_id: String,
    #[prost(message, optional, tag = "2")]
    pub metadata: Option<SandboxHandleMetadata>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxCreateV2Request {
    #[prost(string, tag = "1")]
    pub app_id: String,
    #[prost(message, optional, tag = "2")]
    pub definition: Option<Sandbox>,
    #[prost(message, optional, tag = "3")]
    pub ephemeral_secrets: Option<StringMap>,
    #[prost(message, repeated, tag = "4")]
    pub tags: Vec<SandboxTag>,
    #[prost(message, repeated, tag = "6")]
    pub secret_sources: Vec<SecretSource>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxCreateV2Response {
    #[prost(string, tag = "1")]
    pub sandbox_id: String,
    #[prost(string, tag = "3")]
    pub task_id: String,
    #[prost(message, optional, tag = "4")]
    pub metadata: Option<SandboxHandleMetadata>,
    #[prost(message, optional, tag = "5")]
    pub command_router_access: Option<CommandRouterAccess>,
    #[prost(string, tag = "6")]
    pub sandbox_token: String,
}

/// The address to which commands for a sandbox are sent, and the token for it.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CommandRouterAccess {
    #[prost(string, tag = "1")]
    pub jwt: String,
    #[prost(string, tag = "2")]
    pub url: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxHandleMetadata {
    #[prost(message, optional, tag = "1")]
    pub result: Option<GenericResult>,
    #[prost(string, tag = "2")]
    pub app_id: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxGetCommandRouterAccessRequest {
    #[prost(string, tag = "1")]
    pub sandbox_id: String,
    #[prost(string, tag = "2")]
    pub task_id: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TaskGetCommandRouterAccessRequest {
    #[prost(string, tag = "1")]
    pub task_id: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxGetFromNameRequest {
    #[prost(string, tag = "1")]
    pub sandbox_name: String,
    #[prost(string, tag = "2")]
    pub environment_name: String,
    #[prost(string, tag = "3")]
    pub app_name: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxGetFromNameResponse {
    #[prost(string, tag = "1")]
    pub sandbox_id: String,
    #[prost(message, optional, tag = "2")]
    pub metadata: Option<SandboxHandleMetadata>,
}

/// A request that names a sandbox and nothing else.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxRequest {
    #[prost(string, tag = "1")]
    pub sandbox_id: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxGetTaskIdResponse {
    #[prost(string, optional, tag = "1")]
    pub task_id: Option<String>,
    #[prost(message, optional, tag = "2")]
    pub task_result: Option<GenericResult>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct SandboxListRequest {
    #[prost(string, tag = "1")]
    pub app_id: String,
    #[prost(double, tag = "2")]
    pub before_timestamp: f64,
    #[prost(bool, tag = "4")]
    pub include_finished: bool,
    #[prost(message, repeated, tag = "5")]
    pub tags: Vec<SandboxTag>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct SandboxListResponse {
    #[prost(message, repeated, tag = "1")]
    pub sandboxes: Vec<SandboxInfo>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct SandboxInfo {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(double, tag = "3")]
    pub created_at: f64,
    #[prost(message, optional, tag = "4")]
    pub task_info: Option<TaskInfo>,
    #[prost(string, tag = "5")]
    pub app_id: String,
    #[prost(message, repeated, tag = "6")]
    pub tags: Vec<SandboxTag>,
    #[prost(string, tag = "7")]
    pub name: String,
    #[prost(string, tag = "8")]
    pub image_id: String,
    #[prost(uint32, tag = "11")]
    pub timeout_secs: u32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct TaskInfo {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(double, tag = "2")]
    pub started_at: f64,
    #[prost(message, optional, tag = "4")]
    pub result: Option<GenericResult>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxTagsGetResponse {
    #[prost(message, repeated, tag = "1")]
    pub tags: Vec<SandboxTag>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxTagsSetRequest {
    #[prost(string, tag = "2")]
    pub sandbox_id: String,
    #[prost(message, repeated, tag = "3")]
    pub tags: Vec<SandboxTag>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxTerminateResponse {
    #[prost(message, optional, tag = "1")]
    pub existing_result: Option<GenericResult>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct SandboxWaitRequest {
    #[prost(string, tag = "1")]
    pub sandbox_id: String,
    #[prost(float, tag = "2")]
    pub timeout: f32,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxWaitResponse {
    #[prost(message, optional, tag = "1")]
    pub result: Option<GenericResult>,
    #[prost(message, optional, tag = "2")]
    pub metadata: Option<SandboxHandleMetadata>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxSnapshotFsResponse {
    #[prost(string, tag = "1")]
    pub image_id: String,
    #[prost(message, optional, tag = "2")]
    pub result: Option<GenericResult>,
}

/// The contents of the header `grpc-status-details-bin`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RpcStatus {
    #[prost(int32, tag = "1")]
    pub code: i32,
    #[prost(string, tag = "2")]
    pub message: String,
    #[prost(message, repeated, tag = "3")]
    pub details: Vec<Any>,
}

/// A message of any type; its URL ends with the name of the type.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Any {
    #[prost(string, tag = "1")]
    pub type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

/// Comes with an error: the same call may succeed after this time.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct RpcRetryPolicy {
    #[prost(float, tag = "1")]
    pub retry_after_secs: f32,
}
