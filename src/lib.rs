//! sandshell: one trait for "run shell commands and move files in an isolated place", with a local provider that runs
//! bash on WebAssembly.
//!
//! [`local()`] makes the local provider. [`Sandbox`] and [`SandboxExt`] are the interface of every sandbox, local or
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

pub use guest::{engine, local};
pub use image::{guests_hash, image};
pub use places::{DataDir, reserved, user_sandboxes};
pub use providers::providers;
#[cfg(feature = "serve")]
pub use sandshell_emulator as emulator;
// The trait, the clouds' clients whose features are on, and what is around them.
pub use sandshell_providers::local::{
    HostOverlay, KeptCall, LocalOptions, LocalProvider, LocalSandbox, Mount, MountSource, NamespaceFiles,
};
#[doc(inline)]
pub use sandshell_providers::*;
pub use sandshell_runtime::{self as runtime, Clock, Engine, Limit, Limits, Random};
pub use sandshell_store as store;
pub use sandshell_vfs::{self as vfs, FileSystem, Overlay, Time};
