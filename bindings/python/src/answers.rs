//! Answers, as objects with read-only attributes.

use bytes::Bytes;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sandshell_bindings::{limit_name, sandshell as library};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes that are copied into Python once, when they are asked for.
#[derive(Clone, PartialEq)]
pub(crate) struct Raw(pub(crate) Bytes);

impl<'py> IntoPyObject<'py> for Raw {
    type Target = PyBytes;
    type Output = Bound<'py, PyBytes>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(PyBytes::new(py, &self.0))
    }
}

/// What a command did.
#[pyclass(module = "sandshell", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct ExecuteResult {
    #[pyo3(get)]
    exit_code: Option<i32>,
    output: Raw,
    stdout: Raw,
    stderr: Raw,
    #[pyo3(get)]
    truncated: bool,
    #[pyo3(get)]
    timed_out: bool,
    #[pyo3(get)]
    limits: Vec<(&'static str, String)>,
    #[pyo3(get)]
    duration: f64,
}

#[pymethods]
impl ExecuteResult {
    #[getter]
    fn output(&self) -> String {
        text(&self.output)
    }

    #[getter]
    fn stdout(&self) -> String {
        text(&self.stdout)
    }

    #[getter]
    fn stderr(&self) -> String {
        text(&self.stderr)
    }

    #[getter]
    fn output_bytes(&self) -> Raw {
        self.output.clone()
    }

    #[getter]
    fn stdout_bytes(&self) -> Raw {
        self.stdout.clone()
    }

    #[getter]
    fn stderr_bytes(&self) -> Raw {
        self.stderr.clone()
    }

    fn __repr__(&self) -> String {
        let code = self.exit_code.map_or("None".to_owned(), |code| code.to_string());
        format!("ExecuteResult(exit_code={code}, output={:?})", text(&self.output))
    }
}

fn text(raw: &Raw) -> String {
    String::from_utf8_lossy(&raw.0).into_owned()
}

impl From<library::ExecuteResponse> for ExecuteResult {
    fn from(answer: library::ExecuteResponse) -> Self {
        Self {
            exit_code: answer.exit_code,
            output: Raw(answer.output),
            stdout: Raw(answer.stdout),
            stderr: Raw(answer.stderr),
            truncated: answer.truncated,
            timed_out: answer.timed_out,
            limits: answer.limits.into_iter().map(|limit| (limit_name(limit.kind), limit.message)).collect(),
            duration: answer.duration.as_secs_f64(),
        }
    }
}

/// A page of a file, or the whole of a binary one.
#[pyclass(module = "sandshell", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct ReadResult {
    #[pyo3(get)]
    kind: &'static str,
    #[pyo3(get)]
    text: Option<String>,
    content: Option<Raw>,
    #[pyo3(get)]
    start_line: Option<u64>,
    #[pyo3(get)]
    end_line: Option<u64>,
    #[pyo3(get)]
    total_lines: Option<u64>,
    #[pyo3(get)]
    next_offset: Option<u64>,
    #[pyo3(get)]
    truncated: bool,
}

#[pymethods]
impl ReadResult {
    /// The bytes of a binary file.
    #[getter]
    fn content(&self) -> Option<Raw> {
        self.content.clone()
    }

    fn __repr__(&self) -> String {
        match &self.text {
            Some(text) => format!("ReadResult(kind='{}', text={text:?})", self.kind),
            None => format!("ReadResult(kind='{}')", self.kind),
        }
    }
}

impl From<library::ReadResult> for ReadResult {
    fn from(answer: library::ReadResult) -> Self {
        use library::ReadContent as C;
        let mut this = Self {
            kind: "text",
            text: answer.text().map(str::to_owned),
            content: None,
            start_line: None,
            end_line: None,
            total_lines: None,
            next_offset: None,
            truncated: false,
        };
        match answer.content {
            C::Text(page) => {
                this.start_line = Some(page.start_line);
                this.end_line = Some(page.end_line);
                this.total_lines = page.total_lines;
                this.next_offset = page.next_offset;
                this.truncated = page.truncated;
            }
            C::Binary(content) => (this.kind, this.content) = ("binary", Some(Raw(content))),
            C::Empty => this.kind = "empty",
            _ => this.kind = "no_lines",
        }
        this
    }
}

/// An entry of a listing.
#[pyclass(module = "sandshell", frozen, eq, get_all, skip_from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct FileInfo {
    path: String,
    is_dir: bool,
    is_symlink: bool,
    size: u64,
    /// Seconds since 1970.
    modified_at: Option<f64>,
}

#[pymethods]
impl FileInfo {
    fn __repr__(&self) -> String {
        let is_dir = if self.is_dir { "True" } else { "False" };
        format!("FileInfo(path={:?}, is_dir={is_dir}, size={})", self.path, self.size)
    }
}

impl From<library::FileInfo> for FileInfo {
    fn from(info: library::FileInfo) -> Self {
        Self {
            path: info.path,
            is_dir: info.is_dir,
            is_symlink: info.is_symlink,
            size: info.size,
            modified_at: info.modified_at.map(seconds),
        }
    }
}

fn seconds(time: SystemTime) -> f64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_secs_f64(),
        Err(before) => -before.duration().as_secs_f64(),
    }
}

/// A line that contains the text.
#[pyclass(module = "sandshell", frozen, eq, get_all, skip_from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct GrepMatch {
    path: String,
    line: u64,
    text: String,
}

#[pymethods]
impl GrepMatch {
    fn __repr__(&self) -> String {
        format!("GrepMatch(path={:?}, line={}, text={:?})", self.path, self.line, self.text)
    }
}

/// What a search by content found.
#[pyclass(module = "sandshell", frozen, get_all)]
pub(crate) struct GrepResult {
    matches: Vec<Py<GrepMatch>>,
    truncated: bool,
}

/// What a search by name found.
#[pyclass(module = "sandshell", frozen, get_all)]
pub(crate) struct GlobResult {
    matches: Vec<Py<FileInfo>>,
    /// Why there may be others: `budget`, `unreadable`.
    truncation: Option<&'static str>,
}

/// A replacement that was made.
#[pyclass(module = "sandshell", frozen, eq, get_all)]
#[derive(PartialEq)]
pub(crate) struct EditOutcome {
    occurrences: u64,
}

impl GrepResult {
    pub(crate) fn new(py: Python<'_>, answer: library::GrepResult) -> PyResult<Self> {
        let matches = answer
            .matches
            .into_iter()
            .map(|found| Py::new(py, GrepMatch { path: found.path, line: found.line, text: found.text }))
            .collect::<PyResult<_>>()?;
        Ok(Self { matches, truncated: answer.truncated })
    }
}

impl GlobResult {
    pub(crate) fn new(py: Python<'_>, answer: library::GlobResult) -> PyResult<Self> {
        let truncation = answer.truncation.map(|why| match why {
            library::GlobTruncation::Budget => "budget",
            _ => "unreadable",
        });
        Ok(Self { matches: infos(py, answer.matches)?, truncation })
    }
}

impl From<library::EditOutcome> for EditOutcome {
    fn from(outcome: library::EditOutcome) -> Self {
        Self { occurrences: outcome.occurrences }
    }
}

pub(crate) fn infos(py: Python<'_>, infos: Vec<library::FileInfo>) -> PyResult<Vec<Py<FileInfo>>> {
    infos.into_iter().map(|info| Py::new(py, FileInfo::from(info))).collect()
}

/// What became of one uploaded file.
#[pyclass(module = "sandshell", frozen, eq, get_all)]
#[derive(PartialEq)]
pub(crate) struct UploadResult {
    path: String,
    error: Option<String>,
}

#[pymethods]
impl UploadResult {
    #[new]
    fn new(path: String, error: Option<String>) -> Self {
        Self { path, error }
    }

    fn __repr__(&self) -> String {
        format!("UploadResult(path={:?}, error={})", self.path, option(self.error.as_deref()))
    }
}

/// One downloaded file.
#[pyclass(module = "sandshell", frozen, get_all)]
pub(crate) struct DownloadResult {
    path: String,
    content: Option<Py<PyBytes>>,
    error: Option<String>,
}

#[pymethods]
impl DownloadResult {
    #[new]
    fn new(path: String, content: Option<Py<PyBytes>>, error: Option<String>) -> Self {
        Self { path, content, error }
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let size = self.content.as_ref().map_or(0, |content| content.as_bytes(py).len());
        format!("DownloadResult(path={:?}, {size} bytes, error={})", self.path, option(self.error.as_deref()))
    }
}

fn option(text: Option<&str>) -> String {
    text.map_or("None".to_owned(), |text| format!("{text:?}"))
}
