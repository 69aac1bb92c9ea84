//! `sandshell export` and `sandshell import`.

use super::local_only;
use crate::cli::args::{Export, Import};
use crate::cli::failure::{Failure, reason};
use crate::cli::on_disk::plain_provider;
use crate::cli::print::print;
use crate::cli::progress::Progress;
use crate::cli::state;
use sandshell::archive::{self, Form};
use sandshell::{CreateOptions, Sandbox};
use std::fs::File;
use std::io::{self, BufReader};

pub(crate) async fn export(args: Export) -> Result<u8, Failure> {
    local_only(args.of.sandbox.as_deref())?;
    let provider = plain_provider()?;
    let _progress = Progress::new(format!("writing {}", args.file.display()));
    state::replace(&args.file, |file| {
        let form = Form::of(&args.file);
        archive::export(&provider, &args.of.id, args.state.as_deref(), form, file).map_err(io::Error::other)
    })
    .map(|()| 0)
}

pub(crate) async fn import(args: Import) -> Result<u8, Failure> {
    if !args.file.is_file() {
        return Err(Failure::about(args.file.display(), "no such file"));
    }
    let file = File::open(&args.file).map_err(|error| Failure::about(args.file.display(), reason(&error)))?;
    let provider = plain_provider()?;
    let mut options = CreateOptions::default();
    options.labels = args.labels;
    let progress = Progress::new(format!("reading {}", args.file.display()));
    let sandbox = archive::import(&provider, options, BufReader::new(file))
        .await
        .map_err(|error| Failure::about(args.file.display(), error))?;
    drop(progress);
    print(format!("{}\n", sandbox.id()).as_bytes()).map(|()| 0)
}
