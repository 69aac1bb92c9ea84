//! The API's calls.

use std::collections::BTreeMap;

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::options::RunloopOptions;
use crate::cloud::{Call, Http, HttpResponse, Id, Vendor, query, required, unique, wait_until_ready};
use crate::{Error, ErrorKind, Result};

pub(super) const NAME: &str = "runloop";

/// The metadata key that stores the working directory.
pub(super) const WORKDIR: &str = "sandshell-workdir";

static VENDOR: Vendor =
    Vendor { name: NAME, message: |body| Some(body.get("message")?.as_str()?.to_owned()), kind: |_, _| None };

/// The most snapshots on a page.
const LARGEST_PAGE: usize = 1000;

/// The most pages that are searched for a snapshot.
const MOST_PAGES: usize = 1000;

/// The service.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) http: Http,
    pub(super) options: RunloopOptions,
}

/// What the service reports about a devbox.
#[derive(Debug, Deserialize)]
pub(super) struct Devbox {
    pub(super) id: Id,
    pub(super) status: String,
    #[serde(default)]
    pub(super) metadata: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) create_time_ms: u64,
    pub(super) failure_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Page {
    pub(super) devboxes: Vec<Devbox>,
    pub(super) has_more: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Snapshot {
    pub(super) id: Id,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    create_time_ms: u64,
}

#[derive(Debug, Deserialize)]
struct SnapshotStatus {
    status: String,
    error_message: Option<String>,
}

impl Api {
    pub(super) fn new(options: RunloopOptions) -> Result<Self> {
        Ok(Self { http: Http::new(&VENDOR, options.client.clone())?, options })
    }

    pub(super) fn call(&self, method: Method, path: &str) -> Result<Call> {
        self.authorized(method, &format!("/devboxes{path}"))
    }

    fn authorized(&self, method: Method, path: &str) -> Result<Call> {
        let key = required(self.options.api_key.as_ref(), NAME, "RUNLOOP_API_KEY")?;
        let call = self.http.call(method, format!("{}/v1{path}", self.options.base_url));
        Ok(call.secret("authorization", "Bearer ", key))
    }

    /// A `POST` with an id, so that it has its effect only once even if it is sent again.
    fn post(&self, path: &str, body: &Value) -> Result<Call> {
        let call = self.call(Method::POST, path)?.json(body);
        Ok(call.header("x-request-id", &format!("sandshell-{}", unique())))
    }

    pub(super) async fn create(&self, body: &Value) -> Result<Devbox> {
        let answer = self.http.send(self.post("", body)?).await?;
        self.http.parse(&answer)
    }

    pub(super) async fn get(&self, id: &Id) -> Result<Devbox> {
        let answer = self.http.send(self.call(Method::GET, &format!("/{id}"))?).await?;
        self.http.parse(&answer)
    }

    /// Waits until a devbox has this status.
    pub(super) async fn reach(&self, devbox: Devbox, status: &str) -> Result<Devbox> {
        let id = devbox.id.clone();
        let mut known = Some(devbox);
        wait_until_ready(&self.http, || {
            let (known, id) = (known.take(), &id);
            async move {
                let devbox = match known {
                    Some(devbox) => devbox,
                    None => self.get(id).await?,
                };
                if devbox.status == status {
                    return Ok(Some(devbox));
                }
                if matches!(devbox.status.as_str(), "failure" | "shutdown") {
                    return Err(self.over(&devbox));
                }
                Ok(None)
            }
        })
        .await
    }

    /// The error for a devbox that has ended.
    pub(super) fn over(&self, devbox: &Devbox) -> Error {
        let why = devbox.failure_reason.as_deref().unwrap_or("it has ended");
        self.http.error(ErrorKind::SandboxEnded, format!("the devbox is in {}: {why}", devbox.status))
    }

    /// The error for a refused call. The reason may be that the devbox has ended.
    pub(super) async fn refused(&self, id: &Id, answer: &HttpResponse) -> Error {
        if matches!(answer.status, 400 | 409 | 422)
            && let Ok(devbox) = self.get(id).await
            && matches!(devbox.status.as_str(), "failure" | "shutdown")
        {
            return self.over(&devbox);
        }
        self.http.refused(answer)
    }

    pub(super) async fn list(&self, pairs: &[(&str, String)]) -> Result<Page> {
        let answer = self.http.send(self.call(Method::GET, &query(pairs))?).await?;
        self.http.parse(&answer)
    }

    /// `POST /v1/devboxes/{id}/{action}`; the caller checks the status.
    pub(super) async fn act(&self, id: &Id, action: &str, body: &Value) -> Result<HttpResponse> {
        self.repeatable(&format!("/{id}/{action}"), body).await
    }

    /// Deletes a snapshot; the caller checks the status.
    pub(super) async fn delete_snapshot(&self, snapshot: &Id) -> Result<HttpResponse> {
        self.repeatable(&format!("/disk_snapshots/{snapshot}/delete"), &json!({})).await
    }

    async fn repeatable(&self, path: &str, body: &Value) -> Result<HttpResponse> {
        let call = self.post(path, body)?.repeatable();
        // One of the actions runs commands, whose answers may be long.
        self.http.answer(call.large()).await
    }

    /// The newest snapshot with this name.
    pub(super) async fn snapshot_named(&self, name: &str) -> Result<Option<Snapshot>> {
        #[derive(Deserialize)]
        struct Page {
            snapshots: Vec<Snapshot>,
            #[serde(default)]
            has_more: bool,
        }
        let (mut newest, mut last) = (None::<Snapshot>, None::<String>);
        for _ in 0..MOST_PAGES {
            let mut pairs = vec![("limit", LARGEST_PAGE.to_string())];
            pairs.extend(last.map(|last| ("starting_after", last)));
            let call = self.call(Method::GET, &format!("/disk_snapshots{}", query(&pairs)))?;
            let page: Page = self.http.parse(&self.http.send(call).await?)?;
            last = page.snapshots.last().map(|last| last.id.clone().into());
            let named = page.snapshots.into_iter().filter(|snapshot| snapshot.name.as_deref() == Some(name));
            newest = newest.into_iter().chain(named).max_by_key(|snapshot| snapshot.create_time_ms);
            if !page.has_more || last.is_none() {
                return Ok(newest);
            }
        }
        Err(self.http.malformed(format_args!("more than {MOST_PAGES} pages of snapshots")))
    }

    /// Whether the service has no blueprint of this name.
    pub(super) async fn lacks_blueprint(&self, name: &str) -> Result<bool> {
        #[derive(Deserialize)]
        struct Page {
            blueprints: Vec<Blueprint>,
            #[serde(default)]
            has_more: bool,
        }
        #[derive(Deserialize)]
        struct Blueprint {
            #[serde(default)]
            name: Option<String>,
        }
        let pairs = [("name", name.to_owned()), ("limit", LARGEST_PAGE.to_string())];
        let call = self.authorized(Method::GET, &format!("/blueprints{}", query(&pairs)))?;
        let page: Page = self.http.parse(&self.http.send(call).await?)?;
        let named = page.blueprints.iter().any(|blueprint| blueprint.name.as_deref() == Some(name));
        // If there are more pages, leave it to the service to find the blueprint.
        Ok(!named && !page.has_more)
    }

    /// Takes a snapshot of the disk and waits until it is complete.
    pub(super) async fn snapshot(&self, id: &Id, name: Option<&str>) -> Result<Snapshot> {
        let path = format!("/{id}/snapshot_disk_async");
        let body = name.map_or_else(|| json!({}), |name| json!({"name": name}));
        let answer = self.http.send(self.post(&path, &body)?).await?;
        let snapshot: Snapshot = self.http.parse(&answer)?;
        let path = format!("/disk_snapshots/{}/status", snapshot.id);
        wait_until_ready(&self.http, || async {
            let answer = self.http.send(self.call(Method::GET, &path)?).await?;
            let state: SnapshotStatus = self.http.parse(&answer)?;
            match state.status.as_str() {
                "complete" => Ok(Some(())),
                "in_progress" => Ok(None),
                _ => {
                    let why = state.error_message.unwrap_or(state.status);
                    Err(self.http.error(ErrorKind::Unexpected, format!("no snapshot was taken: {why}")))
                }
            }
        })
        .await?;
        Ok(snapshot)
    }
}
