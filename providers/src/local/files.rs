//! The file operations, implemented directly on a namespace.

use std::fmt;

use async_trait::async_trait;
use bytes::Bytes;
use sandshell_vfs::{Context, Errno, FileKind, Follow, Location, Metadata, Namespace, OpenOptions, Opened};

use super::listing::entries;
use super::transfer::{self, download_error, read_all};
use crate::{
    EditOutcome, EditRequest, Error, ErrorKind, FailureReason, FileDownloadResponse, FileInfo, FileOperation,
    FileOperationError, FileOperations, FileResult, FileUpload, FileUploadResponse, GlobRequest, GlobResult,
    GrepRequest, GrepResult, LineRange, ReadResult, WriteMode,
};
use crate::{names, operations};

pub(super) type FileOutcome<T> = Result<T, FailureReason>;

/// What is read, written and compared on the thread of the caller, in bytes of all files together: other sandboxes wait
/// for that thread.
const QUICK: u64 = 256 << 10;

/// How many files are.
const FEW: usize = 200;

/// How many times as much text an edit may write as it replaces.
const SLIGHT: usize = 16;

/// The files of a namespace with the permissions of one user.
#[derive(Clone)]
pub struct NamespaceFiles {
    pub(super) namespace: Namespace,
    pub(super) cx: Context,
}

impl NamespaceFiles {
    /// The files of `namespace` with the permissions of `cx`.
    pub fn new(namespace: Namespace, cx: Context) -> Self {
        Self { namespace, cx }
    }

    /// [`Sandbox::upload_files`](crate::Sandbox::upload_files).
    pub fn upload(&self, files: Vec<FileUpload>) -> Vec<FileUploadResponse> {
        let upload = |FileUpload { path, content }: FileUpload| {
            let result = transfer::upload(&self.namespace, &self.cx, &path, &content);
            FileUploadResponse { path, result }
        };
        files.into_iter().map(upload).collect()
    }

    /// [`Sandbox::download_files`](crate::Sandbox::download_files).
    pub fn download(&self, paths: Vec<String>) -> Vec<FileDownloadResponse> {
        let download = |path: String| {
            let result = transfer::download(&self.namespace, &self.cx, &path);
            FileDownloadResponse { path, result }
        };
        paths.into_iter().map(download).collect()
    }

    /// [`upload`](Self::upload), which does not hold up this thread for long.
    pub(super) async fn upload_all(&self, files: Vec<FileUpload>) -> crate::Result<Vec<FileUploadResponse>> {
        let size = files.iter().fold(0, |sum: usize, file| sum.saturating_add(file.content.len()));
        if size as u64 <= QUICK && files.len() <= FEW {
            return Ok(self.upload(files));
        }
        let all = self.clone();
        aside(move || all.upload(files)).await
    }

    /// [`download`](Self::download), which does not hold up this thread for long.
    pub(super) async fn download_all(&self, paths: Vec<String>) -> crate::Result<Vec<FileDownloadResponse>> {
        if paths.len() <= FEW && paths.iter().all(|path| self.is_quick(path)) {
            return Ok(self.download(paths));
        }
        let all = self.clone();
        aside(move || all.download(paths)).await
    }

    /// Whether a file is small, or there is none.
    fn is_quick(&self, path: &str) -> bool {
        let (root, path) = (self.namespace.root(), names::bytes(path));
        self.namespace
            .metadata(&self.cx, &root, &path, Follow::Yes)
            .map_or(true, |metadata| metadata.size <= QUICK)
    }

    pub(super) fn find(&self, clean: &str) -> FileOutcome<Location> {
        let path = operations::join_path(clean, "");
        let found =
            self.namespace.resolve(&self.cx, &self.namespace.root(), &names::bytes(&path), Follow::Yes);
        found.map_err(|errno| download_error(errno).into())
    }

    /// A directory that may be read and searched.
    pub(super) fn find_directory(&self, clean: &str) -> FileOutcome<Location> {
        let at = self.find(clean)?;
        if at.kind() != FileKind::Directory {
            return Err(FailureReason::NotADirectory);
        }
        self.check_open(&at)?;
        Ok(at)
    }

    pub(super) fn check_open(&self, at: &Location) -> FileOutcome<()> {
        let access = self.namespace.access(&self.cx, at, b".", Follow::Yes, 0o5);
        access.map_err(|errno| download_error(errno).into())
    }

    fn read_regular(&self, clean: &str) -> FileOutcome<Bytes> {
        let at = self.find(clean)?;
        if at.kind() != FileKind::Regular {
            return Err(FailureReason::NotARegularFile);
        }
        match self.namespace.open_location(&self.cx, &at, &OpenOptions::READ) {
            Ok(Opened::File { file, .. }) => read_all(&*file).map_err(FailureReason::from),
            Ok(_) => Err(FailureReason::NotARegularFile),
            Err(errno) => Err(download_error(errno).into()),
        }
    }

    fn store(&self, clean: &str, content: &[u8]) -> FileOutcome<()> {
        let path = operations::join_path(clean, "");
        transfer::upload(&self.namespace, &self.cx, &path, content).map_err(FailureReason::from)
    }

    pub(super) fn info(
        &self,
        base: &Location,
        below: &[u8],
        path: String,
        own: &Metadata,
    ) -> (FileInfo, FileKind) {
        let is_symlink = own.kind == FileKind::Symlink;
        let target =
            is_symlink.then(|| self.namespace.metadata(&self.cx, base, below, Follow::Yes).ok()).flatten();
        let shown = target.as_ref().unwrap_or(own);
        let info = FileInfo {
            path,
            is_dir: shown.kind == FileKind::Directory,
            is_symlink,
            size: shown.size,
            modified_at: operations::whole_seconds(shown.mtime.secs),
        };
        (info, shown.kind)
    }

    fn write_now(&self, path: &str, content: &[u8], mode: WriteMode) -> FileOutcome<()> {
        let clean = operations::clean_path(path)?;
        if mode == WriteMode::CreateNew && self.find(&clean).is_ok() {
            return Err(FailureReason::AlreadyExists);
        }
        self.store(&clean, content)
    }

    fn edit_now(&self, path: &str, edit: &EditRequest) -> FileOutcome<EditOutcome> {
        let clean = operations::clean_path(path)?;
        if edit.old.is_empty() {
            return Err(FailureReason::EmptyOldText);
        }
        let (content, occurrences) = operations::replace(&self.read_regular(&clean)?, edit)?;
        self.store(&clean, &content)?;
        Ok(EditOutcome { occurrences })
    }

    fn ls_now(&self, path: &str) -> FileOutcome<Vec<FileInfo>> {
        let clean = operations::clean_path(path)?;
        let at = self.find_directory(&clean)?;
        let listed = entries(&self.namespace, &self.cx, &at, b"").map_err(download_error)?;
        let mut infos: Vec<FileInfo> = listed
            .iter()
            .filter_map(|entry| {
                let own = self.namespace.metadata(&self.cx, &at, &entry.name, Follow::No).ok()?;
                let path = format!("{clean}/{}", names::text(&entry.name));
                Some(self.info(&at, &entry.name, path, &own).0)
            })
            .collect();
        infos.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(infos)
    }

    fn delete_now(&self, path: &str) -> FileOutcome<()> {
        let clean = operations::clean_path(path)?;
        if clean.is_empty() || clean.ends_with("/..") {
            return Err(FailureReason::InvalidPath);
        }
        let (root, path) = (self.namespace.root(), names::bytes(&clean));
        let own = self.namespace.metadata(&self.cx, &root, &path, Follow::No).map_err(download_error)?;
        let removed = if own.kind == FileKind::Directory {
            self.namespace.remove_tree(&self.cx, &root, &path)
        } else {
            self.namespace.unlink(&self.cx, &root, &path)
        };
        removed.map_err(|errno| match errno {
            Errno::Acces => FailureReason::PermissionDenied,
            other => FailureReason::Other(other.to_string()),
        })
    }
}

#[async_trait]
impl FileOperations for NamespaceFiles {
    async fn read(&self, path: &str, range: LineRange) -> FileResult<ReadResult> {
        let read = move |files: &Self, path: &str| {
            operations::page(path, files.read_regular(&operations::clean_path(path)?)?, range)
        };
        let done = if self.is_quick(path) {
            read(self, path)
        } else {
            let (files, path) = (self.clone(), path.to_owned());
            aside(move || read(&files, &path)).await?
        };
        done.map_err(|reason| FileOperationError::failed(FileOperation::Read, path, reason))
    }

    async fn write(&self, path: &str, content: Bytes, mode: WriteMode) -> FileResult<()> {
        let written = if content.len() as u64 <= QUICK {
            self.write_now(path, &content, mode)
        } else {
            let (files, path) = (self.clone(), path.to_owned());
            aside(move || files.write_now(&path, &content, mode)).await?
        };
        written.map_err(|reason| FileOperationError::failed(FileOperation::Write, path, reason))
    }

    async fn edit(&self, path: &str, edit: &EditRequest) -> FileResult<EditOutcome> {
        let growth = if edit.replace_all { edit.new.len() / edit.old.len().max(1) } else { 0 };
        let edited = if growth <= SLIGHT && edit.new.len() as u64 <= QUICK && self.is_quick(path) {
            self.edit_now(path, edit)
        } else {
            let (files, path, edit) = (self.clone(), path.to_owned(), edit.clone());
            aside(move || files.edit_now(&path, &edit)).await?
        };
        edited.map_err(|reason| FileOperationError::failed(FileOperation::Edit, path, reason))
    }

    async fn ls(&self, path: &str) -> FileResult<Vec<FileInfo>> {
        let (files, task) = (self.clone(), path.to_owned());
        let listed = aside(move || files.ls_now(&task)).await?;
        listed.map_err(|reason| FileOperationError::failed(FileOperation::Ls, path, reason))
    }

    async fn grep(&self, request: &GrepRequest) -> FileResult<GrepResult> {
        let (files, task) = (self.clone(), request.clone());
        let found = aside(move || files.grep_now(&task)).await?;
        found.map_err(|reason| FileOperationError::failed(FileOperation::Grep, &request.path, reason))
    }

    async fn glob(&self, request: &GlobRequest) -> FileResult<GlobResult> {
        let (files, task) = (self.clone(), request.clone());
        let found = aside(move || files.glob_now(&task)).await?;
        found.map_err(|reason| FileOperationError::failed(FileOperation::Glob, &request.path, reason))
    }

    async fn delete(&self, path: &str) -> FileResult<()> {
        let (files, task) = (self.clone(), path.to_owned());
        let removed = aside(move || files.delete_now(&task)).await?;
        removed.map_err(|reason| FileOperationError::failed(FileOperation::Delete, path, reason))
    }
}

/// Runs a task that can take long on a thread where it does not block anything else.
async fn aside<T: Send + 'static>(task: impl FnOnce() -> T + Send + 'static) -> crate::Result<T> {
    tokio::task::spawn_blocking(task).await.map_err(|error| {
        Error::new(ErrorKind::Unexpected, "a file operation was abandoned").with_source(error)
    })
}

impl fmt::Debug for NamespaceFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceFiles").field("user", &self.cx).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandshell_vfs::{MemoryFs, MountOptions};
    use std::sync::{Arc, mpsc};
    use std::task::{Context as Task, Poll, Waker};

    /// Guests run on the same threads. The only thread for long work is busy here, so what needs it does not come to an
    /// end.
    #[test]
    fn what_is_large_does_not_hold_up_the_thread() {
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build();
        let runtime = runtime.expect("a runtime");
        let _entered = runtime.enter();
        let (release, released) = mpsc::channel::<()>();
        let busy = runtime.spawn_blocking(move || released.recv());
        let namespace = Namespace::new(Arc::new(MemoryFs::new()), MountOptions::default());
        let files = NamespaceFiles::new(namespace, Context::ROOT);
        let large = usize::try_from(QUICK).expect("it fits") + 1;
        for (size, waits) in [(10, false), (large, true)] {
            let content = Bytes::from("a".repeat(size));
            let path = format!("/{size}");
            files.write_now(&path, &content, WriteMode::CreateNew).expect("is written");
            let edit = EditRequest::once("b", "c");
            assert_eq!(is_waiting(files.read(&path, LineRange::new(0, 1))), waits, "read {size}");
            assert_eq!(
                is_waiting(files.write(&path, content.clone(), WriteMode::Overwrite)),
                waits,
                "write {size}"
            );
            assert_eq!(is_waiting(files.edit(&path, &edit)), waits, "edit {size}");
            assert_eq!(is_waiting(files.download_all(vec![path.clone()])), waits, "download {size}");
            assert_eq!(
                is_waiting(files.upload_all(vec![FileUpload::new(path, content)])),
                waits,
                "upload {size}"
            );
        }
        assert!(is_waiting(files.ls("/")), "a directory may have any number of entries");
        release.send(()).expect("it waits");
        assert!(runtime.block_on(busy).expect("it ends").is_ok());
    }

    fn is_waiting<T>(work: impl Future<Output = T>) -> bool {
        let mut work = std::pin::pin!(work);
        matches!(work.as_mut().poll(&mut Task::from_waker(Waker::noop())), Poll::Pending)
    }
}
