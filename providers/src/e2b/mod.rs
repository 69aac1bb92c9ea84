//! [E2B](https://e2b.dev): a REST control plane, and in each sandbox a daemon `envd`, which uses Connect RPC with
//! JSON.
//!
//! * Variables: `E2B_API_KEY`; `E2B_API_URL` and `E2B_SANDBOX_URL` or `E2B_DOMAIN` for another address.
//! * [`CreateOptions::snapshot`](crate::CreateOptions::snapshot) names a snapshot or a template.
//! * A working directory that is not the default is stored in the sandbox's metadata, so that a later handle finds
//!   it.
//! * Every sandbox ends after a time; "never" is refused.

mod api;
mod execute;
mod files;
mod options;
mod provider;
mod sandbox;

pub use options::E2bOptions;
pub use provider::E2bProvider;
pub use sandbox::E2bSandbox;
