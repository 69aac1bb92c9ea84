//! What the tools of this crate share: options and messages.

pub(crate) mod options;
pub(crate) mod say;
