//! Passing a call on.

use std::sync::Arc;

use super::{Answer, Call, Handle};
use crate::{Error, ErrorKind, OutputSender, Result, Sandbox, SandboxProvider};

/// Makes a call of `provider`, or of the sandbox that the call's handle wraps.
pub(crate) async fn perform(
    provider: &dyn SandboxProvider,
    call: Call,
    output: Option<OutputSender>,
) -> Result<Answer> {
    Ok(match call {
        Call::Create(options) => Answer::Sandbox(Handle::of(provider.get_or_create(options).await?)),
        Call::List(options) => Answer::Page(provider.list(options).await?),
        Call::Delete { id } => done(provider.delete(&id).await?),
        Call::Snapshot { id, name } => Answer::Snapshot(provider.snapshot(&id, name.as_deref()).await?),
        Call::Restore { id, snapshot } => done(provider.restore(&id, &snapshot).await?),
        Call::DeleteSnapshot { snapshot } => done(provider.delete_snapshot(&snapshot).await?),
        Call::Fork { id } => Answer::Sandbox(Handle::of(provider.fork(&id).await?)),
        Call::Pause { id } => done(provider.pause(&id).await?),
        Call::Resume { id } => done(provider.resume(&id).await?),
        Call::SetTtl { id, ttl } => done(provider.set_ttl(&id, ttl).await?),
        Call::Execute(handle, request) => Answer::Executed(match output {
            Some(output) => inner(handle)?.execute_streaming(request, output).await?,
            None => inner(handle)?.execute(request).await?,
        }),
        Call::Upload(handle, files) => Answer::Uploaded(inner(handle)?.upload_files(files).await?),
        Call::Download(handle, paths) => Answer::Downloaded(inner(handle)?.download_files(paths).await?),
    })
}

fn done((): ()) -> Answer {
    Answer::Done
}

fn inner(handle: Handle) -> Result<Arc<dyn Sandbox>> {
    handle.inner.ok_or_else(|| Error::new(ErrorKind::Unexpected, "the handle wraps no sandbox"))
}
