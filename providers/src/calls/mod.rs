//! Calls as values: what a wrapper looks at, what a cassette holds, what a command provider is sent.
//!
//! A [`Backend`] answers calls in one function; [`Front`] makes it a provider with sandboxes.

mod answer;
mod backend;
mod call;
mod front;
mod handle;
pub(crate) mod json;
mod perform;

pub(crate) use answer::Answer;
pub(crate) use backend::Backend;
pub(crate) use call::Call;
pub(crate) use front::Front;
pub(crate) use handle::Handle;
pub(crate) use perform::perform;
