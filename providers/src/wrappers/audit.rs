//! A log of every call.

use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::Redactor;
use super::relay::relay;
use crate::calls::json::encode_error;
use crate::calls::{Backend, BackendProvider, Call, Handle, Reply, perform};
use crate::{
    Error, FileError, FileSink, FileSource, OutputSender, ProviderMetadata, Result, SandboxProvider,
};

/// Logs every call to `log` when it ends, as one JSON object on each line: when it began (`time`), `provider`,
/// `method`, `sandbox`, `duration_ms`, its arguments (the command, or the files with their sizes) and its result
/// (`exit_code` and sizes of the output, or the `error`). A call whose future was dropped has `"cancelled": true`.
///
/// Contents of files, standard input, output and the values of variables are never logged. Commands and messages
/// are logged, with `secrets` redacted. Errors in writing the log are ignored.
pub fn audit(
    provider: Arc<dyn SandboxProvider>,
    log: impl Write + Send + 'static,
    secrets: Redactor,
) -> Arc<dyn SandboxProvider> {
    Arc::new(BackendProvider::new(Audited { provider, log: Mutex::new(Box::new(log)), secrets }))
}

struct Audited {
    provider: Arc<dyn SandboxProvider>,
    log: Mutex<Box<dyn Write + Send>>,
    secrets: Redactor,
}

#[async_trait]
impl Backend for Audited {
    fn metadata(&self) -> ProviderMetadata {
        self.provider.metadata()
    }

    async fn call(&self, call: Call, output: Option<OutputSender>) -> Result<Reply> {
        let mut entry = Entry::of(self, &call);
        let answer = perform(&*self.provider, call, output).await;
        entry.ended(&answer);
        answer
    }

    async fn upload_from(
        &self,
        handle: &Handle,
        path: &str,
        mut content: FileSource,
    ) -> Result<Result<(), FileError>> {
        let mut entry = Entry::begin(self, "upload", Some(&handle.id));
        entry.add("files", json!([{"path": path}]));
        let (sender, receiver) = mpsc::channel(1);
        let mut bytes = 0;
        let count = |piece: &std::io::Result<Bytes>| bytes += piece.as_ref().map_or(0, Bytes::len);
        let pieces = relay(&mut content, sender, count);
        let answer = tokio::join!(handle.wrapped()?.upload_from(path, receiver), pieces).0;
        entry.add("files", json!([{"path": path, "bytes": bytes}]));
        entry.transferred(&answer);
        answer
    }

    async fn download_to(
        &self,
        handle: &Handle,
        path: &str,
        content: FileSink,
    ) -> Result<Result<(), FileError>> {
        let mut entry = Entry::begin(self, "download", Some(&handle.id));
        entry.add("paths", json!([path]));
        let (sender, mut receiver) = mpsc::channel(1);
        let mut bytes = 0;
        let pieces = relay(&mut receiver, content, |piece: &Bytes| bytes += piece.len());
        let answer = tokio::join!(handle.wrapped()?.download_to(path, sender), pieces).0;
        entry.add("bytes", bytes);
        entry.transferred(&answer);
        answer
    }
}

/// A line of the log, written on drop.
struct Entry<'a> {
    audited: &'a Audited,
    began: Instant,
    fields: Map<String, Value>,
    over: bool,
}

impl<'a> Entry<'a> {
    fn begin(audited: &'a Audited, method: &str, sandbox: Option<&str>) -> Self {
        let mut entry = Self { audited, began: Instant::now(), fields: Map::new(), over: false };
        entry.add("time", humantime::format_rfc3339_millis(SystemTime::now()).to_string());
        entry.add("provider", audited.provider.metadata().name);
        entry.add("method", method);
        if let Some(id) = sandbox {
            entry.add("sandbox", id);
        }
        entry
    }

    fn of(audited: &'a Audited, call: &Call) -> Self {
        let mut entry = Self::begin(audited, call.method(), call.sandbox());
        match call {
            Call::Execute(_, request) => {
                entry.add("command", audited.secrets.text(&request.command));
                entry.add("stdin_bytes", request.stdin.as_ref().map_or(0, Bytes::len));
            }
            Call::Upload(_, files) => {
                let file = |file: &crate::FileUpload| json!({"path": file.path, "bytes": file.content.len()});
                entry.add("files", files.iter().map(file).collect::<Vec<_>>());
            }
            Call::Download(_, paths) => entry.add("paths", paths.as_slice()),
            _ => {}
        }
        entry
    }

    fn ended(&mut self, answer: &Result<Reply>) {
        self.over = true;
        match answer {
            Err(error) => self.failed(error),
            Ok(Reply::Sandbox(handle)) => self.add("sandbox", &*handle.id),
            Ok(Reply::Snapshot(snapshot)) => self.add("snapshot", snapshot.id.as_str()),
            Ok(Reply::Page(page)) => self.add("sandboxes", page.sandboxes.len()),
            Ok(Reply::Executed(response)) => {
                self.add("exit_code", response.exit_code);
                self.add("stdout_bytes", response.stdout.len());
                self.add("stderr_bytes", response.stderr.len());
                if response.timed_out {
                    self.add("timed_out", true);
                }
                if response.truncated {
                    self.add("truncated", true);
                }
            }
            Ok(Reply::Uploaded(files)) => {
                self.add("failed", files.iter().filter(|file| file.result.is_err()).count());
            }
            Ok(Reply::Downloaded(files)) => {
                self.add("failed", files.iter().filter(|file| file.result.is_err()).count());
                let sizes = files.iter().filter_map(|file| file.result.as_ref().ok().map(Bytes::len));
                self.add("bytes", sizes.sum::<usize>());
            }
            Ok(Reply::Done) => {}
        }
    }

    /// The end of a transfer in pieces.
    fn transferred(&mut self, answer: &Result<Result<(), FileError>>) {
        self.over = true;
        match answer {
            Err(error) => self.failed(error),
            Ok(result) => self.add("failed", usize::from(result.is_err())),
        }
    }

    fn failed(&mut self, error: &Error) {
        let mut encoded = encode_error(error);
        encoded["message"] = Value::from(self.audited.secrets.text(&error.to_string()));
        self.add("error", encoded);
    }

    fn add(&mut self, name: &str, value: impl Into<Value>) {
        self.fields.insert(name.to_owned(), value.into());
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.add("duration_ms", self.began.elapsed().as_secs_f64() * 1e3);
        if !self.over {
            self.add("cancelled", true);
        }
        let line = Value::Object(std::mem::take(&mut self.fields)).to_string() + "\n";
        let mut log = self.audited.log.lock();
        // Calls go on even if the log cannot be written.
        drop(log.write_all(line.as_bytes()).and_then(|()| log.flush()));
    }
}

impl fmt::Debug for Audited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audited").field("provider", &self.provider).finish_non_exhaustive()
    }
}
