//! The native sandbox. Each method exists twice: one blocks the thread, and one with an `a` before its name returns
//! an awaitable.

use crate::answers::{EditOutcome, ExecuteResult, FileInfo, GlobResult, GrepResult, Raw, ReadResult};
use crate::errors::to_py;
use crate::files::{self, Downloaded};
use crate::text::{Content, Plain, Text};
use crate::waiting::{aside, awaitable, block, detached};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sandshell_bindings::sandshell::{
    EditRequest, ExecuteRequest, FileUpload, GlobRequest, GrepRequest, LineRange, TerminalRequest, WriteMode,
};
use sandshell_bindings::{Handle, Mount, Options, Snapshot, duration};
use std::collections::BTreeMap;

/// A sandbox.
#[pyclass(module = "sandshell._native", frozen)]
pub(crate) struct NativeSandbox(pub(crate) Handle);

/// A snapshot.
#[pyclass(module = "sandshell._native", frozen)]
pub(crate) struct NativeSnapshot(pub(crate) Snapshot);

pub(crate) type Awaitable<'py> = PyResult<Bound<'py, PyAny>>;

#[pymethods]
impl NativeSandbox {
    #[staticmethod]
    fn create(py: Python<'_>, options: &Bound<'_, PyAny>) -> PyResult<Self> {
        let options: Options = pythonize::depythonize(options).map_err(wrong)?;
        detached(py, || Handle::create(&options)).map(Self)
    }

    #[staticmethod]
    fn from_snapshot(py: Python<'_>, snapshot: &NativeSnapshot) -> PyResult<Self> {
        block(py, created(snapshot.0.clone()))
    }

    #[staticmethod]
    fn afrom_snapshot<'py>(py: Python<'py>, snapshot: &NativeSnapshot) -> Awaitable<'py> {
        awaitable(py, created(snapshot.0.clone()))
    }

    #[getter]
    fn id(&self) -> &str {
        self.0.id()
    }

    /// Whether it is a local sandbox that is kept on disk.
    #[getter]
    fn is_kept(&self) -> bool {
        self.0.is_kept()
    }

    #[getter]
    fn workdir(&self) -> Text {
        Text(self.0.workdir().to_owned())
    }

    #[pyo3(signature = (command, timeout, cwd, env, stdin, max_output))]
    fn execute(
        &self,
        py: Python<'_>,
        command: Text,
        timeout: Option<f64>,
        cwd: Option<Text>,
        env: Option<BTreeMap<Text, Text>>,
        stdin: Option<Content>,
        max_output: Option<u64>,
    ) -> PyResult<ExecuteResult> {
        let request = request(command, timeout, cwd, env, stdin, max_output)?;
        block(py, execute(self.0.clone(), request))
    }

    #[pyo3(signature = (command, timeout, cwd, env, stdin, max_output))]
    fn aexecute<'py>(
        &self,
        py: Python<'py>,
        command: Text,
        timeout: Option<f64>,
        cwd: Option<Text>,
        env: Option<BTreeMap<Text, Text>>,
        stdin: Option<Content>,
        max_output: Option<u64>,
    ) -> Awaitable<'py> {
        let request = request(command, timeout, cwd, env, stdin, max_output)?;
        awaitable(py, execute(self.0.clone(), request))
    }

    /// The answer, what jobs wrote before it, why the shell is a new one, and whether it ended.
    #[pyo3(signature = (session, command, timeout, stdin, max_output))]
    fn execute_in_session(
        &self,
        py: Python<'_>,
        session: Plain,
        command: Text,
        timeout: Option<f64>,
        stdin: Option<Content>,
        max_output: Option<u64>,
    ) -> PyResult<InSession> {
        let request = request(command, timeout, None, None, stdin, max_output)?;
        block(py, in_session(self.0.clone(), session.0, request))
    }

    #[pyo3(signature = (session, command, timeout, stdin, max_output))]
    fn aexecute_in_session<'py>(
        &self,
        py: Python<'py>,
        session: Plain,
        command: Text,
        timeout: Option<f64>,
        stdin: Option<Content>,
        max_output: Option<u64>,
    ) -> Awaitable<'py> {
        let request = request(command, timeout, None, None, stdin, max_output)?;
        awaitable(py, in_session(self.0.clone(), session.0, request))
    }

    fn session_output(&self, py: Python<'_>, session: Plain) -> PyResult<Raw> {
        block(py, session_output(self.0.clone(), session.0))
    }

    fn asession_output<'py>(&self, py: Python<'py>, session: Plain) -> Awaitable<'py> {
        awaitable(py, session_output(self.0.clone(), session.0))
    }

    /// The screen's text, size, cursor and title, whether it is settled, the shell's status and why it is a new one.
    #[pyo3(signature = (session, keys, size, wait, until))]
    fn use_terminal(
        &self,
        py: Python<'_>,
        session: Plain,
        keys: Content,
        size: Option<(u16, u16)>,
        wait: f64,
        until: Option<String>,
    ) -> PyResult<OnScreen> {
        block(py, use_terminal(self.0.clone(), session.0, terminal(keys, size, wait, until)?))
    }

    #[pyo3(signature = (session, keys, size, wait, until))]
    fn ause_terminal<'py>(
        &self,
        py: Python<'py>,
        session: Plain,
        keys: Content,
        size: Option<(u16, u16)>,
        wait: f64,
        until: Option<String>,
    ) -> Awaitable<'py> {
        awaitable(py, use_terminal(self.0.clone(), session.0, terminal(keys, size, wait, until)?))
    }

    fn sessions(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        block(py, sessions(self.0.clone()))
    }

    fn asessions<'py>(&self, py: Python<'py>) -> Awaitable<'py> {
        awaitable(py, sessions(self.0.clone()))
    }

    fn end_session(&self, py: Python<'_>, session: Plain) -> PyResult<()> {
        block(py, end_session(self.0.clone(), session.0))
    }

    fn aend_session<'py>(&self, py: Python<'py>, session: Plain) -> Awaitable<'py> {
        awaitable(py, end_session(self.0.clone(), session.0))
    }

    fn read(&self, py: Python<'_>, path: Text, offset: u64, limit: u64) -> PyResult<ReadResult> {
        block(py, files::read(self.0.clone(), path.0, LineRange::new(offset, limit)))
    }

    fn aread<'py>(&self, py: Python<'py>, path: Text, offset: u64, limit: u64) -> Awaitable<'py> {
        awaitable(py, files::read(self.0.clone(), path.0, LineRange::new(offset, limit)))
    }

    fn write(&self, py: Python<'_>, path: Text, content: Content, new: bool) -> PyResult<()> {
        block(py, files::write(self.0.clone(), path.0, content.0, mode(new)))
    }

    fn awrite<'py>(&self, py: Python<'py>, path: Text, content: Content, new: bool) -> Awaitable<'py> {
        awaitable(py, files::write(self.0.clone(), path.0, content.0, mode(new)))
    }

    fn edit(
        &self,
        py: Python<'_>,
        path: Text,
        old: Plain,
        new: Plain,
        replace_all: bool,
    ) -> PyResult<EditOutcome> {
        block(py, files::edit(self.0.clone(), path.0, EditRequest { old: old.0, new: new.0, replace_all }))
    }

    fn aedit<'py>(
        &self,
        py: Python<'py>,
        path: Text,
        old: Plain,
        new: Plain,
        replace_all: bool,
    ) -> Awaitable<'py> {
        awaitable(
            py,
            files::edit(self.0.clone(), path.0, EditRequest { old: old.0, new: new.0, replace_all }),
        )
    }

    fn ls(&self, py: Python<'_>, path: Text) -> PyResult<Vec<Py<FileInfo>>> {
        block(py, files::ls(self.0.clone(), path.0))
    }

    fn als<'py>(&self, py: Python<'py>, path: Text) -> Awaitable<'py> {
        awaitable(py, files::ls(self.0.clone(), path.0))
    }

    #[pyo3(signature = (pattern, path, glob, max_count))]
    fn grep(
        &self,
        py: Python<'_>,
        pattern: Plain,
        path: Text,
        glob: Option<Text>,
        max_count: Option<u64>,
    ) -> PyResult<GrepResult> {
        block(py, files::grep(self.0.clone(), search(pattern, path, glob, max_count)))
    }

    #[pyo3(signature = (pattern, path, glob, max_count))]
    fn agrep<'py>(
        &self,
        py: Python<'py>,
        pattern: Plain,
        path: Text,
        glob: Option<Text>,
        max_count: Option<u64>,
    ) -> Awaitable<'py> {
        awaitable(py, files::grep(self.0.clone(), search(pattern, path, glob, max_count)))
    }

    fn glob(&self, py: Python<'_>, pattern: Text, path: Text, directories: bool) -> PyResult<GlobResult> {
        block(py, files::glob(self.0.clone(), names(pattern, path, directories)))
    }

    fn aglob<'py>(&self, py: Python<'py>, pattern: Text, path: Text, directories: bool) -> Awaitable<'py> {
        awaitable(py, files::glob(self.0.clone(), names(pattern, path, directories)))
    }

    fn delete(&self, py: Python<'_>, path: Text) -> PyResult<()> {
        block(py, files::delete(self.0.clone(), path.0))
    }

    fn adelete<'py>(&self, py: Python<'py>, path: Text) -> Awaitable<'py> {
        awaitable(py, files::delete(self.0.clone(), path.0))
    }

    /// For each file, the reason why it was not written, or None.
    fn upload(&self, py: Python<'_>, files: Vec<(Text, Content)>) -> PyResult<Vec<Option<String>>> {
        block(py, files::upload(self.0.clone(), uploads(files)))
    }

    fn aupload<'py>(&self, py: Python<'py>, files: Vec<(Text, Content)>) -> Awaitable<'py> {
        awaitable(py, files::upload(self.0.clone(), uploads(files)))
    }

    /// For each file, its content, or the reason why there is none.
    fn download(&self, py: Python<'_>, paths: Vec<Text>) -> PyResult<Vec<Downloaded>> {
        block(py, files::download(self.0.clone(), texts(paths)))
    }

    fn adownload<'py>(&self, py: Python<'py>, paths: Vec<Text>) -> Awaitable<'py> {
        awaitable(py, files::download(self.0.clone(), texts(paths)))
    }

    fn mount(&self, py: Python<'_>, mount: &Bound<'_, PyAny>) -> PyResult<()> {
        let mount: Mount = pythonize::depythonize(mount).map_err(wrong)?;
        detached(py, || self.0.mount(&mount))
    }

    fn amount<'py>(&self, py: Python<'py>, mount: &Bound<'_, PyAny>) -> Awaitable<'py> {
        let mount: Mount = pythonize::depythonize(mount).map_err(wrong)?;
        let handle = self.0.clone();
        aside(py, move || handle.mount(&mount))
    }

    fn diff(&self, py: Python<'_>) -> PyResult<Raw> {
        detached(py, || self.0.diff()).map(|patch| Raw(patch.into()))
    }

    fn adiff<'py>(&self, py: Python<'py>) -> Awaitable<'py> {
        let handle = self.0.clone();
        aside(py, move || handle.diff().map(|patch| Raw(patch.into())))
    }

    fn apply(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || self.0.apply())
    }

    fn aapply<'py>(&self, py: Python<'py>) -> Awaitable<'py> {
        let handle = self.0.clone();
        aside(py, move || handle.apply())
    }

    #[pyo3(signature = (name))]
    fn snapshot(&self, py: Python<'_>, name: Option<Plain>) -> PyResult<NativeSnapshot> {
        block(py, snapshot(self.0.clone(), name.map(|name| name.0)))
    }

    #[pyo3(signature = (name))]
    fn asnapshot<'py>(&self, py: Python<'py>, name: Option<Plain>) -> Awaitable<'py> {
        awaitable(py, snapshot(self.0.clone(), name.map(|name| name.0)))
    }

    fn restore(&self, py: Python<'_>, snapshot: &NativeSnapshot) -> PyResult<()> {
        block(py, restore(self.0.clone(), snapshot.0.clone()))
    }

    fn arestore<'py>(&self, py: Python<'py>, snapshot: &NativeSnapshot) -> Awaitable<'py> {
        awaitable(py, restore(self.0.clone(), snapshot.0.clone()))
    }

    fn restore_named(&self, py: Python<'_>, snapshot: Plain) -> PyResult<()> {
        block(py, async { self.0.restore_named(&snapshot.0).await.map_err(to_py) })
    }

    fn arestore_named<'py>(&self, py: Python<'py>, snapshot: Plain) -> Awaitable<'py> {
        let handle = self.0.clone();
        awaitable(py, async move { handle.restore_named(&snapshot.0).await.map_err(to_py) })
    }

    fn pause(&self, py: Python<'_>) -> PyResult<()> {
        block(py, async { self.0.pause().await.map_err(to_py) })
    }

    fn apause<'py>(&self, py: Python<'py>) -> Awaitable<'py> {
        let handle = self.0.clone();
        awaitable(py, async move { handle.pause().await.map_err(to_py) })
    }

    fn resume(&self, py: Python<'_>) -> PyResult<()> {
        block(py, async { self.0.resume().await.map_err(to_py) })
    }

    fn aresume<'py>(&self, py: Python<'py>) -> Awaitable<'py> {
        let handle = self.0.clone();
        awaitable(py, async move { handle.resume().await.map_err(to_py) })
    }

    #[pyo3(signature = (seconds))]
    fn set_ttl(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<()> {
        block(py, async { self.0.set_ttl(seconds).await.map_err(to_py) })
    }

    #[pyo3(signature = (seconds))]
    fn aset_ttl<'py>(&self, py: Python<'py>, seconds: Option<f64>) -> Awaitable<'py> {
        let handle = self.0.clone();
        awaitable(py, async move { handle.set_ttl(seconds).await.map_err(to_py) })
    }

    fn fork(&self, py: Python<'_>) -> PyResult<Self> {
        block(py, fork(self.0.clone()))
    }

    fn afork<'py>(&self, py: Python<'py>) -> Awaitable<'py> {
        awaitable(py, fork(self.0.clone()))
    }

    fn keep(&self) {
        self.0.keep();
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        block(py, close(self.0.clone()))
    }

    fn aclose<'py>(&self, py: Python<'py>) -> Awaitable<'py> {
        awaitable(py, close(self.0.clone()))
    }
}

#[pymethods]
impl NativeSnapshot {
    #[getter]
    fn id(&self) -> &str {
        self.0.id()
    }

    fn delete(&self, py: Python<'_>) -> PyResult<()> {
        block(py, async { self.0.delete().await.map_err(to_py) })
    }

    fn adelete<'py>(&self, py: Python<'py>) -> Awaitable<'py> {
        let snapshot = self.0.clone();
        awaitable(py, async move { snapshot.delete().await.map_err(to_py) })
    }
}

async fn created(snapshot: Snapshot) -> PyResult<NativeSandbox> {
    snapshot.create().await.map(NativeSandbox).map_err(to_py)
}

async fn execute(handle: Handle, request: ExecuteRequest) -> PyResult<ExecuteResult> {
    handle.execute(request).await.map(ExecuteResult::from).map_err(to_py)
}

type InSession = (ExecuteResult, Raw, Option<String>, bool);

async fn in_session(handle: Handle, session: String, request: ExecuteRequest) -> PyResult<InSession> {
    let done = handle.execute_in_session(&session, request).await.map_err(to_py)?;
    Ok((ExecuteResult::from(done.response), Raw(done.background), done.restarted, done.ended))
}

async fn session_output(handle: Handle, session: String) -> PyResult<Raw> {
    let output = handle.sandbox().map_err(to_py)?.session_output(&session).await;
    output.map(Raw).map_err(to_py)
}

type OnScreen = (String, (u16, u16), (u16, u16), String, bool, Option<i32>, Option<String>);

fn terminal(
    keys: Content,
    size: Option<(u16, u16)>,
    wait: f64,
    until: Option<String>,
) -> PyResult<TerminalRequest> {
    let mut request = TerminalRequest::typed(keys.0).wait(duration(wait).map_err(to_py)?);
    if let Some((rows, columns)) = size {
        request = request.size(rows, columns);
    }
    request.until = until;
    Ok(request)
}

async fn use_terminal(handle: Handle, session: String, request: TerminalRequest) -> PyResult<OnScreen> {
    let screen = handle.sandbox().map_err(to_py)?.use_terminal(&session, request).await.map_err(to_py)?;
    let size = (screen.size.rows, screen.size.columns);
    Ok((screen.text, size, screen.cursor, screen.title, screen.settled, screen.ended, screen.restarted))
}

async fn sessions(handle: Handle) -> PyResult<Vec<String>> {
    let all = handle.sandbox().map_err(to_py)?.sessions().await.map_err(to_py)?;
    Ok(all.into_iter().map(|one| one.name).collect())
}

async fn end_session(handle: Handle, session: String) -> PyResult<()> {
    handle.sandbox().map_err(to_py)?.end_session(&session).await.map_err(to_py)
}

async fn snapshot(handle: Handle, name: Option<String>) -> PyResult<NativeSnapshot> {
    handle.snapshot(name.as_deref()).await.map(NativeSnapshot).map_err(to_py)
}

async fn restore(handle: Handle, snapshot: Snapshot) -> PyResult<()> {
    handle.restore(&snapshot).await.map_err(to_py)
}

async fn fork(handle: Handle) -> PyResult<NativeSandbox> {
    handle.fork().await.map(NativeSandbox).map_err(to_py)
}

async fn close(handle: Handle) -> PyResult<()> {
    handle.close().await.map_err(to_py)
}

fn request(
    command: Text,
    timeout: Option<f64>,
    cwd: Option<Text>,
    env: Option<BTreeMap<Text, Text>>,
    stdin: Option<Content>,
    max_output: Option<u64>,
) -> PyResult<ExecuteRequest> {
    let mut request = ExecuteRequest::new(command.0);
    request.timeout = timeout.map(duration).transpose().map_err(to_py)?;
    request.cwd = cwd.map(|cwd| cwd.0);
    request.env = env.into_iter().flatten().map(|(name, value)| (name.0, value.0)).collect();
    request.stdin = stdin.map(|stdin| stdin.0);
    request.max_output = max_output;
    Ok(request)
}

fn search(pattern: Plain, path: Text, glob: Option<Text>, max_count: Option<u64>) -> GrepRequest {
    let mut request = GrepRequest::new(pattern.0, path.0);
    request.glob = glob.map(|glob| glob.0);
    request.max_count = max_count;
    request
}

fn names(pattern: Text, path: Text, directories: bool) -> GlobRequest {
    let mut request = GlobRequest::new(pattern.0, path.0);
    request.directories = directories;
    request
}

fn mode(new: bool) -> WriteMode {
    if new { WriteMode::CreateNew } else { WriteMode::Overwrite }
}

fn uploads(files: Vec<(Text, Content)>) -> Vec<FileUpload> {
    files.into_iter().map(|(path, content)| FileUpload::new(path.0, content.0)).collect()
}

pub(crate) fn wrong(error: pythonize::PythonizeError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn texts(texts: Vec<Text>) -> Vec<String> {
    texts.into_iter().map(|text| text.0).collect()
}
