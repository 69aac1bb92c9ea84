//! The trait of what answers calls.

use std::fmt::Debug;

use async_trait::async_trait;

use super::{Call, Handle, Reply};
use crate::transfer::{collect, delivered, uploaded};
use crate::{
    FileError, FileOperations, FileSink, FileSource, FileUpload, OutputSender, ProviderMetadata, Result,
};

/// A provider as a single function. Dropping the call's future cancels the call.
#[async_trait]
pub(crate) trait Backend: Debug + Send + Sync + 'static {
    /// The provider's metadata.
    fn metadata(&self) -> ProviderMetadata;

    /// Answers a call. `output` is given for a command whose output is wanted while it runs.
    async fn call(&self, call: Call, output: Option<OutputSender>) -> Result<Reply>;

    /// Uploads one file whose content comes in pieces. By default it is collected in memory and becomes a
    /// [`Call::Upload`].
    async fn upload_from(
        &self,
        handle: &Handle,
        path: &str,
        content: FileSource,
    ) -> Result<Result<(), FileError>> {
        upload_whole(self, handle, path, content).await
    }

    /// Downloads one file in pieces. By default it is a [`Call::Download`], whose answer is in memory as a whole.
    async fn download_to(
        &self,
        handle: &Handle,
        path: &str,
        content: FileSink,
    ) -> Result<Result<(), FileError>> {
        download_whole(self, handle, path, content).await
    }

    /// Native file operations of a sandbox, if it has some that are better than commands.
    fn file_operations(&self, handle: &Handle) -> Option<Box<dyn FileOperations>> {
        let _ = handle;
        None
    }
}

/// Uploads a file whose content is collected in memory.
pub(crate) async fn upload_whole(
    backend: &(impl Backend + ?Sized),
    handle: &Handle,
    path: &str,
    content: FileSource,
) -> Result<Result<(), FileError>> {
    match collect(content).await {
        Ok(whole) => {
            let call = Call::Upload(handle.clone(), vec![FileUpload::new(path, whole)]);
            Ok(uploaded(backend.call(call, None).await?.uploaded()?))
        }
        Err(error) => Ok(Err(error)),
    }
}

/// Downloads a file whose content is in memory as a whole.
pub(crate) async fn download_whole(
    backend: &(impl Backend + ?Sized),
    handle: &Handle,
    path: &str,
    content: FileSink,
) -> Result<Result<(), FileError>> {
    let call = Call::Download(handle.clone(), vec![path.to_owned()]);
    Ok(delivered(backend.call(call, None).await?.downloaded()?, content).await)
}
