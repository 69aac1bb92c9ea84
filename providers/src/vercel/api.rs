//! The API's calls.

use std::collections::BTreeMap;

use reqwest::Method;
use serde::Deserialize;
use serde_json::Value;

use super::options::VercelOptions;
use crate::cloud::{Call, Http, Id, Vendor, query, required, wait_until_ready};
use crate::{Error, ErrorKind, Result};

pub(super) const NAME: &str = "vercel";

/// The tag that stores the working directory.
pub(super) const WORKDIR: &str = "sandshell-workdir";

/// The error codes for a session that is not running. Nothing was done then.
const ASLEEP: &[&str] = &["sandbox_stopped", "sandbox_stopping", "sandbox_snapshotting"];

static VENDOR: Vendor = Vendor {
    name: NAME,
    message: |body| {
        let error = body.get("error")?;
        let message = error.get("message")?.as_str()?;
        Some(match error.get("code").and_then(Value::as_str) {
            Some(code) => format!("{code}: {message}"),
            None => message.to_owned(),
        })
    },
    kind: |status, message| {
        let code = message.split(':').next().unwrap_or_default();
        match code {
            // The stream was lost, which says nothing about the sandbox.
            "sandbox_stream_closed" => Some(ErrorKind::Unavailable),
            // The service refuses unknown callers in the same way as those without permission.
            _ if status == 403 && message == "forbidden: Not authorized" => Some(ErrorKind::Unauthenticated),
            _ if ASLEEP.contains(&code) || status == 410 => Some(ErrorKind::SandboxEnded),
            _ => None,
        }
    },
};

/// The service.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) http: Http,
    pub(super) options: VercelOptions,
}

/// What the service reports about a sandbox and its session.
#[derive(Debug, Deserialize)]
pub(super) struct SandboxWithSession {
    pub(super) sandbox: Info,
    pub(super) session: Session,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Info {
    /// Its users chose it. A list may have some that cannot be used.
    pub(super) name: String,
    pub(super) status: String,
    #[serde(default)]
    pub(super) created_at: u64,
    #[serde(default)]
    pub(super) tags: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Session {
    pub(super) id: Id,
    pub(super) status: String,
    /// Both in milliseconds.
    #[serde(default)]
    pub(super) timeout: u64,
    pub(super) started_at: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Page {
    pub(super) sandboxes: Vec<Info>,
    pub(super) pagination: Pagination,
}

#[derive(Debug, Deserialize)]
pub(super) struct Pagination {
    pub(super) next: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Taken {
    pub(super) snapshot: Snapshot,
}

#[derive(Debug, Deserialize)]
pub(super) struct Snapshot {
    pub(super) id: String,
}

impl Api {
    pub(super) fn new(options: VercelOptions) -> Result<Self> {
        Ok(Self { http: Http::new(&VENDOR, options.client.clone())?, options })
    }

    /// A call for the team. `pairs` are added to its query.
    pub(super) fn call(&self, method: Method, path: &str, pairs: &[(&str, String)]) -> Result<Call> {
        let token = required(self.options.token.as_ref(), NAME, "VERCEL_TOKEN")?;
        let mut all = vec![("teamId", named(self.options.team.as_ref(), "VERCEL_TEAM_ID")?.to_owned())];
        all.extend(pairs.iter().cloned());
        let call = self.http.call(method, format!("{}{path}{}", self.options.base_url, query(&all)));
        Ok(call.secret("authorization", "Bearer ", token))
    }

    pub(super) fn project(&self) -> Result<&str> {
        named(self.options.project.as_ref(), "VERCEL_PROJECT_ID")
    }

    /// A call about a sandbox.
    pub(super) fn about(
        &self,
        method: Method,
        name: &Id,
        what: &str,
        pairs: &[(&str, String)],
    ) -> Result<Call> {
        let mut all = vec![("projectId", self.project()?.to_owned())];
        all.extend(pairs.iter().cloned());
        self.call(method, &format!("/v2/sandboxes/{name}{what}"), &all)
    }

    /// A call to a running session.
    pub(super) fn within(&self, method: Method, session: &Id, what: &str) -> Result<Call> {
        self.call(method, &format!("/v2/sandboxes/sessions/{session}{what}"), &[])
    }

    pub(super) async fn create(&self, body: &Value) -> Result<SandboxWithSession> {
        let answer = self.http.send(self.call(Method::POST, "/v3/sandboxes", &[])?.json(body)).await?;
        self.http.parse(&answer)
    }

    pub(super) async fn get(&self, name: &Id, resume: bool) -> Result<SandboxWithSession> {
        let pairs = [("resume", resume.to_string())];
        let answer = self.http.send(self.about(Method::GET, name, "", &pairs)?).await?;
        self.http.parse(&answer)
    }

    /// The sandbox with a running session, which is resumed if necessary.
    pub(super) async fn wake(&self, name: &Id) -> Result<SandboxWithSession> {
        let found = self.get(name, true).await?;
        self.reach(found).await
    }

    /// Waits until a session that is starting runs.
    pub(super) async fn reach(&self, found: SandboxWithSession) -> Result<SandboxWithSession> {
        let name = Id::new(found.sandbox.name.as_str())?;
        let mut known = Some(found);
        wait_until_ready(&self.http, || {
            let (known, name) = (known.take(), &name);
            async move {
                let found = match known {
                    Some(found) => found,
                    None => self.get(name, true).await?,
                };
                match found.session.status.as_str() {
                    "running" => Ok(Some(found)),
                    over @ ("failed" | "aborted") => {
                        Err(self.http.error(ErrorKind::SandboxEnded, format!("the session has {over}")))
                    }
                    _ => Ok(None),
                }
            }
        })
        .await
    }

    /// `POST` to a running session; any status other than success is an error.
    pub(super) async fn act(
        &self,
        session: &Id,
        what: &str,
        body: &Value,
    ) -> Result<crate::cloud::HttpResponse> {
        self.http.send(self.within(Method::POST, session, what)?.json(body)).await
    }

    pub(super) async fn list(&self, pairs: &[(&str, String)]) -> Result<Page> {
        let answer = self.http.send(self.call(Method::GET, "/v2/sandboxes", pairs)?).await?;
        self.http.parse(&answer)
    }
}

/// A setting that is needed in addition to a token.
fn named<'a>(value: Option<&'a String>, variable: &str) -> Result<&'a str> {
    let missing =
        || Error::new(ErrorKind::Unauthenticated, format!("{NAME} needs a credential: set {variable}"));
    value.map(String::as_str).ok_or_else(missing)
}
