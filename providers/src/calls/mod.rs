//! Calls as values: what a wrapper looks at, what a cassette holds, what a command provider is sent.
//!
//! A [`Backend`] answers calls in one function; [`BackendProvider`] makes it a provider with sandboxes.

mod backend;
mod backend_provider;
mod call;
mod handle;
pub(crate) mod json;
mod perform;
mod reply;

pub(crate) use backend::Backend;
pub(crate) use backend_provider::BackendProvider;
pub(crate) use call::Call;
pub(crate) use handle::Handle;
pub(crate) use perform::perform;
pub(crate) use reply::Reply;
