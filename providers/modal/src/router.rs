//! `modal.task_command_router.TaskCommandRouter`: commands and snapshots of one sandbox.

use std::collections::HashMap;

use super::control::{PtyInfo, SecretSource};

/// The prefix of the calls' paths.
pub const SERVICE: &str = "/modal.task_command_router.TaskCommandRouter/";

/// The program that does all file operations, run as a command. It takes one argument, in JSON.
pub const FILE_TOOL: &str = "/__modal/.bin/modal-sandbox-fs-tools";

/// The value of `stdout_config` and `stderr_config` for output that is kept.
pub const PIPE: i32 = 1;

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TaskExecStartRequest {
    #[prost(string, tag = "1")]
    pub task_id: String,
    #[prost(string, tag = "2")]
    pub exec_id: String,
    #[prost(string, repeated, tag = "3")]
    pub command_args: Vec<String>,
    #[prost(int32, tag = "4")]
    pub stdout_config: i32,
    #[prost(int32, tag = "5")]
    pub stderr_config: i32,
    #[prost(uint32, optional, tag = "6")]
    pub timeout_secs: Option<u32>,
    #[prost(string, optional, tag = "7")]
    pub workdir: Option<String>,
    #[prost(string, repeated, tag = "8")]
    pub secret_ids: Vec<String>,
    #[prost(message, optional, tag = "9")]
    pub pty_info: Option<PtyInfo>,
    #[prost(map = "string, string", tag = "12")]
    pub env: HashMap<String, String>,
    #[prost(message, repeated, tag = "13")]
    pub secret_sources: Vec<SecretSource>,
}

/// A request that names a command and nothing else.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ExecRequest {
    #[prost(string, tag = "1")]
    pub task_id: String,
    #[prost(string, tag = "2")]
    pub exec_id: String,
}

/// How a command ended, if it has.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ExitResponse {
    #[prost(oneof = "ExitStatus", tags = "1, 2")]
    pub exit_status: Option<ExitStatus>,
}

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, prost::Oneof)]
pub enum ExitStatus {
    #[prost(int32, tag = "1")]
    Code(i32),
    #[prost(int32, tag = "2")]
    Signal(i32),
}

/// Standard input of a sandbox's own command.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxStdinWriteV2Request {
    #[prost(string, tag = "1")]
    pub task_id: String,
    #[prost(uint64, tag = "2")]
    pub offset: u64,
    #[prost(bytes = "vec", tag = "3")]
    pub data: Vec<u8>,
    #[prost(bool, tag = "4")]
    pub eof: bool,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TaskExecStdioReadRequest {
    #[prost(string, tag = "1")]
    pub task_id: String,
    #[prost(string, tag = "2")]
    pub exec_id: String,
    #[prost(uint64, tag = "3")]
    pub offset: u64,
    /// 0: standard output; 1: standard error.
    #[prost(int32, tag = "4")]
    pub file_descriptor: i32,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DataResponse {
    #[prost(bytes = "vec", tag = "1")]
    pub data: Vec<u8>,
}

/// The second generation's request to read the output of a sandbox's own command.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SandboxStdioReadV2Request {
    #[prost(string, tag = "1")]
    pub task_id: String,
    #[prost(uint64, tag = "2")]
    pub offset: u64,
    #[prost(int32, tag = "3")]
    pub file_descriptor: i32,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TaskExecStdinWriteRequest {
    #[prost(string, tag = "1")]
    pub task_id: String,
    #[prost(string, tag = "2")]
    pub exec_id: String,
    #[prost(uint64, tag = "3")]
    pub offset: u64,
    #[prost(bytes = "vec", tag = "4")]
    pub data: Vec<u8>,
    #[prost(bool, tag = "5")]
    pub eof: bool,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TaskExecStdinStatusResponse {
    #[prost(uint64, tag = "1")]
    pub num_bytes_written: u64,
    #[prost(bool, tag = "2")]
    pub closed: bool,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TaskExecStdinWriteStreamRequest {
    #[prost(oneof = "StdinPayload", tags = "1, 2, 3")]
    pub payload: Option<StdinPayload>,
}

/// A part of a stream to standard input.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum StdinPayload {
    #[prost(message, tag = "1")]
    Start(StdinStart),
    #[prost(bytes, tag = "2")]
    Data(Vec<u8>),
    #[prost(message, tag = "3")]
    End(super::Empty),
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct StdinStart {
    #[prost(string, tag = "1")]
    pub task_id: String,
    #[prost(string, tag = "2")]
    pub exec_id: String,
    #[prost(uint64, tag = "3")]
    pub offset: u64,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TaskSnapshotFilesystemRequest {
    #[prost(string, tag = "1")]
    pub task_id: String,
    #[prost(string, tag = "2")]
    pub snapshot_id: String,
    #[prost(int64, optional, tag = "3")]
    pub ttl_seconds: Option<i64>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TaskSnapshotFilesystemResponse {
    #[prost(string, tag = "1")]
    pub image_id: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct SandboxWaitUntilReadyResponse {
    #[prost(double, tag = "1")]
    pub ready_at: f64,
}
