//! [E2B](https://e2b.dev): a REST control plane, and in each sandbox `envd`, which speaks Connect RPC as JSON.
//!
//! * Variables: `E2B_API_KEY`; `E2B_API_URL` and `E2B_SANDBOX_URL` or `E2B_DOMAIN` for another address.
//! * A snapshot or template is what [`CreateOptions::snapshot`](crate::CreateOptions::snapshot) names.
//! * A working directory of one's own is kept in the sandbox's metadata, so that it is there after a reattach.
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
