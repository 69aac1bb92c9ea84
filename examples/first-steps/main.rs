//! The first five things that a user of the library does, each in a file of its own.
//!
//! `cargo run --example first-steps` runs all of them, `cargo run --example first-steps -- project` runs one. The
//! tests run them too.

#![allow(clippy::print_stdout, reason = "an example shows what it did")]

mod command;
mod files;
mod fixture;
mod project;
mod stream;

pub(crate) type Result = std::result::Result<(), Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> Result {
    let chosen = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let is_chosen = |name: &str| chosen.as_deref().is_none_or(|chosen| name == chosen);
    if is_chosen("command") {
        command::run().await?;
    }
    if is_chosen("files") {
        files::run().await?;
    }
    if is_chosen("project") {
        project::run().await?;
    }
    if is_chosen("stream") {
        stream::run().await?;
    }
    if is_chosen("fixture") {
        fixture::run().await?;
    }
    Ok(())
}
