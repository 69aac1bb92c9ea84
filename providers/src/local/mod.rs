//! Sandboxes in this process: WebAssembly processes over a virtual filesystem.
//!
//! A sandbox sees nothing of the host except what [`LocalOptions`] name. Its user is `user` (1000), its commands
//! run in bash, and it has no network. Sandboxes, their snapshots and their ids live as long as their
//! [`LocalProvider`], or are kept on disk: [`LocalOptions::data_dir`].

mod description;
mod execute;
mod files;
mod keeper;
mod listing;
mod mounts;
mod options;
mod places;
mod provider;
mod queue;
mod sandbox;
mod search;
mod session;
mod stored;
mod stream;
mod transfer;
mod tree;

pub use description::Description;
pub use files::NamespaceFiles;
pub use options::{LocalOptions, Mount, MountSource};
pub use provider::LocalProvider;
pub use sandbox::{KeptCall, LocalSandbox};
pub use tree::HostOverlay;
