//! sandshell: one trait for "run shell commands and move files in an isolated place", with a local provider that runs
//! bash on WebAssembly.
//!
//! [`local`] makes the local provider. [`Sandbox`] and [`SandboxExt`] are the interface of every sandbox, local or
//! remote.
//!
//! ```
//! use sandshell::{CreateOptions, ExecuteRequest, LocalOptions, SandboxExt, SandboxProvider, WriteMode};
//!
//! # #[tokio::main(flavor = "multi_thread", worker_threads = 2)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let provider = sandshell::local(LocalOptions::default())?;
//! let sandbox = provider.get_or_create(CreateOptions::default()).await?;
//! sandbox.write("/workspace/names", "b\na\n".into(), WriteMode::CreateNew).await?;
//!
//! let answer = sandbox.execute(ExecuteRequest::new("sort names; echo oops >&2; exit 3")).await?;
//! assert_eq!((&answer.stdout[..], &answer.stderr[..]), (&b"a\nb\n"[..], &b"oops\n"[..]));
//! assert_eq!(answer.exit_code, Some(3));
//! # Ok(())
//! # }
//! ```
//!
//! [`providers`] finds providers by name: the local one, the clouds whose features are on, those that other crates
//! register, and those that a [configuration](config) declares.
//!
//! [`runtime`] is the kernel below, and [`vfs`] has the filesystems. Both are for programs that need something
//! other than a sandbox with a shell.

pub mod apply;
#[cfg(feature = "archive")]
pub mod archive;
#[cfg(feature = "config")]
pub mod config;
mod guest;
mod image;
#[cfg(feature = "packs")]
pub mod pack;
mod places;
mod providers;
pub mod setup;

/// Compiles the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "serve")]
pub use sandshell_emulator as emulator;
#[cfg(feature = "agentcore")]
pub use sandshell_providers::agentcore;
#[cfg(any(
    feature = "agentcore",
    feature = "daytona",
    feature = "deno",
    feature = "e2b",
    feature = "langsmith",
    feature = "modal",
    feature = "runloop",
    feature = "sandbox0",
    feature = "vercel"
))]
pub use sandshell_providers::cloud;
#[cfg(feature = "daytona")]
pub use sandshell_providers::daytona;
#[cfg(feature = "deno")]
pub use sandshell_providers::deno;
#[cfg(feature = "e2b")]
pub use sandshell_providers::e2b;
#[cfg(feature = "langsmith")]
pub use sandshell_providers::langsmith;
#[cfg(feature = "modal")]
pub use sandshell_providers::modal;
#[cfg(feature = "runloop")]
pub use sandshell_providers::runloop;
#[cfg(feature = "sandbox0")]
pub use sandshell_providers::sandbox0;
#[cfg(feature = "vercel")]
pub use sandshell_providers::vercel;

#[cfg(feature = "command")]
pub use sandshell_providers::command;
#[cfg(feature = "wrappers")]
pub use sandshell_providers::wrappers;

pub use guest::{engine, local};
pub use image::{guests_hash, image};
pub use places::{DataDir, reserved, user_sandboxes};
pub use providers::providers;
pub use sandshell_providers::local::{
    HostOverlay, KeptCall, LocalOptions, LocalProvider, LocalSandbox, Mount, MountSource, NamespaceFiles,
};
pub use sandshell_providers::{
    Capabilities, CreateOptions, EditOutcome, EditRequest, Error, ErrorKind, ExecuteRequest, ExecuteResponse,
    FailureReason, FileDownloadResponse, FileError, FileInfo, FileOperation, FileOperationError,
    FileOperations, FileResult, FileSink, FileSource, FileUpload, FileUploadResponse, GlobRequest,
    GlobResult, GlobTruncation, GrepMatch, GrepRequest, GrepResult, LimitKind, LimitReached, LineRange,
    ListOptions, NetworkPolicy, OutputChunk, OutputSender, OutputStream, Page, PosixFileOperations,
    ProviderCapabilities, ProviderMetadata, ReadContent, ReadResult, ResourceLimits, Result, Retry, Sandbox,
    SandboxExt, SandboxInfo, SandboxPage, SandboxProvider, SandboxState, Session, SessionInfo,
    SessionResponse, SnapshotInfo, TerminalRequest, TerminalScreen, TerminalSize, WriteMode, conformance,
    operations, posix, registry,
};
pub use sandshell_providers::{json_size, names};
pub use sandshell_runtime::{self as runtime, Clock, Engine, Limit, Limits, Random};
pub use sandshell_store as store;
pub use sandshell_vfs::{self as vfs, FileSystem, Overlay, Time};
