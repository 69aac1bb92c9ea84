//! [Deno Sandbox](https://deno.com/sandbox): JSON-RPC over a WebSocket, and a few calls over REST.
//!
//! * Variables: `DENO_DEPLOY_TOKEN`, and `DENO_DEPLOY_ORG` for a personal token; `DENO_SANDBOX_ENDPOINT` (or
//!   `DENO_SANDBOX_BASE_DOMAIN`) and `DENO_DEPLOY_ENDPOINT` for other addresses.
//! * The end of a sandbox is always sent as a point in time (`stop_at_ms`): without it, the sandbox would end with
//!   the socket that created it. The official SDKs write durations differently; this is the form of the JavaScript
//!   SDK.
//! * A handle has one socket for all its commands and files. If the socket breaks, it is opened again.
//! * The service reads and writes only whole files. Files that should not be in memory are downloaded in pieces as
//!   the output of commands, and uploaded in pieces that a command joins.
//! * The service has no timeouts: the client kills a command when its time is up or its future is dropped.
//! * A working directory that is not the default is stored in a variable of the sandbox. A snapshot is the name of
//!   a volume, or of a snapshot of a volume, to boot from. Running sandboxes cannot be snapshotted.

mod api;
mod execute;
mod files;
mod options;
mod provider;
mod rpc;
mod sandbox;
mod socket;

pub use options::DenoOptions;
pub use provider::DenoProvider;
pub use sandbox::DenoSandbox;
