//! Calls to the API and to a sandbox's data plane.

use std::collections::BTreeMap;
use std::sync::Arc;

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::options::LangSmithOptions;
use crate::cloud::{Call, Http, HttpResponse, Id, Vendor, query, required, wait_until_ready};
use crate::{ErrorKind, Result};

pub(super) const NAME: &str = "langsmith";

/// The label that stores the working directory.
pub(super) const WORKDIR: &str = "sandshell-workdir";

static VENDOR: Vendor = Vendor {
    name: NAME,
    message: |body| {
        let detail = body.get("detail")?;
        match detail {
            Value::String(text) => Some(text.clone()),
            Value::Array(wrong) => {
                let texts = wrong.iter().filter_map(|one| {
                    let place = one.get("loc").and_then(Value::as_array).and_then(|place| place.last());
                    Some(format!(
                        "{}: {}",
                        place.and_then(Value::as_str).unwrap_or("?"),
                        one.get("msg")?.as_str()?
                    ))
                });
                Some(texts.collect::<Vec<String>>().join("; "))
            }
            _ => {
                let message = detail.get("message")?.as_str()?;
                Some(match detail.get("error").and_then(Value::as_str) {
                    Some(kind) => format!("{kind}: {message}"),
                    None => message.to_owned(),
                })
            }
        }
    },
    kind: |status, message| {
        // Creating a sandbox took too long, or there was no capacity: it can be tried again.
        (status == 400 && message.starts_with("NotReady")).then_some(ErrorKind::Unavailable)
    },
};

/// The service.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) http: Http,
    pub(super) options: LangSmithOptions,
}

/// What the service reports about a sandbox.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Info {
    pub(super) id: Id,
    pub(super) status: String,
    pub(super) status_message: Option<String>,
    pub(super) created_at: Option<String>,
    pub(super) dataplane_url: Option<String>,
    #[serde(default)]
    pub(super) labels: Option<BTreeMap<String, String>>,
}

/// A page. The service has two forms of it, with `items` and with another name.
#[derive(Debug, Deserialize)]
pub(super) struct Page {
    #[serde(alias = "sandboxes")]
    pub(super) items: Vec<Info>,
    pub(super) next_cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Snapshot {
    pub(super) id: Id,
    pub(super) status: String,
    pub(super) status_message: Option<String>,
}

/// One sandbox's data plane.
#[derive(Debug)]
pub(super) struct DataPlane {
    pub(super) api: Arc<Api>,
    pub(super) id: Id,
    url: String,
}

impl Api {
    pub(super) fn new(options: LangSmithOptions) -> Result<Self> {
        Ok(Self { http: Http::new(&VENDOR, options.client.clone())?, options })
    }

    fn authorized(&self, method: Method, url: String) -> Result<Call> {
        let key = required(self.options.api_key.as_ref(), NAME, "LANGSMITH_API_KEY")?;
        Ok(self.http.call(method, url).secret("x-api-key", "", key))
    }

    fn call(&self, method: Method, path: &str) -> Result<Call> {
        self.authorized(method, format!("{}/api/v2/sandboxes{path}", self.options.endpoint))
    }

    pub(super) async fn create(&self, body: &Value) -> Result<Info> {
        // The service answers when the sandbox is ready.
        let call = self.call(Method::POST, "/boxes")?.json(body);
        let call = call.deadline(Some(self.options.client.ready_timeout));
        self.http.parse(&self.http.send(call).await?)
    }

    pub(super) async fn get(&self, id: &Id) -> Result<Info> {
        let answer = self.http.send(self.call(Method::GET, &format!("/boxes/{id}"))?).await?;
        self.http.parse(&answer)
    }

    /// Waits until a sandbox has this status.
    pub(super) async fn reach(&self, info: Info, status: &str) -> Result<Info> {
        let id = info.id.clone();
        let mut known = Some(info);
        wait_until_ready(&self.http, || {
            let (known, id) = (known.take(), &id);
            async move {
                let info = match known {
                    Some(info) => info,
                    None => self.get(id).await?,
                };
                if info.status == status {
                    return Ok(Some(info));
                }
                if info.status == "failed" {
                    let why = info.status_message.unwrap_or_default();
                    return Err(self
                        .http
                        .error(ErrorKind::SandboxEnded, format!("the sandbox failed: {why}")));
                }
                Ok(None)
            }
        })
        .await
    }

    pub(super) async fn list(&self, pairs: &[(&str, String)]) -> Result<Page> {
        let answer = self.http.send(self.call(Method::GET, &format!("/boxes{}", query(pairs)))?).await?;
        let mut page: Value = self.http.parse(&answer)?;
        // If both are present, they are the same.
        if let Some(members) = page.as_object_mut().filter(|members| members.contains_key("items")) {
            members.remove("sandboxes");
        }
        serde_json::from_value(page).map_err(|error| self.http.malformed(error))
    }

    /// Sends a `DELETE`. It is no error if there is nothing at `path`.
    pub(super) async fn remove(&self, path: &str) -> Result<()> {
        self.http.remove(self.call(Method::DELETE, path)?).await.map(drop)
    }

    /// An idempotent change.
    pub(super) async fn change(&self, method: Method, path: &str, body: &Value) -> Result<HttpResponse> {
        self.http.send(self.call(method, path)?.json(body).repeatable()).await
    }

    /// Takes a snapshot of the disk and waits until it is complete.
    pub(super) async fn snapshot(&self, id: &Id, name: &str) -> Result<Snapshot> {
        let call = self.call(Method::POST, &format!("/boxes/{id}/snapshot"))?;
        let answer = self.http.send(call.json(&json!({"name": name}))).await?;
        let taken: Snapshot = self.http.parse(&answer)?;
        let path = format!("/snapshots/{}", taken.id);
        let mut known = Some(taken);
        wait_until_ready(&self.http, || {
            let (known, path) = (known.take(), path.as_str());
            async move {
                let snapshot: Snapshot = match known {
                    Some(snapshot) => snapshot,
                    None => self.http.parse(&self.http.send(self.call(Method::GET, path)?).await?)?,
                };
                match snapshot.status.as_str() {
                    "ready" => Ok(Some(snapshot)),
                    "failed" => {
                        let why = snapshot.status_message.unwrap_or_default();
                        Err(self.http.error(ErrorKind::Unexpected, format!("no snapshot was taken: {why}")))
                    }
                    _ => Ok(None),
                }
            }
        })
        .await
    }
}

impl DataPlane {
    pub(super) fn new(api: Arc<Api>, info: Info) -> Result<Self> {
        let url = info.dataplane_url.filter(|url| !url.is_empty());
        let url = url.ok_or_else(|| api.http.malformed("the sandbox has no data plane"))?;
        let url = api.http.address(&api.options.endpoint, &url)?;
        Ok(Self { api, id: info.id, url })
    }

    pub(super) fn call(&self, method: Method, path: &str) -> Result<Call> {
        self.api.authorized(method, format!("{}{path}", self.url))
    }
}
