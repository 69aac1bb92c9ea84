//! A directory as an object store whose writes can have conditions, too.

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use sandshell_vfs::host_private as private;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

/// A directory, perhaps on a filesystem that several machines have mounted.
///
/// The library does not replace a file of one version. Here this happens under a lock (`flock`) on one file, which the
/// system ends with its holder; the version of a file is the hash of its bytes.
#[derive(Debug)]
pub(crate) struct Directory {
    files: Arc<LocalFileSystem>,
    lock: Arc<PathBuf>,
}

impl Directory {
    /// The directory, which is made if it is missing.
    pub(crate) fn open(at: &FilePath) -> io::Result<Self> {
        private::create_directory(at)?;
        let files = LocalFileSystem::new_with_prefix(at).map_err(io::Error::other)?.with_fsync(true);
        Ok(Self { files: Arc::new(files), lock: Arc::new(at.join("lock")) })
    }
}

/// Waits for the lock, on a thread of its own.
async fn locked(at: Arc<PathBuf>) -> Result<File> {
    let lock = tokio::task::spawn_blocking(move || {
        let file = private::file_options().create(true).truncate(false).write(true).open(&*at)?;
        file.lock().map(|()| file)
    });
    lock.await?.map_err(|source| Error::Generic { store: "directory", source: Box::new(source) })
}

fn version(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

#[async_trait::async_trait]
impl ObjectStore for Directory {
    async fn put_opts(&self, location: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        let bytes = Bytes::from(payload);
        let e_tag = Some(version(&bytes));
        let mut lock = None;
        let mode = match options.mode {
            PutMode::Update(expected) => {
                lock = Some(locked(self.lock.clone()).await?);
                let found = self.files.get(location).await?.bytes().await?;
                if expected.e_tag != Some(version(&found)) {
                    let source = "the file was changed".into();
                    return Err(Error::Precondition { path: location.to_string(), source });
                }
                PutMode::Overwrite
            }
            mode => mode,
        };
        self.files.put_opts(location, bytes.into(), mode.into()).await?;
        drop(lock);
        Ok(PutResult { e_tag, version: None, extensions: options.extensions })
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.files.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        if options.head {
            return self.files.get_opts(location, options).await;
        }
        let found = self.files.get_opts(location, options).await?;
        let (mut meta, range, attributes) =
            (found.meta.clone(), found.range.clone(), found.attributes.clone());
        let bytes = found.bytes().await?;
        meta.e_tag = Some(version(&bytes));
        let bytes: BoxStream<'static, Result<Bytes>> = Box::pin(futures_util::stream::iter([Ok(bytes)]));
        let payload = GetResultPayload::Stream(bytes);
        Ok(GetResult { payload, meta, range, attributes, extensions: Default::default() })
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let (files, lock) = (self.files.clone(), self.lock.clone());
        // What is being replaced is not there again afterwards.
        let deleted = locations.then(move |location| {
            let (files, lock) = (files.clone(), lock.clone());
            async move {
                let location = location?;
                let _lock = locked(lock).await?;
                files.delete(&location).await.map(|()| location)
            }
        });
        Box::pin(deleted)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.files.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.files.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.files.copy_opts(from, to, options).await
    }
}

impl fmt::Display for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files.fmt(f)
    }
}
