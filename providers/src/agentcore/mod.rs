//! [Amazon Bedrock AgentCore](https://aws.amazon.com/bedrock/agentcore/)'s code interpreter: sessions, whose tools
//! answer in event streams.
//!
//! * Variables: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, for temporary ones, `AWS_SESSION_TOKEN`;
//!   `AWS_REGION` or `AWS_DEFAULT_REGION`; `AWS_ENDPOINT_URL_BEDROCK_AGENTCORE` for another address. Profiles and
//!   the metadata service are not used.
//! * A command is a task that is polled until it has ended. It is stopped when its time is up or its future is
//!   dropped. Output is text: bytes that are not UTF-8 become U+FFFD, and the order between the two streams is
//!   lost.
//! * Files are transferred in pieces through the tools' own directory, because the service accepts no absolute
//!   paths. A command joins the pieces, so that the permissions of the sandbox's user apply. Short files are
//!   downloaded in the output of a command.
//! * A session ends after at most 8 hours, which cannot be extended. It keeps neither labels nor variables; a
//!   working directory that is not the default is stored in its name.

mod api;
mod execute;
mod files;
mod options;
mod provider;
mod sandbox;
mod sign;

pub use options::AgentCoreOptions;
pub use provider::AgentCoreProvider;
pub use sandbox::AgentCoreSandbox;
