//! File operations, with answers for Python.

use crate::answers::{EditOutcome, FileInfo, GlobResult, GrepResult, Raw, ReadResult, infos};
use crate::errors::{file_to_py, to_py};
use crate::interpreter::attach;
use bytes::Bytes;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use sandshell_bindings::Handle;
use sandshell_bindings::sandshell::{
    EditRequest, FileUpload, GlobRequest, GrepRequest, LineRange, SandboxExt, WriteMode,
};

pub(crate) type Downloaded = (Option<Raw>, Option<String>);

pub(crate) async fn read(handle: Handle, path: String, range: LineRange) -> PyResult<ReadResult> {
    handle.at([&*path]).map_err(to_py)?.read(&path, range).await.map(ReadResult::from).map_err(file_to_py)
}

pub(crate) async fn write(handle: Handle, path: String, content: Bytes, mode: WriteMode) -> PyResult<()> {
    handle.at([&*path]).map_err(to_py)?.write(&path, content, mode).await.map_err(file_to_py)
}

pub(crate) async fn edit(handle: Handle, path: String, edit: EditRequest) -> PyResult<EditOutcome> {
    handle.at([&*path]).map_err(to_py)?.edit(&path, &edit).await.map(EditOutcome::from).map_err(file_to_py)
}

pub(crate) async fn ls(handle: Handle, path: String) -> PyResult<Vec<Py<FileInfo>>> {
    let entries = handle.at([&*path]).map_err(to_py)?.ls(&path).await.map_err(file_to_py)?;
    answer(|py| infos(py, entries))
}

pub(crate) async fn grep(handle: Handle, request: GrepRequest) -> PyResult<GrepResult> {
    let found = handle.at([&*request.path]).map_err(to_py)?.grep(&request).await.map_err(file_to_py)?;
    answer(|py| GrepResult::new(py, found))
}

pub(crate) async fn glob(handle: Handle, request: GlobRequest) -> PyResult<GlobResult> {
    let found = handle.at([&*request.path]).map_err(to_py)?.glob(&request).await.map_err(file_to_py)?;
    answer(|py| GlobResult::new(py, found))
}

pub(crate) async fn delete(handle: Handle, path: String) -> PyResult<()> {
    handle.at([&*path]).map_err(to_py)?.delete(&path).await.map_err(file_to_py)
}

pub(crate) async fn upload(handle: Handle, files: Vec<FileUpload>) -> PyResult<Vec<Option<String>>> {
    let answers = handle
        .at(files.iter().map(|file| &*file.path))
        .map_err(to_py)?
        .upload_files(files)
        .await
        .map_err(to_py)?;
    Ok(answers.into_iter().map(|answer| answer.result.err().map(|error| error.to_string())).collect())
}

pub(crate) async fn download(handle: Handle, paths: Vec<String>) -> PyResult<Vec<Downloaded>> {
    let answers = handle
        .at(paths.iter().map(|path| &**path))
        .map_err(to_py)?
        .download_files(paths)
        .await
        .map_err(to_py)?;
    let one = |answer: sandshell_bindings::sandshell::FileDownloadResponse| match answer.result {
        Ok(content) => (Some(Raw(content)), None),
        Err(error) => (None, Some(error.to_string())),
    };
    Ok(answers.into_iter().map(one).collect())
}

// An answer made of Python's own objects.
fn answer<T>(make: impl FnOnce(Python<'_>) -> PyResult<T>) -> PyResult<T> {
    attach(make).unwrap_or_else(|| Err(PyRuntimeError::new_err("the interpreter ends")))
}
