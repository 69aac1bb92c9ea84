//! [Deno Sandbox](https://deno.com/sandbox): JSON-RPC over a WebSocket, and a little REST beside it.
//!
//! * Variables: `DENO_DEPLOY_TOKEN`, and `DENO_DEPLOY_ORG` for a token of a person; `DENO_SANDBOX_ENDPOINT` (or
//!   `DENO_SANDBOX_BASE_DOMAIN`) and `DENO_DEPLOY_ENDPOINT` for other addresses.
//! * The end of a sandbox is sent as a time (`stop_at_ms`), always: without one it would end with the socket that made
//!   it. The official SDKs disagree on durations; this is JavaScript's form.
//! * A handle has one socket, for all its commands and files at once. It is opened again when it broke.
//! * Files are read and written by the service as a whole; those that are not to be in memory come in pieces as the output of
//!   commands, and go in pieces that a command joins.
//! * The service knows no timeout: a command is killed when its time is up or its future is dropped.
//! * A working directory of one's own is kept in a variable of the sandbox. A snapshot is the name of a volume, or a
//!   snapshot of one, to boot from; one of a running sandbox cannot be taken.

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
