//! [LangSmith](https://docs.langchain.com/langsmith) sandboxes: a REST API, and for each sandbox a data plane with
//! commands over WebSockets.
//!
//! * Variables: `LANGSMITH_SANDBOX_API_KEY`, `LANGSMITH_API_KEY` or `LANGCHAIN_API_KEY`; `LANGSMITH_ENDPOINT` or
//!   `LANGCHAIN_ENDPOINT` for another address.
//! * A command has an id of its own: after a broken connection the client reconnects and continues where it was,
//!   and nothing runs twice. A command is killed when its time is up or its future is dropped. Output is text:
//!   bytes that are not UTF-8 become U+FFFD.
//! * The time to live counts only while nobody uses the sandbox, in whole minutes; then it is deleted. A sandbox
//!   that the service has stopped resumes when it is used.
//! * A working directory that is not the default is stored in a label.

mod api;
mod execute;
mod files;
mod options;
mod provider;
mod sandbox;

pub use options::LangSmithOptions;
pub use provider::LangSmithProvider;
pub use sandbox::LangSmithSandbox;
