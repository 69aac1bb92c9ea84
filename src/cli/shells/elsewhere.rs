//! Where there are no Unix sockets, no process keeps sessions for others.

use super::args::{Exec, Sessions};
use super::failure::Failure;

const NONE: &str =
    "sessions that outlive their process need Unix sockets: use `sandshell mcp` or a library's sessions";

pub(crate) async fn exec(args: &Exec) -> Result<Option<u8>, Failure> {
    if args.session.is_some() { Err(Failure::new(NONE)) } else { Ok(None) }
}

pub(crate) async fn session(_: Sessions) -> Result<u8, Failure> {
    Err(Failure::new(NONE))
}

pub(crate) async fn end(_: &str, _: Option<String>) -> Result<(), Failure> {
    Ok(())
}

pub(crate) async fn explain(_: &str) {}
