//! `sandshell create`.

use crate::cli::args::Create;
use crate::cli::choice::Choice;
use crate::cli::exec::print;
use crate::cli::failure::{Failure, note};
use crate::cli::setup::Setup;
use crate::cli::variables;
use sandshell::CreateOptions;
use sandshell::registry::SandboxHandle;

pub(crate) async fn create(args: Create) -> Result<u8, Failure> {
    let provider = Choice::new(args.sandbox.as_deref())?.lasting().await?;
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
