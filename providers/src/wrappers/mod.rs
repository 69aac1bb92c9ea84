//! Providers around a provider. Each can be used wherever a provider is expected.
//!
//! * [`record`] writes calls and their answers to a cassette; [`replay`] answers from it without any provider.
//! * [`retry`] retries calls that failed temporarily and are safe to retry.
//! * [`audit`] logs every call as one JSON object on each line.
//! * [`redact`] removes secrets from outputs and downloads.
//! * [`limit`] limits concurrent calls and calls per second.
//!
//! Each returns a provider whose sandboxes are wrapped too, so wrappers can be nested; the outermost sees a call
//! first. With all wrappers except [`redact`], file operations are made of commands and transfers, so that the
//! wrapper sees each of them.
//!
//! A file that is transferred in pieces is never in memory as a whole, except with [`record`] and [`replay`]: a
//! cassette holds whole files.

mod audit;
mod limit;
mod record;
mod redact;
mod redactor;
mod relay;
mod replay;
mod retry;

pub use audit::audit;
pub use limit::{LimitOptions, limit};
pub use record::record;
pub use redact::redact;
pub use redactor::Redactor;
pub use replay::{ReplayOptions, replay};
pub use retry::{RetryOptions, retry};
