//! `sandshell create`.

use crate::cli::args::Create;
use crate::cli::choice::Choice;
use crate::cli::failure::{Failure, note};
use crate::cli::print::print;
use crate::cli::setup::Setup;
use crate::cli::{on_disk, pack, places, session, variables};
use sandshell::registry::SandboxHandle;
use sandshell::{CreateOptions, LocalOptions};
use std::sync::Arc;

pub(crate) async fn create(args: Create) -> Result<u8, Failure> {
    let choice = Choice::new(args.sandbox.as_deref())?;
    let provider = match args.mounts.is_empty() {
        true => choice.lasting().await?,
        false if choice.is_local() && !places::are_users_own() => {
            let why = "sandboxes in a directory of --data-dir cannot keep mounts, as somebody else may have made it";
            return Err(Failure::about("--mount", why));
        }
        false if choice.is_local() => {
            let options = session::mounted(LocalOptions::default(), &args.mounts)?;
            let options = LocalOptions { keep_mounts: true, ..options };
            Arc::new(on_disk::provider(options, &pack::chosen(&[], false)?)?)
        }
        false => {
            return Err(Failure::about(
                &choice.name,
                "only local sandboxes have directories of this machine",
            ));
        }
    };
    let setup = Setup::read(&args.setup)?;
    let mut options = CreateOptions::default();
    options.snapshot = args.snapshot;
    options.labels = args.labels;
    options.env = variables::texts(&args.env)?;
    options.workdir = args.workdir;
    options.ttl = args.ttl;
    options.limits.memory = args.memory;
    options.limits.hard_ttl = args.hard_ttl;
    let handle = SandboxHandle::create(provider, options).await?;
    if let Some(setup) = setup
        && let Err(failure) = setup.run(&**handle.sandbox()).await
    {
        let id = handle.sandbox().id().to_owned();
        if let Err(error) = handle.close().await {
            note(&format!("the sandbox {id} could not be deleted: {error}"));
        }
        return Err(failure);
    }
    let sandbox = handle.keep();
    print(format!("{}\n", sandbox.id()).as_bytes()).map(|()| 0)
}
