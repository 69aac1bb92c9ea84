//! Manages sandboxes that outlive this process: creates, lists and deletes them, only through the provider's trait.

mod create;
mod doctor;
mod list;
mod providers;
mod table;

pub(crate) use create::create;
pub(crate) use doctor::doctor;
pub(crate) use list::list;
pub(crate) use providers::providers;
pub(crate) use table::table;

use super::args::{Id, Ids, RestoreArgs, SnapshotArgs};
use super::choice::Choice;
use super::failure::Failure;
use super::on_disk::waiting;
use super::print::print;
use super::shells;

pub(crate) async fn delete(args: Ids) -> Result<u8, Failure> {
    let choice = Choice::new(args.sandbox.as_deref())?;
    let provider = choice.lasting().await?;
    for id in &args.ids {
        end_sessions(&choice, id).await?;
        provider.delete(id).await.map_err(|error| Failure::about(id, error))?;
    }
    Ok(0)
}

pub(crate) async fn pause(args: Ids) -> Result<u8, Failure> {
    let choice = Choice::new(args.sandbox.as_deref())?;
    let provider = choice.lasting().await?;
    for id in &args.ids {
        end_sessions(&choice, id).await?;
        provider.pause(id).await.map_err(|error| Failure::about(id, error))?;
    }
    Ok(0)
}

pub(crate) async fn resume(args: Ids) -> Result<u8, Failure> {
    let provider = Choice::new(args.sandbox.as_deref())?.lasting().await?;
    for id in &args.ids {
        provider.resume(id).await.map_err(|error| Failure::about(id, error))?;
    }
    Ok(0)
}

pub(crate) async fn fork(args: Id) -> Result<u8, Failure> {
    let provider = Choice::new(args.sandbox.as_deref())?.lasting().await?;
    let copy = provider.fork(&args.id).await?;
    print(format!("{}\n", copy.id()).as_bytes()).map(|()| 0)
}

pub(crate) async fn restore(args: RestoreArgs) -> Result<u8, Failure> {
    let choice = Choice::new(args.of.sandbox.as_deref())?;
    let provider = choice.lasting().await?;
    end_sessions(&choice, &args.of.id).await?;
    waiting(async || provider.restore(&args.of.id, &args.to).await).await?;
    Ok(0)
}

pub(crate) async fn snapshot(args: SnapshotArgs) -> Result<u8, Failure> {
    let provider = Choice::new(args.of.sandbox.as_deref())?.lasting().await?;
    let made = provider.snapshot(&args.of.id, args.name.as_deref()).await?;
    print(format!("{}\n", made.id).as_bytes()).map(|()| 0)
}

/// Ends the shells that live in a local sandbox: they have no meaning after what follows.
async fn end_sessions(choice: &Choice, id: &str) -> Result<(), Failure> {
    if choice.is_local() { shells::end(id, None).await } else { Ok(()) }
}
