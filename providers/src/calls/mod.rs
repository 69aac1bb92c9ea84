//! Calls as values: wrappers inspect them, cassettes store them, and command providers receive them.
//!
//! A [`Backend`] answers calls in one function. [`BackendProvider`] turns it into a provider.

mod backend;
mod backend_provider;
mod call;
mod handle;
pub(crate) mod json;
mod perform;
mod reply;

pub(crate) use backend::{Backend, download_whole, upload_whole};
pub(crate) use backend_provider::BackendProvider;
pub(crate) use call::Call;
pub(crate) use handle::Handle;
pub(crate) use perform::perform;
pub(crate) use reply::Reply;
