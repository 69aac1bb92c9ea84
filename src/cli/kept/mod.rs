//! What only local sandboxes that are kept on disk have, beside what the provider's trait offers.

mod collect;
mod compare;
mod history;
mod moving;

pub(crate) use collect::gc;
pub(crate) use compare::diff;
pub(crate) use history::log;
pub(crate) use moving::{export, import};

use super::choice::Choice;
use super::failure::Failure;
use super::on_disk;
use sandshell::store::Store;

/// An error for another provider than the local one, whose sandboxes are not here.
fn local_only(asked: Option<&str>) -> Result<(), Failure> {
    let choice = Choice::new(asked)?;
    if choice.is_local() {
        return Ok(());
    }
    Err(Failure::about(&choice.name, "only local sandboxes have a history, and can be exported"))
}

/// The store of the local sandboxes; an error if another provider is asked for.
fn store(asked: Option<&str>) -> Result<Store, Failure> {
    local_only(asked)?;
    on_disk::store()
}
