//! Passes a call on.

use super::{Call, Handle, Reply};
use crate::{OutputSender, Result, SandboxProvider};

/// Makes the call at `provider`, or at the sandbox that the call's handle wraps.
pub(crate) async fn perform(
    provider: &dyn SandboxProvider,
    call: Call,
    output: Option<OutputSender>,
) -> Result<Reply> {
    Ok(match call {
        Call::Create(options) => Reply::Sandbox(Handle::of(provider.get_or_create(options).await?)),
        Call::List(options) => Reply::Page(provider.list(options).await?),
        Call::Delete { id } => done(provider.delete(&id).await?),
        Call::Snapshot { id, name } => Reply::Snapshot(provider.snapshot(&id, name.as_deref()).await?),
        Call::Restore { id, snapshot } => done(provider.restore(&id, &snapshot).await?),
        Call::DeleteSnapshot { snapshot } => done(provider.delete_snapshot(&snapshot).await?),
        Call::Fork { id } => Reply::Sandbox(Handle::of(provider.fork(&id).await?)),
        Call::Pause { id } => done(provider.pause(&id).await?),
        Call::Resume { id } => done(provider.resume(&id).await?),
        Call::SetTtl { id, ttl } => done(provider.set_ttl(&id, ttl).await?),
        Call::Execute(handle, request) => Reply::Executed(match output {
            Some(output) => handle.wrapped()?.execute_streaming(request, output).await?,
            None => handle.wrapped()?.execute(request).await?,
        }),
        Call::Upload(handle, files) => Reply::Uploaded(handle.wrapped()?.upload_files(files).await?),
        Call::Download(handle, paths) => Reply::Downloaded(handle.wrapped()?.download_files(paths).await?),
    })
}

fn done((): ()) -> Reply {
    Reply::Done
}
