//! The native provider, and information about providers by name.

use crate::errors::to_js;
use crate::sandbox::{NativeSandbox, NativeSnapshot, use_runtime, wrong};
use napi::bindgen_prelude::PromiseRaw;
use napi::{Env, Result};
use napi_derive::napi;
use sandshell_bindings::{
    Create, KnownProvider, Listed, Options, Params, Provider, Secrets, Variables, capability_names,
};
use std::collections::HashMap;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// A provider.
#[napi]
pub struct NativeProvider(Provider);

#[napi(object)]
pub struct ProviderAnswer {
    pub name: String,
    pub kind: String,
    /// What must be done before it can be used; `None`: nothing.
    pub missing: Option<String>,
    pub working_dir: Option<String>,
    pub capabilities: Vec<String>,
}

#[napi(object)]
pub struct ListedAnswer {
    pub id: String,
    pub state: String,
    pub labels: HashMap<String, String>,
    /// Milliseconds since 1970.
    pub created_at: Option<f64>,
}

#[napi(object)]
pub struct PageAnswer {
    pub sandboxes: Vec<ListedAnswer>,
    pub next: Option<String>,
}

#[napi]
impl NativeProvider {
    /// The provider of sandboxes in this process.
    #[napi(factory)]
    pub fn local(options: serde_json::Value) -> Result<Self> {
        let options: Options = serde_json::from_value(options).map_err(wrong)?;
        Provider::local(&options).map(Self).map_err(to_js)
    }

    /// The provider of this name. Credentials are looked up in `variables`.
    #[napi]
    pub async fn named(
        name: String,
        params: serde_json::Value,
        variables: HashMap<String, String>,
    ) -> Result<NativeProvider> {
        let params: Params = serde_json::from_value(params).map_err(wrong)?;
        Provider::named(&name, params, sorted(variables)).await.map(Self).map_err(to_js)
    }

    #[napi]
    pub async fn known(variables: HashMap<String, String>) -> Vec<ProviderAnswer> {
        let known = sandshell_bindings::known(sorted(variables)).await;
        known.into_iter().map(ProviderAnswer::from).collect()
    }

    #[napi(factory)]
    pub fn replay(file: String, in_order: bool, secrets: serde_json::Value) -> Result<Self> {
        let secrets: Secrets = serde_json::from_value(secrets).map_err(wrong)?;
        Provider::replay(Path::new(&file), in_order, &secrets).map(Self).map_err(to_js)
    }

    #[napi]
    pub fn record(&self, file: String, secrets: serde_json::Value) -> Result<NativeProvider> {
        let secrets: Secrets = serde_json::from_value(secrets).map_err(wrong)?;
        self.0.record(Path::new(&file), &secrets).map(Self).map_err(to_js)
    }

    #[napi(getter)]
    pub fn name(&self) -> String {
        self.0.metadata().name
    }

    #[napi(getter)]
    pub fn working_dir(&self) -> String {
        self.0.metadata().working_dir
    }

    #[napi(getter)]
    pub fn capabilities(&self) -> Vec<String> {
        names(&capability_names(&self.0.metadata()))
    }

    #[napi]
    pub fn create<'env>(
        &self,
        env: &'env Env,
        options: serde_json::Value,
    ) -> Result<PromiseRaw<'env, NativeSandbox>> {
        use_runtime();
        let options: Create = serde_json::from_value(options).map_err(wrong)?;
        let provider = self.0.clone();
        env.spawn_future(
            async move { provider.create(options).await.map(NativeSandbox::from).map_err(to_js) },
        )
    }

    /// A page of sandboxes, and the cursor of the next one.
    #[napi]
    pub async fn list(&self, labels: HashMap<String, String>, cursor: Option<String>) -> Result<PageAnswer> {
        let (sandboxes, next) =
            self.0.list(sorted(labels).into_iter().collect(), cursor).await.map_err(to_js)?;
        Ok(PageAnswer { sandboxes: sandboxes.into_iter().map(ListedAnswer::from).collect(), next })
    }

    #[napi]
    pub async fn delete(&self, id: String) -> Result<()> {
        self.0.delete(&id).await.map_err(to_js)
    }

    #[napi]
    pub async fn snapshot(&self, id: String, name: Option<String>) -> Result<NativeSnapshot> {
        self.0.snapshot(&id, name.as_deref()).await.map(NativeSnapshot::from).map_err(to_js)
    }

    #[napi]
    pub async fn restore(&self, id: String, snapshot: String) -> Result<()> {
        self.0.restore(&id, &snapshot).await.map_err(to_js)
    }

    #[napi]
    pub async fn fork(&self, id: String) -> Result<String> {
        self.0.fork(&id).await.map_err(to_js)
    }

    #[napi]
    pub async fn pause(&self, id: String) -> Result<()> {
        self.0.pause(&id).await.map_err(to_js)
    }

    #[napi]
    pub async fn resume(&self, id: String) -> Result<()> {
        self.0.resume(&id).await.map_err(to_js)
    }

    /// In seconds.
    #[napi]
    pub async fn set_ttl(&self, id: String, ttl: Option<f64>) -> Result<()> {
        self.0.set_ttl(&id, ttl).await.map_err(to_js)
    }

    #[napi]
    pub async fn export(&self, id: String, file: String, state: Option<String>) -> Result<()> {
        self.0.export(&id, state.as_deref(), Path::new(&file)).await.map_err(to_js)
    }

    #[napi(js_name = "import")]
    pub async fn import_archive(&self, file: String, labels: HashMap<String, String>) -> Result<String> {
        let labels = sorted(labels).into_iter().collect();
        self.0.import(Path::new(&file), labels).await.map_err(to_js)
    }

    #[napi]
    pub async fn delete_snapshot(&self, id: String) -> Result<()> {
        self.0.delete_snapshot(&id).await.map_err(to_js)
    }
}

impl From<KnownProvider> for ProviderAnswer {
    fn from(known: KnownProvider) -> Self {
        let KnownProvider { name, kind, missing, metadata } = known;
        let capabilities = metadata.as_ref().map(capability_names).unwrap_or_default();
        let working_dir = metadata.map(|metadata| metadata.working_dir);
        Self { name, kind, missing, working_dir, capabilities: names(&capabilities) }
    }
}

impl From<Listed> for ListedAnswer {
    fn from(listed: Listed) -> Self {
        let since =
            |time: std::time::SystemTime| Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs_f64() * 1000.0);
        Self {
            id: listed.id,
            state: listed.state.to_owned(),
            labels: listed.labels.into_iter().collect(),
            created_at: listed.created_at.and_then(since),
        }
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn sorted(variables: HashMap<String, String>) -> Variables {
    variables.into_iter().collect()
}
