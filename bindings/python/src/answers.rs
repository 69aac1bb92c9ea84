//! Answers as Python objects with read-only attributes.

use crate::text::Text;
use bytes::Bytes;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use sandshell_bindings::{limit_name, sandshell as library};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes that are copied to a Python object only when they are accessed.
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

impl<'py> FromPyObject<'_, 'py> for Raw {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        value.extract::<crate::text::Content>().map(|content| Self(content.0))
    }
}

/// The result of a command.
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
    limits: Vec<(String, String)>,
    #[pyo3(get)]
    duration: f64,
}

/// The class and arguments from which pickle creates an object.
type Reduced<'py, T> = (Bound<'py, PyType>, T);

type ExecuteParts = (Option<i32>, Raw, Raw, Raw, bool, bool, Vec<(String, String)>, f64);

#[pymethods]
impl ExecuteResult {
    #[new]
    fn new(
        exit_code: Option<i32>,
        output: Raw,
        stdout: Raw,
        stderr: Raw,
        truncated: bool,
        timed_out: bool,
        limits: Vec<(String, String)>,
        duration: f64,
    ) -> Self {
        Self { exit_code, output, stdout, stderr, truncated, timed_out, limits, duration }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, ExecuteParts> {
        let Self { exit_code, output, stdout, stderr, truncated, timed_out, limits, duration } = self;
        let (output, stdout, stderr) = (output.clone(), stdout.clone(), stderr.clone());
        let parts = (*exit_code, output, stdout, stderr, *truncated, *timed_out, limits.clone(), *duration);
        (py.get_type::<Self>(), parts)
    }

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
            limits: answer
                .limits
                .into_iter()
                .map(|limit| (limit_name(limit.kind).to_owned(), limit.message))
                .collect(),
            duration: answer.duration.as_secs_f64(),
        }
    }
}

/// A page of a text file, or all of a binary one.
#[pyclass(module = "sandshell", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct ReadResult {
    #[pyo3(get)]
    kind: String,
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

type ReadParts =
    (String, Option<String>, Option<Raw>, Option<u64>, Option<u64>, Option<u64>, Option<u64>, bool);

#[pymethods]
impl ReadResult {
    #[new]
    fn new(
        kind: String,
        text: Option<String>,
        content: Option<Raw>,
        start_line: Option<u64>,
        end_line: Option<u64>,
        total_lines: Option<u64>,
        next_offset: Option<u64>,
        truncated: bool,
    ) -> Self {
        Self { kind, text, content, start_line, end_line, total_lines, next_offset, truncated }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, ReadParts> {
        let Self { kind, text, content, start_line, end_line, total_lines, next_offset, truncated } = self;
        let (kind, text, content) = (kind.clone(), text.clone(), content.clone());
        let parts = (kind, text, content, *start_line, *end_line, *total_lines, *next_offset, *truncated);
        (py.get_type::<Self>(), parts)
    }

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
            kind: "text".to_owned(),
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
            C::Binary(content) => (this.kind, this.content) = ("binary".to_owned(), Some(Raw(content))),
            C::Empty => this.kind = "empty".to_owned(),
            _ => this.kind = "no_lines".to_owned(),
        }
        this
    }
}

/// An entry of a listing.
#[pyclass(module = "sandshell", frozen, eq, get_all, skip_from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct FileInfo {
    path: Text,
    is_dir: bool,
    is_symlink: bool,
    size: u64,
    /// Seconds since 1970.
    modified_at: Option<f64>,
}

#[pymethods]
impl FileInfo {
    #[new]
    fn new(path: Text, is_dir: bool, is_symlink: bool, size: u64, modified_at: Option<f64>) -> Self {
        Self { path, is_dir, is_symlink, size, modified_at }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Text, bool, bool, u64, Option<f64>)> {
        let Self { path, is_dir, is_symlink, size, modified_at } = self.clone();
        (py.get_type::<Self>(), (path, is_dir, is_symlink, size, modified_at))
    }

    fn __repr__(&self) -> String {
        let is_dir = if self.is_dir { "True" } else { "False" };
        format!("FileInfo(path={:?}, is_dir={is_dir}, size={})", self.path.0, self.size)
    }
}

impl From<library::FileInfo> for FileInfo {
    fn from(info: library::FileInfo) -> Self {
        Self {
            path: Text(info.path),
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
    path: Text,
    line: u64,
    text: String,
}

#[pymethods]
impl GrepMatch {
    #[new]
    fn new(path: Text, line: u64, text: String) -> Self {
        Self { path, line, text }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Text, u64, String)> {
        let Self { path, line, text } = self.clone();
        (py.get_type::<Self>(), (path, line, text))
    }

    fn __repr__(&self) -> String {
        format!("GrepMatch(path={:?}, line={}, text={:?})", self.path.0, self.line, self.text)
    }
}

/// The result of a search by content.
#[pyclass(module = "sandshell", frozen, get_all)]
pub(crate) struct GrepResult {
    matches: Vec<Py<GrepMatch>>,
    truncated: bool,
}

/// The result of a search by name.
#[pyclass(module = "sandshell", frozen, get_all)]
pub(crate) struct GlobResult {
    matches: Vec<Py<FileInfo>>,
    /// Why there may be more matches: `budget` or `unreadable`; `None` if these are all.
    truncation: Option<String>,
}

#[pymethods]
impl GrepResult {
    #[new]
    fn make(matches: Vec<Py<GrepMatch>>, truncated: bool) -> Self {
        Self { matches, truncated }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Vec<Py<GrepMatch>>, bool)> {
        let matches = self.matches.iter().map(|found| found.clone_ref(py)).collect();
        (py.get_type::<Self>(), (matches, self.truncated))
    }
}

#[pymethods]
impl GlobResult {
    #[new]
    #[pyo3(signature = (matches, truncation))]
    fn make(matches: Vec<Py<FileInfo>>, truncation: Option<String>) -> Self {
        Self { matches, truncation }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Vec<Py<FileInfo>>, Option<String>)> {
        let matches = self.matches.iter().map(|found| found.clone_ref(py)).collect();
        (py.get_type::<Self>(), (matches, self.truncation.clone()))
    }
}

/// A replacement that was made.
#[pyclass(module = "sandshell", frozen, eq, get_all)]
#[derive(PartialEq)]
pub(crate) struct EditOutcome {
    occurrences: u64,
}

#[pymethods]
impl EditOutcome {
    #[new]
    fn new(occurrences: u64) -> Self {
        Self { occurrences }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (u64,)> {
        (py.get_type::<Self>(), (self.occurrences,))
    }
}

impl GrepResult {
    pub(crate) fn new(py: Python<'_>, answer: library::GrepResult) -> PyResult<Self> {
        let matches = answer
            .matches
            .into_iter()
            .map(|found| {
                Py::new(py, GrepMatch { path: Text(found.path), line: found.line, text: found.text })
            })
            .collect::<PyResult<_>>()?;
        Ok(Self { matches, truncated: answer.truncated })
    }
}

impl GlobResult {
    pub(crate) fn new(py: Python<'_>, answer: library::GlobResult) -> PyResult<Self> {
        let truncation = answer.truncation.map(|why| match why {
            library::GlobTruncation::Budget => "budget".to_owned(),
            _ => "unreadable".to_owned(),
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

/// The result of one upload.
#[pyclass(module = "sandshell", frozen, eq, get_all)]
#[derive(PartialEq)]
pub(crate) struct UploadResult {
    path: Text,
    error: Option<String>,
}

#[pymethods]
impl UploadResult {
    #[new]
    fn new(path: Text, error: Option<String>) -> Self {
        Self { path, error }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Text, Option<String>)> {
        (py.get_type::<Self>(), (self.path.clone(), self.error.clone()))
    }

    fn __repr__(&self) -> String {
        format!("UploadResult(path={:?}, error={})", self.path.0, option(self.error.as_deref()))
    }
}

/// One downloaded file.
#[pyclass(module = "sandshell", frozen, get_all)]
pub(crate) struct DownloadResult {
    path: Text,
    content: Option<Py<PyBytes>>,
    error: Option<String>,
}

#[pymethods]
impl DownloadResult {
    #[new]
    fn new(path: Text, content: Option<Py<PyBytes>>, error: Option<String>) -> Self {
        Self { path, content, error }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Text, Option<Py<PyBytes>>, Option<String>)> {
        let content = self.content.as_ref().map(|content| content.clone_ref(py));
        (py.get_type::<Self>(), (self.path.clone(), content, self.error.clone()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let size = self.content.as_ref().map_or(0, |content| content.as_bytes(py).len());
        format!(
            "DownloadResult(path={:?}, {size} bytes, error={})",
            self.path.0,
            option(self.error.as_deref())
        )
    }
}

fn option(text: Option<&str>) -> String {
    text.map_or("None".to_owned(), |text| format!("{text:?}"))
}
