//! One backend trait for "run shell commands and move files in an isolated place".
//!
//! * [`Sandbox`] is the trait to implement: six methods. [`SandboxExt`] is for callers: it adds `read`, `write`,
//!   `edit`, `ls`, `grep`, `glob` and `delete` to every sandbox.
//! * [`SandboxProvider`] creates, lists and deletes sandboxes.
//! * [`conformance`] is a test suite of the behaviours that every implementation must have. It takes a `&dyn
//!   Sandbox` or a `&dyn SandboxProvider`.
//!
//! The crate reads no home directory and no environment variable: configuration is passed in.

#[cfg(feature = "agentcore")]
pub mod agentcore;
#[cfg(any(feature = "cloud", feature = "wrappers"))]
mod backoff;
#[cfg(any(feature = "command", feature = "wrappers"))]
#[cfg_attr(
    not(all(feature = "command", feature = "wrappers")),
    allow(dead_code, unused_imports, reason = "one of the two alone does not use all that they share")
)]
mod calls;
mod capabilities;
#[cfg(feature = "cloud")]
#[cfg_attr(
    not(feature = "all-providers"),
    allow(dead_code, unused_imports, reason = "one client alone does not use all that they share")
)]
pub mod cloud;
mod clouds;
#[cfg(feature = "command")]
pub mod command;
pub mod conformance;
#[cfg(feature = "daytona")]
pub mod daytona;
#[cfg(feature = "deno")]
pub mod deno;
#[cfg(feature = "e2b")]
pub mod e2b;
mod error;
mod execute;
mod files;
pub mod json_size;
#[cfg(feature = "langsmith")]
pub mod langsmith;
#[cfg(feature = "local")]
pub mod local;
#[cfg(feature = "modal")]
pub mod modal;
pub mod names;
pub mod operations;
pub mod posix;
mod provider;
pub mod registry;
#[cfg(feature = "runloop")]
pub mod runloop;
mod sandbox;
#[cfg(feature = "sandbox0")]
pub mod sandbox0;
mod sandbox_ext;
mod transfer;
#[cfg(feature = "vercel")]
pub mod vercel;
#[cfg(feature = "wrappers")]
pub mod wrappers;

pub use error::{Error, ErrorKind, Result, Retry};
pub use execute::{
    ExecuteRequest, ExecuteResponse, LimitKind, LimitReached, OutputChunk, OutputSender, OutputStream,
};
pub use files::{
    EditOutcome, EditRequest, FailureReason, FileInfo, FileOperation, FileOperationError, FileOperations,
    FileResult, GlobRequest, GlobResult, GlobTruncation, GrepMatch, GrepRequest, GrepResult, LineRange, Page,
    ReadContent, ReadResult, WriteMode,
};
pub use posix::PosixFileOperations;
pub use provider::{
    CreateOptions, ListOptions, NetworkPolicy, ProviderCapabilities, ProviderMetadata, ResourceLimits,
    SandboxInfo, SandboxPage, SandboxProvider, SandboxState, SnapshotInfo,
};
pub use sandbox::{
    Capabilities, Sandbox, Session, SessionInfo, SessionResponse, TerminalRequest, TerminalScreen,
    TerminalSize,
};
pub use sandbox_ext::SandboxExt;
pub use transfer::{FileDownloadResponse, FileError, FileSink, FileSource, FileUpload, FileUploadResponse};
