//! The native provider, and information about providers by name.

use crate::errors::to_py;
use crate::sandbox::{Awaitable, NativeSandbox, NativeSnapshot, wrong};
use crate::waiting::{awaitable, block, detached};
use pyo3::prelude::*;
use sandshell_bindings::{
    Create, KnownProvider, Listed, Options, Params, Provider, Secrets, Variables, capability_names,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

/// A provider.
#[pyclass(module = "sandshell._native", frozen)]
pub(crate) struct NativeProvider(Provider);

/// Facts about a provider that are known before it is used.
#[pyclass(module = "sandshell", frozen, eq, get_all, skip_from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct ProviderInfo {
    name: String,
    kind: String,
    /// What must be done before it can be used; `None`: nothing.
    missing: Option<String>,
    working_dir: Option<String>,
    capabilities: Vec<&'static str>,
}

/// A sandbox in a listing.
#[pyclass(module = "sandshell", frozen, eq, get_all, skip_from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct SandboxInfo {
    id: String,
    state: &'static str,
    labels: BTreeMap<String, String>,
    /// Seconds since 1970.
    created_at: Option<f64>,
}

#[pymethods]
impl NativeProvider {
    /// The provider of sandboxes in this process.
    #[staticmethod]
    fn local(py: Python<'_>, options: &Bound<'_, PyAny>) -> PyResult<Self> {
        let options: Options = pythonize::depythonize(options).map_err(wrong)?;
        detached(py, || Provider::local(&options)).map(Self)
    }

    /// The provider of this name. Credentials are looked up in `variables`.
    #[staticmethod]
    fn named(
        py: Python<'_>,
        name: String,
        params: &Bound<'_, PyAny>,
        variables: Variables,
    ) -> PyResult<Self> {
        let params: Params = pythonize::depythonize(params).map_err(wrong)?;
        block(py, async move { Provider::named(&name, params, variables).await.map(Self).map_err(to_py) })
    }

    /// Information about the provider of this name. This needs no credentials and creates nothing.
    #[staticmethod]
    fn describe(
        py: Python<'_>,
        name: String,
        params: &Bound<'_, PyAny>,
        variables: Variables,
    ) -> PyResult<ProviderInfo> {
        let params: Params = pythonize::depythonize(params).map_err(wrong)?;
        block(py, async move {
            let metadata = Provider::describe(&name, params, variables).await.map_err(to_py)?;
            Ok(ProviderInfo {
                capabilities: capability_names(&metadata),
                kind: name,
                name: metadata.name,
                missing: None,
                working_dir: Some(metadata.working_dir),
            })
        })
    }

    /// All providers, with what must be done before each can be used.
    #[staticmethod]
    fn known(py: Python<'_>, variables: Variables) -> PyResult<Vec<ProviderInfo>> {
        block(py, async move {
            let known = sandshell_bindings::known(variables).await;
            Ok(known.into_iter().map(ProviderInfo::from).collect())
        })
    }

    /// A provider that answers from a cassette.
    #[staticmethod]
    fn replay(py: Python<'_>, file: PathBuf, in_order: bool, secrets: &Bound<'_, PyAny>) -> PyResult<Self> {
        let secrets: Secrets = pythonize::depythonize(secrets).map_err(wrong)?;
        detached(py, || Provider::replay(&file, in_order, &secrets)).map(Self)
    }

    /// This provider, with a cassette that records its calls and answers.
    fn record(&self, py: Python<'_>, file: PathBuf, secrets: &Bound<'_, PyAny>) -> PyResult<Self> {
        let secrets: Secrets = pythonize::depythonize(secrets).map_err(wrong)?;
        detached(py, || self.0.record(&file, &secrets)).map(Self)
    }

    #[getter]
    fn name(&self) -> String {
        self.0.metadata().name
    }

    #[getter]
    fn working_dir(&self) -> String {
        self.0.metadata().working_dir
    }

    #[getter]
    fn capabilities(&self) -> Vec<&'static str> {
        capability_names(&self.0.metadata())
    }

    fn create(&self, py: Python<'_>, options: &Bound<'_, PyAny>) -> PyResult<NativeSandbox> {
        let options: Create = pythonize::depythonize(options).map_err(wrong)?;
        block(py, create(self.0.clone(), options))
    }

    fn acreate<'py>(&self, py: Python<'py>, options: &Bound<'_, PyAny>) -> Awaitable<'py> {
        let options: Create = pythonize::depythonize(options).map_err(wrong)?;
        awaitable(py, create(self.0.clone(), options))
    }

    /// A page of sandboxes, and the cursor of the next one.
    #[pyo3(signature = (labels, cursor))]
    fn page(
        &self,
        py: Python<'_>,
        labels: BTreeMap<String, String>,
        cursor: Option<String>,
    ) -> PyResult<Page> {
        block(py, page(self.0.clone(), labels, cursor))
    }

    #[pyo3(signature = (labels, cursor))]
    fn apage<'py>(
        &self,
        py: Python<'py>,
        labels: BTreeMap<String, String>,
        cursor: Option<String>,
    ) -> Awaitable<'py> {
        awaitable(py, page(self.0.clone(), labels, cursor))
    }

    fn delete(&self, py: Python<'_>, id: String) -> PyResult<()> {
        block(py, async { self.0.delete(&id).await.map_err(to_py) })
    }

    fn adelete<'py>(&self, py: Python<'py>, id: String) -> Awaitable<'py> {
        let provider = self.0.clone();
        awaitable(py, async move { provider.delete(&id).await.map_err(to_py) })
    }

    #[pyo3(signature = (id, name))]
    fn snapshot(&self, py: Python<'_>, id: String, name: Option<String>) -> PyResult<NativeSnapshot> {
        block(py, snapshot(self.0.clone(), id, name))
    }

    #[pyo3(signature = (id, name))]
    fn asnapshot<'py>(&self, py: Python<'py>, id: String, name: Option<String>) -> Awaitable<'py> {
        awaitable(py, snapshot(self.0.clone(), id, name))
    }

    fn restore(&self, py: Python<'_>, id: String, snapshot: String) -> PyResult<()> {
        block(py, async { self.0.restore(&id, &snapshot).await.map_err(to_py) })
    }

    fn arestore<'py>(&self, py: Python<'py>, id: String, snapshot: String) -> Awaitable<'py> {
        let provider = self.0.clone();
        awaitable(py, async move { provider.restore(&id, &snapshot).await.map_err(to_py) })
    }

    fn fork(&self, py: Python<'_>, id: String) -> PyResult<String> {
        block(py, async { self.0.fork(&id).await.map_err(to_py) })
    }

    fn afork<'py>(&self, py: Python<'py>, id: String) -> Awaitable<'py> {
        let provider = self.0.clone();
        awaitable(py, async move { provider.fork(&id).await.map_err(to_py) })
    }

    fn pause(&self, py: Python<'_>, id: String) -> PyResult<()> {
        block(py, async { self.0.pause(&id).await.map_err(to_py) })
    }

    fn apause<'py>(&self, py: Python<'py>, id: String) -> Awaitable<'py> {
        let provider = self.0.clone();
        awaitable(py, async move { provider.pause(&id).await.map_err(to_py) })
    }

    fn resume(&self, py: Python<'_>, id: String) -> PyResult<()> {
        block(py, async { self.0.resume(&id).await.map_err(to_py) })
    }

    fn aresume<'py>(&self, py: Python<'py>, id: String) -> Awaitable<'py> {
        let provider = self.0.clone();
        awaitable(py, async move { provider.resume(&id).await.map_err(to_py) })
    }

    #[pyo3(signature = (id, seconds))]
    fn set_ttl(&self, py: Python<'_>, id: String, seconds: Option<f64>) -> PyResult<()> {
        block(py, async { self.0.set_ttl(&id, seconds).await.map_err(to_py) })
    }

    #[pyo3(signature = (id, seconds))]
    fn aset_ttl<'py>(&self, py: Python<'py>, id: String, seconds: Option<f64>) -> Awaitable<'py> {
        let provider = self.0.clone();
        awaitable(py, async move { provider.set_ttl(&id, seconds).await.map_err(to_py) })
    }

    #[pyo3(signature = (id, file, state))]
    fn export(&self, py: Python<'_>, id: String, file: PathBuf, state: Option<String>) -> PyResult<()> {
        block(py, export(self.0.clone(), id, file, state))
    }

    #[pyo3(signature = (id, file, state))]
    fn aexport<'py>(
        &self,
        py: Python<'py>,
        id: String,
        file: PathBuf,
        state: Option<String>,
    ) -> Awaitable<'py> {
        awaitable(py, export(self.0.clone(), id, file, state))
    }

    fn import_(&self, py: Python<'_>, file: PathBuf, labels: BTreeMap<String, String>) -> PyResult<String> {
        block(py, import(self.0.clone(), file, labels))
    }

    fn aimport<'py>(
        &self,
        py: Python<'py>,
        file: PathBuf,
        labels: BTreeMap<String, String>,
    ) -> Awaitable<'py> {
        awaitable(py, import(self.0.clone(), file, labels))
    }

    fn delete_snapshot(&self, py: Python<'_>, id: String) -> PyResult<()> {
        block(py, async { self.0.delete_snapshot(&id).await.map_err(to_py) })
    }

    fn adelete_snapshot<'py>(&self, py: Python<'py>, id: String) -> Awaitable<'py> {
        let provider = self.0.clone();
        awaitable(py, async move { provider.delete_snapshot(&id).await.map_err(to_py) })
    }
}

#[pymethods]
impl ProviderInfo {
    fn __repr__(&self) -> String {
        let missing = self.missing.as_deref().map_or("None".to_owned(), |missing| format!("{missing:?}"));
        format!("ProviderInfo(name={:?}, missing={missing})", self.name)
    }
}

#[pymethods]
impl SandboxInfo {
    fn __repr__(&self) -> String {
        format!("SandboxInfo(id={:?}, state='{}')", self.id, self.state)
    }
}

impl From<KnownProvider> for ProviderInfo {
    fn from(known: KnownProvider) -> Self {
        let KnownProvider { name, kind, missing, metadata } = known;
        let capabilities = metadata.as_ref().map(capability_names).unwrap_or_default();
        Self { name, kind, missing, working_dir: metadata.map(|metadata| metadata.working_dir), capabilities }
    }
}

impl From<Listed> for SandboxInfo {
    fn from(listed: Listed) -> Self {
        let seconds = |time: std::time::SystemTime| Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs_f64());
        Self {
            id: listed.id,
            state: listed.state,
            labels: listed.labels.into_iter().collect(),
            created_at: listed.created_at.and_then(seconds),
        }
    }
}

type Page = (Vec<SandboxInfo>, Option<String>);

async fn page(
    provider: Provider,
    labels: BTreeMap<String, String>,
    cursor: Option<String>,
) -> PyResult<Page> {
    let (sandboxes, next) = provider.list(labels.into_iter().collect(), cursor).await.map_err(to_py)?;
    Ok((sandboxes.into_iter().map(SandboxInfo::from).collect(), next))
}

async fn create(provider: Provider, options: Create) -> PyResult<NativeSandbox> {
    provider.create(options).await.map(NativeSandbox).map_err(to_py)
}

async fn snapshot(provider: Provider, id: String, name: Option<String>) -> PyResult<NativeSnapshot> {
    provider.snapshot(&id, name.as_deref()).await.map(NativeSnapshot).map_err(to_py)
}

async fn export(provider: Provider, id: String, file: PathBuf, state: Option<String>) -> PyResult<()> {
    provider.export(&id, state.as_deref(), &file).await.map_err(to_py)
}

async fn import(provider: Provider, file: PathBuf, labels: BTreeMap<String, String>) -> PyResult<String> {
    provider.import(&file, labels.into_iter().collect()).await.map_err(to_py)
}
