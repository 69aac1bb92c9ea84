//! Removes secrets from results.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::mpsc;

use super::Redactor;
use super::redactor::Stream;
use crate::calls::{Backend, BackendProvider, Call, Handle, Reply, perform};
use crate::{
    EditOutcome, EditRequest, Error, ExecuteResponse, FileError, FileInfo, FileOperations, FileResult,
    FileSink, FileSource, GlobRequest, GlobResult, GrepRequest, GrepResult, LineRange, OutputChunk,
    OutputSender, OutputStream, ProviderMetadata, ReadContent, ReadResult, Result, Retry, Sandbox,
    SandboxExt, SandboxProvider, WriteMode,
};

/// Removes secrets from outputs (also from streamed ones), downloads, the results of `read` and `grep`, and error
/// messages. Commands and uploads are not changed, and edits work on the unredacted file.
///
/// A secret that a command prints in another form (reversed, encoded, or in two parts) is not recognised.
pub fn redact(provider: Arc<dyn SandboxProvider>, redactor: Redactor) -> Arc<dyn SandboxProvider> {
    Arc::new(BackendProvider::new(Redacting { provider, redactor }))
}

#[derive(Debug)]
struct Redacting {
    provider: Arc<dyn SandboxProvider>,
    redactor: Redactor,
}

#[async_trait]
impl Backend for Redacting {
    fn metadata(&self) -> ProviderMetadata {
        self.provider.metadata()
    }

    async fn call(&self, call: Call, output: Option<OutputSender>) -> Result<Reply> {
        let answer = match output {
            None => perform(&*self.provider, call, None).await,
            Some(output) => {
                // The smallest possible channel, so that a slow reader still slows the command down.
                let (sender, receiver) = mpsc::channel(1);
                let call = perform(&*self.provider, call, Some(sender));
                tokio::join!(call, pass_on(&self.redactor, receiver, output)).0
            }
        };
        match answer {
            Ok(answer) => Ok(self.clean(answer)),
            Err(error) => Err(clean_error(&self.redactor, &error)),
        }
    }

    async fn upload_from(
        &self,
        handle: &Handle,
        path: &str,
        content: FileSource,
    ) -> Result<Result<(), FileError>> {
        self.clean_result(handle.wrapped()?.upload_from(path, content).await)
    }

    async fn download_to(
        &self,
        handle: &Handle,
        path: &str,
        content: FileSink,
    ) -> Result<Result<(), FileError>> {
        let (sender, receiver) = mpsc::channel::<Bytes>(1);
        let mut stream = Stream::new(&self.redactor);
        let pieces = async {
            let mut receiver = receiver;
            while let Some(piece) = receiver.recv().await {
                let clean = stream.push(&piece);
                if !clean.is_empty() && content.send(clean.into()).await.is_err() {
                    return;
                }
            }
        };
        let answer = tokio::join!(handle.wrapped()?.download_to(path, sender), pieces).0;
        // The end of an incomplete file may be the beginning of a secret.
        if matches!(answer, Ok(Ok(()))) {
            let rest = stream.finish();
            if !rest.is_empty() {
                drop(content.send(rest.into()).await);
            }
        }
        self.clean_result(answer)
    }

    fn file_operations(&self, handle: &Handle) -> Option<Box<dyn FileOperations>> {
        let sandbox = handle.inner.clone()?;
        Some(Box::new(Files { sandbox, redactor: self.redactor.clone() }))
    }
}

impl Redacting {
    fn clean(&self, answer: Reply) -> Reply {
        match answer {
            Reply::Executed(response) => Reply::Executed(ExecuteResponse {
                output: self.redactor.bytes(&response.output),
                stdout: self.redactor.bytes(&response.stdout),
                stderr: self.redactor.bytes(&response.stderr),
                ..response
            }),
            Reply::Downloaded(mut files) => {
                for file in &mut files {
                    match &mut file.result {
                        Ok(content) => *content = self.redactor.bytes(content),
                        Err(error) => self.clean_file_error(error),
                    }
                }
                Reply::Downloaded(files)
            }
            Reply::Uploaded(mut files) => {
                let errors = files.iter_mut().filter_map(|file| file.result.as_mut().err());
                errors.for_each(|error| self.clean_file_error(error));
                Reply::Uploaded(files)
            }
            other => other,
        }
    }

    fn clean_result(&self, mut answer: Result<Result<(), FileError>>) -> Result<Result<(), FileError>> {
        if let Ok(Err(error)) = &mut answer {
            self.clean_file_error(error);
        }
        answer.map_err(|error| clean_error(&self.redactor, &error))
    }

    fn clean_file_error(&self, error: &mut FileError) {
        if let FileError::Other(text) = error {
            *text = self.redactor.text(text);
        }
    }
}

fn clean_error(redactor: &Redactor, error: &Error) -> Error {
    let clean = Error::new(error.kind(), redactor.text(&error.to_string()));
    match error.retry() {
        Retry::Never => clean,
        Retry::Later(delay) => clean.retry_after(delay),
    }
}

/// Redacts each stream separately: output on the other stream does not interrupt a secret.
async fn pass_on(redactor: &Redactor, mut from: mpsc::Receiver<OutputChunk>, to: OutputSender) {
    let mut streams = [Stream::new(redactor), Stream::new(redactor)];
    let send = async |stream, data: Vec<u8>| {
        data.is_empty() || to.send(OutputChunk { stream, data: Bytes::from(data) }).await.is_ok()
    };
    while let Some(chunk) = from.recv().await {
        let [stdout, stderr] = &mut streams;
        let stream = if chunk.stream == OutputStream::Stdout { stdout } else { stderr };
        if !send(chunk.stream, stream.push(&chunk.data)).await {
            // When the reader goes away, streaming stops but the command goes on.
            return;
        }
    }
    for (kind, stream) in [OutputStream::Stdout, OutputStream::Stderr].into_iter().zip(&mut streams) {
        if !send(kind, stream.finish()).await {
            return;
        }
    }
}

/// The wrapped sandbox's own file operations with redacted answers. An edit made of a download and an upload would
/// write the redaction marks into the file.
struct Files {
    sandbox: Arc<dyn Sandbox>,
    redactor: Redactor,
}

#[async_trait]
impl FileOperations for Files {
    async fn read(&self, path: &str, range: LineRange) -> FileResult<ReadResult> {
        let mut result = self.sandbox.read(path, range).await?;
        match &mut result.content {
            ReadContent::Text(page) => page.text = self.redactor.text(&page.text),
            ReadContent::Binary(bytes) => *bytes = self.redactor.bytes(bytes),
            ReadContent::Empty | ReadContent::NoLines => {}
        }
        Ok(result)
    }

    async fn write(&self, path: &str, content: Bytes, mode: WriteMode) -> FileResult<()> {
        self.sandbox.write(path, content, mode).await
    }

    async fn edit(&self, path: &str, edit: &EditRequest) -> FileResult<EditOutcome> {
        self.sandbox.edit(path, edit).await
    }

    async fn ls(&self, path: &str) -> FileResult<Vec<FileInfo>> {
        self.sandbox.ls(path).await
    }

    async fn grep(&self, request: &GrepRequest) -> FileResult<GrepResult> {
        let mut result = self.sandbox.grep(request).await?;
        for found in &mut result.matches {
            found.text = self.redactor.text(&found.text);
        }
        Ok(result)
    }

    async fn glob(&self, request: &GlobRequest) -> FileResult<GlobResult> {
        self.sandbox.glob(request).await
    }

    async fn delete(&self, path: &str) -> FileResult<()> {
        self.sandbox.delete(path).await
    }
}
