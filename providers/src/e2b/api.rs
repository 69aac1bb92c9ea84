//! Calls to the control plane and to a sandbox's `envd`.

use std::collections::BTreeMap;
use std::sync::Arc;

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::options::E2bOptions;
use crate::cloud::{Call, Http, HttpResponse, Id, Secret, Vendor, query, required};
use crate::{ErrorKind, Result};

pub(super) const NAME: &str = "e2b";

/// The metadata key that stores the working directory.
pub(super) const WORKDIR: &str = "sandshell-workdir";

static VENDOR: Vendor = Vendor {
    name: NAME,
    message: |body| Some(body.get("message")?.as_str()?.to_owned()),
    // The proxy in front of the sandboxes answers 502 if a sandbox does not exist.
    kind: |status, message| {
        (status == 502 && message.contains("was not found")).then_some(ErrorKind::SandboxEnded)
    },
};

/// The service.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) http: Http,
    pub(super) options: E2bOptions,
}

/// What is needed to talk to one sandbox.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Created {
    #[serde(rename = "sandboxID")]
    pub(super) id: Id,
    pub(super) envd_access_token: Option<String>,
}

/// What the service reports about a sandbox.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Detail {
    #[serde(rename = "sandboxID")]
    pub(super) id: String,
    pub(super) state: Option<String>,
    pub(super) started_at: Option<String>,
    pub(super) end_at: Option<String>,
    #[serde(default)]
    pub(super) metadata: Option<BTreeMap<String, String>>,
}

/// A new snapshot.
#[derive(Debug, Deserialize)]
pub(super) struct Snapshot {
    #[serde(rename = "snapshotID")]
    pub(super) id: String,
}

#[derive(Debug, Deserialize)]
struct Forked {
    sandbox: Option<Created>,
    error: Option<Value>,
}

/// One sandbox's `envd`.
#[derive(Debug)]
pub(super) struct Envd {
    pub(super) api: Arc<Api>,
    pub(super) id: Id,
    token: Option<Secret>,
}

impl Api {
    pub(super) fn new(options: E2bOptions) -> Result<Self> {
        Ok(Self { http: Http::new(&VENDOR, options.client.clone())?, options })
    }

    fn call(&self, method: Method, path: &str) -> Result<Call> {
        let key = required(self.options.api_key.as_ref(), NAME, "E2B_API_KEY")?;
        let call = self.http.call(method, format!("{}{path}", self.options.api_url()));
        Ok(call.secret("x-api-key", "", key))
    }

    pub(super) async fn create(&self, body: &Value) -> Result<Created> {
        let answer = self.http.send(self.call(Method::POST, "/v2/sandboxes")?.json(body)).await?;
        self.http.parse(&answer)
    }

    /// Resumes a sandbox if necessary, and makes it run for at least this many seconds from now.
    pub(super) async fn connect(&self, id: &Id, seconds: u64) -> Result<Created> {
        let path = format!("/v2/sandboxes/{id}/connect");
        let call = self.call(Method::POST, &path)?.json(&json!({"timeout": seconds})).repeatable();
        self.http.parse(&self.http.send(call).await?)
    }

    pub(super) async fn detail(&self, id: &Id) -> Result<Detail> {
        let call = self.call(Method::GET, &format!("/sandboxes/{id}"))?;
        self.http.parse(&self.http.send(call).await?)
    }

    /// A page, and the cursor of the next one.
    pub(super) async fn list(&self, pairs: &[(&str, String)]) -> Result<(Vec<Detail>, Option<String>)> {
        let call = self.call(Method::GET, &format!("/v2/sandboxes{}", query(pairs)))?;
        let answer = self.http.send(call).await?;
        let next = answer.headers.get("x-next-token").and_then(|token| token.to_str().ok());
        Ok((self.http.parse(&answer)?, next.filter(|token| !token.is_empty()).map(str::to_owned)))
    }

    /// Deletes something; returns whether it existed.
    pub(super) async fn remove(&self, path: &str) -> Result<bool> {
        self.http.remove(self.call(Method::DELETE, path)?).await
    }

    /// `POST /sandboxes/{id}/{what}`.
    pub(super) async fn act(&self, id: &Id, what: &str, body: &Value) -> Result<HttpResponse> {
        let call = self.call(Method::POST, &format!("/sandboxes/{id}/{what}"))?.json(body);
        self.http.answer(call).await
    }

    pub(super) async fn snapshot(&self, id: &Id, name: Option<&str>) -> Result<Snapshot> {
        let body = name.map_or_else(|| json!({}), |name| json!({"name": name}));
        let answer = self.succeeded(self.act(id, "snapshots", &body).await?)?;
        self.http.parse(&answer)
    }

    pub(super) async fn fork(&self, id: &Id, seconds: u64) -> Result<Created> {
        let answer = self.succeeded(self.act(id, "fork", &json!({"timeout": seconds})).await?)?;
        let mut forks: Vec<Forked> = self.http.parse(&answer)?;
        match forks.pop() {
            Some(Forked { sandbox: Some(sandbox), .. }) => Ok(sandbox),
            Some(Forked { error: Some(error), .. }) => Err(self.http.error(ErrorKind::Unavailable, error)),
            _ => Err(self.http.malformed("no fork")),
        }
    }

    pub(super) fn succeeded(&self, answer: HttpResponse) -> Result<HttpResponse> {
        if (200..300).contains(&answer.status) { Ok(answer) } else { Err(self.http.refused(&answer)) }
    }
}

impl Envd {
    pub(super) fn new(api: Arc<Api>, created: Created) -> Result<Self> {
        Ok(Self { api, id: created.id, token: created.envd_access_token.map(Secret::new) })
    }

    /// A call to the sandbox.
    pub(super) fn call(&self, method: Method, path: &str) -> Call {
        let http = &self.api.http;
        let call = http.call(method, format!("{}{path}", self.api.options.sandbox_url()));
        let call = call.header("e2b-sandbox-id", self.id.as_str()).header("e2b-sandbox-port", "49983");
        match &self.token {
            Some(token) => call.secret("x-access-token", "", token),
            None => call,
        }
    }

    /// Calls a procedure that has a single answer.
    pub(super) async fn unary(&self, procedure: &str, body: &Value) -> Result<HttpResponse> {
        let call = self.call(Method::POST, procedure).header("connect-protocol-version", "1").json(body);
        self.api.http.send(call).await
    }
}
