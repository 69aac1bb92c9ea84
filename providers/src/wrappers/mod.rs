//! Providers around a provider: whatever calls for one can have any of these instead.
//!
//! * [`record`] writes what was called and answered to a cassette, [`replay`] answers from it without any provider.
//! * [`retry`] repeats what failed in passing and is safe to repeat.
//! * [`audit`] logs every call, a JSON object a line.
//! * [`redact`] takes secrets out of outputs and downloads.
//! * [`limit`] bounds how many calls there are at a time and in a second.
//!
//! Each returns a provider whose sandboxes are wrapped too, so that they can be put around each other; the outermost sees
//! a call first. Around all but [`redact`] file operations are made of commands and transfers, so that none is missed.

mod audit;
mod limit;
mod record;
mod redact;
mod redactor;
mod replay;
mod retry;

pub use audit::audit;
pub use limit::{LimitOptions, limit};
pub use record::record;
pub use redact::redact;
pub use redactor::Redactor;
pub use replay::{ReplayOptions, replay};
pub use retry::{RetryOptions, retry};
