//! The native sandbox. Methods that wait return promises.

use crate::answers::{
    DownloadAnswer, ExecuteAnswer, FilesAnswer, GlobAnswer, GrepAnswer, ReadAnswer, ScreenAnswer,
    SessionAnswer,
};
use crate::errors::{file_to_js, to_js};
use napi::bindgen_prelude::{Buffer, Either, PromiseRaw, Uint8Array, within_runtime_if_available};
use napi::{Env, Error, Result, Status};
use napi_derive::napi;
use sandshell_bindings::sandshell::{
    EditRequest, ExecuteRequest, FileUpload, GlobRequest, GrepRequest, LineRange, SandboxExt,
    TerminalRequest, WriteMode,
};
use sandshell_bindings::{Handle, Mount, Options, Snapshot, adopt, duration};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Notify;

/// A sandbox.
#[napi]
pub struct NativeSandbox(Handle);

/// A snapshot.
#[napi]
pub struct NativeSnapshot(Snapshot);

impl From<Snapshot> for NativeSnapshot {
    fn from(snapshot: Snapshot) -> Self {
        Self(snapshot)
    }
}

/// Stops the command that it was passed to.
#[napi]
#[derive(Default)]
pub struct NativeCancel(Arc<Notify>);

#[napi(object)]
pub struct ExecuteArguments {
    pub command: String,
    /// In seconds.
    pub timeout: Option<f64>,
    pub cwd: Option<String>,
    pub env: Option<HashMap<String, String>>,
    pub stdin: Option<Uint8Array>,
    pub max_output: Option<f64>,
}

#[napi(object)]
pub struct UploadArguments {
    pub path: String,
    pub content: Uint8Array,
}

#[napi]
impl NativeSandbox {
    /// Returns the sandbox itself; but a promise if directories of the host must be opened, which can take long.
    /// The options are JSON, because one string is faster to read than many values.
    #[napi]
    pub fn create<'env>(
        env: &'env Env,
        options: String,
    ) -> Result<Either<NativeSandbox, PromiseRaw<'env, NativeSandbox>>> {
        use_runtime();
        let options: Options = serde_json::from_str(&options).map_err(wrong)?;
        if options.opens_directories() {
            let made = async move { Handle::create(&options).map(NativeSandbox).map_err(to_js) };
            return env.spawn_future(made).map(Either::B);
        }
        Handle::create(&options).map(NativeSandbox).map(Either::A).map_err(to_js)
    }

    #[napi]
    pub fn from_snapshot<'env>(
        env: &'env Env,
        snapshot: &NativeSnapshot,
    ) -> Result<PromiseRaw<'env, NativeSandbox>> {
        let snapshot = snapshot.0.clone();
        env.spawn_future(async move { snapshot.create().await.map(NativeSandbox).map_err(to_js) })
    }

    #[napi(getter)]
    pub fn id(&self) -> String {
        self.0.id().to_owned()
    }

    #[napi(getter)]
    pub fn workdir(&self) -> String {
        self.0.workdir().to_owned()
    }

    /// Returns the answer itself if it is available at once, otherwise a promise. The arguments are those of
    /// [`ExecuteArguments`], one by one: looking up an object's properties by their names takes longer.
    #[napi]
    #[allow(clippy::too_many_arguments, reason = "one by one")]
    pub fn execute<'env>(
        &self,
        env: &'env Env,
        command: String,
        timeout: Option<f64>,
        cwd: Option<String>,
        variables: Option<HashMap<String, String>>,
        stdin: Option<Uint8Array>,
        max_output: Option<f64>,
        cancel: Option<&NativeCancel>,
    ) -> Result<Either<ExecuteAnswer, PromiseRaw<'env, ExecuteAnswer>>> {
        let request = request(ExecuteArguments { command, timeout, cwd, env: variables, stdin, max_output })?;
        let (handle, cancel) = (self.0.clone(), cancel.map(|cancel| Arc::clone(&cancel.0)));
        let work = self.0.begin(async move {
            let work = handle.execute(request);
            let Some(cancel) = cancel else { return work.await.map(ExecuteAnswer::from).map_err(to_js) };
            tokio::select! {
                biased;
                done = work => done.map(ExecuteAnswer::from).map_err(to_js),
                // Dropping the work stops the command.
                () = cancel.notified() => Err(Error::new(Status::Cancelled, "the command was cancelled")),
            }
        });
        match work {
            Ok(done) => done.map(Either::A),
            Err(work) => env.spawn_future(work).map(Either::B),
        }
    }

    #[napi]
    pub async fn read(&self, path: String, offset: f64, limit: f64) -> Result<ReadAnswer> {
        let range = LineRange::new(count(offset), count(limit));
        self.0.at([&*path]).map_err(to_js)?.read(&path, range).await.map(ReadAnswer::from).map_err(file_to_js)
    }

    #[napi]
    pub async fn write(&self, path: String, content: Uint8Array, create_new: bool) -> Result<()> {
        let mode = if create_new { WriteMode::CreateNew } else { WriteMode::Overwrite };
        self.0
            .at([&*path])
            .map_err(to_js)?
            .write(&path, content.to_vec().into(), mode)
            .await
            .map_err(file_to_js)
    }

    #[napi]
    pub async fn edit(&self, path: String, old: String, new: String, replace_all: bool) -> Result<i64> {
        let edit = EditRequest { old, new, replace_all };
        let outcome = self.0.at([&*path]).map_err(to_js)?.edit(&path, &edit).await.map_err(file_to_js)?;
        Ok(i64::try_from(outcome.occurrences).unwrap_or(i64::MAX))
    }

    #[napi]
    pub async fn ls(&self, path: String) -> Result<FilesAnswer> {
        let entries = self.0.at([&*path]).map_err(to_js)?.ls(&path).await.map_err(file_to_js)?;
        Ok(entries.into())
    }

    #[napi]
    pub async fn grep(
        &self,
        pattern: String,
        path: String,
        glob: Option<String>,
        max_count: Option<f64>,
    ) -> Result<GrepAnswer> {
        let mut request = GrepRequest::new(pattern, path);
        request.glob = glob;
        request.max_count = max_count.map(count);
        self.0
            .at([&*request.path])
            .map_err(to_js)?
            .grep(&request)
            .await
            .map(GrepAnswer::from)
            .map_err(file_to_js)
    }

    #[napi]
    pub async fn glob(&self, pattern: String, path: String, directories: bool) -> Result<GlobAnswer> {
        let mut request = GlobRequest::new(pattern, path);
        request.directories = directories;
        self.0
            .at([&*request.path])
            .map_err(to_js)?
            .glob(&request)
            .await
            .map(GlobAnswer::from)
            .map_err(file_to_js)
    }

    #[napi]
    pub async fn delete(&self, path: String) -> Result<()> {
        self.0.at([&*path]).map_err(to_js)?.delete(&path).await.map_err(file_to_js)
    }

    /// For each file, the reason why it was not written, or null.
    #[napi]
    pub async fn upload(&self, files: Vec<UploadArguments>) -> Result<Vec<Option<String>>> {
        let files: Vec<_> =
            files.into_iter().map(|file| FileUpload::new(file.path, file.content.to_vec())).collect();
        let sandbox = self.0.at(files.iter().map(|file| &*file.path)).map_err(to_js)?;
        let answers = sandbox.upload_files(files).await.map_err(to_js)?;
        Ok(answers.into_iter().map(|answer| answer.result.err().map(|error| error.to_string())).collect())
    }

    #[napi]
    pub async fn download(&self, paths: Vec<String>) -> Result<Vec<DownloadAnswer>> {
        let answers = self
            .0
            .at(paths.iter().map(|path| &**path))
            .map_err(to_js)?
            .download_files(paths)
            .await
            .map_err(to_js)?;
        Ok(answers.into_iter().map(DownloadAnswer::from).collect())
    }

    #[napi]
    pub fn mount(&self, mount: serde_json::Value) -> Result<()> {
        let mount: Mount = serde_json::from_value(mount).map_err(wrong)?;
        self.0.mount(&mount).map_err(to_js)
    }

    #[napi]
    pub async fn diff(&self) -> Result<Buffer> {
        self.0.diff().map(Buffer::from).map_err(to_js)
    }

    #[napi]
    pub async fn apply(&self) -> Result<i64> {
        self.0.apply().map(|changes| i64::try_from(changes).unwrap_or(i64::MAX)).map_err(to_js)
    }

    #[napi]
    pub async fn snapshot(&self, name: Option<String>) -> Result<NativeSnapshot> {
        self.0.snapshot(name.as_deref()).await.map(NativeSnapshot).map_err(to_js)
    }

    #[napi]
    pub fn restore<'env>(&self, env: &'env Env, snapshot: &NativeSnapshot) -> Result<PromiseRaw<'env, ()>> {
        let (handle, snapshot) = (self.0.clone(), snapshot.0.clone());
        env.spawn_future(async move { handle.restore(&snapshot).await.map_err(to_js) })
    }

    #[napi]
    pub async fn restore_named(&self, snapshot: String) -> Result<()> {
        self.0.restore_named(&snapshot).await.map_err(to_js)
    }

    #[napi]
    pub async fn pause(&self) -> Result<()> {
        self.0.pause().await.map_err(to_js)
    }

    #[napi]
    pub async fn resume(&self) -> Result<()> {
        self.0.resume().await.map_err(to_js)
    }

    /// In seconds.
    #[napi]
    pub async fn set_ttl(&self, ttl: Option<f64>) -> Result<()> {
        self.0.set_ttl(ttl).await.map_err(to_js)
    }

    #[napi]
    pub async fn fork(&self) -> Result<NativeSandbox> {
        self.0.fork().await.map(NativeSandbox).map_err(to_js)
    }

    #[napi]
    pub fn execute_in_session<'env>(
        &self,
        env: &'env Env,
        session: String,
        arguments: ExecuteArguments,
        cancel: Option<&NativeCancel>,
    ) -> Result<PromiseRaw<'env, SessionAnswer>> {
        let request = request(arguments)?;
        let (handle, cancel) = (self.0.clone(), cancel.map(|cancel| Arc::clone(&cancel.0)));
        env.spawn_future(async move {
            let work = handle.execute_in_session(&session, request);
            let Some(cancel) = cancel else { return work.await.map(SessionAnswer::from).map_err(to_js) };
            tokio::select! {
                biased;
                done = work => done.map(SessionAnswer::from).map_err(to_js),
                // Dropping the work interrupts the command.
                () = cancel.notified() => Err(Error::new(Status::Cancelled, "the command was cancelled")),
            }
        })
    }

    #[napi]
    pub async fn session_output(&self, session: String) -> Result<Buffer> {
        let output = self.0.sandbox().map_err(to_js)?.session_output(&session).await;
        output.map(|output| output.to_vec().into()).map_err(to_js)
    }

    #[napi]
    pub async fn use_terminal(
        &self,
        session: String,
        keys: Uint8Array,
        size: Option<Vec<u32>>,
        wait: f64,
        until: Option<String>,
    ) -> Result<ScreenAnswer> {
        let mut request = TerminalRequest::typed(keys.to_vec()).wait(duration(wait).map_err(to_js)?);
        if let Some(&[rows, columns]) = size.as_deref() {
            // One that is too large is refused, as this one is.
            let narrow = |count: u32| u16::try_from(count).unwrap_or(u16::MAX);
            request = request.size(narrow(rows), narrow(columns));
        }
        request.until = until;
        let screen = self.0.sandbox().map_err(to_js)?.use_terminal(&session, request).await;
        screen.map(ScreenAnswer::from).map_err(to_js)
    }

    #[napi]
    pub async fn sessions(&self) -> Result<Vec<String>> {
        let all = self.0.sandbox().map_err(to_js)?.sessions().await.map_err(to_js)?;
        Ok(all.into_iter().map(|one| one.name).collect())
    }

    #[napi]
    pub async fn end_session(&self, session: String) -> Result<()> {
        self.0.sandbox().map_err(to_js)?.end_session(&session).await.map_err(to_js)
    }

    #[napi]
    pub fn keep(&self) {
        self.0.keep();
    }

    /// Returns a promise, or null if closing is complete at once.
    #[napi]
    pub fn close<'env>(&self, env: &'env Env) -> Result<Option<PromiseRaw<'env, ()>>> {
        let handle = self.0.clone();
        match self.0.begin(async move { handle.close().await.map_err(to_js) }) {
            Ok(done) => done.map(|()| None),
            Err(work) => env.spawn_future(work).map(Some),
        }
    }
}

#[napi]
impl NativeCancel {
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the command now, or as soon as it begins.
    #[napi]
    pub fn cancel(&self) {
        self.0.notify_one();
    }
}

#[napi]
impl NativeSnapshot {
    #[napi(getter)]
    pub fn id(&self) -> String {
        self.0.id().to_owned()
    }

    #[napi]
    pub async fn delete(&self) -> Result<()> {
        self.0.delete().await.map_err(to_js)
    }
}

fn request(arguments: ExecuteArguments) -> Result<ExecuteRequest> {
    let mut request = ExecuteRequest::new(arguments.command);
    request.timeout = arguments.timeout.map(duration).transpose().map_err(to_js)?;
    request.cwd = arguments.cwd;
    request.env = arguments.env.into_iter().flatten().collect();
    request.env.sort();
    request.stdin = arguments.stdin.map(|bytes| bytes.to_vec().into());
    request.max_output = arguments.max_output.map(count);
    Ok(request)
}

impl From<Handle> for NativeSandbox {
    fn from(handle: Handle) -> Self {
        Self(handle)
    }
}

/// Makes the add-on's current runtime the one on which work continues. The add-on gets a new runtime when all
/// worker threads that used it have ended and the main thread did not use it.
pub(crate) fn use_runtime() {
    within_runtime_if_available(|| adopt(tokio::runtime::Handle::current()));
}

/// Converts a JavaScript number to a count: a negative number becomes zero, a too large one the greatest count.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
fn count(number: f64) -> u64 {
    number as u64
}

pub(crate) fn wrong(error: serde_json::Error) -> Error {
    Error::new(Status::InvalidArg, format!("invalid_request\n{error}"))
}
