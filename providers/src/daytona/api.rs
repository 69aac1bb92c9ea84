//! Calls to the API and to a sandbox's toolbox.

use std::collections::BTreeMap;
use std::sync::Arc;

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::options::DaytonaOptions;
use crate::cloud::{Call, Http, HttpResponse, Id, Vendor, query, required, wait_until_ready};
use crate::{ErrorKind, Result};

pub(super) const NAME: &str = "daytona";

/// The label that stores the working directory.
pub(super) const WORKDIR: &str = "sandshell-workdir";

static VENDOR: Vendor = Vendor {
    name: NAME,
    message: |body| Some(body.get("message")?.as_str()?.to_owned()),
    kind: |status, message| {
        // A sandbox that is not running has no address.
        (status == 400 && message.contains("Is the Sandbox started")).then_some(ErrorKind::Conflict)
    },
};

/// The service.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) http: Http,
    pub(super) options: DaytonaOptions,
}

/// What the service reports about a sandbox.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Info {
    pub(super) id: Id,
    pub(super) state: Option<String>,
    #[serde(default)]
    pub(super) labels: BTreeMap<String, String>,
    pub(super) created_at: Option<String>,
    pub(super) error_reason: Option<String>,
    #[serde(default)]
    pub(super) toolbox_proxy_url: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    items: Vec<Info>,
    next_cursor: Option<String>,
}

/// One sandbox's toolbox.
#[derive(Debug)]
pub(super) struct Toolbox {
    pub(super) api: Arc<Api>,
    pub(super) id: Id,
    url: String,
}

impl Api {
    pub(super) fn new(options: DaytonaOptions) -> Result<Self> {
        Ok(Self { http: Http::new(&VENDOR, options.client.clone())?, options })
    }

    fn authorized(&self, method: Method, url: String) -> Result<Call> {
        let key = required(self.options.api_key.as_ref(), NAME, "DAYTONA_API_KEY")?;
        Ok(self.http.call(method, url).secret("authorization", "Bearer ", key))
    }

    fn call(&self, method: Method, path: &str) -> Result<Call> {
        self.authorized(method, format!("{}{path}", self.options.api_url))
    }

    pub(super) async fn create(&self, body: &Value) -> Result<Info> {
        let answer = self.http.send(self.call(Method::POST, "/sandbox")?.json(body)).await?;
        self.http.parse(&answer)
    }

    pub(super) async fn get(&self, id: &Id) -> Result<Info> {
        let answer = self.http.send(self.call(Method::GET, &format!("/sandbox/{id}"))?).await?;
        self.http.parse(&answer)
    }

    /// Waits until a sandbox is in one of these states.
    pub(super) async fn reach(&self, info: Info, states: &[&str]) -> Result<Info> {
        let id = info.id.clone();
        let mut known = Some(info);
        wait_until_ready(&self.http, || {
            let (known, id) = (known.take(), &id);
            async move {
                let info = match known {
                    Some(info) => info,
                    None => self.get(id).await?,
                };
                let state = info.state.as_deref().unwrap_or("unknown");
                if states.contains(&state) {
                    return Ok(Some(info));
                }
                if matches!(state, "error" | "build_failed" | "destroyed" | "destroying") {
                    let why = info.error_reason.unwrap_or_default();
                    return Err(self
                        .http
                        .error(ErrorKind::SandboxEnded, format!("the sandbox is {state}: {why}")));
                }
                Ok(None)
            }
        })
        .await
    }

    pub(super) async fn list(&self, pairs: &[(&str, String)]) -> Result<(Vec<Info>, Option<String>)> {
        let answer = self.http.send(self.call(Method::GET, &format!("/sandbox{}", query(pairs)))?).await?;
        let page: Page = self.http.parse(&answer)?;
        Ok((page.items, page.next_cursor.filter(|cursor| !cursor.is_empty())))
    }

    /// Sends a `DELETE`. It is no error if there is nothing at `path`.
    pub(super) async fn remove(&self, path: &str) -> Result<()> {
        self.http.remove(self.call(Method::DELETE, path)?).await.map(drop)
    }

    /// `POST /sandbox/{id}/{action}`.
    pub(super) async fn act(&self, id: &Id, action: &str, body: &Value) -> Result<HttpResponse> {
        let call = self.call(Method::POST, &format!("/sandbox/{id}/{action}"))?;
        self.http.send(if body.is_null() { call } else { call.json(body) }).await
    }

    pub(super) async fn fork(&self, id: &Id) -> Result<Info> {
        let answer = self.act(id, "fork", &json!({})).await?;
        self.http.parse(&answer)
    }
}

impl Toolbox {
    pub(super) async fn new(api: Arc<Api>, info: Info) -> Result<Self> {
        let mut url = info.toolbox_proxy_url;
        if url.is_empty() {
            #[derive(Deserialize)]
            struct ProxyUrl {
                url: String,
            }
            let path = format!("/sandbox/{}/toolbox-proxy-url", info.id);
            let answer = api.http.send(api.call(Method::GET, &path)?).await?;
            url = api.http.parse::<ProxyUrl>(&answer)?.url;
        }
        let url = api.http.address(&api.options.api_url, &url)?;
        let url = format!("{url}/{}", info.id);
        Ok(Self { api, id: info.id, url })
    }

    pub(super) fn call(&self, method: Method, path: &str) -> Result<Call> {
        self.api.authorized(method, format!("{}{path}", self.url))
    }

    pub(super) fn http(&self) -> &Http {
        &self.api.http
    }
}
