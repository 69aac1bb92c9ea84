//! [Amazon Bedrock AgentCore](https://aws.amazon.com/bedrock/agentcore/)'s code interpreter: sessions, whose tools
//! answer in event streams.
//!
//! * Variables: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, for temporary ones, `AWS_SESSION_TOKEN`;
//!   `AWS_REGION` or `AWS_DEFAULT_REGION`; `AWS_ENDPOINT_URL_BEDROCK_AGENTCORE` for another address. Profiles and
//!   the metadata service are not looked at.
//! * A command is a task that is asked for until it has ended, and stopped when its time is up or its future is
//!   dropped. Output is text: bytes that are not UTF-8 become U+FFFD, and the streams come without their order.
//! * Files go in pieces through places beside where the tools work, because the service takes no absolute paths; a command
//!   joins them, so that they have the rights of the sandbox's user. Short ones come with the output of a command.
//! * A session ends after at most 8 hours, and its end cannot be put off. It keeps neither labels nor variables; a
//!   working directory of one's own is kept in its name.

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
