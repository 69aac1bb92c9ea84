//! The trait of what answers calls.

use std::fmt::Debug;

use async_trait::async_trait;

use super::{Call, Handle, Reply};
use crate::{FileOperations, OutputSender, ProviderMetadata, Result};

/// A provider as a single function. Dropping the call's future cancels the call.
#[async_trait]
pub(crate) trait Backend: Debug + Send + Sync + 'static {
    /// The provider's metadata.
    fn metadata(&self) -> ProviderMetadata;

    /// Answers a call. `output` is given for a command whose output is wanted while it runs.
    async fn call(&self, call: Call, output: Option<OutputSender>) -> Result<Reply>;

    /// Native file operations of a sandbox, if it has some that are better than commands.
    fn file_operations(&self, handle: &Handle) -> Option<Box<dyn FileOperations>> {
        let _ = handle;
        None
    }
}
